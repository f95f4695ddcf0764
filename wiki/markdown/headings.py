"""Headings and their anchors."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from wiki.markdown.parser_tokens import plain_words
from wiki.text.slugs import slugify


@dataclass(frozen=True)
class Heading:
    """A heading of a rendered text; `id` is its anchor."""

    level: int
    id: str
    text: str


def heading_id(heading: str) -> str:
    return f"h-{slugify(heading)}"


# The plugin for headings looks through all headings before each one: a page of 60,000 takes it
# minutes.
def name_headings(state: StateCore) -> None:
    """Give every heading an id by its words; the second of the same words `…-1`."""
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for opening, inline in _pairs(state.tokens):
        words = "".join(
            child.content
            for child in inline.children or ()
            if child.type in ("text", "code_inline")
        )
        base = name = heading_id(words)
        while name in used:
            numbers[base] += 1
            name = f"{base}-{numbers[base]}"
        used.add(name)
        opening.attrSet("id", name)


def find_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    for opening, inline in _pairs(tokens):
        yield Heading(int(opening.tag[1:]), str(opening.attrs.get("id", "")), plain_words(inline))


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Pair the opening of every heading with its inline token."""
    return (pair for pair in pairwise(tokens) if pair[0].type == "heading_open")
