"""The form in a browser: leaving it, sending it twice, going back to it, signing out meanwhile."""

import re

from django.contrib.auth.models import User
from playwright.sync_api import Dialog, expect
from playwright.sync_api import Page as Screen

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, heading, link, type_body
from tests.support.screens import Write
from wiki.models import Page, Wiki


def answering(screen: Screen, *answers: bool) -> list[str]:
    """Says yes or no to what the browser asks, in this order; the questions."""
    asked: list[str] = []
    left = list(answers)

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message or dialog.type)
        (dialog.accept if left.pop(0) else dialog.dismiss)()

    screen.on("dialog", answer)
    return asked


def test_cancel_after_a_preview_asks_before_it_discards(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    asked = answering(screen, False, True)
    body_of(screen).fill("New.")
    expect(screen.locator("#preview")).to_contain_text("New.")
    link(screen, "Cancel").click()
    expect(body_of(screen)).to_have_value("New.")
    assert asked == ["Leave without saving? What you changed is discarded."]
    link(screen, "Cancel").click()
    expect(screen.get_by_role("article")).to_have_text("Old.")
    assert len(asked) == 2


def test_cancel_without_a_change_asks_nothing(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    asked = answering(screen)
    expect(body_of(screen)).to_be_visible()
    link(screen, "Cancel").click()
    expect(screen.get_by_role("article")).to_have_text("Old.")
    assert asked == []


def test_leaving_by_another_link_asks_too(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    asked = answering(screen, False, True)
    type_body(screen, "New. ")
    screen.locator("a.wiki").click(no_wait_after=True)
    expect(body_of(screen)).to_have_value("New. Old.")
    screen.locator("a.wiki").click()
    expect(heading(screen, "Betrieb")).to_be_visible()
    assert asked == ["beforeunload"] * 2


def test_after_discarding_the_form_shows_the_present_text(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    asked = answering(screen, True)
    body_of(screen).fill("New.")
    link(screen, "Cancel").click()
    expect(screen.get_by_role("article")).to_have_text("Old.")
    link(screen, "Edit").first.click()
    expect(body_of(screen)).to_have_value("Old.")
    expect(screen.locator("#draft-offer")).to_be_hidden()
    # Nothing is unsaved, so nobody is asked again.
    screen.locator("a.wiki").click()
    expect(heading(screen, "Betrieb")).to_be_visible()
    assert len(asked) == 1


def test_signed_out_in_another_tab_the_text_is_kept_until_signed_in(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "Old.")
    screen = visit("/w/ops/runner/edit", as_user=person)
    body_of(screen).fill("New & <b>bold</b>.")
    screen.get_by_label("Summary of the change").fill("why")
    other = screen.context.new_page()
    other.goto("/w/ops/")
    answering(other, True)
    other.locator("summary", has_text="pat").click()
    other.locator(".sheet").get_by_role("button", name="Sign out").click()
    expect(heading(other, "Sign in")).to_be_visible()
    button(screen, "Save").click()
    expect(screen.get_by_text("Your text is kept")).to_be_visible()
    screen.get_by_label("User name").fill("pat")
    screen.get_by_label("Password").fill("correct horse battery")
    button(screen, "Sign in").click()
    expect(body_of(screen)).to_have_value("New & <b>bold</b>.")
    expect(screen.get_by_label("Summary of the change")).to_have_value("why")
    assert Page.objects.get().body == "Old."
    button(screen, "Save").click()
    expect(screen.get_by_role("article")).to_have_text("New & <b>bold</b>.")


def test_a_double_click_on_save_makes_one_page(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    type_body(screen, "It runs.")
    button(screen, "Save").dblclick()
    expect(screen.get_by_role("article")).to_have_text("It runs.")
    page = Page.objects.get()
    assert (page.slug, page.revision) == ("runner", 1)


def test_going_back_after_saving_and_saving_again_edits_the_same_page(
    visit: Visit, person: User, wiki: Wiki
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    type_body(screen, "It runs.")
    button(screen, "Save").click()
    expect(screen.get_by_role("article")).to_have_text("It runs.")
    screen.go_back()
    body_of(screen).fill("It runs well.")
    button(screen, "Save").click()
    expect(screen.get_by_role("article")).to_have_text("It runs well.")
    assert Page.objects.get().revision == 2


def test_keys_of_the_form(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/new", as_user=person)
    expect(body_of(screen)).to_be_visible()
    # Letters are letters in a field, and Enter in the title goes on to the text instead of sending.
    screen.get_by_label("Title", exact=True).click()
    screen.keyboard.type("hen/e?")
    screen.keyboard.press("Enter")
    expect(body_of(screen)).to_be_focused()
    screen.keyboard.type("- one")
    screen.keyboard.press("Enter")
    screen.keyboard.type("two")
    screen.keyboard.press("Shift+Home")
    screen.keyboard.press("Control+b")
    expect(body_of(screen)).to_have_value(re.compile(r"^- one\n(\*\*- two\*\*|- \*\*two\*\*)$"))
    screen.keyboard.press("Control+Enter")
    expect(heading(screen, "hen/e?")).to_be_visible()


def test_enter_on_an_empty_item_ends_the_list_and_what_follows_is_no_part_of_it(
    visit: Visit, person: User, wiki: Wiki
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    body_of(screen).click()
    for typed in ("- one", "two", "", "Then this."):
        screen.keyboard.type(typed)
        screen.keyboard.press("Enter")
    expect(body_of(screen)).to_have_value("- one\n- two\n\nThen this.\n")
    body_of(screen).fill("")
    screen.keyboard.type("- ")
    screen.keyboard.press("Enter")
    expect(body_of(screen)).to_have_value("")


def test_a_text_that_is_too_large_is_not_sent_and_stays(
    visit: Visit, person: User, wiki: Wiki
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    body_of(screen).fill("ü" * 132_000)
    warning = screen.get_by_text("This text is larger than the 256 KiB")
    expect(warning).to_be_visible()
    button(screen, "Save").click()
    expect(body_of(screen)).to_be_focused()
    assert not Page.objects.exists()
    body_of(screen).fill("ü" * 100)
    expect(warning).to_be_hidden()
    button(screen, "Save").click()
    expect(screen.get_by_role("article")).to_be_visible()


def test_a_template_goes_into_an_empty_text_alone(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    expect(body_of(screen)).to_be_visible()
    offer = button(screen, "Use the template")
    expect(offer).to_be_hidden()
    screen.get_by_label("Type").select_option("problem")
    offer.click()
    expect(body_of(screen)).to_have_value(re.compile("^#", re.MULTILINE))
    expect(offer).to_be_hidden()
