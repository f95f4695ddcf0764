"""With scripts switched off everything goes on, a step at a time."""

from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import button, heading, link
from tests.browser.screens import Furnished, walk
from tests.support.screens import Write
from wiki.models import Wiki


def field(screen: Screen, name: str = "Text"):
    return screen.get_by_label(name, exact=True)


def test_a_revision_is_restored(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It was good.")
    screen = visit("/w/ops/runner/edit", as_user=person, script=False)
    field(screen).fill("Oops.")
    button(screen, "Save").click()
    expect(screen.get_by_role("article")).to_have_text("Oops.")
    link(screen.get_by_role("main"), "History").click()
    button(screen, "Restore revision 1").click()
    screen.goto("/w/ops/runner")
    expect(screen.get_by_role("article")).to_have_text("It was good.")


def test_writing_with_preview_changes_template_and_conflict(
    visit: Visit, person: User, wiki: Wiki, write: Write
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person, script=False)
    screen.get_by_label("Type").select_option("problem")
    button(screen, "Use the template").click()
    assert field(screen).input_value().startswith("#")
    field(screen).fill("It **runs**.")
    button(screen, "Preview").click()
    expect(screen.locator("#preview strong")).to_have_text("runs")
    button(screen, "Save").click()
    expect(screen.get_by_role("article")).to_have_text("It runs.")
    link(screen, "Edit").first.click()
    other = screen.context.new_page()
    other.goto("/w/ops/runner/edit")
    field(other).fill("It stands.")
    button(other, "Save").click()
    expect(other.get_by_role("article")).to_have_text("It stands.")
    field(screen).fill("It flies.")
    button(screen, "Changes").click()
    expect(screen.locator("#changes")).to_contain_text("flies")
    button(screen, "Save").click()
    expect(heading(screen, "Two versions")).to_be_visible()
    button(screen, "Save my text").click()
    expect(screen.get_by_role("article")).to_have_text("It flies.")


def test_search_mentions_and_signing_out(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It needs two cores.", type="system")
    write("Diary", "The runner was restarted.", type="topic")
    screen = visit("/w/ops/", as_user=person, script=False)
    # In place of the palette there is a plain field; nothing that needs a script is shown.
    for needless in ("#open-palette", "#open-keys", ".themes", "dialog >> nth=0"):
        expect(screen.locator(needless)).to_be_hidden()
    screen.get_by_role("banner").get_by_role("searchbox", name="Search or jump to").fill("runner")
    screen.keyboard.press("Enter")
    expect(heading(screen, "Runner")).to_be_visible()
    link(screen, "Unlinked mentions").click()
    expect(link(screen.locator("#mentions"), "Diary")).to_be_visible()
    screen.goto("/w/ops/search?q=runner")
    link(screen.get_by_role("navigation", name="Narrow the search: Type"), "System").click()
    expect(screen.locator(".hits > li")).to_have_count(1)
    screen.locator("summary", has_text="pat").click()
    screen.locator(".sheet").get_by_role("button", name="Sign out").click()
    expect(heading(screen, "Sign in")).to_be_visible()


def test_no_screen_shows_a_button_that_does_nothing(visit: Visit, furnished: Furnished) -> None:
    """Without a script only a button of a form does something."""
    loose = []
    for name, screen in walk(visit, furnished, script=False):
        buttons = screen.locator("button[type=button]:visible, button:not(form button):visible")
        loose += [f"{name}: {html}" for html in (one.inner_text() for one in buttons.all())]
    assert loose == []
