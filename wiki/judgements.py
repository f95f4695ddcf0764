"""Whether a page that a recall handed out was useful, and which page it should have handed out."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from wiki.asked import NotKept, keep_question
from wiki.authors import Author
from wiki.models import AskedAs, HandedPage, Page, Receipt


class NotHandedOut(Exception):
    """What the recall did not hand out cannot have been wrong."""


@dataclass(frozen=True)
class Judgement:
    """What became of a mark. `question` is what the page is found by from now on; else `reason` says why nothing is."""

    handed_out: bool
    question: AskedAs | None = None
    reason: str = ""


def mark_page(receipt: Receipt, page: Page, *, useful: bool, author: Author, query: str = "") -> Judgement:
    """Marks a page of the recall as useful or wrong; the last mark counts. A page that is useful though it was not
    handed out is kept as missed.

    What was asked (`query`, else the recall's own text) is kept with a useful page, and taken away again with the mark
    that brought it. Asks the embedding service. Raises NotHandedOut.
    """
    row, brought = _mark(receipt, page, useful, author)
    if not useful:
        if brought:
            AskedAs.objects.filter(pk=brought).delete()
        return Judgement(row is not None)
    try:
        question, is_new = keep_question(page, query or receipt.query, author=author)
    except NotKept as refusal:
        reason = str(refusal) if query or receipt.query else gettext("The text of the question was not kept.")
        return Judgement(row is not None and row.place is not None, reason=reason)
    if row and is_new:
        HandedPage.objects.filter(pk=row.pk).update(question=question)
    return Judgement(row is not None and row.place is not None, question)


@transaction.atomic
def _mark(receipt: Receipt, page: Page, useful: bool, author: Author) -> tuple[HandedPage | None, int | None]:
    """The marked row, none where a missed page is missed no longer, and the question that an earlier mark brought."""
    Receipt.objects.select_for_update().filter(pk=receipt.pk).first()
    row = _find_row(receipt, page)
    if row is None and not useful:
        raise NotHandedOut(gettext("“{title}” was not handed out in this recall.").format(title=page.title))
    marked = {
        "is_useful": useful,
        "marked_by_kind": author.kind,
        "marked_by_name": author.name,
        "marked_at": timezone.now(),
    }
    if row is None:
        return HandedPage.objects.create(receipt=receipt, page=page, **marked), None
    brought = row.question_id
    if row.place is None and not useful:
        row.delete()
        return None, brought
    HandedPage.objects.filter(pk=row.pk).update(**marked)
    return row, brought


def _find_row(receipt: Receipt, page: Page) -> HandedPage | None:
    """Also under a page that was merged into this one since."""
    rows = HandedPage.objects.filter(Q(page=page) | Q(page__merged_into=page), receipt=receipt)
    return rows.order_by("place").first()
