from collections.abc import Iterable
from typing import cast

from django.http import HttpRequest, JsonResponse

from wiki.models import Insight, Outcome, Page, Standing
from wiki.pages.page_urls import page_url
from wiki.pages.redacted_fields import text_of
from wiki.pages.status import attach_successors
from wiki.redaction import removed_from

NOTE = (
    "Characters that cannot be stored (NUL, control characters, lone surrogates) were replaced "
    "by U+FFFD."
)
REMOVED = (
    "Secrets were removed before anything was stored: {}. They belong in a password store; "
    "say where, not what."
)
MARKED = "“{}” is marked as outdated. The mark stays: hand in what holds now and why, if you know."
REPLACED = "“{}” is marked as replaced{}. The mark stays."


def note_replacement(request: HttpRequest, replaced: bool) -> None:
    """Keep for the answer that something in the request's body was replaced."""
    request.META["covey.replaced"] = replaced


def note_secrets(request: HttpRequest, *texts: str, page: Page | None = None) -> None:
    """Keep for the answer the kinds of secrets in these texts that are not on the page yet."""
    request.META["covey.removed"] = removed_from(*texts, known=text_of(page))


def written(
    request: HttpRequest, content: dict[str, object], status: int = 200, notes: Iterable[str] = ()
) -> JsonResponse:
    """The answer to a call that wrote, with a note if the text was changed before."""
    replaced = cast(bool, request.META.get("covey.replaced", False))
    removed = cast(list[str], request.META.get("covey.removed", []))
    said = [*([NOTE] if replaced else ()), *removed_note(removed), *notes]
    return JsonResponse(with_notes(content, said), status=status)


def with_notes(content: dict[str, object], notes: Iterable[str]) -> dict[str, object]:
    note = " ".join(str(note) for note in (content.get("note"), *notes) if note)
    return {**content, "note": note} if note else content


def insight_notes(insight: Insight) -> list[str]:
    return [*removed_note(insight.removed), *_mark_note(insight)]


def removed_note(names: Iterable[str]) -> list[str]:
    listed = ", ".join(names)
    return [REMOVED.format(listed)] if listed else []


def _mark_note(insight: Insight) -> list[str]:
    """A known insight does not confirm a page that does not hold."""
    page = insight.page
    if insight.outcome != Outcome.KNOWN or page is None or page.standing == Standing.HOLDS:
        return []
    if page.standing == Standing.OUTDATED:
        return [MARKED.format(page.title)]
    attach_successors([page])
    return [
        REPLACED.format(page.title, f" by “{page.replaced_by.title}”" if page.replaced_by else "")
    ]


def page_address(page: Page) -> dict[str, object]:
    return {"slug": page.slug, "title": page.title, "url": page_url(page)}


def standing_answer(page: Page) -> dict[str, object]:
    attach_successors([page])
    return {
        "standing": page.standing,
        "replaced_by": page.replaced_by.slug if page.replaced_by else None,
    }
