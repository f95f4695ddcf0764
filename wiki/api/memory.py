"""The calls that make covey a memory: recall, insights, status."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Header, Path, Query, Router

from embeddings.client import describe_provider
from wiki.api.access import Refused, token_of, wiki_of
from wiki.api.answers import insight_notes, standing_answer, with_notes, written
from wiki.api.description import IN_MARKDOWN, MARKDOWN, problems
from wiki.api.schemas import InsightRequest, RecallOptions, RecallQuery, RecallRequest
from wiki.api.shapes import InsightAnswer, RecallAnswer, StatusAnswer
from wiki.api.suggestions import suggestion_of
from wiki.indexing.reindex import measure_progress
from wiki.insights.intake import Handed, file_insight
from wiki.merging.queue import open_proposals
from wiki.models import Insight, Outcome, Wiki
from wiki.operations.health import count_embeddings, find_warnings
from wiki.pages.urls import page_url
from wiki.recall.log import hand_out
from wiki.recall.prompt import context_block
from wiki.search.retrieval import Hit, Mode, Recall, page_index
from wiki.search.snippets import NOTICE

router = Router(tags=["memory"])

IDEMPOTENCY = (
    "A key of your own: for a day the same key and text give the same answer, and "
    "nothing is filed twice."
)
InsightId = Annotated[int, Path(description="As POST /insights gave it.")]


RECALL = "The nearest pages for a query, and the wiki's index"
RECALLED = {200: RecallAnswer, **problems(422)}
JSON, MARKDOWN_UTF8 = "application/json", f"{MARKDOWN}; charset=utf-8"


@router.get("/recall", summary=RECALL, response=RECALLED, openapi_extra=IN_MARKDOWN)
def recall_by_get(request: HttpRequest, query: Query[RecallQuery]) -> HttpResponse:
    return _recall(request, query.q, query)


@router.post("/recall", summary=RECALL, response=RECALLED, openapi_extra=IN_MARKDOWN)
def recall_by_post(request: HttpRequest, data: RecallRequest) -> HttpResponse:
    return _recall(request, data.query, data)


def _recall(request: HttpRequest, query: str, options: RecallOptions) -> HttpResponse:
    token = token_of(request)
    wiki = wiki_of(request, token)
    if not query.strip():
        raise Refused(422, "The query is empty.", {"query": "Say what you are looking for."})
    as_block = request.get_preferred_type([JSON, MARKDOWN, MARKDOWN_UTF8]) in (
        MARKDOWN,
        MARKDOWN_UTF8,
    )
    mode = Mode.HYBRID if as_block and "mode" not in options.model_fields_set else options.mode
    found = hand_out(
        wiki,
        query,
        agent=token.agent,
        task=options.task,
        limit=options.limit,
        mode=mode,
        min_similarity=options.min_similarity,
        max_characters=None if as_block else options.max_chars,
    )
    answer = _block(wiki, query, found, options) if as_block else _json(wiki, found, options)
    answer.headers["Vary"] = "Accept"
    return answer


def _block(wiki: Wiki, query: str, found: Recall, options: RecallOptions) -> HttpResponse:
    text = context_block(
        wiki,
        query,
        found,
        extent=options.index,
        budget=options.budget,
        with_text=options.body == "full",
    )
    return HttpResponse(text, content_type=MARKDOWN_UTF8)


def _json(wiki: Wiki, found: Recall, options: RecallOptions) -> HttpResponse:
    answer: dict[str, object] = {
        "id": found.id,
        "model": found.model,
        "mode": found.mode,
        "degraded": found.degraded,
        "reason": found.reason,
        "stale": found.stale,
        "notice": NOTICE,
        "pages": [_hit(hit, wiki, options.body == "full") for hit in found.hits],
        "index": page_index(wiki, options.index),
        "index_total": found.total,
    }
    if found.pending:
        answer["pending"] = [_pending(insight) for insight in found.pending]
    if options.min_similarity is not None:
        answer["below_minimum"] = found.below_minimum
    return JsonResponse(answer)


def _hit(hit: Hit, wiki: Wiki, with_body: bool) -> dict[str, object]:
    page = hit.page
    page.wiki = wiki
    row: dict[str, object] = {
        "slug": page.slug,
        "title": page.title,
        "type": page.type,
        "tags": page.tags,
        "similarity": hit.similarity,
        "found_by": hit.found_by,
        "excerpt": hit.excerpt,
        "truncated": hit.truncated,
        "links": hit.links,
        **standing_answer(page),
        "author": {"kind": hit.author.kind, "name": hit.author.name} if hit.author else None,
        "updated_at": page.updated_at.isoformat(),
        "url": page_url(page),
    }
    if hit.asked_as:
        row["asked_as"] = hit.asked_as
    return {**row, "body": hit.body} if with_body else row


def _pending(insight: Insight) -> dict[str, object]:
    return {
        "id": insight.pk,
        "text": insight.text,
        "agent": insight.agent.name,
        "created_at": insight.created_at.isoformat(),
    }


FILED = {200: InsightAnswer, 201: InsightAnswer, 202: InsightAnswer}


@router.post(
    "/insights",
    summary="Hand in something learned; covey files it",
    response={**FILED, **problems(403)},
)
def hand_in(
    request: HttpRequest,
    data: InsightRequest,
    idempotency_key: Annotated[
        str, Header(alias="Idempotency-Key", max_length=200, description=IDEMPOTENCY)
    ] = "",
) -> HttpResponse:
    token = token_of(request, filing=True)
    wiki = wiki_of(request, token)
    given = {name: value for name, value in data.dict().items() if value is not None}
    insight = file_insight(wiki, token.agent, Handed(**given), idempotency_key.strip(), token)
    if insight.page:
        insight.page.wiki = wiki
    status = _STATUS.get(Outcome(insight.outcome), 200)
    return written(request, _insight(insight), status=status, notes=insight_notes(insight))


_STATUS = {Outcome.CREATED: 201, Outcome.PENDING: 202}


@router.get(
    "/insights/{id}",
    summary="What became of an insight",
    response={200: InsightAnswer, **problems(422)},
)
def read_insight(request: HttpRequest, id: InsightId) -> HttpResponse:
    wiki = wiki_of(request, token_of(request))
    insight = (
        Insight.objects.filter(wiki=wiki, pk=id).select_related("page__wiki", "suggestion").first()
    )
    if insight is None:
        raise Refused(404, f"There is no insight {id} in this wiki.")
    return JsonResponse(with_notes(_insight(insight), insight_notes(insight)))


def _insight(insight: Insight) -> dict[str, object]:
    page = insight.page
    return {
        "id": insight.pk,
        "outcome": insight.outcome,
        "similarity": insight.similarity,
        "page": {"slug": page.slug, "title": page.title, "url": page_url(page)} if page else None,
        "candidates": insight.candidates,
        **suggestion_of(insight),
    }


@router.get(
    "/status",
    summary="The embedding, the stock, and what needs attention",
    response={200: StatusAnswer},
)
def status(request: HttpRequest) -> HttpResponse:
    wiki = wiki_of(request, token_of(request))
    stock, provider = count_embeddings(wiki), describe_provider()
    return JsonResponse(
        {
            "provider": provider.provider,
            "model": provider.model,
            "fingerprint": provider.fingerprint,
            "address": provider.address,
            "is_outside": provider.is_outside,
            "pages": stock.pages,
            "stale": stock.stale,
            "failed": stock.failed,
            "reembed": _progress(wiki),
            "pending_insights": Insight.objects.pending().filter(wiki=wiki).count(),
            "open_proposals": open_proposals(wiki).count(),
            "open_suggestions": wiki.suggestions.open().count(),
            "warnings": [warning.message for warning in find_warnings(wiki)],
        }
    )


def _progress(wiki: Wiki) -> dict[str, object]:
    """The run works for the whole installation; its counts are told of this wiki alone."""
    progress = measure_progress(wiki)
    run = progress.run
    return {
        "state": run.state,
        "done": progress.done,
        "total": progress.total,
        "attempt": run.attempt,
        "error": run.error or None,
        "remedy": run.remedy or None,
        "seconds_left": progress.seconds_left,
        "next_try_at": run.next_try_at.isoformat() if run.next_try_at else None,
    }
