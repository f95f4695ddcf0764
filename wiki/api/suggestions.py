"""Suggestions of agents to protected pages."""

from typing import Annotated

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Path, Router

from wiki.api.access import Refused, token_of, wiki_of
from wiki.api.answers import page_address, written
from wiki.api.openapi import problems
from wiki.api.response_schemas import SuggestionAnswer
from wiki.models import Insight, Suggestion, SuggestionKind, SuggestionState, Wiki
from wiki.suggestions.review import withdraw

router = Router(tags=["suggestions"])

SuggestionId = Annotated[int, Path(description="As the answer 202 gave it.")]


@router.get(
    "/{id}",
    summary="What became of a suggestion",
    response={200: SuggestionAnswer, **problems(422)},
)
def read_suggestion(request: HttpRequest, id: SuggestionId) -> HttpResponse:
    return JsonResponse(_answer(_find(wiki_of(request, token_of(request)), id)))


WITHDRAWN = {200: SuggestionAnswer, **problems(403, 409, 422)}


@router.delete("/{id}", summary="Withdraw a suggestion of one's own", response=WITHDRAWN)
def withdraw_suggestion(request: HttpRequest, id: SuggestionId) -> HttpResponse:
    token = token_of(request, filing=True)
    suggestion = _find(wiki_of(request, token), id)
    # An agent that may only hand in may take back its insights.
    if suggestion.kind != SuggestionKind.INSIGHT:
        token_of(request, writing=True)
    if suggestion.agent_id != token.agent_id:
        raise Refused(
            403,
            f"This is a suggestion of “{suggestion.agent.name}”; only that agent can withdraw it.",
        )
    withdraw(suggestion)
    return JsonResponse(_answer(_find(suggestion.wiki, id)))


def suggested(request: HttpRequest, suggestion: Suggestion) -> HttpResponse:
    content: dict[str, object] = {"suggestion": _name(suggestion), "note": _note(suggestion)}
    return written(request, content, status=202)


def suggestion_of(insight: Insight) -> dict[str, object]:
    """The part of an insight's answer about a protected page; empty for any other."""
    suggestion = insight.suggestion
    return {"suggestion": _name(suggestion), "note": _note(suggestion)} if suggestion else {}


def _find(wiki: Wiki, id: int) -> Suggestion:
    rows = Suggestion.objects.filter(wiki=wiki).select_related(
        "wiki", "page", "agent", "base", "result"
    )
    suggestion = rows.defer("page__body", "base__body", "result__body").filter(pk=id).first()
    if suggestion is None:
        raise Refused(404, f"There is no suggestion {id} in this wiki.")
    return suggestion


def _name(suggestion: Suggestion) -> dict[str, object]:
    address = settings.COVEY_PUBLIC_URL + suggestion.get_absolute_url()
    return {"id": suggestion.pk, "state": suggestion.state, "url": address}


def _note(suggestion: Suggestion) -> str:
    title, address = suggestion.page.title, f"GET /api/v1/suggestions/{suggestion.pk}"
    match suggestion.state:
        case SuggestionState.OPEN:
            return (
                f"“{title}” is protected: this waits for a person to accept or reject it. "
                f"{address} tells."
            )
        case SuggestionState.REJECTED:
            why = f": {suggestion.reason}" if suggestion.reason else "."
            return f"{suggestion.decided_name} has rejected this{why}"
        case SuggestionState.WITHDRAWN:
            return "This was withdrawn."
    return f"{suggestion.decided_name} has accepted this."


def _answer(suggestion: Suggestion) -> dict[str, object]:
    page, result, decided_at = suggestion.page, suggestion.result, suggestion.decided_at
    return {
        **_name(suggestion),
        "page": page_address(page),
        "kind": suggestion.kind,
        "agent": suggestion.agent.name,
        "base_revision": suggestion.base.number,
        "title": suggestion.title,
        "body": suggestion.body,
        "type": suggestion.type,
        "tags": suggestion.tags,
        "aliases": suggestion.aliases,
        "summary": suggestion.summary,
        "reason": suggestion.reason,
        "decided_by": suggestion.decided_name,
        "decided_at": decided_at.isoformat() if decided_at else None,
        "revision": result.number if result else None,
        "created_at": suggestion.created_at.isoformat(),
    }
