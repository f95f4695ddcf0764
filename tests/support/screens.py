"""What the tests of the screens share."""

import re
from collections.abc import Callable
from html import unescape

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.writing import revise_page
from wiki.models import Membership, Page, Role, Wiki
from wiki.pages.author import Author

Write = Callable[..., Page]
HOSTILE = "<script>alert(1)</script>"
# Addresses that ask nobody who they are: each is a way in, or opened by a secret.
OPEN = {
    "login",
    "logout",
    "set_language",
    "open_invitation",
    "invitation",
    "password_reset",
    "password_reset_done",
    "password_reset_confirm",
    "password_reset_complete",
    # A reader of feeds cannot sign in; it gets 404 instead (test_feeds.py).
    "wiki_feed",
    "page_feed",
}


def text(response) -> str:
    return unescape(response.content.decode())


def join(wiki: Wiki, name: str, role: Role = Role.READER) -> Membership:
    """A new person in the wiki."""
    return Membership.objects.create(
        wiki=wiki, user=User.objects.create_user(name, password="x"), role=role
    )


def role_of(name: str) -> str | None:
    return Membership.objects.filter(user__username=name).values_list("role", flat=True).first()


def revise(page: Page, body: str, author: Author, **more: object) -> Page:
    """Another text for the page as it stands now; `more` may also say another title."""
    page.refresh_from_db()
    return revise_page(
        page, page.revision, **{"title": page.title, "body": body, "author": author, **more}
    )


def focused(response) -> list[str]:
    fields = re.findall(r"<(?:input|textarea)[^>]*>", text(response))
    return [re.search(r' id="(\w+)"', field)[1] for field in fields if " autofocus" in field]


def count_queries(browser: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert browser.get(address).status_code == 200
    return len(queries)
