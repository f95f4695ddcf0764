"""Callouts: a quotation that begins with `[!warning] Title`."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext, gettext_noop
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_FIRST_LINE = re.compile(r"\[!([A-Za-z][\w-]{0,30})\][-+]?[ \t]*([^\n]*)(?:\n|$)")
# Those of the common forges; any other kind is called as it is written.
_TITLES = {
    "note": gettext_noop("Note"),
    "tip": gettext_noop("Tip"),
    "info": gettext_noop("Info"),
    "important": gettext_noop("Important"),
    "warning": gettext_noop("Warning"),
    "caution": gettext_noop("Caution"),
}
_LOUD = ("warning", "caution", "attention", "danger", "error", "bug", "failure", "fail", "missing")


def mark_callouts(state: StateCore) -> None:
    """Make the first line of a callout its heading. Before the lines are parsed."""
    if "[!" in state.src:
        state.tokens = [*_marked(state.tokens)]


def _marked(tokens: list[Token]) -> Iterator[Token]:
    for number, token in enumerate(tokens):
        before = [each.type for each in tokens[max(0, number - 2) : number]]
        match = None
        if token.type == "inline" and before == ["blockquote_open", "paragraph_open"]:
            match = _FIRST_LINE.match(token.content)
        if match is None:
            yield token
            continue
        kind = match[1].lower()
        tone = "loud" if kind in _LOUD else "calm"
        tokens[number - 2].attrSet("class", f"callout {tone}")
        tokens[number - 1].attrSet("class", "callout-title")
        default = gettext(_TITLES[kind]) if kind in _TITLES else match[1].capitalize()
        rest = token.content[match.end() :]
        yield _inline(token, match[2].strip() or default)
        if rest.strip():
            yield Token("paragraph_close", "p", -1, level=tokens[number - 1].level, block=True)
            yield Token("paragraph_open", "p", 1, level=tokens[number - 1].level, block=True)
            yield _inline(token, rest)


def _inline(token: Token, content: str) -> Token:
    return Token(
        "inline", "", 0, content=content, level=token.level, map=token.map, children=[], block=True
    )
