"""Tokens: shown once, kept as a hash, for one wiki or several, and for no more than their scope
says."""

import logging
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ, Task

from tests.support.api_client import API, ApiClient
from tests.support.screens import text
from wiki.agents.api_tokens import (
    MAX_DAYS,
    create_token,
    ensure_agent,
    find_token,
    hash_token,
    revoke_wiki,
)
from wiki.api.main import api as api_of_covey
from wiki.insights.intake import file_pending_insights
from wiki.models import Agent, ApiToken, Insight, Page, Revision, Scope, Wiki


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


# -- the command


def test_the_command_makes_a_token_for_several_wikis_and_for_some_days(db):
    made_by_command(
        "robin", "--wiki", "ops", "--wiki", "Zweites Wiki", "--expires", "30", "--scope", "file"
    )
    token = ApiToken.objects.get()
    assert (token.wiki.slug, [wiki.slug for wiki in token.also_opens.all()]) == (
        "ops",
        ["zweites-wiki"],
    )
    assert token.scope == "file"
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)


def test_the_command_gives_a_token_a_limit_of_its_own(db):
    made_by_command("robin", "--requests-per-minute", "0")
    assert ApiToken.objects.get().requests_per_minute == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--expires", "0"),
        ("--expires", str(MAX_DAYS + 1)),
        ("--requests-per-minute", "-1"),
        ("--wiki", " "),
    ],
)
def test_the_command_refuses_what_cannot_be_meant(db, arguments):
    with pytest.raises(CommandError):
        made_by_command("robin", *(["--wiki", "ops"] if "--wiki" in arguments else []), *arguments)
    assert not ApiToken.objects.exists()


# -- scopes


@pytest.fixture
def filer(agent: Agent, wiki: Wiki) -> ApiClient:
    return ApiClient(create_token(agent, wiki, Scope.FILE)[1])


def test_a_filing_token_recalls_hands_in_and_reads_what_became_of_it(filer, write):
    write("Runner", "Der Runner braucht zwei Kerne.")
    assert filer.get("/recall?q=Runner").json()["pages"][0]["title"] == "Runner"
    filed = filer.post("/insights", {"text": "Der Proxy verwirft Antworten über 64 MiB."})
    assert filed.status_code == 201
    assert filer.get(f"/insights/{filed.json()['id']}").json()["outcome"] == "created"
    assert filer.get("/status").status_code == 200


def calls_on_pages():
    for path, methods in api_of_covey.get_openapi_schema()["paths"].items():
        if path.startswith(f"{API}/pages"):
            for method in methods:
                yield (
                    method.upper(),
                    path.removeprefix(API).replace("{slug}", "runner").replace("{number}", "1"),
                )


def test_a_filing_token_opens_no_page_and_changes_none(filer, write):
    write("Runner", "Geheim")
    calls = list(calls_on_pages())
    assert len(calls) >= 10
    for method, path in calls:
        answer = filer.call(method, path, {"title": "x", "body": "x", "text": "x"})
        assert answer.status_code == 403, (method, path)
        assert "scope “read” or “write”" in answer.json()["detail"]
        assert "Geheim" not in text(answer)
    assert Page.objects.get().revision == 1


def test_a_reading_token_hands_nothing_in_and_is_told_which_one_does(reader, wiki):
    answer = reader.post("/insights", {"text": "Etwas Neues."})
    assert answer.status_code == 403
    assert "scope “file” or “write”" in answer.json()["detail"]
    assert not Insight.objects.exists()


# -- several wikis


@pytest.fixture
def second(db) -> Wiki:
    return Wiki.objects.create(slug="zweites-wiki", name="Zweites Wiki")


def test_a_token_opens_the_wikis_it_was_made_for_and_no_other(agent, wiki, second):
    Wiki.objects.create(slug="drittes", name="Drittes")
    token, secret = create_token(agent, wiki, also_opens=[second])
    both = ApiClient(secret)
    both.put("/pages/hier", {"title": "Hier", "body": "x"})
    both.put("/pages/dort?wiki=zweites-wiki", {"title": "Dort", "body": "x"})
    assert {(page.wiki.slug, page.slug) for page in Page.objects.all()} == {
        ("ops", "hier"),
        ("zweites-wiki", "dort"),
    }
    assert both.get("/pages/dort?wiki=Zweites Wiki").status_code == 200
    assert both.get("/pages/dort").status_code == 404
    closed, missing = (both.get(f"/pages?wiki={slug}") for slug in ("drittes", "nirgends"))
    assert (closed.status_code, closed.content) == (404, missing.content)


def test_who_takes_a_wiki_from_a_token_leaves_it_the_others(agent, wiki, second):
    token, secret = create_token(agent, wiki, also_opens=[second])
    revoke_wiki(token, wiki)
    both = ApiClient(secret)
    assert both.get("/pages?wiki=ops").status_code == 404
    assert both.get("/pages").status_code == 200
    assert ApiToken.objects.get().wiki == second
    revoke_wiki(token, second)
    assert both.get("/pages").status_code == 401


# -- who came with which


def test_insights_and_revisions_know_the_token_they_came_with(api, write):
    token = ApiToken.objects.get()
    api.put("/pages/neu", {"title": "Neu", "body": "x"})
    api.post("/pages/neu/append", {"text": "Ein Absatz."})
    api.post("/insights", {"text": "Der Proxy verwirft Antworten über 64 MiB."})
    assert {revision.token for revision in Revision.objects.all()} == {token}
    assert Insight.objects.get().token == token


def test_an_insight_that_waited_is_filed_as_of_its_token(api, wiki):
    insight = Insight.objects.create(
        wiki=wiki,
        agent=Agent.objects.get(),
        text="Der Proxy verwirft große Antworten.",
        outcome="pending",
        token=ApiToken.objects.get(),
    )
    assert file_pending_insights() == 1
    insight.refresh_from_db()
    assert insight.page.revisions.get().token == ApiToken.objects.get()


# -- no token tells anything


def test_a_secret_is_in_no_log_no_task_no_error_and_no_screen(
    agent, wiki, caplog, monkeypatch, capsys
):
    token, secret = create_token(agent, wiki)
    client = ApiClient(secret)
    admin = Client()
    admin.force_login(User.objects.create_superuser("root"))
    with caplog.at_level(logging.DEBUG):
        seen = [client.get("/recall?q=x"), client.get("/pages/nirgends"), client.put("/pages/x", 7)]
        seen += [
            client.post("/insights", {"text": "Der Proxy verwirft Antworten."}),
            client.get("/status?wiki=fremd"),
        ]
        monkeypatch.setattr("wiki.api.status.count_embeddings", lambda wiki: 1 / 0)
        broken = client.get("/status")
    assert broken.status_code == 500
    assert "ZeroDivisionError" in caplog.text
    screens = ["/w/ops/agents", f"/w/ops/agents/{agent.pk}", "/admin/wiki/apitoken/"]
    seen += [
        broken,
        *(admin.get(address) for address in [*screens, f"/admin/wiki/apitoken/{token.pk}/change/"]),
    ]
    said = [text(answer) + str(answer.headers) for answer in seen] + [
        caplog.text,
        *capsys.readouterr(),
    ]
    said += [
        str(list(model.objects.values())) for model in (OrmQ, Task, ApiToken, Insight, Revision)
    ]
    assert [part for part in said if secret in part or secret[12:] in part] == []


def test_unknown_revoked_and_expired_tokens_get_one_answer(agent, wiki, write):
    write("Runner", "Geheim")
    now = timezone.now()
    secrets = [create_token(agent, wiki)[1] for _ in range(3)]
    for secret, change in zip(
        secrets, ({"revoked_at": now}, {"expires_at": now}, {"scope": "read"}), strict=True
    ):
        ApiToken.objects.filter(hash=hash_token(secret)).update(**change)
    assert ApiClient(secrets[2]).get("/pages/runner").status_code == 200
    for path in (
        "/pages/runner",
        "/recall?q=Runner",
        "/status",
        "/pages",
        "/pages/runner/revisions",
    ):
        answers = {
            ApiClient(secret).get(path).content
            for secret in [*secrets[:2], "covey_never", "never", "ü"]
        }
        assert len(answers) == 1
        assert ApiClient(secrets[0]).get(path).status_code == 401


def test_a_token_that_is_refused_is_not_noted_as_used(agent, wiki):
    token, secret = create_token(agent, wiki)
    ApiToken.objects.update(revoked_at=timezone.now())
    ApiClient(secret).get("/status")
    token.refresh_from_db()
    assert token.last_used_at is None
