"""/mcp: token, origin and size of a request; `wiki.mcp.http` reads the rest."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import validate_host
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_exempt

from wiki.api.access import AnyToken, needs_token
from wiki.api.problems import problem

# By its name, so that a process which never sees such a request does not load the protocol.
ANSWER = "wiki.mcp.http.answer"


@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponse:
    """Without sessions there is no stream to open with GET and nothing to end with DELETE."""
    if request.method != "POST":
        refusal = problem(405, "This server keeps no sessions: send each message with POST.")
        refusal.headers["Allow"] = "POST"
        return refusal
    if not _is_ours(request.headers.get("Origin", "")):
        return problem(403, "A page of another origin may not speak to this address.")
    # Scope and rate limit are checked by the call of the API that a tool makes.
    if AnyToken()(request) is None:
        return needs_token()
    answered: HttpResponse = import_string(ANSWER)(request)
    return answered


def _is_ours(origin: str) -> bool:
    """Whether a browser shows a page of covey's own host or of this machine; programs send no
    origin.

    A page anywhere could else reach a covey on its reader's machine, by a name that it lets point
    there.
    """
    if not origin:
        return True
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return False
    return validate_host(f"[{host}]" if ":" in host else host, settings.ALLOWED_HOSTS)
