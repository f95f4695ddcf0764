"""The token of `manage.py mcp`: short-lived, renewed while it is used."""

import pytest
from django.utils import timezone

from wiki.mcp.api_client import Call
from wiki.mcp.stdio import LIFETIME, BriefToken
from wiki.models import ApiToken, Revision, Scope


@pytest.fixture
def brief(agent, wiki, monkeypatch):
    # It would close the connection that the test is in a transaction with.
    monkeypatch.setattr("wiki.mcp.stdio.close_old_connections", lambda: None)
    return BriefToken(agent, wiki, Scope.WRITE)


def test_the_token_is_short_lived_and_renewed_while_it_is_used(brief, monkeypatch):
    begun = timezone.now()
    token = ApiToken.objects.get()
    assert LIFETIME * 0.9 < token.expires_at - begun <= LIFETIME
    assert brief.send(Call("GET", "/pages")).status == 200
    assert ApiToken.objects.get().expires_at == token.expires_at
    monkeypatch.setattr("wiki.mcp.stdio.timezone.now", lambda: begun + LIFETIME * 0.6)
    assert brief.send(Call("GET", "/pages")).status == 200
    assert ApiToken.objects.get().expires_at > token.expires_at


def test_a_token_that_somebody_revoked_is_not_renewed(brief, monkeypatch):
    begun = timezone.now()
    ApiToken.objects.all().revoke()
    monkeypatch.setattr("wiki.mcp.stdio.timezone.now", lambda: begun + LIFETIME * 2)
    assert brief.send(Call("GET", "/pages")).status == 401


def test_a_token_outlives_a_pause_of_the_agent(brief, monkeypatch):
    begun = timezone.now()
    monkeypatch.setattr("wiki.mcp.stdio.timezone.now", lambda: begun + LIFETIME * 30)
    assert brief.send(Call("GET", "/pages")).status == 200
    brief.end()
    assert brief.send(Call("GET", "/pages")).status == 401


def test_only_a_token_that_wrote_is_remembered(brief, agent, wiki):
    brief.send(
        Call(
            "POST",
            "/insights",
            body={"text": "The mirror rejects files over 64 MiB.", "agent": agent.name},
        )
    )
    wrote, read = ApiToken.objects.get(), BriefToken(agent, wiki, Scope.WRITE)
    assert read.send(Call("GET", "/pages")).status == 200
    brief.end()
    read.end()
    assert ApiToken.objects.get() == wrote
    assert Revision.objects.get().token == wrote
