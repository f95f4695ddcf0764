"""Authentication, rate limit and scope of a request, and the wiki that it is about."""

from django.http import HttpRequest, HttpResponse
from ninja.security import HttpBearer

from wiki.agents.api_tokens import find_opened_wiki, find_token
from wiki.agents.rate_limit import TooManyRequests, count_request
from wiki.api.problems import note_allowance, problem
from wiki.models import ApiToken, Wiki
from wiki.text.cleaning import clean_text


class Refused(Exception):
    """A request that is answered with a problem document."""

    def __init__(
        self, status: int, detail: str, errors: dict[str, str] | None = None, **extra: object
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors, self.extra = status, detail, errors, extra


class AnyToken(HttpBearer):
    """The usable token of a request, of any scope; not counted."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        return find_token(token)


class BearerToken(AnyToken):
    """The usable token of a request, which is counted. Raises TooManyRequests.

    Where pages are opened, and wherever nothing else is said, a token that only recalls and files
    is refused (403).
    """

    def __init__(self, *, opens_pages: bool = True) -> None:
        super().__init__()
        self.opens_pages = opens_pages

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        found = super().authenticate(request, token)
        if found is None:
            return None
        try:
            note_allowance(request, count_request(found))
        except TooManyRequests as error:
            note_allowance(request, error.quota)
            raise
        if self.opens_pages and not found.may_read:
            raise Refused(
                403,
                "This token may recall, hand in insights and read what became of them. Reading, "
                "writing and deleting "
                "pages directly needs a token with the scope “read” or “write”.",
            )
        return found


def needs_token() -> HttpResponse:
    answer = problem(
        401,
        "This needs a valid token: Authorization: Bearer TOKEN. "
        "`manage.py create_token` makes one.",
    )
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def token_of(request: HttpRequest, *, writing: bool = False, filing: bool = False) -> ApiToken:
    """The request's token. Raises Refused (403) if its scope does not include the call."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    if writing and not token.may_write:
        raise Refused(
            403, "This token may recall and read. Writing needs a token with the scope “write”."
        )
    if filing and not token.may_file:
        raise Refused(
            403,
            "This token may recall and read. Handing in insights needs a token with the scope "
            "“file” or “write”.",
        )
    return token


def wiki_of(request: HttpRequest, token: ApiToken) -> Wiki:
    """The wiki that the call is about: the `wiki` parameter, else the token's first. Nothing
    crosses the wall: one that the token does not open is answered (404) like one that does not
    exist."""
    wiki = find_opened_wiki(token, clean_text(request.GET.get("wiki", "")).strip())
    if wiki is None:
        raise Refused(404, "There is no wiki of this name that this token may read.")
    return wiki
