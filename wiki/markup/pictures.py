"""Pictures that lie elsewhere."""

import re
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from wiki.markup.tokens import plain_words

_OUTSIDE = re.compile(r"(?:https?:)?//", re.IGNORECASE)


def link_outside_pictures(state: StateCore) -> None:
    """The Content-Security-Policy loads no picture from elsewhere: it would tell its host who reads which page."""
    for token in state.tokens:
        if any(child.type == "image" for child in token.children or ()):
            token.children = list(_without_outside_pictures(token.children or ()))


def _without_outside_pictures(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        source = str(token.attrs.get("src", ""))
        if token.type != "image" or not _OUTSIDE.match(source):
            yield token
            continue
        words = Token("text", "", 0, content=plain_words(token) or source)
        if depth:
            yield words
            continue
        title = gettext("picture on {host}").format(host=_host(source))
        yield Token("link_open", "a", 1, attrs={"href": source, "title": title})
        yield words
        yield Token("link_close", "a", -1)


def _host(address: str) -> str:
    return _OUTSIDE.sub("", address, count=1).partition("/")[0].rpartition("@")[2]
