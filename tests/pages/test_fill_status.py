"""The status of revisions that were written before revisions had columns for it."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from tests.support.screens import Write
from wiki.history.bulk_revert import undo_revision
from wiki.models import AuthorKind, Page, Revision, RevisionKind
from wiki.pages.author import Author
from wiki.pages.rename import rename_page

migration = import_module("wiki.migrations.0017_fill_status_of_revisions")


def add_revision(page: Page, kind: RevisionKind, summary: str) -> None:
    """A revision as covey wrote it then."""
    page.revision += 1
    Revision.objects.create(
        page=page,
        number=page.revision,
        slug=page.slug,
        title=page.title,
        body=page.body,
        kind=kind,
        summary=summary,
        author_kind=AuthorKind.PERSON,
        author_name="Mira",
        created_at=timezone.now(),
    )


def statuses(page: Page) -> list[tuple[str, int | None]]:
    return list(page.revisions.order_by("number").values_list("standing", "replaced_by"))


def fill(
    page: Page, standing: str = "", successor: Page | None = None
) -> list[tuple[str, int | None]]:
    page.standing, page.replaced_by = standing, successor
    page.save()
    migration.fill(apps, None)
    return statuses(page)


SUMMARIES = {
    "en": ("marked as outdated", "replaced by", "marked as holding again", "marked as replaced"),
    "de": (
        "als veraltet markiert",
        "ersetzt durch",
        "als wieder gültig markiert",
        "als ersetzt markiert",
    ),
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_each_revision_gets_the_status_that_its_summary_or_an_earlier_one_says(
    write: Write, author: Author, language: str
) -> None:
    outdated, replaced_by, holds, replaced = SUMMARIES[language]
    page, young, untouched = write("Elder"), write("Young (new) (x"), write("Untouched")
    add_revision(page, RevisionKind.MARK, outdated)
    add_revision(page, RevisionKind.EDIT, "marked as replaced")
    add_revision(page, RevisionKind.MARK, f"{replaced_by} {young.title}")
    rename_page(young, young.revision, title="Renamed", author=author)
    add_revision(page, RevisionKind.MARK, holds)
    add_revision(
        page, RevisionKind.UNDO, f"{replaced_by} Young (new) (x (Revision 5 by robin (1) undone)"
    )
    write("Young (new) (x", slug="other")
    add_revision(page, RevisionKind.UNDO, "Revision 3 by robin undone")
    add_revision(page, RevisionKind.UNDO, f"{outdated} (Revision 6 by robin undone)")
    add_revision(page, RevisionKind.MARK, replaced)
    add_revision(page, RevisionKind.MARK, f"{replaced_by} Nobody")
    add_revision(page, RevisionKind.MARK, holds)
    assert fill(page) == [
        ("", None),
        ("outdated", None),
        ("outdated", None),
        ("replaced", young.pk),
        ("", None),
        ("replaced", young.pk),
        ("replaced", young.pk),
        ("outdated", None),
        ("replaced", None),
        ("replaced", None),
        ("", None),
    ]
    assert statuses(untouched) == [("", None)]
    undo_revision(page, 11, author=author, summary="undone")
    page.refresh_from_db()
    assert (page.standing, page.replaced_by) == ("replaced", None)


def test_the_latest_status_is_the_one_of_the_page(write: Write) -> None:
    page, young, merged = write("Elder"), write("Young"), write("Merged")
    add_revision(page, RevisionKind.MARK, f"replaced by {merged.title}")
    add_revision(page, RevisionKind.EDIT, "")
    assert fill(page, "replaced", young) == [
        ("", None),
        ("replaced", young.pk),
        ("replaced", young.pk),
    ]


def test_a_summary_that_nobody_can_read_leaves_the_status_before(write: Write) -> None:
    page = write("Elder")
    add_revision(page, RevisionKind.MARK, "marked as outdated")
    add_revision(page, RevisionKind.MARK, "periytymätön")
    add_revision(page, RevisionKind.MARK, "marked as holding again")
    assert [standing for standing, _ in fill(page)] == ["", "outdated", "outdated", ""]
