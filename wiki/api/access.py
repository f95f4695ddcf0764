"""Who asks, and which wiki they may see."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja.security import HttpBearer

from wiki.models import ApiToken, Wiki
from wiki.problems import problem
from wiki.slugs import slugify_wiki
from wiki.text import clean_text
from wiki.tokens import find_token


class Refused(Exception):
    """A request that is answered with a problem document."""

    def __init__(self, status: int, detail: str, errors: dict[str, str] | None = None, **extra: object) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors, self.extra = status, detail, errors, extra


class BearerToken(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> Any:
        return find_token(token)


def needs_token() -> HttpResponse:
    answer = problem(401, "This needs a valid token: Authorization: Bearer TOKEN. `manage.py create_token` makes one.")
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def token_of(request: HttpRequest, *, writing: bool = False) -> ApiToken:
    """The request's token. Raises Refused (403) for a read token where something is written."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    if writing and not token.may_write:
        raise Refused(403, "This token may recall and read. Writing needs a token with the scope “write”.")
    return token


def wiki_of(request: HttpRequest, token: ApiToken) -> Wiki:
    """The wiki that the call is about: the `wiki` parameter, else the token's own. Nothing crosses the wall."""
    asked = clean_text(request.GET.get("wiki", "")).strip()
    if asked and token.wiki.slug not in (asked, slugify_wiki(asked)):
        raise Refused(404, "There is no wiki of this name that this token may read.")
    return token.wiki
