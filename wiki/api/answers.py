from typing import cast

from django.http import HttpRequest, JsonResponse

from wiki.models import Page
from wiki.standing import attach_successors

NOTE = "Characters that cannot be stored (NUL, control characters, lone surrogates) were replaced by U+FFFD."


def note_replacement(request: HttpRequest, replaced: bool) -> None:
    """Keeps for the answer that something in the request's body was replaced."""
    request.META["covey.replaced"] = replaced


def written(request: HttpRequest, content: dict[str, object], status: int = 200) -> JsonResponse:
    """The answer to a call that wrote something; it says so when the text was not taken quite as it came."""
    replaced = cast(bool, request.META.get("covey.replaced", False))
    notes = [str(note) for note in (content.get("note"), NOTE if replaced else "") if note]
    return JsonResponse({**content, "note": " ".join(notes)} if notes else content, status=status)


def standing_answer(page: Page) -> dict[str, object]:
    attach_successors([page])
    return {"standing": page.standing, "replaced_by": page.replaced_by.slug if page.replaced_by else None}
