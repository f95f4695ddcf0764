"""What the database keeps beside the pages is right, whatever happened to these: the vectors
that a search reads, and how many pages there are."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.support.screens import Write
from tests.support.writing import append_text, revise_page
from wiki.indexing.counts import recall_counts
from wiki.merging.merge import merge_pages, undo_merge
from wiki.models import Page, PageCount, PageVector, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import restore_page, trash_page


def kept() -> dict[int, tuple[int, str, list[float]]]:
    return _by_page(PageVector.objects.values_list("page", "wiki", "embed_model", "embedding"))


def owed() -> dict[int, tuple[int, str, list[float]]]:
    live = Page.objects.live().exclude(embedding=None)
    return _by_page(live.values_list("pk", "wiki", "embed_model", "embedding"))


def _by_page(rows: object) -> dict[int, tuple[int, str, list[float]]]:
    return {pk: (wiki, model, list(vector)) for pk, wiki, model, vector in rows}  # type: ignore[attr-defined]


def counted() -> dict[int, int]:
    return {wiki: pages for wiki, pages in PageCount.objects.values_list("wiki", "pages") if pages}


def countable() -> dict[int, int]:
    return dict(Counter(Page.objects.live().values_list("wiki", flat=True)))


def take_back(page: Page) -> None:
    with transaction.atomic():
        Page.objects.filter(pk=page.pk).update(embed_model="", embedding=None)
        transaction.set_rollback(True)


CHANGES: dict[str, Callable[[Page, Author], object]] = {
    "edit": lambda page, author: revise_page(
        page, 1, title="Runner", body="Other words", author=author
    ),
    "rename": lambda page, author: revise_page(
        page, 1, title="Other", body="The runner is red.", author=author
    ),
    "nothing left": lambda page, author: revise_page(page, 1, title="?", body="…", author=author),
    "append": lambda page, author: append_text(page, "And more.", author=author),
    "trash": lambda page, author: trash_page(page, author=author),
    "back": lambda page, author: restore_page(trash_page(page, author=author), author=author),
    "gone": lambda page, author: page.delete(),
    "without a vector": lambda page, author: Page.objects.filter(pk=page.pk).update(
        embed_model="", embedding=None
    ),
    "of another model": lambda page, author: Page.objects.update(embed_model="ollama:other:256"),
    "in another wiki": lambda page, author: Page.objects.filter(pk=page.pk).update(
        wiki=Wiki.objects.create(slug="other", name="Other")
    ),
    "all gone": lambda page, author: Page.objects.all().delete(),
    "both trashed, one brought back in another wiki": lambda page, author: (
        Page.objects.update(trashed_at=timezone.now()),
        Page.objects.filter(pk=page.pk).update(
            trashed_at=None, wiki=Wiki.objects.create(slug="other", name="Other")
        ),
    ),
    "many at once": lambda page, author: Page.objects.bulk_create(
        Page(
            wiki=wiki,
            slug=f"p{number}",
            title=f"P {number}",
            trashed_at=timezone.now() if number % 3 else None,
        )
        for number, wiki in enumerate(
            [page.wiki, Wiki.objects.create(slug="other", name="Other")] * 5
        )
    ),
    "trashed by hand": lambda page, author: Page.objects.update(trashed_at=timezone.now()),
    "rolled back": lambda page, author: take_back(page),
}


@pytest.mark.parametrize("change", CHANGES)
def test_vectors_and_counts_follow_the_pages(
    write: Write, author: Author, wiki: Wiki, change: str
) -> None:
    page, other = write("Runner", "The runner is red."), write("Mirror", "The mirror answers.")
    assert set(kept()) == {page.pk, other.pk}
    assert counted() == {wiki.pk: 2}
    CHANGES[change](page, author)
    assert kept() == owed()
    assert counted() == countable()
    assert recall_counts(wiki).pages == countable().get(wiki.pk, 0)


def test_a_merge_and_its_undo_take_the_vectors_along(write: Write, author: Author) -> None:
    survivor, source = (
        write("Runner", "The runner is red."),
        write("Red runner", "It was red again."),
    )
    before = kept()
    merge = merge_pages(survivor, source, author=author)
    assert kept() == owed()
    assert set(kept()) == {survivor.pk}
    assert counted() == countable()
    undo_merge(merge, author=author)
    assert kept() == owed() == before
    assert counted() == countable()


def test_what_did_not_change_is_not_written_again(write: Write) -> None:
    page = write("Runner", "The runner is red.")

    def row() -> object:
        with connection.cursor() as cursor:
            cursor.execute("SELECT xmin, ctid FROM wiki_pagevector WHERE page_id = %s", [page.pk])
            return cursor.fetchall()

    before = row()
    Page.objects.get(pk=page.pk).save()
    Page.objects.filter(pk=page.pk).update(standing="", updated_at=timezone.now())
    assert row() == before
