"""Tokens: shown once, kept as a hash, for one wiki."""

import logging
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from tests.api_client import ApiClient
from wiki.models import Agent, ApiToken, Wiki
from wiki.tokens import create_token, ensure_agent, find_token, hash_token


def made_by_command(*arguments):
    out = StringIO()
    call_command("create_token", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_the_token_alone_and_makes_agent_and_wiki(db):
    printed = made_by_command("robin", "--wiki", "ops")
    token = ApiToken.objects.get()
    assert printed == f"{printed.strip()}\n"
    assert find_token(printed.strip()) == token
    assert (token.agent.name, token.wiki.slug, token.scope, token.agent.home_wiki.slug) == (
        "robin",
        "ops",
        "write",
        "ops",
    )


def test_a_second_token_for_another_wiki_leaves_the_home_alone(db):
    made_by_command("robin", "--wiki", "ops")
    made_by_command("robin", "--wiki", "Zweites Wiki", "--scope", "read")
    agent = Agent.objects.get()
    assert agent.home_wiki.slug == "ops"
    assert {(token.wiki.slug, token.scope) for token in agent.tokens.all()} == {
        ("ops", "write"),
        ("zweites-wiki", "read"),
    }


@pytest.mark.parametrize("slug", ["files", "search", "admin", "new"])
def test_a_wiki_may_be_called_anything(db, slug):
    assert ensure_agent("robin", slug)[1].slug == slug


def test_without_a_wiki_the_agent_gets_one_of_its_own_name(db):
    assert ensure_agent("Robin Zwei")[1].slug == "robin-zwei"
    _, wiki, is_new = ensure_agent("Robin Zwei")
    assert (wiki, is_new) == (Wiki.objects.get(), False)


def test_a_wiki_that_had_to_be_made_is_named_beside_the_token(db):
    err = StringIO()
    call_command("create_token", "robin", "--wiki", "verttippt", stdout=StringIO(), stderr=err)
    call_command("create_token", "robin", "--wiki", "verttippt", stdout=StringIO(), stderr=err)
    assert err.getvalue().count("verttippt") == 1


def test_only_the_beginning_and_the_hash_are_stored(agent, wiki, caplog):
    with caplog.at_level(logging.DEBUG):
        token, secret = create_token(agent, wiki)
        ApiClient(secret).get("/recall?q=x")
    assert secret not in caplog.text
    assert token.prefix == secret[:12]
    assert token.hash == hash_token(secret)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wiki_apitoken")
        assert secret not in str(cursor.fetchall())


def test_use_is_noted(agent, wiki):
    token, secret = create_token(agent, wiki)
    find_token(secret)
    token.refresh_from_db()
    assert token.last_used_at is not None
