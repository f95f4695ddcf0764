"""What is written and not saved is kept in the browser, offered again, and gone when its author
signs out."""

from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, heading, type_body
from tests.browser.test_writing import answering
from tests.support.screens import Write, join
from wiki.models import Role, Wiki

OFFER = "#draft-offer"


def drafts(screen: Screen) -> int:
    return screen.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('covey-draft:')).length"
    )


def write_and_lose(screen: Screen, text: str) -> None:
    """The window is closed in the midst of it."""
    body_of(screen).fill(text)
    expect(screen.get_by_text("Kept as a draft in this browser")).to_be_visible()
    screen.close()


def open_again(screen: Screen, address: str = "/w/ops/runner/edit") -> Screen:
    again = screen.context.new_page()
    again.goto(address)
    expect(body_of(again)).to_be_visible()
    return again


def test_a_lost_text_is_offered_and_taken_over(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    write_and_lose(screen, "New.")
    again = open_again(screen)
    expect(again.locator(OFFER)).to_contain_text("There is an unsaved draft of yours")
    expect(body_of(again)).to_have_value("Old.")
    button(again, "Take it over").click()
    expect(body_of(again)).to_have_value("New.")
    expect(again.locator(OFFER)).to_be_hidden()
    button(again, "Save").click()
    expect(again.get_by_role("article")).to_have_text("New.")
    again.goto("/w/ops/runner/edit")
    expect(body_of(again)).to_have_value("New.")
    expect(again.locator(OFFER)).to_be_hidden()
    assert drafts(again) == 0


def test_a_discarded_draft_is_not_offered_again(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    write_and_lose(screen, "New.")
    again = open_again(screen)
    button(again, "Discard it").click()
    expect(again.locator(OFFER)).to_be_hidden()
    expect(body_of(again)).to_have_value("Old.")
    assert drafts(again) == 0
    again.reload()
    expect(body_of(again)).to_be_visible()
    expect(again.locator(OFFER)).to_be_hidden()


def test_a_draft_belongs_to_one_page_and_one_person(
    visit: Visit, person: User, wiki: Wiki, write: Write
) -> None:
    write("Runner", "Old.")
    write("Other", "Another.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    write_and_lose(screen, "New.")
    again = open_again(screen, "/w/ops/other/edit")
    expect(again.locator(OFFER)).to_be_hidden()
    odile = visit("/", as_user=join(wiki, "odile", Role.EDITOR).user)
    again.context.add_cookies(odile.context.cookies())
    again.goto("/w/ops/runner/edit")
    expect(body_of(again)).to_have_value("Old.")
    expect(again.locator(OFFER)).to_be_hidden()


def test_a_draft_of_an_older_revision_says_so(
    visit: Visit, person: User, wiki: Wiki, write: Write
) -> None:
    write("Runner", "One.\n\nTwo.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    write_and_lose(screen, "One of mine.\n\nTwo.")
    other = open_again(screen)
    body_of(other).fill("One.\n\nTwo of theirs.")
    button(other, "Save").click()
    expect(other.get_by_role("article")).to_contain_text("Two of theirs.")
    other.goto("/w/ops/runner/edit")
    expect(other.locator(OFFER)).to_contain_text("The page has changed since.")
    button(other, "Take it over").click()
    button(other, "Save").click()
    expect(other.get_by_text("Both changes are in.")).to_be_visible()
    expect(other.get_by_role("article")).to_contain_text("One of mine.")
    expect(other.get_by_role("article")).to_contain_text("Two of theirs.")


def test_signing_out_removes_the_drafts_after_a_question(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    write_and_lose(screen, "New.")
    again = screen.context.new_page()
    again.goto("/w/ops/")
    asked = answering(again, False, True)
    again.locator("summary", has_text="pat").click()
    sign_out = again.locator(".sheet").get_by_role("button", name="Sign out")
    sign_out.click()
    expect(heading(again, "Betrieb")).to_be_visible()
    assert drafts(again) == 1
    sign_out.click()
    expect(heading(again, "Sign in")).to_be_visible()
    assert drafts(again) == 0
    assert asked == ["Sign out? Your unsaved drafts in this browser are removed."] * 2


def test_two_tabs_of_one_page_keep_their_own_drafts(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    other = open_again(screen)
    for tab, text in ((screen, "Of the first tab."), (other, "Of the second tab.")):
        body_of(tab).fill(text)
        expect(tab.get_by_text("Kept as a draft in this browser")).to_be_visible()
    assert drafts(screen) == 2
    for tab in (screen, other):
        tab.close()
    again = open_again(screen)
    button(again, "Take it over").click()
    expect(body_of(again)).to_have_value("Of the second tab.")
    # The other is offered next, and what stands in the form can be had back.
    button(again, "Take it over").click()
    expect(body_of(again)).to_have_value("Of the first tab.")
    button(again, "Take it over").click()
    expect(body_of(again)).to_have_value("Of the second tab.")


def test_a_reload_keeps_the_text(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    answering(screen, True, True)
    type_body(screen, "It runs.")
    expect(screen.get_by_text("Kept as a draft in this browser")).to_be_visible()
    screen.reload()
    expect(body_of(screen)).to_be_visible()
    button(screen, "Take it over").click()
    expect(body_of(screen)).to_have_value("It runs.")
