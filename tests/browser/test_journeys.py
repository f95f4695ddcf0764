"""Ten journeys, each as somebody goes it: what they press, and what they see then."""

import re

from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, heading, link, type_body
from tests.support.screens import Write, join
from wiki.models import Page, Role, Wiki


def test_first_visit(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It runs the builds.")
    screen = visit("/")
    expect(heading(screen, "Sign in")).to_be_visible()
    screen.get_by_label("User name").fill("pat")
    screen.get_by_label("Password").fill("wrong horse")
    button(screen, "Sign in").click()
    expect(screen.get_by_role("alert")).to_be_visible()
    # The name is still there, and the cursor where the mistake is.
    expect(screen.get_by_label("User name")).to_have_value("pat")
    expect(screen.get_by_label("Password")).to_be_focused()
    screen.get_by_label("Password").fill("correct horse battery")
    screen.keyboard.press("Enter")
    expect(heading(screen, "Wikis")).to_be_visible()
    link(screen, "Betrieb").click()
    expect(heading(screen, "Betrieb")).to_be_visible()
    screen.get_by_role("main").get_by_role("link", name="Runner").click()
    expect(screen.get_by_text("It runs the builds.")).to_be_visible()
    screen.locator("summary", has_text="pat").click()
    screen.locator(".sheet").get_by_role("button", name="Sign out").click()
    expect(heading(screen, "Sign in")).to_be_visible()


def test_read_and_follow_links(visit: Visit, person: User, write: Write) -> None:
    write(
        "Build server",
        "Jobs come from here. They run on the [[Runner]]. It is new, see [[Nothing yet]].",
    )
    write("Runner", "Ask the [[build server|machine that sends jobs]].")
    screen = visit("/w/ops/runner", as_user=person)
    expect(screen.locator(".box", has_text="Links to here")).to_contain_text(
        "They run on the Runner."
    )
    link(screen, "machine that sends jobs").click()
    expect(heading(screen, "Build server")).to_be_visible()
    # A page that is not written yet is told by more than its colour, and offers to be written.
    assert "dashed" in screen.locator("a.new").evaluate(
        "link => getComputedStyle(link).textDecorationStyle"
    )
    link(screen, "Nothing yet").click()
    expect(button(screen, "Save")).to_be_visible()
    expect(screen.get_by_label("Title", exact=True)).to_have_value("Nothing yet")
    screen.go_back()
    expect(heading(screen, "Build server")).to_be_visible()
    screen.go_back()
    expect(heading(screen, "Runner")).to_be_visible()


def test_complete_a_link_while_writing(visit: Visit, person: User, write: Write) -> None:
    write("Build server")
    write("Building")
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    type_body(screen, "It takes jobs from the [[bui")
    proposals = screen.get_by_role("listbox", name="Pages to link to").get_by_role("option")
    expect(proposals.first).to_contain_text("Build")
    screen.keyboard.type("ld s")
    expect(proposals).to_have_count(2)
    expect(proposals.first).to_contain_text("Build server")
    expect(proposals.last).to_contain_text("Create “build s”")
    screen.keyboard.press("Enter")
    screen.keyboard.type(".")
    expect(body_of(screen)).to_have_value("It takes jobs from the [[Build server]].")
    button(screen, "Save").click()
    link(screen.get_by_role("article"), "Build server").click()
    expect(heading(screen, "Build server")).to_be_visible()


def test_edit_with_preview(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "One line.")
    screen = visit("/w/ops/runner", as_user=person)
    screen.keyboard.press("e")
    type_body(screen, "\n\n## Why\n\n**Because**", at_end=True)
    preview = screen.locator("#preview")
    expect(preview.get_by_role("heading", name="Why")).to_be_visible()
    expect(preview.locator("strong")).to_have_text("Because")
    button(screen, "Changes").click()
    expect(screen.locator("#changes ins").first).to_contain_text("Why")
    expect(preview).to_be_hidden()
    screen.get_by_label("Summary of the change").fill("said why")
    button(screen, "Save").click()
    expect(heading(screen, "Why")).to_be_visible()
    screen.keyboard.press("h")
    expect(screen.locator(".revisions li").first).to_contain_text("said why")


def test_two_write_the_same_line(visit: Visit, person: User, wiki: Wiki, write: Write) -> None:
    write("Runner", "First.\n\nSecond.\n\nThird.")
    mine = visit("/w/ops/runner/edit", as_user=person)
    theirs = visit("/w/ops/runner/edit", as_user=join(wiki, "odile", Role.EDITOR).user)
    body_of(theirs).fill("First of Odile.\n\nSecond.\n\nThird.")
    button(theirs, "Save").click()
    expect(theirs.get_by_text("First of Odile.")).to_be_visible()

    body_of(mine).fill("First.\n\nSecond.\n\nThird of Pat.")
    button(mine, "Save").click()
    expect(mine.get_by_text("Both changes are in.")).to_be_visible()
    expect(mine.get_by_role("article")).to_contain_text("First of Odile.")
    expect(mine.get_by_role("article")).to_contain_text("Third of Pat.")

    for screen in (mine, theirs):
        screen.goto("/w/ops/runner/edit")
    body_of(theirs).fill("First of Odile.\n\nSecond of Odile.\n\nThird of Pat.")
    button(theirs, "Save").click()
    expect(theirs.get_by_text("Second of Odile.")).to_be_visible()
    body_of(mine).fill("First of Odile.\n\nSecond of Pat.\n\nThird of Pat.")
    button(mine, "Save").click()
    expect(heading(mine, "Two versions")).to_be_visible()
    expect(mine.locator("ins", has_text="Pat").first).to_be_visible()
    expect(mine.locator("del", has_text="Odile").first).to_be_visible()
    expect(body_of(mine)).to_have_value("First of Odile.\n\nSecond of Pat.\n\nThird of Pat.")
    button(mine, "Save my text").click()
    expect(mine.get_by_role("article")).to_contain_text("Second of Pat.")


def test_rename_with_the_links(visit: Visit, person: User, write: Write) -> None:
    write("Old name", "I am it.")
    write("Diary", "See [[Old name]] and [[old name|that one]].")
    screen = visit("/w/ops/old-name", as_user=person)
    link(screen, "Rename").click()
    screen.get_by_label("New title").fill("New name")
    expect(screen.get_by_role("checkbox")).to_be_checked()
    button(screen, "Rename").click()
    expect(screen).to_have_url(re.compile("/w/ops/new-name"))
    expect(heading(screen, "New name")).to_be_visible()
    link(screen.get_by_role("complementary"), "Diary").first.click()
    expect(screen.get_by_role("article")).to_have_text("See New name and that one.")
    screen.goto("/w/ops/old-name")
    expect(screen.get_by_text("Redirected from “Old name”.")).to_be_visible()


def test_restore_what_was_thrown_away(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It was good.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    body_of(screen).fill("Oops.")
    button(screen, "Save").click()
    link(screen.locator(".meta"), "History").click()
    button(screen, "Restore revision 1").click()
    screen.goto("/w/ops/runner")
    expect(screen.get_by_role("article")).to_have_text("It was good.")
    link(screen, "Move to the trash").click()
    button(screen, "Move to the trash").click()
    screen.goto("/w/ops/runner")
    expect(screen.get_by_text("“Runner” is in the trash.")).to_be_visible()
    button(screen, "Restore").click()
    screen.goto("/w/ops/runner")
    expect(screen.get_by_role("article")).to_have_text("It was good.")


def test_search_and_create(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It needs two cores.")
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("/")
    screen.keyboard.type("quorum lost")
    option = screen.get_by_role("dialog").get_by_role(
        "option", name="Create the page “quorum lost”"
    )
    option.click()
    expect(screen.get_by_label("Title", exact=True)).to_have_value("quorum lost")
    type_body(screen, "Wait, then ask the [[Runner]].")
    button(screen, "Save").click()
    expect(heading(screen, "quorum lost")).to_be_visible()
    screen.keyboard.press("/")
    screen.keyboard.type("quorum")
    expect(screen.get_by_role("option").first).to_contain_text("quorum lost")
    # One step up from the title that is meant: all that says it.
    expect(screen.get_by_role("option", selected=True)).to_contain_text("quorum lost")
    screen.keyboard.press("ArrowUp")
    screen.keyboard.press("Enter")
    expect(heading(screen, "Search")).to_be_visible()
    link(screen.get_by_role("main"), "quorum lost").click()
    expect(screen.get_by_role("article")).to_have_text("Wait, then ask the Runner.")


def test_from_health_to_the_cure(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "See [[Cores]]. " + "It is long enough to be no stub. " * 9, type="system")
    screen = visit("/w/ops/", as_user=person)
    link(screen.get_by_role("navigation"), "Health").click()
    tile = screen.locator(".tile", has_text="dead links")
    expect(tile).to_contain_text("1")
    tile.click()
    row = screen.get_by_role("row", name="Cores")
    expect(row).to_contain_text("Runner")
    link(row, "create").click()
    expect(screen.get_by_label("Title", exact=True)).to_have_value("Cores")
    type_body(screen, "Two of them.")
    button(screen, "Save").click()
    screen.goto("/w/ops/health?finding=dead-links")
    expect(screen.get_by_text("Nothing to find here.")).to_be_visible()
    expect(tile).to_contain_text("0")


def test_dark_on_a_telephone(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "It runs.")
    screen = visit("/w/ops/", as_user=person, dark=True, narrow=True)
    assert _lightness(screen) < 50
    screen.get_by_role("button", name="Search or jump to").tap()
    screen.get_by_role("dialog").get_by_role("option", name="Runner").tap()
    expect(heading(screen, "Runner")).to_be_visible()
    link(screen, "Edit").first.tap()
    body_of(screen).fill("It runs **well**.")
    button(screen, "Preview").tap()
    expect(screen.locator("#preview strong")).to_have_text("well")
    expect(body_of(screen)).to_be_hidden()
    button(screen, "Text").tap()
    expect(body_of(screen)).to_be_visible()
    button(screen, "Save").tap()
    expect(screen.get_by_role("article")).to_have_text("It runs well.")
    link(screen, "Menu").tap()
    expect(screen.get_by_role("navigation", name="Pages of this wiki")).to_be_in_viewport()
    assert Page.objects.get().body == "It runs **well**."


def _lightness(screen: Screen) -> int:
    """Of the ground: 0 is black, 255 white."""
    colour = screen.evaluate("getComputedStyle(document.body).backgroundColor")
    return max(map(int, re.findall(r"\d+", colour)[:3]))
