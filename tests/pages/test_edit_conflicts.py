"""Two people write the same page, or something else comes in between: no text is ever lost."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.writing import create_page, revise_page
from wiki.history.diff import (
    MAX_WORDS,
    ChangeKind,
    describe_changes,
    find_changes,
    shorten_unchanged,
)
from wiki.models import Page, Wiki
from wiki.pages.author import Author
from wiki.pages.edit_conflicts import combine_texts
from wiki.pages.trash import trash_page

Write = Callable[..., Page]


def fields(page: Page, **changed: object) -> dict[str, object]:
    """What the form of this page posts."""
    shown = {
        "title": page.title,
        "type": page.type,
        "tags": ", ".join(page.tags),
        "body": page.body,
        "summary": "",
    }
    return {
        **shown,
        "page_id": page.pk,
        "base_revision": page.revision,
        "action": "save",
        **changed,
    }


def in_form(response) -> dict[str, str]:
    """The fields as they stand in the answered form, ready to be posted again."""
    html = response.content.decode()
    form = html.partition('<form id="edit"')[2].partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    title = re.search(r'<input type="text" name="title" value="([^"]*)"', form)
    body = re.search(r'<textarea name="body"[^>]*>\n(.*?)</textarea>', form, re.DOTALL)
    return {
        **{name: value for name, value in hidden.items() if name != "csrfmiddlewaretoken"},
        "title": unescape(title[1]) if title else "",
        "body": unescape(body[1]) if body else "",
    }


def change(page: Page, author: Author, body: str = "theirs") -> Page:
    return revise_page(page, page.revision, title=page.title, body=body, author=author)


def test_saving_the_form_makes_a_revision_of_the_person(
    browser: Client, write: Write, person: User
) -> None:
    page = write("Runner", "old", tags=["ci"])
    answer = browser.post(
        "/w/ops/runner/edit",
        fields(page, body="new", tags="CI, build", summary="why", type="system"),
    )
    assert answer["Location"] == "/w/ops/runner"
    page.refresh_from_db()
    assert (page.body, page.tags, page.type, page.revision) == ("new", ["ci", "build"], "system", 2)
    latest = page.revisions.get(number=2)
    assert (latest.author_name, latest.user, latest.summary) == ("pat", person, "why")


def test_saving_the_same_text_with_other_line_ends_changes_nothing(
    browser: Client, write: Write
) -> None:
    page = write("Runner", "one\ntwo\n")
    browser.post("/w/ops/runner/edit", fields(page, body="one\r\ntwo\r\n"))
    page.refresh_from_db()
    assert page.revision == 1


def test_the_second_saver_gets_both_texts_and_can_save_on_top(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one\n\ntwo")
    change(page, author, "one by them\n\ntwo")
    mine = "one by <me> & “others”\n\ntwo\n"
    answer = browser.post("/w/ops/runner/edit", fields(page, body=mine))
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "<del>" in html
    assert "<ins>" in html
    assert "one by them" in html
    again = in_form(answer)
    assert again["body"] == mine
    assert again["base_revision"] == "2"
    page.refresh_from_db()
    assert page.body == "one by them\n\ntwo"
    assert browser.post("/w/ops/runner/edit", {**again, "action": "save"}).status_code == 302
    page.refresh_from_db()
    assert (page.body, page.revision) == (mine, 3)


def test_a_conflict_shows_short_fields_that_differ(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one", tags=["ci"])
    revise_page(page, 1, title="Runner", body="one", tags=["disk"], author=author)
    html = browser.post("/w/ops/runner/edit", fields(page, tags="ci, build")).content.decode()
    assert "<del>disk</del> <ins>ci, build</ins>" in html


def test_changes_of_different_paragraphs_are_both_kept(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one\n\ntwo\n\nthree\n", tags=["ci"])
    change(page, author, "one\n\ntwo\n\n3\n\nfour\n")
    answer = browser.post(
        "/w/ops/runner/edit",
        fields(page, body="1\n\ntwo\n\nthree\n", tags="ci, build"),
        follow=True,
    )
    assert "Both changes are in." in answer.content.decode()
    page.refresh_from_db()
    assert (page.body, page.tags, page.revision) == ("1\n\ntwo\n\n3\n\nfour\n", ["ci", "build"], 3)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "combined"),
    [
        ("a\n\nb", "A\n\nb", "a\n\nB", "A\n\nB"),
        ("a\n\nb", "A\n\nb", "A\n\nb", "A\n\nb"),
        ("a\n\nb", "A\n\nb", "x\n\nb", None),
        ("a b\n\nc", "A b\n\nc", "a B\n\nc", None),
        ("a\n\nb\n", "a\n\nb\n\nmine\n", "a\n\nb\n\ntheirs\n", None),
        ("a\n\nb\n\nc", "a\n\nx\n\nb\n\nc", "a\n\nb\n\nC", "a\n\nx\n\nb\n\nC"),
        ("a\n\nb\n\nc", "a\n\nc", "a\n\nB\n\nc", None),
        ("a\n\nb\n\nc", "b\n\nc", "a\n\nb\n\nC", "b\n\nC"),
        ("", "mine", "theirs", None),
        ("\n\n a\n\n\nb", "\n\n A\n\n\nb", "\n\n a\n\n\nB\n", "\n\n A\n\n\nB\n"),
    ],
)
def test_texts_are_combined_paragraph_by_paragraph(
    base: str, mine: str, theirs: str, combined: str | None
) -> None:
    assert combine_texts(base, mine, theirs) == combined
    assert combine_texts(base, theirs, mine) == combined


def test_a_retitled_page_keeps_the_other_ones_text(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one")
    revise_page(page, 1, title="Läufer", body="one", author=author)
    browser.post("/w/ops/runner/edit", fields(page, body="two"))
    page.refresh_from_db()
    assert (page.title, page.body) == ("Läufer", "two")


def test_a_conflict_with_hostile_texts_shows_them_as_text(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one")
    change(page, author, "<script>alert(1)</script>")
    html = browser.post(
        "/w/ops/runner/edit", fields(page, body="<img src=x onerror=alert(2)>")
    ).content.decode()
    assert "<script>alert" not in html
    assert "<img" not in html


def test_a_page_trashed_meanwhile_leaves_the_text_for_a_new_page(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "one")
    trash_page(page, author=author)
    answer = browser.post("/w/ops/runner/edit", fields(page, body="mine"))
    assert answer.status_code == 409
    assert b'action="/w/ops/new"' in answer.content
    again = in_form(answer)
    assert (again["body"], again["title"]) == ("mine", "Runner")
    assert browser.post("/w/ops/new", {**again, "action": "save"})["Location"] == "/w/ops/runner"
    assert Page.objects.live().get().body == "mine"


def test_a_page_written_anew_under_the_address_is_a_conflict(
    browser: Client, wiki: Wiki, write: Write, author: Author
) -> None:
    page = write("Runner", "one")
    trash_page(page, author=author)
    anew = create_page(wiki, title="Runner", body="another", author=author)
    assert anew.slug == "runner"
    answer = browser.post("/w/ops/runner/edit", fields(page, body="mine"))
    assert answer.status_code == 409
    assert in_form(answer)["page_id"] == str(anew.pk)
    anew.refresh_from_db()
    assert anew.body == "another"


@pytest.mark.parametrize("base", ["", "x", "-1", "99", "9" * 30])
def test_a_form_without_a_usable_base_never_overwrites(
    browser: Client, write: Write, base: str
) -> None:
    page = write("Runner", "one")
    answer = browser.post("/w/ops/runner/edit", fields(page, body="mine", base_revision=base))
    assert answer.status_code in (409, 422)
    assert in_form(answer)["body"] == "mine"
    page.refresh_from_db()
    assert page.body == "one"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("body", "x" * (257 * 1024), "A page has at most 256 KiB of text"),
        ("body", "x" * (1024 * 1024), "A page has at most 256 KiB of text"),
        ("body", " ".join(f"[[p{number}]]" for number in range(1001)), "at most 1000 links"),
        ("title", "x" * 201, "A title has at most 200 characters; this one has 201."),
        ("title", "  ", "A page needs a title."),
        ("tags", ",".join(f"t{number}" for number in range(101)), "at most 100 tags"),
        ("type", "psychic", "There is no page type"),
    ],
)
def test_a_refused_text_stays_in_the_form(
    browser: Client, write: Write, name: str, value: str, sentence: str
) -> None:
    page = write("Runner", "one")
    for address in ("/w/ops/runner/edit", "/w/ops/new"):
        answer = browser.post(
            address, fields(page, **{"title": "Other", "body": "kept", name: value})
        )
        assert answer.status_code == 422
        assert sentence in unescape(answer.content.decode())
        assert in_form(answer)["body"] == (value if name == "body" else "kept")
    page.refresh_from_db()
    assert page.revision == 1
    assert Page.objects.count() == 1


# -- signed out meanwhile


def test_a_text_posted_after_signing_out_comes_back_after_signing_in(
    client: Client, write: Write, person: User
) -> None:
    page = write("Runner", "one")
    posted = fields(page, body='\nmine\n"quoted" </textarea><script>x</script>', summary="why")
    answer = client.post("/w/ops/runner/edit", posted)
    assert answer.status_code == 403
    html = answer.content.decode()
    assert "<script>x" not in html
    kept = {
        name: unescape(text)
        for name, text in re.findall(r'name="(kept-\w+)" hidden>\n(.*?)</textarea>', html, re.S)
    }
    account = {"username": "pat", "next": "/w/ops/runner/edit"}
    wrong = client.post("/login", {**account, "password": "wrong", **kept})
    assert b'name="kept-body"' in wrong.content
    answer = client.post("/login", {**account, "password": "correct horse battery", **kept})
    assert answer["Location"] == "/w/ops/runner/edit"
    form = client.get(answer["Location"])
    assert in_form(form)["body"] == posted["body"]
    assert in_form(form)["base_revision"] == "1"
    assert b'value="why"' in form.content
    page.refresh_from_db()
    assert page.body == "one"
    assert in_form(client.get("/w/ops/runner/edit"))["body"] == "one"


def test_a_kept_text_never_leads_to_another_site(client: Client, person: User) -> None:
    answer = client.post(
        "/login",
        {
            "username": "pat",
            "password": "correct horse battery",
            "next": "//evil.example/",
            "kept-body": "mine",
        },
    )
    assert answer["Location"] == "/"


def test_a_form_from_before_signing_in_again_hands_the_text_back(
    write: Write, person: User
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    page = write("Runner", "one")
    posted = fields(page, body="mine", csrfmiddlewaretoken="x" * 64)
    answer = client.post("/w/ops/runner/edit", posted, headers={"Origin": "http://testserver"})
    assert answer.status_code == 403
    assert b"Back to my text" in answer.content
    assert b">\nmine</textarea>" in answer.content
    page.refresh_from_db()
    assert page.body == "one"


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://evil.example"}])
def test_a_text_from_another_site_is_not_handed_on(
    write: Write, person: User, headers: dict[str, str]
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    answer = client.post(
        "/w/ops/runner/edit", fields(write("Runner"), body="theirs"), headers=headers
    )
    assert answer.status_code == 403
    assert b"theirs" not in answer.content


def test_a_json_body_with_only_a_session_is_refused(write: Write, person: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    page = write("Runner", "one")
    answer = client.post(
        "/w/ops/runner/edit", '{"body": "x", "action": "save"}', content_type="text/plain"
    )
    assert answer.status_code == 403
    page.refresh_from_db()
    assert page.body == "one"


# -- the comparison


def test_changes_join_to_both_texts_exactly() -> None:
    old, new = "one two  three\n\nfour\n", "one 2  three\n\nfive four\nsix"
    changes = find_changes(old, new)
    assert "".join(change.text for change in changes if change.kind != ChangeKind.ADDED) == old
    assert "".join(change.text for change in changes if change.kind != ChangeKind.REMOVED) == new


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (
            "hält 20 Minuten",
            "hält 45 Minuten",
            ["same hält ", "removed 20", "added 45", "same  Minuten"],
        ),
        ("hält 20", "hält", ["same hält", "removed  20"]),
        ("a\n\n b", "a\n\nc", ["same a\n\n", "removed  b", "added c"]),
    ],
)
def test_the_blank_before_a_replaced_word_is_not_struck_out(
    old: str, new: str, shown: list[str]
) -> None:
    changes = describe_changes(old, new)
    assert [f"{change.kind} {change.text}" for change in changes] == shown
    assert "".join(change.text for change in changes if change.kind != ChangeKind.ADDED) == old
    assert "".join(change.text for change in changes if change.kind != ChangeKind.REMOVED) == new


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("hält 20", "hält\n20", ["same hält", "removed ·", "added ↵\n", "same 20"]),
        ("hält 20", "hält  20", ["same hält ", "added ·", "same 20"]),
        ("hält\n\n20", "hält\n20", ["same hält\n", "removed ↵", "same 20"]),
        ("20 ms", "20\u00a0ms", ["same 20", "removed ·", "added ⍽", "same ms"]),
        ("ends", "ends  \n", ["same ends", "added ··↵\n"]),
        ("\tcode", "    code", ["removed →", "added ····", "same code"]),
    ],
)
def test_what_differs_in_blanks_alone_can_be_seen(old: str, new: str, shown: list[str]) -> None:
    assert [f"{change.kind} {change.text}" for change in describe_changes(old, new)] == shown


def test_changes_are_marked_word_by_word() -> None:
    changes = [
        (change.kind, change.text)
        for change in find_changes("Port 8080 is open", "Port 8081 is open")
    ]
    assert changes == [
        ("same", "Port"),
        ("removed", " 8080"),
        ("added", " 8081"),
        ("same", " is open"),
    ]


def test_a_block_with_too_many_words_is_replaced_whole() -> None:
    changes = find_changes("a " * (MAX_WORDS + 1), "b " + "a " * MAX_WORDS)
    assert [change.kind for change in changes] == ["removed", "added"]


def test_long_unchanged_text_is_left_out_between_changes() -> None:
    middle = "".join(f"line {number}\n" for number in range(500))
    changes = shorten_unchanged(find_changes(f"a\n{middle}b\n", f"x\n{middle}y\n"))
    assert [change.kind for change in changes].count("skipped") == 1
    assert {
        word for change in changes if change.kind == "same" for word in change.text.split()
    } <= set(middle.split())
    assert sum(len(change.text) for change in changes) < 700
