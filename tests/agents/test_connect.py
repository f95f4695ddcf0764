"""Connecting an agent on a screen: its token is shown once, with everything filled in, and is
nowhere else."""

import json
import logging
import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.support.api_client import ApiClient
from tests.support.screens import HOSTILE, Write, join, text
from wiki.agents.api_tokens import find_token
from wiki.agents.setup_snippets import SNIPPETS, read_instruction
from wiki.models import Agent, ApiToken, Role, Wiki

CONNECT = "/w/ops/connect"


@pytest.fixture
def owner(wiki: Wiki) -> Client:
    client = Client()
    client.force_login(join(wiki, "odile", Role.OWNER).user)
    return client


def form_of(client: Client, address: str = CONNECT, **changed: object) -> dict[str, object]:
    """The fields as a browser would send them."""
    key = re.search(r'name="form_key" value="(\w+)"', text(client.get(address)))[1]
    return {
        "agent": "robin",
        "scope": "write",
        "days": "365",
        "requests_per_minute": "",
        "form_key": key,
        **changed,
    }


def secret_in(answer) -> str:
    return re.search(r'id="secret" type="text" value="(covey_[\w-]{43})"', text(answer))[1]


def test_an_owner_gets_a_token_that_works_and_everything_filled_in(owner: Client) -> None:
    answer = owner.post(CONNECT, form_of(owner))
    secret, html = secret_in(answer), text(answer)
    assert ApiClient(secret).get("/status").status_code == 200
    token = find_token(secret)
    assert (token.agent.name, token.wiki.slug, token.scope) == ("robin", "ops", "write")
    assert timedelta(days=364) < token.expires_at - timezone.now() < timedelta(days=366)
    shown = [
        unescape(part)
        for part in re.findall(
            r'<pre class="setup"[^>]*>(.*?)</pre>', answer.content.decode(), re.DOTALL
        )
    ]
    assert {read_instruction("en"), read_instruction("de")} <= set(shown)
    assert len({*shown}) == len(SNIPPETS) + 2
    servers = [json.loads(part)["mcpServers"]["covey"] for part in shown if part.startswith("{")]
    assert servers[0]["headers"] == {"Authorization": f"Bearer {secret}"}
    assert servers[0]["url"].endswith("/mcp")
    assert servers[1]["args"][1:] == [
        "mcp",
        "--agent",
        "robin",
        "--wiki",
        "ops",
        "--scope",
        "write",
    ]
    for words in ("curl", "Python", "n8n", "only this once"):
        assert words in html


@pytest.mark.parametrize("scope", ["read", "file", "write"])
@pytest.mark.parametrize("days", ["30", "0"])
def test_scope_expiry_and_limit_are_as_chosen(owner: Client, scope: str, days: str) -> None:
    owner.post(CONNECT, form_of(owner, scope=scope, days=days, requests_per_minute="600"))
    token = ApiToken.objects.get()
    assert (token.scope, token.requests_per_minute, token.expires_at is None) == (
        scope,
        600,
        days == "0",
    )


def test_the_secret_is_in_no_session_no_log_no_address_and_no_later_screen(
    owner: Client, caplog
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = owner.post(CONNECT, form_of(owner))
    secret = secret_in(answer)
    assert "no-store" in answer["Cache-Control"]
    kept = [
        caplog.text,
        str(owner.cookies),
        str([session.get_decoded() for session in Session.objects.all()]),
    ]
    kept += [str(list(ApiToken.objects.values())), *map(str, answer.headers.items())]
    agent = Agent.objects.get()
    later = (
        CONNECT,
        "/w/ops/agents",
        f"/w/ops/agents/{agent.pk}",
        f"{CONNECT}?agent=robin",
        "/w/ops/",
    )
    kept += [text(owner.get(address)) for address in later]
    assert [part for part in kept if secret[12:] in part] == []


def test_loading_the_answer_again_makes_no_second_token(owner: Client) -> None:
    form = form_of(owner)
    secret = secret_in(owner.post(CONNECT, form))
    again = owner.post(CONNECT, form)
    assert (again.status_code, ApiToken.objects.count()) == (409, 1)
    html = text(again)
    assert "no second token was made" in html
    assert secret[:12] in html
    assert secret not in html
    fresh = re.search(r'name="form_key" value="(\w+)"', html)[1]
    assert secret_in(owner.post(CONNECT, {**form, "form_key": fresh})) != secret


def test_a_key_of_a_form_of_another_wiki_tells_nothing_about_it(owner: Client) -> None:
    form = form_of(owner)
    owner.post(CONNECT, form)
    stranger = Client()
    stranger.force_login(
        join(Wiki.objects.create(slug="other", name="Other"), "olga", Role.OWNER).user
    )
    html = text(stranger.post("/w/other/connect", form))
    assert ApiToken.objects.get().prefix not in html
    assert ApiToken.objects.count() == 1


def test_a_known_agent_gets_one_more_token_and_keeps_its_home(owner: Client, agent: Agent) -> None:
    elsewhere = Wiki.objects.create(slug="elsewhere", name="Elsewhere")
    Agent.objects.update(home_wiki=elsewhere)
    owner.post(CONNECT, form_of(owner))
    owner.post(CONNECT, form_of(owner))
    assert Agent.objects.get().home_wiki == elsewhere
    assert agent.tokens.count() == 2


def test_names_of_agents_of_other_wikis_are_not_proposed(owner: Client, agent: Agent) -> None:
    Agent.objects.create(
        name="olaf", home_wiki=Wiki.objects.create(slug="elsewhere", name="Elsewhere")
    )
    html = text(owner.get(CONNECT))
    assert '<option value="robin">' in html
    assert "olaf" not in html
    assert 'value="wren"' in text(owner.get(f"{CONNECT}?agent=wren"))


def test_a_token_may_be_given_other_wikis_that_one_owns_and_no_others(owner: Client) -> None:
    own, edited = (Wiki.objects.create(slug=slug, name=slug.title()) for slug in ("own", "edited"))
    odile = User.objects.get(username="odile")
    own.memberships.create(user=odile, role=Role.OWNER)
    edited.memberships.create(user=odile, role=Role.EDITOR)
    html = text(owner.get(CONNECT))
    assert "Own" in html
    assert "Edited" not in html
    answer = owner.post(CONNECT, form_of(owner, also_opens=[own.pk]))
    assert "?wiki=own" in text(answer)
    assert ApiClient(secret_in(answer)).get("/status?wiki=own").status_code == 200
    assert owner.post(CONNECT, form_of(owner, also_opens=[edited.pk])).status_code == 422
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    "changed",
    [{"agent": " "}, {"agent": "x" * 101}, {"scope": "all"}, {"days": "7"}, {"form_key": "x"},
     {"requests_per_minute": "-1"}, {"requests_per_minute": str(2**31)}],
)  # fmt: skip
def test_what_cannot_be_meant_makes_no_token_and_says_so(
    owner: Client, changed: dict[str, str]
) -> None:
    answer = owner.post(CONNECT, form_of(owner, **changed))
    assert answer.status_code == 422
    assert 'role="alert"' in text(answer) or "form_key" in changed
    assert not ApiToken.objects.exists()


def test_only_owners_connect(browser: Client, wiki: Wiki) -> None:
    assert browser.get(CONNECT).status_code == 403
    assert browser.post(CONNECT, {"agent": "robin"}).status_code == 403
    assert Client().get(CONNECT)["Location"].startswith("/login?next=/w/ops/connect")
    assert "/w/ops/connect" not in text(browser.get("/w/ops/"))
    assert not ApiToken.objects.exists()


def test_no_token_is_made_but_by_the_form(wiki: Wiki) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(join(wiki, "odile", Role.OWNER).user)
    for kind in ("text/plain", "application/json", "application/x-www-form-urlencoded"):
        assert client.post(CONNECT, '{"agent": "robin"}', content_type=kind).status_code == 403


def test_a_name_is_text_everywhere(owner: Client) -> None:
    answer = owner.post(CONNECT, form_of(owner, agent=f'"{HOSTILE}'))
    assert HOSTILE not in answer.content.decode()
    stdio = [
        part
        for part in re.findall(r"<pre[^>]*>(.*?)</pre>", answer.content.decode(), re.DOTALL)
        if "args" in part
    ]
    assert json.loads(unescape(stdio[0]))["mcpServers"]["covey"]["args"][3] == f'"{HOSTILE}'


def test_a_new_page_called_connect_gets_another_address(write: Write) -> None:
    assert write("Connect").slug == "connect-page"
