"""Writing, the history, and the trash."""

import re

import pytest
from django.test import Client

from tests.support.screens import HOSTILE, Write, focused, text
from tests.support.writing import create_page, revise_page
from wiki.merging.merge import merge_pages
from wiki.models import Page, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.text.slugs import slugify

# -- writing


def test_a_new_page_is_written_in_the_form(browser: Client, wiki: Wiki) -> None:
    assert 'value="Neue & alte"' in text(browser.get("/w/ops/new?title=Neue+%26+alte"))
    posted = {
        "title": "Neue & alte",
        "body": "Text",
        "tags": "A, b,,",
        "type": "topic",
        "action": "save",
    }
    assert browser.post("/w/ops/new", posted)["Location"] == "/w/ops/neue-alte"
    assert Page.objects.get().tags == ["a", "b"]


def test_the_cursor_stands_where_one_begins_to_write(browser: Client, write: Write) -> None:
    write("Runner", "Text")
    assert focused(browser.get("/w/ops/new")) == ["id_title"]
    assert focused(browser.get("/w/ops/new?title=Neu")) == ["id_body"]
    assert focused(browser.get("/w/ops/runner/edit")) == ["id_body"]
    assert focused(browser.get("/w/ops/new?title=Runner")) == []
    assert focused(browser.post("/w/ops/new", {"title": "", "body": "x", "action": "save"})) == []


def test_a_title_that_exists_is_offered_to_be_opened(browser: Client, write: Write) -> None:
    write("Runner", "old")
    assert browser.get("/w/ops/new?title=runner")["Location"] == "/w/ops/runner"
    posted = {"title": "runner", "body": "mine", "action": "save"}
    answer = browser.post("/w/ops/new", posted)
    assert answer.status_code == 409
    assert "There is a page “Runner” already." in text(answer)
    assert ">\nmine</textarea>" in text(answer)
    assert (
        browser.post("/w/ops/new", {**posted, "action": "save-second"})["Location"]
        == "/w/ops/runner-2"
    )


def test_a_title_that_is_spelled_almost_alike_is_asked_about(browser: Client, write: Write) -> None:
    write("Déjà Dup")
    address = '<a href="/w/ops/d%C3%A9j%C3%A0-dup">Déjà Dup</a>'
    assert address in text(browser.get("/w/ops/new?title=Deja+Dup"))
    posted = {"title": "Deja Dup", "body": "x", "action": "save"}
    answer = browser.post("/w/ops/new", posted)
    assert answer.status_code == 409
    assert "There is a page that is spelled almost alike:" in text(answer)
    assert address in text(answer)
    assert (
        browser.post("/w/ops/new", {**posted, "action": "save-second"})["Location"]
        == "/w/ops/deja-dup"
    )
    assert browser.get("/w/ops/deja-dup").status_code == 200
    assert browser.get("/w/ops/d%C3%A9j%C3%A0-dup").status_code == 200


@pytest.mark.parametrize(
    "title", ["위키", "Niño", "Papá", "Papa", "IT/Systemd", "cmd", "Übungsaufgaben"]
)
def test_titles_stay_whole_and_open_at_their_address(
    browser: Client, write: Write, title: str
) -> None:
    for other in ("위키", "Niño", "Papá", "Papa"):
        write(other) if other != title else None
    posted = {"title": title, "body": "x", "action": "save-second"}
    address = browser.post("/w/ops/new", posted)["Location"]
    assert f"<h1>{title}</h1>" in text(browser.get(address))
    assert "%25" not in address
    assert Page.objects.get(title=title).slug == slugify(title)


def test_the_preview_works_without_a_script(browser: Client, write: Write) -> None:
    page = write("Runner", "old")
    for address in ("/w/ops/new", "/w/ops/runner/edit"):
        posted = {
            "title": "Runner",
            "body": "**new** [[Runner]]",
            "page_id": page.pk,
            "base_revision": 1,
            "action": "preview",
        }
        html = text(browser.post(address, posted))
        assert "<strong>new</strong>" in html
        assert 'href="/w/ops/runner"' in html
    assert Page.objects.get().revision == 1


def test_the_preview_for_the_script_is_drawn_by_the_same_rules(
    browser: Client, write: Write
) -> None:
    write("Runner")
    answer = browser.post("/w/ops/preview", {"body": f"[[Runner]] [[x]] {HOSTILE}"})
    html = answer.content.decode()
    assert '<a href="/w/ops/runner"' in html
    assert 'class="new"' in html
    assert "<script" not in html
    assert browser.get("/w/ops/preview").status_code == 405
    assert browser.post("/w/ops/preview", {"body": "x" * 300_000}).status_code == 413


# -- history


def test_history_shows_author_kind_summary_and_growth(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "12345")
    revise_page(page, 1, title="Runner", body="123", author=Author.maintenance(), summary="shorter")
    html = text(browser.get("/w/ops/runner/history"))
    assert 'class="who maintenance"' in html
    assert "shorter" in html
    assert "−2 characters" in html
    assert "+5 characters" in html
    assert html.index("shorter") < html.index("+5 characters")


def test_every_old_revision_can_be_restored_from_the_list(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "1")
    for number in (1, 2):
        page = revise_page(page, number, title="Runner", body=str(number + 1), author=author)
    html = text(browser.get("/w/ops/runner/history"))
    assert re.findall(r'<form method="post" action="/w/ops/runner/history/(\d)">', html) == [
        "2",
        "1",
    ]
    assert html.count('name="base_revision" value="3"') == 2


def test_an_old_revision_is_shown_and_restored(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "first **text**", tags=["a"])
    page = revise_page(page, 1, title="Läufer", body="second", tags=["b"], author=author)
    html = text(browser.get("/w/ops/runner/history/1"))
    assert "<strong>text</strong>" in html
    assert "not the present text" in html
    assert (
        browser.post("/w/ops/runner/history/1", {"base_revision": 2})["Location"] == "/w/ops/runner"
    )
    page.refresh_from_db()
    assert (page.title, page.body, page.tags, page.revision) == (
        "Runner",
        "first **text**",
        ["a"],
        3,
    )
    assert page.revisions.get(number=3).kind == RevisionKind.REVERT


def test_a_restore_from_an_outdated_screen_changes_nothing(
    browser: Client, write: Write, author: Author
) -> None:
    page = revise_page(write("Runner", "one"), 1, title="Runner", body="two", author=author)
    for base in ("1", "", "x", "9" * 50):
        assert "has changed since" in text(
            browser.post("/w/ops/runner/history/1", {"base_revision": base}, follow=True)
        )
    page.refresh_from_db()
    assert page.body == "two"


def test_changes_of_a_revision_are_marked(browser: Client, write: Write, author: Author) -> None:
    revise_page(write("Runner", "Port 8080"), 1, title="Läufer", body="Port 8081", author=author)
    html = text(browser.get("/w/ops/runner/history/2?changes"))
    assert "<del>8080</del><ins>8081</ins>" in html
    assert "<del>Runner</del> <ins>Läufer</ins>" in html


@pytest.mark.parametrize("number", [0, 3, 10**30])
def test_a_revision_that_never_was_is_not_found(browser: Client, write: Write, number: int) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/runner/history/{number}").status_code == 404


# -- trash


def test_the_trash_asks_once_and_gives_back(browser: Client, write: Write) -> None:
    page = write("Runner", "Text")
    asked = browser.get("/w/ops/runner/trash")
    assert "Move “Runner” to the trash?" in text(asked)
    assert Page.objects.live().count() == 1
    posted = {"page_id": page.pk, "base_revision": 1}
    assert browser.post("/w/ops/runner/trash", posted)["Location"] == "/w/ops/trash"
    assert browser.get("/w/ops/runner").status_code == 404
    assert "Runner" in text(browser.get("/w/ops/trash"))
    assert browser.post("/w/ops/trash", {"page_id": page.pk})["Location"] == "/w/ops/runner"
    assert browser.get("/w/ops/runner").status_code == 200


@pytest.mark.parametrize(
    "posted",
    [{}, {"base_revision": "1"}, {"page_id": "0", "base_revision": "1"}, {"base_revision": "7"}],
)
def test_trashing_what_was_not_looked_at_changes_nothing(
    browser: Client, write: Write, posted: dict[str, str]
) -> None:
    page = write("Runner")
    if posted.get("base_revision") == "7":
        posted = {**posted, "page_id": str(page.pk)}
    browser.post("/w/ops/runner/trash", posted)
    assert Page.objects.live().count() == 1


def test_a_page_whose_address_was_taken_stays_in_the_trash(
    browser: Client, wiki: Wiki, write: Write, author: Author
) -> None:
    page = write("Runner")
    trash_page(page, author=author)
    create_page(wiki, title="Runner", body="", author=author)
    answer = browser.post("/w/ops/trash", {"page_id": page.pk}, follow=True)
    assert "“Runner” stays in the trash" in text(answer)
    assert 'name="new_address"' in text(answer)
    restored = browser.post("/w/ops/trash", {"page_id": page.pk, "new_address": "1"})
    assert restored["Location"] == "/w/ops/runner-2"
    assert browser.get("/w/ops/runner-2").status_code == 200


def test_a_merged_page_does_not_come_out_of_the_trash(
    browser: Client, write: Write, author: Author
) -> None:
    page, other = write("Runner"), write("Läufer")
    merge_pages(other, page, author=author)
    answer = browser.post("/w/ops/trash", {"page_id": page.pk}, follow=True)
    assert "“Runner” was merged into “Läufer”. Undo that merge instead." in text(answer)


@pytest.mark.parametrize("page_id", ["", "x", "0", "9" * 40, "-1"])
def test_restoring_what_is_not_there_is_not_found(
    browser: Client, wiki: Wiki, page_id: str
) -> None:
    assert browser.post("/w/ops/trash", {"page_id": page_id}).status_code == 404
