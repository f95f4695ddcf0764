"""Marks of recalled pages: useful, wrong, or missed by the recall."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from wiki.models import AskedAs, AuthorKind, HandedPage, Page, Receipt
from wiki.pages.author import Author
from wiki.recall.questions import NotKept, keep_question


class NotHandedOut(Exception):
    """A page that the recall did not hand out cannot be marked as wrong."""


@dataclass(frozen=True)
class Judgement:
    """The result of a mark. The page is found by `question` from now on; without one `reason` says
    why."""

    handed_out: bool
    useful: bool
    question: AskedAs | None = None
    reason: str = ""


def mark_page(
    receipt: Receipt, page: Page, *, useful: bool, author: Author, query: str = ""
) -> Judgement:
    """Mark a page of the recall as useful or wrong; the last mark counts. A useful page that was
    not handed out is kept as missed.

    The question (`query`, else the recall's own text) is kept with a useful page, and taken away
    again with the mark that brought it. Asks the embedding service. Raises NotHandedOut.
    """
    row, brought, counts = _mark(receipt, page, useful, author)
    if not counts:
        reason = gettext("A person has said otherwise, and that counts.")
        return Judgement(row is not None and row.place is not None, not useful, reason=reason)
    if not useful:
        if brought:
            AskedAs.objects.filter(pk=brought).delete()
        return Judgement(row is not None, useful)
    try:
        question, is_new = keep_question(page, query or receipt.query, author=author)
    except NotKept as refusal:
        reason = (
            str(refusal)
            if query or receipt.query
            else gettext("The text of the question was not kept.")
        )
        return Judgement(row is not None and row.place is not None, useful, reason=reason)
    if row and is_new:
        HandedPage.objects.filter(pk=row.pk).update(question=question)
    return Judgement(row is not None and row.place is not None, useful, question)


@transaction.atomic
def _mark(
    receipt: Receipt, page: Page, useful: bool, author: Author
) -> tuple[HandedPage | None, int | None, bool]:
    """The marked row, none where a missed page is missed no longer; the question that an earlier
    mark brought; and whether the mark counts: no agent's does against a person's."""
    Receipt.objects.select_for_update().filter(pk=receipt.pk).first()
    row = _find_row(receipt, page)
    if row is None and not useful:
        raise NotHandedOut(
            gettext("“{title}” was not handed out in this recall.").format(title=page.title)
        )
    marked = {
        "is_useful": useful,
        "marked_by_kind": author.kind,
        "marked_by_name": author.name,
        "marked_at": timezone.now(),
    }
    if row is None:
        return HandedPage.objects.create(receipt=receipt, page=page, **marked), None, True
    brought = row.question_id
    is_persons = row.marked_by_kind == AuthorKind.PERSON and author.kind != AuthorKind.PERSON
    if is_persons and row.is_useful != useful:
        return row, brought, False
    if row.place is None and not useful:
        row.delete()
        return None, brought, True
    if not is_persons:
        HandedPage.objects.filter(pk=row.pk).update(**marked)
    return row, brought, True


def _find_row(receipt: Receipt, page: Page) -> HandedPage | None:
    """The row of the page, else of one that was merged into it since, in any number of steps."""
    rows = HandedPage.objects.filter(receipt=receipt).select_related("page")
    own = [row for row in rows if row.page_id == page.pk or _leads_to(row.page, page)]
    return min(
        own,
        key=lambda row: (row.page_id != page.pk, row.place is None, row.place or 0),
        default=None,
    )


def _leads_to(source: Page, target: Page) -> bool:
    """Merges make no circle: a page goes into one that is live."""
    step = source.merged_into
    while step is not None and step.pk != target.pk:
        step = step.merged_into
    return step is not None
