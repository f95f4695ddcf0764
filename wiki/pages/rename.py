"""Renaming: the deliberate change of title and address, and its undoing. The old address leads to
the page."""

from dataclasses import replace

from django.db import transaction
from django.utils.translation import gettext

from wiki.indexing.embed import Embedded, embed_text
from wiki.models import Page, Redirect, Revision, RevisionKind
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import PageFields
from wiki.pages.redirects import drop_unused, free_slug, give_to_earlier_owner
from wiki.pages.write import EditConflict, SlugTaken, fields_of, lock_page, write_revision
from wiki.text.slugs import slugify


class NotUndoable(Exception):
    """This rename is not the page's last one, or its revision is missing."""


def rename_page(
    page: Page, base_revision: int, *, title: str, author: Author, summary: str = ""
) -> Page:
    """Give the page a title and the address made from it; the old address becomes a redirect. The
    same name changes nothing. Links stay as they are (see wiki/pages/link_rewriting.py). Raises
    InvalidPage, PageGone, and EditConflict when the page is no longer at `base_revision`."""
    fields = PageFields.clean(**vars(replace(fields_of(page), title=title)))
    embedded = embed_text(fields.title, fields.body)
    with transaction.atomic():
        current = lock_page(page, with_wiki=True)
        if current.revision != base_revision:
            raise EditConflict(current)
        slug = free_slug(current.wiki_id, slugify(fields.title), own=current)
        if (slug, fields.title) == (current.slug, current.title):
            return current
        neutral = gettext("renamed {old} → {new}").format(old=current.title, new=fields.title)
        change = Change(author, RevisionKind.RENAME, summary.strip() or neutral)
        _move(current, slug, fields.title, embedded, change)
    return current


def undo_rename(page: Page, number: int, base_revision: int, *, author: Author) -> Page:
    """Give the page its title and address before this rename. Its redirects are those of that time;
    the name given up stays one as long as links say it. Raises NotUndoable, SlugTaken when another
    page has the old address now, PageGone and EditConflict."""
    before, rename = _rename(page, number)
    embedded = embed_text(before.title, page.body)
    with transaction.atomic():
        current = lock_page(page, with_wiki=True)
        if current.revision != base_revision:
            raise EditConflict(current)
        if (current.slug, current.title) != (rename.slug, rename.title):
            raise NotUndoable(gettext("The page has been renamed since."))
        others = (
            Page.objects.live()
            .filter(wiki=current.wiki_id, slug=before.slug)
            .exclude(pk=current.pk)
        )
        if taken := others.first():
            raise SlugTaken(taken)
        summary = gettext("rename undone: {old} → {new}").format(old=rename.title, new=before.title)
        change = Change(author, RevisionKind.UNDO, summary)
        _move(current, before.slug, before.title, embedded, change)
        _put_redirects_back(current, rename)
    return current


def find_undoable(page: Page) -> Revision | None:
    """Return the last rename, if the page still has the name that it gave."""
    rename = page.revisions.filter(kind=RevisionKind.RENAME).defer("body").first()
    if rename is None or (rename.slug, rename.title) != (page.slug, page.title):
        return None
    is_known = page.revisions.filter(number=rename.number - 1).exists()
    return rename if is_known else None


def _rename(page: Page, number: int) -> tuple[Revision, Revision]:
    rows = page.revisions.filter(number__in=[number - 1, number]).defer("body").order_by("number")
    found = {row.number: row for row in rows}
    before, rename = found.get(number - 1), found.get(number)
    if before is None or rename is None or rename.kind != RevisionKind.RENAME:
        raise NotUndoable(gettext("What the page was called before is not known any more."))
    return before, rename


def _move(page: Page, slug: str, title: str, embedded: Embedded | None, change: Change) -> None:
    """Name the page anew, its row and its wiki locked."""
    write_revision(page, replace(fields_of(page), title=title), embedded, change, slug=slug)


def _put_redirects_back(page: Page, rename: Revision) -> None:
    Redirect.objects.filter(page=page, created_at=rename.created_at).delete()
    give_to_earlier_owner(page, page.slug)
    # A page that had come back to a former address has that behind it again.
    former = page.revisions.filter(slug=rename.slug, number__lt=rename.number).values_list(
        "created_at", flat=True
    )
    if left_at := former.first():
        Redirect.objects.filter(page=page, slug=rename.slug).update(created_at=left_at)
    drop_unused(page, page.updated_at)
