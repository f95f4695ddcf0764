from typing import Annotated

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Header, Path, Router

from wiki.api.access import Refused, token_of, wiki_of
from wiki.api.answers import insight_notes, page_address, with_notes, written
from wiki.api.openapi import problems
from wiki.api.request_schemas import InsightRequest
from wiki.api.response_schemas import InsightAnswer
from wiki.api.suggestions import suggestion_of
from wiki.insights.intake import Handed, file_insight
from wiki.models import Insight, Outcome

router = Router(tags=["memory"])

IDEMPOTENCY = (
    "A key of your own: for a day the same key and text give the same answer, and "
    "nothing is filed twice."
)
InsightId = Annotated[int, Path(description="As POST /insights gave it.")]
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
        "page": page_address(page) if page else None,
        "candidates": insight.candidates,
        **suggestion_of(insight),
    }
