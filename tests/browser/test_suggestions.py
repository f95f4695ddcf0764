"""Protecting a page, and deciding about what agents would do to it, by keyboard alone."""

from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import button, heading, link
from tests.support.screens import Write, join
from tests.support.writing import append_or_suggest, revise_or_suggest
from wiki.models import Agent, Page, Role, Suggestion, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page

HOSTILE = '<img src=x onerror="window.hacked=1">'
BODY = "The runner needs two cores.\n\nIt listens on port 8080."


def owner_of(wiki: Wiki) -> User:
    return join(wiki, "odile", Role.OWNER).user


def robin_of(wiki: Wiki) -> Author:
    return Author.of_agent(Agent.objects.create(name="robin", home_wiki=wiki))


def fenced(write: Write, owner: User, title: str = "Runner") -> Page:
    return protect_page(write(title, BODY), author=Author.person(owner))


def test_a_page_is_protected_and_what_agents_suggest_is_decided_by_keyboard(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
    owner, robin, page = owner_of(wiki), robin_of(wiki), write("Runner", BODY)
    screen = visit("/w/ops/runner", as_user=owner)
    link(screen, "Protect").click()
    button(screen, "Protect the page").click()
    expect(screen.get_by_text("Agents suggest, people decide.")).to_be_visible()
    revise_or_suggest(page, 2, title="Runner", body=BODY.replace("8080", "9090"), author=robin)
    for words in ("It needs four cores.", "It is slow."):
        append_or_suggest(page, words, author=robin)

    screen.reload()
    link(screen, "3 suggestions wait").click()
    link(screen, "Decide one by one").press("Enter")
    expect(heading(screen, "Shall this go in?")).to_be_visible()
    screen.keyboard.press("a")
    expect(screen.locator(".suggestion .meta")).to_contain_text("2 wait")
    screen.keyboard.press("j")
    expect(screen.get_by_text("It is slow.").first).to_be_visible()
    # A letter in a field is a letter.
    screen.get_by_label("Reason, if you reject it").press_sequentially("a rare day")
    screen.locator("h1").click()
    screen.keyboard.press("r")
    expect(screen.get_by_text("It needs four cores.").first).to_be_visible()
    screen.keyboard.press("a")
    expect(heading(screen, "Nothing to decide")).to_be_visible()
    assert Page.objects.get().body == BODY.replace("8080", "9090") + "\n\nIt needs four cores."
    assert Suggestion.objects.get(state="rejected").reason == "a rare day"


def test_a_suggested_text_is_edited_and_what_it_became_is_looked_at(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
    owner, robin = owner_of(wiki), robin_of(wiki)
    suggestion = append_or_suggest(fenced(write, owner), "It neds four cores.", author=robin)
    screen = visit(suggestion.get_absolute_url(), as_user=owner, narrow=True)
    screen.get_by_text("Edit it before accepting").click()
    screen.locator("textarea#body").fill("It needs four cores.")
    screen.get_by_role("button", name="Accept").click()
    screen.goto(suggestion.get_absolute_url())
    link(screen, "What it became").click()
    expect(screen.locator("ins")).to_contain_text("It needs four cores.")


def test_a_conflict_is_decided_without_a_script(visit: Visit, wiki: Wiki, write: Write) -> None:
    owner, robin = owner_of(wiki), robin_of(wiki)
    page = fenced(write, owner)
    suggestion = revise_or_suggest(
        page, 2, title="Runner", body=BODY.replace("8080", "9090"), author=robin
    )
    screen = visit("/w/ops/runner/edit", as_user=owner, script=False)
    screen.get_by_label("Text", exact=True).fill(BODY.replace("8080", "7070"))
    button(screen, "Save").click()
    screen.goto(suggestion.get_absolute_url())
    expect(screen.get_by_text("The page was changed in the same places since.")).to_be_visible()
    screen.locator("textarea#body").fill(BODY.replace("8080", "7070 and 9090"))
    screen.get_by_role("button", name="Accept this text").click()
    expect(screen.get_by_text("Accepted: “Runner”.")).to_be_visible()
    assert "7070 and 9090" in Page.objects.get().body


def test_nothing_in_a_suggestion_runs(visit: Visit, wiki: Wiki, write: Write) -> None:
    owner, robin = owner_of(wiki), robin_of(wiki)
    page = fenced(write, owner)
    first = revise_or_suggest(page, 2, title=HOSTILE, body=HOSTILE, author=robin, summary=HOSTILE)
    second = append_or_suggest(page, HOSTILE, author=robin, summary=HOSTILE)
    for address in ("/w/ops/suggestions", first.get_absolute_url(), second.get_absolute_url()):
        screen = visit(address, as_user=owner)
        assert screen.evaluate("window.hacked") is None
