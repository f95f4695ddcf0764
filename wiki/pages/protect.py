"""Protecting a page: from then on agents suggest, and people decide."""

from django.db import transaction
from django.utils.translation import gettext

from wiki.models import Page, Revision, RevisionKind
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.write import fields_of, lock_page, write_revision


def protect_page(page: Page, *, author: Author) -> Page:
    """Raises PageGone."""
    return _set(page, True, author, RevisionKind.PROTECT, gettext("agents suggest, people decide"))


def lift_protection(page: Page, *, author: Author) -> Page:
    """Open suggestions stay open. Raises PageGone."""
    return _set(page, False, author, RevisionKind.UNPROTECT, gettext("agents write here again"))


def find_protection(page: Page) -> Revision | None:
    """The revision that protects the page; none where it is not, or got it from a page that was
    merged in."""
    if not page.is_protected:
        return None
    return page.revisions.filter(kind=RevisionKind.PROTECT).defer("body").first()


def _set(page: Page, is_protected: bool, author: Author, kind: RevisionKind, summary: str) -> Page:
    with transaction.atomic():
        current = lock_page(page)
        if current.is_protected == is_protected:
            return current
        current.is_protected = is_protected
        write_revision(current, fields_of(current), None, Change(author, kind, summary))
    return current
