"""Beside the text, before it is saved: the page as it will look, and what differs."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.pages.test_edit_conflicts import change, fields
from tests.support.screens import Write, text
from tests.support.writing import create_page
from wiki.accounts.wikis import create_wiki
from wiki.models import Membership, Page, Role, Wiki
from wiki.pages.author import Author

ADDRESSES = ["/w/ops/preview", "/w/ops/preview/changes"]


def test_the_preview_shows_the_page_with_title_type_and_tags(browser: Client, write: Write) -> None:
    html = text(
        browser.post(
            "/w/ops/preview",
            {"title": "Fan", "type": "system", "tags": "A, b", "body": "# Fan\n\n## Next"},
        )
    )
    assert '<p class="page-title">Fan</p>' in html
    assert ">System</span>" in html
    assert ">a</span>" in html
    # The page does not say its title twice either.
    assert html.count("Fan") == 1
    # Of a heading its link is no word.
    assert '<h2 id="h-next" aria-label="Next">Next<' in html


def test_changes_are_marked_word_by_word_against_the_text_one_began_with(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "Port 8080", tags=["ci"])
    posted = fields(page, title="Läufer", body="Port 8081", tags="ci, disk", type="system")
    html = text(browser.post("/w/ops/preview/changes", posted))
    assert "<del>8080</del><ins>8081</ins>" in html
    assert "<del>Runner</del> <ins>Läufer</ins>" in html
    assert "<ins>System</ins>" in html
    assert "has changed since" not in html
    change(page, author, "Port 9090")
    html = text(browser.post("/w/ops/preview/changes", posted))
    assert "<del>8080</del><ins>8081</ins>" in html
    assert "is at revision 2" in html


@pytest.mark.parametrize("body", ["one\ntwo", "one\r\ntwo"])
def test_without_a_change_nothing_is_marked(browser: Client, write: Write, body: str) -> None:
    posted = fields(write("Runner", "one\ntwo", tags=["a", "b"]), body=body, tags="A,b")
    html = text(browser.post("/w/ops/preview/changes", posted))
    assert "Nothing is changed yet." in html
    assert "<ins>" not in html


def test_only_a_field_may_have_changed(browser: Client, write: Write) -> None:
    html = text(
        browser.post("/w/ops/preview/changes", fields(write("Runner", "one"), title="Läufer"))
    )
    assert "<ins>Läufer</ins>" in html
    assert "The text is the same." not in html


def test_the_changes_work_without_a_script(browser: Client, write: Write) -> None:
    page = write("Runner", "Port 8080")
    html = text(
        browser.post("/w/ops/runner/edit", fields(page, body="Port 8081", action="changes"))
    )
    assert "<del>8080</del><ins>8081</ins>" in html
    assert ">\nPort 8081</textarea>" in html
    assert Page.objects.get().revision == 1


def test_of_a_new_page_everything_is_new(browser: Client, wiki: Wiki) -> None:
    assert "<ins>mine</ins>" in text(
        browser.post("/w/ops/preview/changes", {"title": "x", "body": "mine"})
    )


def test_no_text_of_another_wiki_is_compared_with(
    browser: Client, write: Write, author: Author
) -> None:
    secret = create_page(create_wiki("Other"), title="Plan", body="launch code", author=author)
    for base in (1, 2, "", "9" * 30):
        html = text(
            browser.post(
                "/w/ops/preview/changes", fields(secret, body="x", title="y", base_revision=base)
            )
        )
        assert "launch code" not in html
        assert "Plan" not in html


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_reader_a_stranger_and_a_huge_text_are_refused(
    client: Client, browser: Client, wiki: Wiki, address: str
) -> None:
    assert browser.get(address).status_code == 405
    assert browser.post(address, {"body": "x" * 300_000}).status_code == 413
    reader = User.objects.create_user("rita")
    client.force_login(reader)
    assert client.post(address, {"body": "x"}).status_code == 404
    Membership.objects.create(wiki=wiki, user=reader, role=Role.READER)
    assert client.post(address, {"body": "x"}).status_code == 403


def test_the_enter_key_in_a_field_saves_nothing(browser: Client, write: Write) -> None:
    write("Runner")
    html = text(browser.get("/w/ops/new?title=Running"))
    # A browser presses the first button of a form.
    first = html.partition('<form id="edit"')[2].partition("<button")[2].partition(">")[0]
    assert 'value="preview"' in first
