from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router

from wiki.api import request_schemas
from wiki.api.access import Refused, token_of, wiki_of
from wiki.api.openapi import IN_MARKDOWN, MARKDOWN, problems
from wiki.api.response_schemas import RecallAnswer
from wiki.models import Insight, Page
from wiki.pages.page_urls import page_url
from wiki.recall.prompt import context_block
from wiki.recall.service import hand_out
from wiki.search.hit import Hit
from wiki.search.matcher import Matcher
from wiki.search.retrieval import Recall, RecallRequest, page_index
from wiki.search.snippets import NOTICE, Origin, Quotation, find_origins, quote_pages

router = Router(tags=["memory"])

RECALL = "The nearest pages for a query, and the wiki's index"
RECALLED = {200: RecallAnswer, **problems(422)}
JSON = "application/json"
MARKDOWN_UTF8 = f"{MARKDOWN}; charset=utf-8"


@router.get("/recall", summary=RECALL, response=RECALLED, openapi_extra=IN_MARKDOWN)
def recall_by_get(request: HttpRequest, query: Query[request_schemas.RecallQuery]) -> HttpResponse:
    return _recall(request, query.q, query)


@router.post("/recall", summary=RECALL, response=RECALLED, openapi_extra=IN_MARKDOWN)
def recall_by_post(request: HttpRequest, data: request_schemas.RecallRequest) -> HttpResponse:
    return _recall(request, data.query, data)


def _recall(
    request: HttpRequest, query: str, options: request_schemas.RecallOptions
) -> HttpResponse:
    token = token_of(request)
    wiki = wiki_of(request, token)
    if not query.strip():
        raise Refused(422, "The query is empty.", {"query": "Say what you are looking for."})
    preferred = request.get_preferred_type([JSON, MARKDOWN, MARKDOWN_UTF8])
    as_block = preferred in (MARKDOWN, MARKDOWN_UTF8)
    asked = RecallRequest(
        wiki,
        query,
        options.limit,
        options.mode,
        options.min_similarity,
        token.agent,
        options.task,
    )
    found = hand_out(asked)
    answer: HttpResponse
    if as_block:
        with_text = options.body == "full"
        block = context_block(
            asked, found, extent=options.index, budget=options.budget, with_text=with_text
        )
        answer = HttpResponse(block, content_type=MARKDOWN_UTF8)
    else:
        answer = JsonResponse(_answer(asked, found, options))
    answer.headers["Vary"] = "Accept"
    return answer


def _answer(
    asked: RecallRequest, found: Recall, options: request_schemas.RecallOptions
) -> dict[str, object]:
    answer: dict[str, object] = {
        "id": found.id,
        "model": found.model,
        "mode": found.mode,
        "degraded": found.degraded,
        "reason": found.reason,
        "stale": found.stale,
        "notice": NOTICE,
        "pages": _pages(asked, found, options),
        "index": page_index(asked.wiki, options.index),
        "index_total": found.total,
    }
    if found.pending:
        answer["pending"] = [_pending(insight) for insight in found.pending]
    if options.min_similarity is not None:
        answer["below_minimum"] = found.below_minimum
    return answer


def _pages(
    asked: RecallRequest, found: Recall, options: request_schemas.RecallOptions
) -> list[dict[str, object]]:
    pages: list[Page] = []
    for hit in found.hits:
        # Its address names the wiki.
        hit.page.wiki = asked.wiki
        pages.append(hit.page)
    origins = find_origins(pages)
    quotations = quote_pages(pages, Matcher(asked.text), options.max_chars)
    rows = []
    for hit, quotation in zip(found.hits, quotations, strict=True):
        row = _row(hit, quotation, origins.get(hit.page.pk, Origin(None, [])))
        if options.body == "full":
            row["body"] = quotation.body
        rows.append(row)
    return rows


def _row(hit: Hit, quotation: Quotation, origin: Origin) -> dict[str, object]:
    page = hit.page
    row: dict[str, object] = {
        "slug": page.slug,
        "title": page.title,
        "type": page.type,
        "tags": page.tags,
        "similarity": hit.similarity,
        "found_by": hit.found_by,
        "excerpt": quotation.excerpt,
        "truncated": quotation.is_cut,
        "links": origin.links,
        "standing": page.standing,
        "replaced_by": page.replaced_by.slug if page.replaced_by else None,
        "author": origin.author,
        "updated_at": page.updated_at.isoformat(),
        "url": page_url(page),
    }
    if hit.asked_as:
        row["asked_as"] = hit.asked_as
    return row


def _pending(insight: Insight) -> dict[str, object]:
    return {
        "id": insight.pk,
        "text": insight.text,
        "agent": insight.agent.name,
        "created_at": insight.created_at.isoformat(),
    }
