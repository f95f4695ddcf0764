"""What recalls handed out, and whether it was useful."""

from typing import Annotated

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Path, Router

from wiki.api.access import Refused, token_of, wiki_of
from wiki.api.answers import page_address, written
from wiki.api.openapi import problems
from wiki.api.request_schemas import MarkRequest
from wiki.api.response_schemas import MarkAnswer, ReceiptAnswer
from wiki.models import HandedPage, Receipt, Wiki
from wiki.pages.author import Author
from wiki.pages.links import find_at_address
from wiki.recall.feedback import mark_page
from wiki.recall.log import find_receipt
from wiki.search.did_you_mean import say_no_page
from wiki.text.cleaning import clean_line

router = Router(tags=["recalls"])

RecallId = Annotated[str, Path(description="As a recall gave it.")]


@router.get("/{id}", summary="What a recall handed out", response={200: ReceiptAnswer})
def read_recall(request: HttpRequest, id: RecallId) -> HttpResponse:
    receipt = _find(wiki_of(request, token_of(request)), id)
    rows = receipt.pages.readable().select_related("page").only(*_NAMED)
    return JsonResponse(
        {
            "id": str(receipt.pk),
            "query": receipt.query or None,
            "task": receipt.task,
            "agent": receipt.agent.name if receipt.agent else "",
            "mode": receipt.mode,
            "model": receipt.fingerprint,
            "degraded": receipt.degraded,
            "created_at": receipt.created_at.isoformat(),
            "pages": [_row(row) for row in rows],
        }
    )


_NAMED = (
    "receipt", "place", "similarity", "found_by", "is_useful", "marked_by_kind",
    "marked_by_name", "marked_at",
    "page__slug", "page__title",
)  # fmt: skip


@router.post(
    "/{id}/marks",
    summary="Say whether a page was useful",
    response={200: MarkAnswer, **problems(403)},
)
def mark(request: HttpRequest, id: RecallId, data: MarkRequest) -> HttpResponse:
    token = token_of(request, filing=True)
    wiki = wiki_of(request, token)
    receipt, page = _find(wiki, id), find_at_address(wiki, data.page)
    if page is None:
        raise Refused(404, say_no_page(wiki, data.page))
    made = mark_page(
        receipt, page, useful=data.useful, author=Author.of_token(token), query=data.query
    )
    page.wiki = wiki
    answer: dict[str, object] = {
        "recall": str(receipt.pk),
        "page": page_address(page),
        "useful": made.useful,
        "handed_out": made.handed_out,
        "asked_as": made.question.text if made.question else None,
        "reason": made.reason,
    }
    return written(request, answer)


def _find(wiki: Wiki, id: str) -> Receipt:
    receipt = find_receipt(wiki, id)
    if receipt is None:
        raise Refused(404, f"There is no recall “{clean_line(id)[:40]}” in this wiki. {_kept()}")
    return receipt


def _kept() -> str:
    days = settings.COVEY_RECALL_DAYS
    return (
        f"Recalls are kept for {days} days."
        if days
        else "Recalls are not kept in this installation."
    )


def _row(row: HandedPage) -> dict[str, object]:
    is_marked = row.is_useful is not None
    return {
        "slug": row.page.slug,
        "title": row.page.title,
        "place": row.place,
        "similarity": row.similarity,
        "found_by": row.found_by,
        "useful": row.is_useful,
        "marked_by": {"kind": row.marked_by_kind, "name": row.marked_by_name}
        if is_marked
        else None,
        "marked_at": row.marked_at.isoformat() if row.marked_at else None,
    }
