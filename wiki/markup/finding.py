"""What a text has in it."""

from collections.abc import Sequence
from functools import lru_cache

from wiki.markup.headings import Heading, find_headings
from wiki.markup.parser import parse
from wiki.markup.tokens import walk
from wiki.markup.wikilinks import WikiLink


# A save asks several times for the links of one text.
@lru_cache(maxsize=8)
def find_wikilinks(body: str) -> Sequence[WikiLink]:
    """Every wikilink of a text in order; none of those that stand in code."""
    if "[[" not in body:
        return []
    return [token.meta["link"] for token in walk(parse(body, {})) if token.type == "wikilink"]


def first_heading(body: str) -> str:
    """The text of the first heading that has one; empty if there is none."""
    return next((heading.text for heading in find_headings(parse(body, {})) if heading.text), "")


def list_headings(body: str) -> list[Heading]:
    return [*find_headings(parse(body, {}))]
