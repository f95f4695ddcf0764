"""A page in a browser: contents, permalinks, mentions in place, hints, paper."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import heading, link
from tests.support.screens import Write

LONG = "\n\n".join(f"Line {number}." for number in range(60))
HEADINGS = ["日本語", "概要", "Setup", "Setup"]


def test_the_contents_jump_to_the_right_heading(visit: Visit, person: User, write: Write) -> None:
    write(
        "Page",
        "\n\n".join(
            f"## {words}\n\nThis is number {n}.\n\n{LONG}" for n, words in enumerate(HEADINGS)
        ),
    )
    screen = visit("/w/ops/page", as_user=person)
    entries = screen.locator(".contents a")
    expect(entries).to_have_text(HEADINGS)
    places = [entry.get_attribute("href") for entry in entries.all()]
    assert len(set(places)) == 4
    for number in (3, 0, 2, 1):
        screen.evaluate("window.scrollTo(0, 0)")
        entries.nth(number).click()
        following = screen.get_by_text(f"This is number {number}.")
        expect(following).to_be_in_viewport()
        expect(screen.get_by_role("article").locator("h2").nth(number)).to_be_in_viewport()
        # Not below the bar at the top, which lies over the text.
        place = screen.get_by_role("article").locator("h2").nth(number).bounding_box()["y"]
        assert screen.locator("header.top").bounding_box()["height"] <= place < 200


def test_a_heading_gives_its_address_to_mouse_and_keyboard(
    visit: Visit, person: User, write: Write
) -> None:
    write("Page", "## Setup\n\nText.")
    screen = visit("/w/ops/page", as_user=person)
    permalink = link(screen, "Link to “Setup”")
    assert permalink.evaluate("link => getComputedStyle(link).opacity") == "0"
    heading(screen, "Setup").hover()
    expect(permalink).to_have_css("opacity", "1")
    screen.mouse.move(0, 0)
    link(screen.get_by_role("main"), "History").focus()
    screen.keyboard.press("Tab")
    expect(permalink).to_be_focused()
    expect(permalink).to_have_css("opacity", "1")
    screen.keyboard.press("Enter")
    expect(screen).to_have_url(re.compile("/w/ops/page#setup$"))


def test_an_unknown_heading_opens_the_top_with_a_hint(
    visit: Visit, person: User, write: Write
) -> None:
    write("Page", f"## Setup\n\n{LONG}")
    write("Other", "[[Page#Setup]] and [[Page#Take-down]].")
    screen = visit("/w/ops/other", as_user=person)
    hint = screen.get_by_text("This page has no such heading; here is its beginning.")
    link(screen, "Page › Take-down").click()
    expect(hint).to_be_visible()
    expect(heading(screen, "Page")).to_be_in_viewport()
    screen.go_back()
    link(screen, "Page › Setup").click()
    expect(heading(screen, "Setup")).to_be_in_viewport()
    expect(hint).to_be_hidden()


def test_mentions_come_in_place_when_somebody_asks(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner")
    write("Diary", "The runner was restarted.")
    write("Linked", "The [[Runner]] is linked.")
    asked = []
    screen = visit("/w/ops/runner", as_user=person)
    screen.on(
        "request", lambda request: asked.append(request.url) if "/w/" in request.url else None
    )
    expect(screen.locator("#mentions")).to_have_count(0)
    screen.evaluate("window.isTheSame = true")
    link(screen, "Unlinked mentions").click()
    found = screen.locator("#mentions")
    expect(found).to_contain_text("1 page says “Runner” without a link.")
    expect(link(found, "Diary")).to_be_visible()
    expect(found).not_to_contain_text("Linked")
    expect(found).to_be_focused()
    assert screen.evaluate("window.isTheSame") is True
    assert len(asked) == 1


def test_the_markdown_goes_into_the_clipboard(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It **runs**.")
    screen = visit("/w/ops/runner", as_user=person)
    screen.context.grant_permissions(["clipboard-read", "clipboard-write"])
    screen.get_by_role("button", name="Copy as Markdown").click()
    expect(screen.get_by_role("button", name="Copied")).to_be_visible()
    assert screen.evaluate("navigator.clipboard.readText()") == "It **runs**."


def test_on_paper_there_is_the_text_alone(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "## Why\n\nIt **runs**.\n\n## How\n\nWell.\n\n## When\n\nNow.")
    screen = visit("/w/ops/runner", as_user=person, dark=True)
    screen.keyboard.press("/")
    screen.emulate_media(media="print")
    expect(screen.get_by_text("It runs.")).to_be_visible()
    expect(heading(screen, "Runner")).to_be_visible()
    for part in (
        "header.top",
        "#menu",
        "aside",
        "footer",
        ".contents",
        "dialog#palette",
        ".permalink >> nth=0",
    ):
        expect(screen.locator(part)).to_be_hidden()
    # Black on white, whatever the screen.
    assert (
        screen.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    assert (
        screen.locator("article").evaluate("text => getComputedStyle(text).color") == "rgb(0, 0, 0)"
    )


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_a_keyboard_reaches_the_text_first(
    visit: Visit, person: User, write: Write, narrow: bool
) -> None:
    write("Runner", "It runs, see [[Runner]].")
    screen = visit("/w/ops/runner", as_user=person, narrow=narrow)
    screen.keyboard.press("Tab")
    skip = link(screen, "To the text")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    screen.keyboard.press("Enter")
    expect(screen.get_by_role("main")).to_be_focused()
    screen.keyboard.press("Tab")
    assert screen.evaluate("document.querySelector('main').contains(document.activeElement)")
    # Wherever the cursor goes it can be seen, and it gets through the whole page and out of it
    # again.
    for _ in range(60):
        screen.keyboard.press("Tab")
        place = screen.evaluate(
            """() => {
              const element = document.activeElement;
              if (element === document.body) return "end";
              const style = getComputedStyle(element);
              const isMarked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
              return isMarked || element.closest(".find") ? "seen" : element.outerHTML;
            }"""
        )
        if place == "end":
            break
        assert place == "seen"
    assert place == "end"
