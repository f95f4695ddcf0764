"""The status of a page: whether it holds, is outdated or replaced; and its confirmations."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.db.models.query import Prefetch
from django.utils import timezone
from django.utils.translation import gettext

from wiki.models import Confirmation, Page, Revision, RevisionKind, Standing
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage
from wiki.pages.successor import check_successor
from wiki.pages.write import EditConflict, fields_of, lock_page, write_revision

CONFIRMERS_SHOWN = 5


@dataclass(frozen=True)
class Status:
    """A successor without an id is not in the wiki any more."""

    standing: Standing = Standing.HOLDS
    successor_id: int | None = None

    @classmethod
    def of(cls, page: Page) -> "Status":
        return cls(Standing(page.standing), page.replaced_by_id)


def describe_status(standing: Standing, successor_title: str = "") -> str:
    """The summary of the revision that sets the status."""
    if successor_title:
        return gettext("replaced by {title}").format(title=successor_title)
    match standing:
        case Standing.HOLDS:
            return gettext("marked as holding again")
        case Standing.OUTDATED:
            return gettext("marked as outdated")
        case Standing.REPLACED:
            return gettext("marked as replaced")


class DoesNotHold(Exception):
    """The page is marked as outdated or replaced, and cannot be confirmed until the mark goes."""

    def __init__(self, page: Page) -> None:
        super().__init__(f"“{page.title}” is marked as {page.get_standing_display()}.")
        self.page = page


def confirm_page(page: Page, *, author: Author) -> Confirmation:
    """Record that the page still holds. Raises DoesNotHold and PageGone."""
    with transaction.atomic():
        current = lock_page(page)
        if current.standing != Standing.HOLDS:
            raise DoesNotHold(current)
        return _confirm(current, author)


def mark_holds(page: Page, *, author: Author) -> Page:
    """Remove any mark and confirm the page. Raises PageGone."""
    page = clear_status(page, author=author)
    _confirm(page, author)
    return page


def clear_status(page: Page, *, author: Author) -> Page:
    """Raises PageGone."""
    return _set_status(page, Standing.HOLDS, None, author)


def mark_outdated(page: Page, *, author: Author) -> Page:
    """Raises PageGone."""
    return _set_status(page, Standing.OUTDATED, None, author)


def mark_replaced(page: Page, successor: Page | None, *, author: Author) -> Page:
    """Replaced by a page, or by one that is not in the wiki any more.

    Raises PageGone, and InvalidPage (`successor`) for a page that is itself replaced by this one,
    however many steps.
    """
    return _set_status(page, Standing.REPLACED, successor, author)


def restore_status(
    page: Page, status: Status, *, author: Author, base_revision: int, summary: str
) -> Page:
    """Undo a change of status. `summary` names the change.

    Raises PageGone, EditConflict when the page is no longer at `base_revision`, and InvalidPage for
    a circle.
    """
    with transaction.atomic():
        current = lock_page(page, with_wiki=status.successor_id is not None)
        if current.revision != base_revision:
            raise EditConflict(current)
        # A successor that is in the trash today is still the successor.
        successor = Page.objects.filter(pk=status.successor_id or 0, wiki=current.wiki_id).first()
        if successor:
            _check_circle(current, successor)
        restored = describe_status(status.standing, successor.title if successor else "")
        summary = f"{restored} ({summary})"
        _write(current, status.standing, successor, author, RevisionKind.UNDO, summary)
    return current


def _set_status(page: Page, standing: Standing, successor: Page | None, author: Author) -> Page:
    with transaction.atomic():
        # Two marks at once could close a circle.
        current = lock_page(page, with_wiki=successor is not None)
        successor_id = successor.pk if successor else None
        if (current.standing, current.replaced_by_id) == (standing, successor_id):
            return current
        if successor:
            check_successor(current, successor)
            _check_circle(current, successor)
        summary = describe_status(standing, successor.title if successor else "")
        _write(current, standing, successor, author, RevisionKind.MARK, summary)
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
    write_revision(page, fields_of(page), None, Change(author, kind, summary))


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


def find_status_revision(page: Page) -> Revision | None:
    """The revision that set the present status; None for a page that holds."""
    if page.standing == Standing.HOLDS:
        return None
    return page.revisions.setting_status().defer("body").first()


def change_successor(pages: Iterable[int], successor: Page) -> None:
    """Replace the successor of replaced pages, which were locked with their wiki; no revision."""
    replaced = Page.objects.filter(pk__in=list(pages))
    replaced.update(replaced_by=successor)
    Revision.objects.current().filter(page__in=replaced).update(replaced_by=successor)


def attach_successors(pages: list[Page]) -> None:
    """Fetch the live `replaced_by` of replaced pages in one query, for those without one."""
    if replaced := [
        page for page in pages if page.replaced_by_id and not Page.replaced_by.is_cached(page)
    ]:
        live = Page.objects.live().only("slug", "title", "wiki_id")
        prefetch_related_objects(replaced, Prefetch("replaced_by", queryset=live))
