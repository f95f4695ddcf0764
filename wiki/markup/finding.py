"""What a text has in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wiki.markup.headings import find_headings
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


@dataclass(frozen=True)
class PlacedLink:
    """A wikilink and where it stands in the source, its brackets included."""

    link: WikiLink
    start: int
    end: int


def place_wikilinks(body: str) -> list[PlacedLink]:
    """Like `find_wikilinks`, with their places, in the order of the source."""
    places: list[tuple[int, int]] = []
    env: dict[str, Any] = {"places": places}
    found = {
        token.meta["number"]: token.meta["link"]
        for token in (walk(parse(body, env)) if "[[" in body else ())
        if token.type == "wikilink"
    }
    return [PlacedLink(link, *places[number]) for number, link in sorted(found.items())]


def first_heading(body: str) -> str:
    """The text of the first heading that has one; empty if there is none."""
    return next((heading.text for heading in find_headings(parse(body, {})) if heading.text), "")
