"""The palette and the keys: opened, typed into, chosen from, closed; and the search whose
filters keep the page."""

import re

from django.contrib.auth.models import User
from playwright.sync_api import Locator, Route, expect
from playwright.sync_api import Page as Screen

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, heading, link
from tests.support.screens import Write
from wiki.models import Page, Wiki


def palette(screen: Screen) -> Locator:
    return screen.get_by_role("dialog", name="Search or jump to")


def test_slash_and_control_k_open_it_and_escape_leads_back(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "It runs.")
    screen = visit("/w/ops/runner", as_user=person)
    link(screen.get_by_role("main"), "History").focus()
    for key in ("/", "Control+k"):
        screen.keyboard.press(key)
        field = palette(screen).get_by_role("combobox")
        expect(field).to_be_focused()
        # What was opened by a letter has not got that letter.
        expect(field).to_have_value("")
        expect(palette(screen).get_by_role("option", name="Runner")).to_be_visible()
        screen.keyboard.press("Escape")
        expect(palette(screen)).to_be_hidden()
        expect(link(screen.get_by_role("main"), "History")).to_be_focused()


def test_arrows_choose_and_enter_opens(visit: Visit, person: User, write: Write) -> None:
    for name in ("Build one", "Build two", "Build three"):
        write(name)
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("/")
    screen.keyboard.type("build")
    options = palette(screen).get_by_role("option")
    # The offer to make a page comes with the answer.
    expect(options).to_have_count(4)
    field = palette(screen).get_by_role("combobox")
    # It begins with what was typed.
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "row-1")
    screen.keyboard.press("ArrowDown")
    expect(options.nth(0)).to_have_attribute("aria-selected", "false")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    screen.keyboard.press("Home")
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    chosen = options.nth(1).locator(".name").inner_text()
    screen.keyboard.press("ArrowDown")
    screen.keyboard.press("Enter")
    expect(heading(screen, chosen)).to_be_visible()
    # Back is where one was, with nothing lying over it.
    screen.go_back()
    expect(heading(screen, "Betrieb")).to_be_visible()
    expect(palette(screen)).to_be_hidden()


def answer_late(screen: Screen) -> list[Route]:
    """Keeps the palette's questions for these words back; the test answers them."""
    kept: list[Route] = []
    screen.route(re.compile(r"/find/.*q=run"), lambda route: kept.append(route))
    return kept


def test_enter_opens_the_page_whose_title_begins_with_what_was_typed(
    visit: Visit, person: User, write: Write
) -> None:
    write("Übung macht den Meister", "Text.")
    write("Meister", "Die Übung.")
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("Control+k")
    screen.keyboard.type("ubung mach")
    screen.keyboard.press("Enter")
    expect(heading(screen, "Übung macht den Meister")).to_be_visible()


def test_enter_before_the_list_has_come_waits_for_it(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "It needs two cores.")
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("Control+k")
    expect(palette(screen).get_by_role("option", name="Runner")).to_be_visible()
    kept = answer_late(screen)
    with screen.expect_request(re.compile(r"q=runn$")):
        screen.keyboard.type("runn")
        screen.keyboard.press("Enter")
    screen.keyboard.press("Enter")
    expect(screen).to_have_url(re.compile(r"/w/ops/$"))
    expect(palette(screen)).to_be_visible()
    kept[-1].continue_()
    expect(heading(screen, "Runner")).to_be_visible()


def test_enter_whose_list_does_not_come_searches_everything(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "It needs two cores.")
    screen = visit("/w/ops/", as_user=person)
    screen.route(re.compile(r"/find/.*q=run"), lambda route: route.abort())
    screen.keyboard.press("Control+k")
    screen.keyboard.type("runn")
    screen.keyboard.press("Enter")
    expect(screen).to_have_url(re.compile(r"/w/ops/search\?q=runn"))


def test_what_was_probably_meant_is_looked_for_in_the_palette(
    visit: Visit, person: User, write: Write
) -> None:
    write("Zertifikat", "Es gilt ein Jahr.")
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("Control+k")
    screen.keyboard.type("zertifkat")
    meant = palette(screen).get_by_role("option", name="Did you mean zertifikat?")
    expect(meant).to_have_attribute("aria-selected", "false")
    screen.keyboard.press("ArrowDown")
    screen.keyboard.press("Enter")
    expect(palette(screen).get_by_role("combobox")).to_have_value("zertifikat")
    expect(palette(screen).get_by_role("option", name="Zertifikat", exact=False)).to_be_visible()


def test_the_way_up_leads_from_what_is_meant_to_searching_everything(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "It needs two cores.")
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("/")
    screen.keyboard.type("runner")
    expect(palette(screen).get_by_role("option", name="Runner")).to_have_attribute(
        "aria-selected", "true"
    )
    screen.keyboard.press("ArrowUp")
    screen.keyboard.press("Enter")
    expect(screen).to_have_url(re.compile(r"/w/ops/search\?q=runner"))


def test_enter_without_a_choice_searches_everything(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "It needs two cores.")
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("/")
    screen.keyboard.type("cores")
    screen.keyboard.press("Enter")
    expect(screen).to_have_url(re.compile(r"/w/ops/search\?q=cores"))
    expect(link(screen.get_by_role("main"), "Runner")).to_be_visible()


def test_a_page_that_is_not_there_can_be_made(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/", as_user=person)
    screen.keyboard.press("Control+k")
    screen.keyboard.type("Quorum & Co")
    expect(palette(screen).get_by_role("option")).to_have_count(1)
    screen.keyboard.press("ArrowUp")
    screen.keyboard.press("Enter")
    expect(screen.get_by_label("Title", exact=True)).to_have_value("Quorum & Co")
    # The text is what is missing.
    expect(body_of(screen)).to_be_focused()


def test_a_search_that_does_not_answer_says_so(visit: Visit, person: User, write: Write) -> None:
    write("Runner")
    screen = visit("/w/ops/", as_user=person)
    screen.context.set_offline(True)
    screen.keyboard.press("/")
    expect(palette(screen)).to_contain_text("The search does not answer.")


def test_the_sheet_of_keys_and_switching_letters_off(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner")
    screen = visit("/w/ops/runner", as_user=person)
    screen.keyboard.press("?")
    sheet = screen.get_by_role("dialog", name="Keys")
    expect(sheet).to_contain_text("search or jump to a page")
    expect(button(sheet, "Close")).to_be_focused()
    # Its beginning is seen, however long it is for the window.
    screen.set_viewport_size({"width": 1280, "height": 400})
    button(sheet, "Close").click()
    screen.keyboard.press("?")
    expect(heading(sheet, "Keys")).to_be_in_viewport()
    expect(button(sheet, "Close")).to_be_in_viewport()
    sheet.get_by_role("checkbox").uncheck()
    button(sheet, "Close").click()
    expect(sheet).to_be_hidden()
    screen.keyboard.press("e")
    screen.keyboard.press("?")
    screen.reload()
    screen.keyboard.press("h")
    expect(sheet).to_be_hidden()
    # Keys with Control go on working, so the first dialog that opens is theirs.
    screen.keyboard.press("Control+k")
    expect(palette(screen)).to_be_visible()
    expect(screen).to_have_url(re.compile("/w/ops/runner$"))


def test_filters_keep_the_page_and_its_history(visit: Visit, person: User, write: Write) -> None:
    write("Build server", "The build runs here.", type="system", tags=["ci"])
    write("Red build", "The build is red.", type="problem", tags=["ci"])
    screen = visit("/w/ops/search?q=build", as_user=person)
    hits = screen.locator(".hits > li")
    expect(hits).to_have_count(2)
    screen.evaluate("window.isTheSame = true")
    link(screen.get_by_role("navigation", name="Narrow the search: Type"), "Problem").click()
    expect(hits).to_have_count(1)
    expect(hits).to_contain_text("Red build")
    expect(screen).to_have_url(re.compile("type=problem"))
    assert screen.evaluate("window.isTheSame") is True
    # It is said, too, and the cursor is not lost.
    expect(screen.locator("#found-count")).to_contain_text("1 page")
    assert screen.evaluate("document.activeElement !== document.body")
    screen.go_back()
    expect(hits).to_have_count(2)
    screen.go_forward()
    expect(hits).to_have_count(1)
    screen.reload()
    expect(hits).to_have_count(1)
    assert Page.objects.count() == 2
