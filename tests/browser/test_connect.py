"""Connecting an agent as an owner does it: with a script and without, and until its token is
revoked."""

import json

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import button, heading, link
from tests.browser.test_accessibility import faults
from tests.browser.test_small_screens import FITS
from tests.support.api_client import ApiClient
from tests.support.screens import join
from wiki.agents.setup_snippets import read_instruction
from wiki.models import ApiToken, Role, Wiki


@pytest.fixture
def owner(wiki: Wiki) -> User:
    return join(wiki, "odile", Role.OWNER).user


def make_token(screen: Screen, name: str = "robin") -> str:
    screen.goto("/w/ops/connect")
    screen.locator("#id_agent").fill(name)
    screen.locator("main button").last.click()
    return screen.locator("#secret").input_value()


def test_an_owner_copies_what_the_agent_needs_and_revokes_the_token_again(
    visit: Visit, owner: User
) -> None:
    screen = visit("/w/ops/agents", as_user=owner)
    screen.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link(screen.get_by_role("main"), "Connect an agent").click()
    screen.get_by_label("Name of the agent").fill("robin")
    screen.get_by_label("recall and hand in insights").check()
    button(screen, "Make the token").click()
    expect(heading(screen, "robin has a token")).to_be_visible()
    secret = screen.locator("#secret").input_value()

    def copied(place: str) -> str:
        screen.locator(f"{place} + button").click()
        expect(screen.locator(f"{place} + button")).to_have_text("Copied")
        return screen.evaluate("navigator.clipboard.readText()")

    assert copied("#secret") == secret
    assert copied("#setup-en").strip() == read_instruction("en")
    assert (
        json.loads(copied("#setup-mcp"))["mcpServers"]["covey"]["headers"]["Authorization"]
        == f"Bearer {secret}"
    )
    screen.get_by_text("curl", exact=True).click()
    expect(screen.locator("#setup-mcp")).to_be_hidden()
    assert secret in copied("#setup-environment-curl")

    assert ApiClient(secret).get("/status").status_code == 200
    link(screen, "I have copied it").click()
    screen.locator(".revoke summary").click()
    button(screen, "Revoke at once").click()
    expect(screen.get_by_text("opens this wiki no longer.")).to_be_visible()
    assert ApiClient(secret).get("/status").status_code == 401


def test_without_a_script_everything_is_there_to_be_selected(visit: Visit, owner: User) -> None:
    screen = visit(as_user=owner, script=False)
    secret = make_token(screen)
    expect(screen.locator(".copy")).to_have_count(0)
    expect(screen.locator("#setup-mcp")).to_contain_text(secret)
    assert ApiClient(secret).get("/status").status_code == 200


def test_loading_the_screen_again_makes_no_second_token(visit: Visit, owner: User) -> None:
    screen = visit(as_user=owner)
    secret = make_token(screen)
    screen.reload()
    expect(screen.get_by_text("no second token was made")).to_be_visible()
    assert secret not in screen.content()
    screen.go_back()
    assert secret not in screen.content()
    assert ApiToken.objects.count() == 1


def test_nothing_is_wrong_with_the_screen_that_shows_the_token(visit: Visit, owner: User) -> None:
    screen = visit(as_user=owner, dark=True, narrow=True, language="de")
    make_token(screen)
    screen.evaluate(
        "document.querySelectorAll('main details').forEach(each => { each.name = ''; each.open = "
        "true; })"
    )
    assert faults(screen) == []
    assert screen.evaluate(FITS) == []
