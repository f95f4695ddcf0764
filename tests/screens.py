"""What the tests of the screens share."""

import re
from collections.abc import Callable
from html import unescape

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from wiki.models import Page

Write = Callable[..., Page]
HOSTILE = "<script>alert(1)</script>"
OPEN = {"login", "logout", "set_language"}
# A reader of feeds cannot sign in; it gets 404 instead (test_feeds.py).
OPEN |= {"wiki_feed", "page_feed"}


def text(response) -> str:
    return unescape(response.content.decode())


def focused(response) -> list[str]:
    fields = re.findall(r"<(?:input|textarea)[^>]*>", text(response))
    return [re.search(r' id="(\w+)"', field)[1] for field in fields if " autofocus" in field]


def count_queries(browser: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert browser.get(address).status_code == 200
    return len(queries)
