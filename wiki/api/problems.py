"""Errors of the API and of MCP as application/problem+json (RFC 9457), the framework's own too."""

import json
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from wiki.agents.rate_limit import WINDOW, Quota

# Agents call the API, and the same by the Model Context Protocol.
API_PREFIX = ("/api/", "/mcp")
PROBLEM_JSON = "application/problem+json"
_JSON = "application/json"
MAX_REQUEST_BYTES = 1024 * 1024

SENTENCES = {
    404: "There is nothing at this address. GET /api/v1/openapi.json lists every call, "
    "/api/v1/docs shows them.",
    405: "This address does not take this method.",
    411: "Send the body with a Content-Length; a chunked body is not read.",
    413: "A request may have at most 1 MiB.",
    429: "The token has used up its requests of this minute; Retry-After says for how many seconds "
    "to wait.",
    503: "The database did not answer in time. Read before you write again: the change may be "
    "stored.",
}

# As RFC 9110 has them; what Python calls these differs by its version.
_PHRASES = {413: "Content Too Large", 422: "Unprocessable Content"}


def phrase_of(status: int) -> str:
    return _PHRASES.get(status, HTTPStatus(status).phrase)


def problem(
    status: int, detail: str = "", errors: dict[str, str] | None = None, **extra: object
) -> HttpResponse:
    """A problem document; `errors` has a sentence for each wrong field."""
    content = {
        "title": phrase_of(status),
        "status": status,
        "detail": detail or SENTENCES.get(status, HTTPStatus(status).description),
        "errors": errors or {},
        **extra,
    }
    return HttpResponse(
        json.dumps(content, ensure_ascii=False), status=status, content_type=PROBLEM_JSON
    )


def note_allowance(request: HttpRequest, allowance: Quota | None) -> None:
    request.META["covey.allowance"] = allowance


def _say_allowance(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """In the headers of the IETF's draft (draft-ietf-httpapi-ratelimit-headers)."""
    if allowance := request.META.get("covey.allowance"):
        response.headers["RateLimit-Policy"] = f'"minute";q={allowance.limit};w={WINDOW}'
        response.headers["RateLimit"] = f'"minute";r={allowance.left};t={allowance.seconds}'
    return response


class ProblemMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(API_PREFIX):
            return self.get_response(request)
        if "HTTP_TRANSFER_ENCODING" in request.META:
            return problem(411)
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit()):
            return problem(400, "The header Content-Length is not a number.")
        if len(length) > 10 or int(length) > MAX_REQUEST_BYTES:
            return problem(413)
        if request.method == "HEAD":
            return self._answer_head(request)
        return self._answer(request)

    def _answer_head(self, request: HttpRequest) -> HttpResponse:
        """Like GET without a body; its length stands in the header."""
        request.method = "GET"
        answer = self._answer(request)
        answer.headers.setdefault("Content-Length", str(len(answer.content)))
        answer.content = b""
        return answer

    def _answer(self, request: HttpRequest) -> HttpResponse:
        response = _say_allowance(request, self.get_response(request))
        # An error of the Model Context Protocol is JSON of its own.
        if response.status_code < 400 or response.headers.get("Content-Type", "").startswith(
            (PROBLEM_JSON, _JSON)
        ):
            return response
        answer = problem(response.status_code)
        if "Allow" in response.headers:
            answer.headers["Allow"] = response.headers["Allow"]
        return answer
