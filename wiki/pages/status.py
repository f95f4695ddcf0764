"""Marks: whether what a page says still holds, is outdated, or was replaced by another page; and
who confirmed it."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.db.models.query import Prefetch
from django.utils import timezone
from django.utils.translation import gettext

from wiki.models import Confirmation, Page, Revision, RevisionKind, Standing
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.status_history import Mark, say_mark, say_taken_back, sets_mark
from wiki.pages.successor import check_successor
from wiki.pages.write import EditConflict, fields_of, lock_page, write_revision

CONFIRMERS_SHOWN = 5


class DoesNotHold(Exception):
    """The page is marked as outdated or replaced; whoever disagrees changes the mark first."""

    def __init__(self, page: Page) -> None:
        super().__init__(f"“{page.title}” is marked as {page.get_standing_display()}.")
        self.page = page


def confirm_page(page: Page, *, author: Author) -> Confirmation:
    """Notes that the author found what the page says still true. Raises DoesNotHold and
    PageGone."""
    with transaction.atomic():
        current = lock_page(page)
        if current.standing != Standing.HOLDS:
            raise DoesNotHold(current)
        return _confirm(current, author)


def mark_holds(page: Page, *, author: Author) -> Page:
    """Takes any mark away and confirms the page. Raises PageGone."""
    page = take_mark_away(page, author=author)
    _confirm(page, author)
    return page


def take_mark_away(page: Page, *, author: Author) -> Page:
    """Raises PageGone."""
    return _mark(page, Standing.HOLDS, None, author)


def mark_outdated(page: Page, *, author: Author) -> Page:
    """Raises PageGone."""
    return _mark(page, Standing.OUTDATED, None, author)


def mark_replaced(page: Page, successor: Page | None, *, author: Author) -> Page:
    """Replaced by a page, or by one that is not in the wiki any more.

    Raises PageGone, and InvalidPage (`successor`) for a page that is itself replaced by this one,
    however many steps.
    """
    return _mark(page, Standing.REPLACED, successor, author)


def put_mark_back(
    page: Page, mark: Mark, *, author: Author, base_revision: int, summary: str
) -> Page:
    """Gives the page the mark it had earlier, as an undoing. `summary` says of what.

    Raises PageGone, EditConflict when the page is no longer at `base_revision`, and InvalidPage for
    a circle.
    """
    with transaction.atomic():
        current = lock_page(page, with_wiki=mark.successor_id is not None)
        if current.revision != base_revision:
            raise EditConflict(current)
        # What replaced it then may be in the trash today; it is still what replaced it.
        successor = Page.objects.filter(pk=mark.successor_id, wiki=current.wiki_id).first()
        if successor:
            _check_circle(current, successor)
        said = say_taken_back(
            say_mark(mark.standing, successor.title if successor else ""), summary
        )
        _write(current, mark.standing, successor, author, RevisionKind.UNDO, said)
    return current


def _mark(page: Page, standing: Standing, successor: Page | None, author: Author) -> Page:
    with transaction.atomic():
        # Two marks at once could close a circle.
        current = lock_page(page, with_wiki=successor is not None)
        successor_id = successor.pk if successor else None
        if (current.standing, current.replaced_by_id) == (standing, successor_id):
            return current
        if successor:
            check_successor(current, successor)
            _check_circle(current, successor)
        said = say_mark(standing, successor.title if successor else "")
        _write(current, standing, successor, author, RevisionKind.MARK, said)
    return current


def _write(
    page: Page,
    standing: Standing,
    successor: Page | None,
    author: Author,
    kind: RevisionKind,
    summary: str,
) -> None:
    page.standing, page.replaced_by = standing, successor
    write_revision(page, fields_of(page), None, author, kind, summary)


def _check_circle(page: Page, successor: Page) -> None:
    seen: set[int] = {page.pk}
    next_id: int | None = successor.pk
    while next_id is not None and next_id not in seen:
        seen.add(next_id)
        next_id = Page.objects.filter(pk=next_id).values_list("replaced_by", flat=True).first()
    if next_id == page.pk:
        refusal = gettext("“{name}” is itself replaced by this page.")
        raise InvalidPage({"successor": refusal.format(name=successor.title)})


def _confirm(page: Page, author: Author) -> Confirmation:
    row = Confirmation(
        page=page,
        author_kind=author.kind,
        author_name=author.name,
        user=author.user,
        agent=author.agent,
        confirmed_at=timezone.now(),
    )
    Confirmation.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["page", "author_kind", "author_name"],
        update_fields=["user", "agent", "confirmed_at"],
    )
    return row


@dataclass(frozen=True)
class Confirmed:
    """When a page was last confirmed, and by how many in all; the last of them are named."""

    count: int = 0
    last_at: datetime | None = None
    by: list[Confirmation] = field(default_factory=list)

    @property
    def others(self) -> int:
        return self.count - len(self.by)


def find_confirmed(page: Page) -> Confirmed:
    rows = list(page.confirmations.order_by("-confirmed_at"))
    return (
        Confirmed(len(rows), rows[0].confirmed_at, rows[:CONFIRMERS_SHOWN]) if rows else Confirmed()
    )


def find_mark(page: Page) -> Revision | None:
    """The revision that gave the page its present mark; None for a page that holds."""
    if page.standing == Standing.HOLDS:
        return None
    return page.revisions.filter(sets_mark()).defer("body").first()


def attach_successors(pages: list[Page]) -> None:
    """Gives replaced pages their `replaced_by` in one query, if they have none yet; None where that
    is not live."""
    if replaced := [
        page for page in pages if page.replaced_by_id and not Page.replaced_by.is_cached(page)
    ]:
        live = Page.objects.live().only("slug", "title", "wiki_id")
        prefetch_related_objects(replaced, Prefetch("replaced_by", queryset=live))
