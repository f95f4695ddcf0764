"""The API as a whole: authentication, how bodies are read, and how errors of rules become problem
documents."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.parser import Parser

from embeddings.text import replace_unusable
from wiki.agents.rate_limit import TooManyRequests
from wiki.api import insights, pages, recall, receipts, status, suggestions
from wiki.api.access import BearerToken, Refused, needs_token
from wiki.api.answers import note_replacement
from wiki.api.openapi import DescribedAPI
from wiki.api.problems import problem
from wiki.insights.intake import KeyReused
from wiki.pages.fields import InvalidPage
from wiki.pages.protection_guard import PageProtected
from wiki.pages.status import DoesNotHold
from wiki.pages.write import EditConflict, PageGone, PageMerged, SlugTaken
from wiki.recall.feedback import NotHandedOut
from wiki.suggestions.review import AlreadyDecided

logger = logging.getLogger(__name__)


class UnreadableBody(ValueError):
    """A body that is no request; the message says why."""


class CleaningParser(Parser):
    """Reads JSON; NUL, control characters and lone surrogates are replaced in every text before
    anything sees them."""

    def parse_body(self, request: HttpRequest) -> Any:
        try:
            content = json.loads(request.body.decode())
            cleaned = _clean(content)
        except RecursionError as error:
            raise UnreadableBody("The body is nested too deeply.") from error
        # Unknown fields are passed over, so that a page can be sent back as it was read; these are
        # an attack.
        if isinstance(content, dict) and any(name.startswith("_") for name in content):
            raise UnreadableBody("No field begins with “_”.")
        note_replacement(request, cleaned != content)
        return cleaned


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return replace_unusable(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {replace_unusable(key): _clean(item) for key, item in value.items()}
    return value


api = DescribedAPI(
    title="covey",
    version="1",
    description="A wiki that agents remember with. Recall at the start of a task, hand in an "
    "insight at its end. "
    "Errors are problem documents (RFC 9457). HEAD is answered wherever GET is; any other method "
    "with 405.",
    auth=BearerToken(),
    parser=CleaningParser(),
    docs_url=None,
    urls_namespace="api",
)
api.add_router("/pages", pages.router)
api.add_router("/suggestions", suggestions.router, auth=BearerToken(opens_pages=False))
api.add_router("/recalls", receipts.router, auth=BearerToken(opens_pages=False))
for router in (recall.router, insights.router, status.router):
    api.add_router("", router, auth=BearerToken(opens_pages=False))


@api.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return problem(error.status, error.detail, error.errors, **error.extra)


@api.exception_handler(AuthenticationError)
def _unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return needs_token()


@api.exception_handler(TooManyRequests)
def _too_many(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    answer = problem(429, str(error))
    answer.headers["Retry-After"] = str(error.quota.seconds)
    return answer


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = {_field(item["loc"]): item["msg"] for item in error.errors}
    sentence = "; ".join(f"{name}: {message}" for name, message in errors.items())
    return problem(422, f"The request is not as it must be. {sentence}"[:2000], errors)


def _field(location: Sequence[str | int]) -> str:
    """The name of a field as a client knows it: without where the framework found it and its
    parameter's name."""
    names = [str(part) for part in location[1:]]
    return ".".join(names[1:] if names[:1] == ["data"] else names) or "body"


@api.exception_handler(InvalidPage)
def _invalid_page(request: HttpRequest, error: InvalidPage) -> HttpResponse:
    return problem(422, str(error), error.errors)


@api.exception_handler(EditConflict)
def _conflict(request: HttpRequest, error: EditConflict) -> HttpResponse:
    page = error.page
    sentence = (
        f"{error} Read it, bring your change into its text, and send it again with the new "
        f"base_revision."
    )
    return problem(
        409, sentence, revision=page.revision, current={"title": page.title, "body": page.body}
    )


@api.exception_handler(PageProtected)
def _protected(request: HttpRequest, error: PageProtected) -> HttpResponse:
    return problem(
        409, f"{error} This cannot be suggested; ask a person for it.", revision=error.page.revision
    )


@api.exception_handler(AlreadyDecided)
def _decided(request: HttpRequest, error: AlreadyDecided) -> HttpResponse:
    return problem(409, "This suggestion is decided already. GET /suggestions/{id} tells how.")


@api.exception_handler(SlugTaken)
def _taken(request: HttpRequest, error: SlugTaken) -> HttpResponse:
    return problem(409, str(error), revision=error.page.revision)


@api.exception_handler(PageGone)
def _gone(request: HttpRequest, error: PageGone) -> HttpResponse:
    return problem(
        409, f"{error} It was moved there in the meantime; POST …/restore brings it back."
    )


@api.exception_handler(PageMerged)
def _merged(request: HttpRequest, error: PageMerged) -> HttpResponse:
    return problem(409, str(error))


@api.exception_handler(DoesNotHold)
def _does_not_hold(request: HttpRequest, error: DoesNotHold) -> HttpResponse:
    sentence = (
        "Nothing was confirmed. Its field replaced_by names what holds now, if anybody "
        "knows; people take marks away."
    )
    return problem(409, f"{error} {sentence}", revision=error.page.revision)


@api.exception_handler(NotHandedOut)
def _not_handed_out(request: HttpRequest, error: NotHandedOut) -> HttpResponse:
    return problem(422, str(error), {"page": str(error)})


@api.exception_handler(KeyReused)
def _key_reused(request: HttpRequest, error: KeyReused) -> HttpResponse:
    return problem(422, str(error), {"Idempotency-Key": str(error)})


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    if error.status_code != 400:
        return problem(error.status_code, str(error))
    return problem(
        400,
        str(error.__cause__)
        if isinstance(error.__cause__, UnreadableBody)
        else "The body is not JSON.",
    )


@api.exception_handler(OperationalError)
def _busy(request: HttpRequest, error: OperationalError) -> HttpResponse:
    logger.error("The database did not answer a request in time: %s", type(error).__name__)
    return problem(503)


@api.exception_handler(DataError)
def _data_error(request: HttpRequest, error: DataError) -> HttpResponse:
    logger.warning("The database refused a value: %s", type(error).__name__)
    return problem(422, "A value in the request cannot be stored.")
