"""Coming in: by an invitation, as a stranger into a public wiki, with a feed reader."""

import re
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import button, heading, link
from tests.support.screens import Write, join
from wiki.models import Membership, Role, Wiki


@pytest.fixture
def owner(wiki: Wiki) -> User:
    return join(wiki, "odile", Role.OWNER).user


def test_a_stranger_is_invited_and_joins(visit: Visit, owner: User, write: Write) -> None:
    write("Runner", "It runs.")
    inviting = visit("/w/ops/members", as_user=owner)
    inviting.get_by_label("Role").select_option("reader")
    button(inviting, "Make the link").click()
    address = inviting.get_by_label("Link of the invitation").input_value()
    expect(button(inviting, "Copy")).to_be_visible()
    stranger = visit(urlsplit(address).path)
    expect(heading(stranger, "Invitation to “Betrieb”")).to_be_visible()
    # The secret is not in the address that stays in the history.
    expect(stranger).to_have_url(re.compile("/invitation$"))
    stranger.get_by_label("User name").fill("edda")
    for label in ("Password", "Password confirmation"):
        stranger.get_by_label(label, exact=True).fill("morgen ist auch ein Tag")
    button(stranger, "Make the account and join").click()
    expect(stranger.get_by_text("Welcome to “Betrieb”. Your role: Reader.")).to_be_visible()
    link(stranger.get_by_role("main"), "Runner").click()
    expect(stranger.get_by_text("It runs.")).to_be_visible()
    # Nothing is offered that a reader may not do.
    for name in ("Edit", "New page", "Rename", "Move to the trash", "Trash", "Settings"):
        expect(stranger.get_by_role("link", name=name, exact=True)).to_have_count(0)
    stranger.keyboard.press("e")
    stranger.keyboard.press("n")
    expect(stranger).to_have_url(re.compile("/w/ops/runner$"))
    assert Membership.objects.get(user__username="edda").role == Role.READER
    # It is good for one.
    second = visit(urlsplit(address).path)
    expect(second.get_by_role("main")).to_contain_text("used")


def test_a_stranger_reads_a_public_wiki(
    visit: Visit, wiki: Wiki, person: User, write: Write
) -> None:
    write("Runner", "It runs, see [[Nothing yet]].")
    Wiki.objects.filter(pk=wiki.pk).update(is_public=True)
    screen = visit("/")
    link(screen.get_by_role("main"), "Betrieb").click()
    link(screen.get_by_role("main"), "Runner").click()
    expect(screen.get_by_role("article")).to_contain_text("It runs")
    # What is not written is no link for whoever may not write it.
    expect(link(screen, "Nothing yet")).to_have_count(0)
    screen.keyboard.press("/")
    screen.keyboard.type("run")
    expect(screen.get_by_role("option")).to_have_count(1)
    screen.keyboard.press("Escape")
    link(screen.get_by_role("main"), "History").click()
    expect(button(screen, "Restore revision 1")).to_have_count(0)
    link(screen.get_by_role("banner"), "Sign in").click()
    screen.get_by_label("User name").fill("pat")
    screen.get_by_label("Password").fill("correct horse battery")
    button(screen, "Sign in").click()
    # Back where one was.
    expect(screen).to_have_url(re.compile("/w/ops/runner/history$"))


def test_a_feed_address_is_made_and_made_anew(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It runs.")
    screen = visit("/w/ops/changes", as_user=person)
    link(screen.get_by_role("complementary"), "Feed address").click()
    button(screen, "Make my feed address").click()
    field = screen.get_by_label("Address for your feed reader")
    first = field.input_value()
    path, _, query = first.partition("8494")[2].partition("?")
    reader = Client()
    assert "Runner" in reader.get(f"{path}?{query}").content.decode()
    screen.get_by_text("Somebody else knows the address").click()
    button(screen, "Make a new key").click()
    expect(field).not_to_have_value(first)
    assert reader.get(f"{path}?{query}").status_code == 404
