import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest, DisallowedHost, SuspiciousOperation
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import render

from wiki.api.problems import API_PREFIX, problem

logger = logging.getLogger(__name__)

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


class ContentSecurityPolicyMiddleware:
    """Let nothing in a page run or load from elsewhere, even past the sanitiser."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response


class HeadMiddleware:
    """Empty the answer to HEAD; the server would, with a line in the log each time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "HEAD" and isinstance(response, StreamingHttpResponse):
            response.streaming_content = ()
        elif request.method == "HEAD" and isinstance(response, HttpResponse):
            response.content = b""
        return response


REFUSED_HOST = (
    "covey is not served under the address of this request. "
    "If it should be, set COVEY_PUBLIC_URL to the address that people use, and start covey again."
)
REFUSAL_LOGGED_EVERY = 60.0


class AllowedHostMiddleware:
    """Explain a Host that is not allowed, before another middleware raises for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._next_line = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            request.get_host()
        except DisallowedHost:
            self._log(request.META.get("HTTP_HOST", ""))
            if request.path_info.startswith(API_PREFIX):
                return problem(400, REFUSED_HOST)
            return HttpResponseBadRequest(REFUSED_HOST, content_type="text/plain; charset=utf-8")
        return self.get_response(request)

    def _log(self, host: str) -> None:
        # Scanners and a wrong setting both ask often.
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + REFUSAL_LOGGED_EVERY
            logger.warning("A request for the host %r was refused. %s", host[:100], REFUSED_HOST)


class FormMiddleware:
    """Refuse a form that is too large, before it is read, or malformed.

    Django's own answer reads the form again and fails in every middleware. The API is exempt.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Without a length Django reads nothing.
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdigit() and int(length) > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
            return render(request, "413.html", status=413)
        is_form = request.method == "POST" and not request.path_info.startswith(API_PREFIX)
        if is_form and not _is_readable(request):
            return render(request, "400.html", status=400)
        return self.get_response(request)


def _is_readable(request: HttpRequest) -> bool:
    try:
        return request.POST is not None
    except (BadRequest, SuspiciousOperation):
        return False
