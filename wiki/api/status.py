from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from embeddings.client import describe_provider
from wiki.api.access import token_of, wiki_of
from wiki.api.response_schemas import StatusAnswer
from wiki.indexing.reindex import measure_progress
from wiki.merging.queue import open_proposals
from wiki.models import Insight, Wiki
from wiki.operations.health import count_embeddings, find_warnings

router = Router(tags=["memory"])


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
