"""Pages whose address became the address of a screen later."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from tests.support.screens import Write, revise, text
from wiki.models import Revision, Wiki
from wiki.pages.author import Author
from wiki.pages.links import resolve_page
from wiki.pages.rename import rename_page, undo_rename
from wiki.pages.trash import restore_page, trash_page

migration = import_module("wiki.migrations.0018_move_pages_off_fixed_addresses")


@pytest.mark.parametrize("word", migration.WORDS)
def test_such_a_page_moves_and_its_links_still_lead_to_it(
    browser: Client, wiki: Wiki, write: Write, word: str
) -> None:
    page, taken = write("Who is who", "Old words.", slug=word), write("Taken", slug=f"{word}-page")
    linking = write("Linking", f"[[{word}|here]]")
    migration.move(apps, None)
    page.refresh_from_db()
    assert (page.slug, taken.slug) == (f"{word}-page-2", f"{word}-page")
    assert "Old words." in text(browser.get(f"/w/ops/{page.slug}"))
    assert "Old words." not in text(browser.get(f"/w/ops/{word}"))
    assert resolve_page(wiki, "Who is who").page == page
    assert page.redirects.get().slug == word
    assert linking.links.count() == 1


def test_a_page_in_the_trash_comes_back_under_the_new_address(
    wiki: Wiki, write: Write, author: Author
) -> None:
    page = trash_page(write("Who is who", slug="members"), author=author)
    migration.move(apps, None)
    assert restore_page(page, author=author).slug == "members-page"


def test_undoing_a_rename_does_not_bring_the_word_back(write: Write, author: Author) -> None:
    page = write("Who is who", slug="members")
    renamed = rename_page(page, 1, title="People", author=author)
    migration.move(apps, None)
    assert undo_rename(renamed, 2, 2, author=author).slug == "members-page"


def test_early_revisions_get_the_address_that_their_page_had(
    wiki: Wiki, write: Write, author: Author
) -> None:
    """A rename has always kept the address in the revision before it."""
    fill = import_module("wiki.migrations.0019_fill_addresses_of_revisions").FILL
    page, other = write("First", "One."), write("Other")
    revise(page, "Two.", author)
    page.refresh_from_db()
    rename_page(page, 2, title="Second", author=author)
    expected = list(page.revisions.order_by("number").values_list("slug", flat=True))
    assert expected == ["first", "first", "second"]
    Revision.objects.filter(number=1).update(slug="")
    with connection.cursor() as cursor:
        cursor.execute(fill)
    assert list(page.revisions.order_by("number").values_list("slug", flat=True)) == expected
    assert other.revisions.get().slug == "other"
