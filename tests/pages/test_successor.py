"""A page that goes to the trash can send its readers on; when it comes back, they stay."""

import re

import pytest
from django.test import Client

from tests.support.screens import Write, text
from tests.support.writing import create_page
from wiki.models import Link, Page, Redirect, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.rename import rename_page
from wiki.pages.trash import restore_page, trash_page


def discard(browser: Client, page: Page, successor: str):
    posted = {"page_id": page.pk, "base_revision": page.revision, "successor": successor}
    return browser.post(f"/w/ops/{page.slug}/trash", posted)


@pytest.mark.parametrize("name", ["Young", "young", " YOUNG ", "yöung"])
def test_readers_are_sent_on_until_the_page_is_restored(
    browser: Client, write: Write, name: str
) -> None:
    page, successor, linking = write("Elder"), write("Young"), write("Linking", "[[Elder]]")
    assert 'for="id_successor"' in text(browser.get("/w/ops/elder/trash"))
    assert discard(browser, page, name)["Location"] == "/w/ops/trash"
    assert browser.get("/w/ops/elder")["Location"] == "/w/ops/young?from=elder"
    assert '?redirect=no">Elder</a>”' in text(browser.get("/w/ops/young?from=elder"))
    assert linking.links.get().resolved_page == successor
    assert page.revisions.first().summary == "readers are sent on to “Young”"
    assert browser.post("/w/ops/trash", {"page_id": page.pk})["Location"] == "/w/ops/elder"
    assert not Redirect.objects.exists()
    assert linking.links.get().resolved_page == page
    assert "Formerly here" not in text(browser.get("/w/ops/elder"))


def test_former_addresses_are_sent_on_too_and_come_back(write: Write, author: Author) -> None:
    page, successor = write("A"), write("S")
    page = rename_page(page, 1, title="B", author=author)
    linking = write("Linking", "[[A]] [[B]]")
    trashed = trash_page(page, author=author, successor=successor)
    assert set(Redirect.objects.values_list("slug", "page")) == {
        ("a", successor.pk),
        ("b", successor.pk),
    }
    assert set(linking.links.values_list("resolved_page", flat=True)) == {successor.pk}
    restore_page(trashed, author=author)
    assert list(Redirect.objects.values_list("slug", "page")) == [("a", page.pk)]
    assert set(linking.links.values_list("resolved_page", flat=True)) == {page.pk}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Nowhere", "There is no page “Nowhere”."),
        ("elder", "A page cannot take its own place."),
        ("x" * 300, "There is no page “xxx"),
        ("../x", "There is no page “../x”."),
    ],
)
def test_a_successor_that_is_none_moves_nothing(
    browser: Client, write: Write, name: str, sentence: str
) -> None:
    page = write("Elder")
    answer = discard(browser, page, name)
    assert answer.status_code == 422
    assert sentence in text(answer)
    assert f'value="{name}"' in text(answer)
    assert Page.objects.live().exists()


def test_a_successor_that_went_away_meanwhile_moves_nothing(write: Write, author: Author) -> None:
    page, successor = write("Elder"), write("Young")
    trash_page(successor, author=author)
    other = create_page(
        Wiki.objects.create(slug="two", name="Two"), title="There", body="", author=author
    )
    for gone in (successor, other):
        with pytest.raises(InvalidPage):
            trash_page(page, author=author, successor=gone)
    assert Page.objects.live().filter(pk=page.pk).exists()


def test_without_a_successor_the_links_turn_red(browser: Client, write: Write) -> None:
    page, linking = write("Elder"), write("Linking", "[[Elder]]")
    assert discard(browser, page, "")["Location"] == "/w/ops/trash"
    assert not Redirect.objects.exists()
    assert linking.links.get().resolved_page is None


def test_the_address_of_a_page_in_the_trash_is_free(
    browser: Client, write: Write, author: Author
) -> None:
    old = trash_page(write("Privacy", "old"), author=author)
    posted = {"title": "Privacy", "body": "new", "action": "save"}
    assert browser.post("/w/ops/new", posted)["Location"] == "/w/ops/privacy"
    assert browser.post("/w/ops/trash", {"page_id": old.pk})["Location"] == f"/w/ops/trash/{old.pk}"
    html = text(browser.get(f"/w/ops/trash/{old.pk}"))
    assert 'name="new_address"' in html
    answer = browser.post("/w/ops/trash", {"page_id": old.pk, "new_address": "1"})
    assert answer["Location"] == "/w/ops/privacy-2"


def test_a_page_is_restored_by_a_plain_form(browser: Client, write: Write, author: Author) -> None:
    trash_page(write("Privacy"), author=author)
    html = text(browser.get("/w/ops/trash"))
    [form] = re.findall(r'<form method="post">.*?</form>', html, re.DOTALL)
    posted = dict(re.findall(r'name="(\w+)" value="(\w+)"', form))
    assert browser.post("/w/ops/trash", posted)["Location"] == "/w/ops/privacy"


def test_a_page_sent_on_can_come_back_beside_the_one_that_took_its_address(
    write: Write, author: Author
) -> None:
    successor = write("S")
    old = trash_page(write("Privacy", "old"), author=author, successor=successor)
    new = write("Privacy", "new")
    restored = restore_page(old, author=author, new_address=True)
    assert restored.slug == "privacy-2"
    assert not Redirect.objects.exists()
    assert restored.revisions.first().kind == RevisionKind.RESTORE
    assert not Link.objects.exists()
    assert new.slug == "privacy"


def test_a_former_address_of_a_page_in_the_trash_says_so(
    browser: Client, write: Write, author: Author
) -> None:
    page = rename_page(write("A"), 1, title="B", author=author)
    trash_page(page, author=author)
    answer = browser.get("/w/ops/a")
    assert answer.status_code == 404
    assert "“B” is in the trash." in text(answer)
