"""One form, sent twice: by a double click, a reload, or after going back."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.pages.test_edit_conflicts import change, fields, in_form
from tests.support.concurrency import at_once
from tests.support.screens import Write, text
from tests.support.writing import revise_page
from wiki.models import Membership, Page, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

KEY = "0123456789abcdef" * 2


def posted(**changed: str) -> dict[str, str]:
    return {"title": "Runner", "body": "one\n\ntwo", "form_key": KEY, "action": "save", **changed}


def test_a_new_page_sent_twice_is_one_page(browser: Client, wiki: Wiki) -> None:
    assert [browser.post("/w/ops/new", posted())["Location"] for _ in range(3)] == [
        "/w/ops/runner"
    ] * 3
    assert Page.objects.get().revision == 1


@pytest.mark.django_db(transaction=True)
def test_a_double_click_makes_one_page_also_when_both_come_at_once(person: User) -> None:
    client = Client()
    client.force_login(person)
    cookie = client.cookies["covey_session"].value

    def save(_: int) -> str:
        other = Client()
        other.cookies["covey_session"] = cookie
        return other.post("/w/ops/new", posted())["Location"]

    assert set(at_once(4, 4, save)) == {"/w/ops/runner"}
    assert Page.objects.get().revision == 1


def test_going_back_and_saving_again_is_an_edit_of_the_page_that_was_made(
    browser: Client, wiki: Wiki
) -> None:
    browser.post("/w/ops/new", posted())
    browser.post("/w/ops/new", posted(title="Läufer", body="one\n\nthree"))
    answer = browser.post("/w/ops/new", posted(title="Läufer", body="one"))
    assert answer["Location"] == "/w/ops/runner"
    page = Page.objects.get()
    assert (page.title, page.body, page.revision) == ("Läufer", "one", 3)


def test_what_somebody_else_wrote_meanwhile_is_kept_or_asked_about(
    browser: Client, wiki: Wiki, author: Author
) -> None:
    browser.post("/w/ops/new", posted())
    change(Page.objects.get(), author, "one\n\ntheirs")
    assert "Both changes are in." in text(
        browser.post("/w/ops/new", posted(body="mine\n\ntwo"), follow=True)
    )
    assert Page.objects.get().body == "mine\n\ntheirs"
    answer = browser.post("/w/ops/new", posted(body="one\n\nmine"))
    assert answer.status_code == 409
    again = in_form(answer)
    assert again["base_revision"] == "3"
    assert (
        browser.post("/w/ops/runner/edit", {**again, "action": "save"})["Location"]
        == "/w/ops/runner"
    )
    assert Page.objects.get().body == "one\n\nmine"


def test_two_forms_of_one_title_ask_before_a_second_page_is_made(
    browser: Client, wiki: Wiki
) -> None:
    browser.post("/w/ops/new", posted())
    other = posted(body="another", form_key="f" * 32)
    assert browser.post("/w/ops/new", other).status_code == 409
    for _ in range(2):
        second = browser.post("/w/ops/new", {**other, "action": "save-second"})
        assert second["Location"] == "/w/ops/runner-2"
    assert Page.objects.count() == 2


def test_a_page_that_went_to_the_trash_meanwhile_is_made_anew(
    browser: Client, wiki: Wiki, author: Author
) -> None:
    browser.post("/w/ops/new", posted())
    trash_page(Page.objects.get(), author=author)
    assert browser.post("/w/ops/new", posted())["Location"] == "/w/ops/runner"
    assert Page.objects.live().get().revision == 1


def test_the_form_of_another_browser_or_wiki_is_another_form(
    browser: Client, wiki: Wiki, person: User
) -> None:
    other = Wiki.objects.create(slug="other", name="Other")
    Membership.objects.create(wiki=other, user=person, role=Role.EDITOR)
    browser.post("/w/ops/new", posted())
    assert browser.post("/w/other/new", posted())["Location"] == "/w/other/runner"
    elsewhere = Client()
    elsewhere.force_login(person)
    assert elsewhere.post("/w/ops/new", posted()).status_code == 409


@pytest.mark.parametrize("key", ["", "x" * 32, "0" * 5000, "\x00"])
def test_a_key_that_covey_did_not_make_is_no_obstacle(
    browser: Client, wiki: Wiki, key: str
) -> None:
    answer = browser.post("/w/ops/new", posted(form_key=key))
    assert answer.status_code in (302, 422)
    assert Page.objects.count() == (answer.status_code == 302)


def test_every_form_has_a_key_of_its_own_and_keeps_it_when_it_comes_back(
    browser: Client, write: Write
) -> None:
    write("Runner")
    shown = [
        in_form(browser.get(f"/w/ops/{path}"))["form_key"] for path in ("new", "new", "runner/edit")
    ]
    assert len({*shown}) == 3
    answers = [
        browser.post("/w/ops/new", posted(action="preview")),
        browser.post("/w/ops/new", posted(title="")),
    ]
    assert [in_form(answer)["form_key"] for answer in answers] == [KEY, KEY]


def test_a_saved_form_is_named_so_that_its_draft_can_go(browser: Client, write: Write) -> None:
    page = write("Runner", "one")

    def named() -> str:
        return re.search(r'data-saved="([^"]*)"', text(browser.get("/w/ops/runner/edit")))[1]

    browser.post("/w/ops/runner/edit", fields(page, body="two", form_key=KEY, action="preview"))
    assert named() == ""
    browser.post("/w/ops/runner/edit", fields(page, body="two", form_key=KEY))
    browser.post("/w/ops/new", posted(title="Other", form_key="f" * 32))
    assert named().split() == [KEY, "f" * 32]


def test_an_edit_sent_twice_says_nothing_of_somebody_else(browser: Client, write: Write) -> None:
    page = write("Runner", "one")
    for _ in range(2):
        answer = browser.post(
            "/w/ops/runner/edit", fields(page, body="two", form_key=""), follow=True
        )
        assert "Somebody changed" not in text(answer)
    page.refresh_from_db()
    assert page.revision == 2


def test_going_back_to_an_edit_and_taking_something_out_again_takes_it_out(
    browser: Client, write: Write
) -> None:
    page = write("Runner", "one")
    for body in ("one\n\nmore", "one"):
        browser.post("/w/ops/runner/edit", fields(page, body=body, form_key=KEY))
    page.refresh_from_db()
    assert (page.body, page.revision) == ("one", 3)


def test_a_revision_restored_meanwhile_is_no_conflict_where_nothing_conflicts(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one\n\ntwo\n\nthree")
    revise_page(page, 1, title="Runner", body="1\n\ntwo\n\nthree", author=author)
    opened = in_form(browser.get("/w/ops/runner/edit"))
    assert browser.post("/w/ops/runner/history/1", {"base_revision": 2}).status_code == 302
    mine = {**opened, "body": "1\n\ntwo\n\n3", "action": "save"}
    assert browser.post("/w/ops/runner/edit", mine).status_code == 302
    page.refresh_from_db()
    assert (page.body, page.revision) == ("one\n\ntwo\n\n3", 4)


def test_the_form_opened_after_a_restore_saves_without_a_conflict(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one")
    revise_page(page, 1, title="Runner", body="two", author=author)
    browser.get("/w/ops/runner/edit")
    browser.post("/w/ops/runner/history/1", {"base_revision": 2})
    opened = in_form(browser.get("/w/ops/runner/edit"))
    assert opened["body"] == "one"
    answer = browser.post("/w/ops/runner/edit", {**opened, "body": "three", "action": "save"})
    assert answer.status_code == 302


def test_the_form_shows_the_present_text_once_the_other_is_given_up(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one")
    browser.post("/w/ops/runner/edit", fields(page, body="given up", action="preview"))
    change(page, author, "theirs")
    html = text(browser.get("/w/ops/runner/edit"))
    assert unescape(html).count("given up") == 0
    assert in_form(browser.get("/w/ops/runner/edit"))["body"] == "theirs"
    assert "data-unsaved" not in html


@pytest.mark.parametrize("as_multipart", [True, False])
def test_five_megabytes_are_refused_with_the_way_back_and_nothing_is_saved(
    browser: Client, write: Write, as_multipart: bool
) -> None:
    page = write("Runner", "one")
    body = "x" * (5 * 1024 * 1024)
    sent = fields(page, body=body)
    if as_multipart:
        answer = browser.post("/w/ops/runner/edit", sent)
    else:
        answer = browser.post(
            "/w/ops/runner/edit",
            f"action=save&body={body}",
            content_type="application/x-www-form-urlencoded",
        )
    assert answer.status_code == 400
    assert "go back: it is still in the form" in text(answer)
    page.refresh_from_db()
    assert page.body == "one"
