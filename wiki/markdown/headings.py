"""Headings and their anchors."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from wiki.markdown.parser_tokens import plain_words
from wiki.text.slugs import slugify

# In the parser's environment: the headings of the text with their former ids.
HEADINGS = "headings"

# Ids of the page around a text; a heading of these words has its anchor with an `h-` before it.
RESERVED_IDS = frozenset(
    (
        "address agents aliases-help apart arrow as-lists as-table asked-as bigfind bigq body "
        "body-help by cancel changes compare covey-warnings draft-offer draft-state edit "
        "found-count from invite kept keys keys-title kind lately link main map-text map-title "
        "mentions menu next no-heading open-keys open-palette palette palette-q palette-rows "
        "palette-said picture picture-help picture-upload present preview preview-trouble "
        "proposals proposals-said q question question-error reason reason-help recent results "
        "row-meant row-new searching secret shown since single-keys spread-title successor-help "
        "summary-help tags-help template-offer title-help to too-large"
    ).split()
)


@dataclass(frozen=True)
class Heading:
    """A heading of a rendered text; `id` is its anchor."""

    level: int
    id: str
    text: str


class Anchor(NamedTuple):
    """A heading as links mean it: `names` are the spellings that lead to it."""

    level: int
    id: str
    names: frozenset[str]


_DROPPED = re.compile(r"[^\w\- ]")


def heading_id(heading: str) -> str:
    """Return the anchor that people write for a heading, as on the common forges: lower case, signs
    dropped, a hyphen for each blank."""
    text = " ".join(unicodedata.normalize("NFC", heading).lower().split())
    anchor = _DROPPED.sub("", text).replace(" ", "-")
    is_own = anchor.strip("-_") and not is_reserved(anchor)
    return anchor if is_own else f"h-{anchor.strip('-_') or slugify(heading)}"


def is_reserved(anchor: str) -> bool:
    return anchor in RESERVED_IDS or bool(_FOOTNOTE.fullmatch(anchor)) or anchor.startswith("id_")


_FOOTNOTE = re.compile(r"fn(ref)?\d.*")


def former_id(heading: str) -> str:
    """Return the anchor that covey gave a heading before."""
    return f"h-{slugify(heading)}"


# The plugin for headings looks through all headings before each one: a page of 60,000 takes it
# minutes.
def name_headings(state: StateCore) -> None:
    """Give every heading an id by its words; the second of the same words `…-1`. Under its former
    id it is found as well."""
    names, former = _Names(), _Names()
    anchors: list[Anchor] = state.env.setdefault(HEADINGS, [])
    for opening, inline in _pairs(state.tokens):
        words = "".join(
            child.content
            for child in inline.children or ()
            if child.type in ("text", "code_inline")
        )
        name = names.take(heading_id(words))
        opening.attrSet("id", name)
        opening.meta["former_id"] = former.take(former_id(words))
        names_of = frozenset((name, opening.meta["former_id"], heading_id(words), slugify(words)))
        anchors.append(Anchor(int(opening.tag[1:]), name, names_of))


class _Names:
    """Ids that are given once each, numbered where they are asked for again."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def take(self, base: str) -> str:
        name = base
        while name in self._used:
            self._numbers[base] += 1
            name = f"{base}-{self._numbers[base]}"
        self._used.add(name)
        return name


def find_anchor(fragment: str, anchors: Sequence[Anchor]) -> str:
    """Return the anchor that a fragment means, however it is spelled; else the one that a heading
    of these words would have. Of `A#B` it is the first B under A."""
    exact = next((anchor.id for anchor in anchors if anchor.id == fragment), "")
    if exact:
        return exact
    # The name of a block, not the words of a heading.
    if fragment.startswith("^"):
        return fragment
    parts = [part.strip() for part in fragment.split("#") if part.strip()]
    found, within = "", list(anchors)
    for part in parts:
        place = next((n for n, anchor in enumerate(within) if _is_called(anchor, part)), None)
        if place is None:
            return heading_id(parts[-1])
        found, within = within[place].id, _below(within, place)
    return found


def _is_called(anchor: Anchor, words: str) -> bool:
    return not anchor.names.isdisjoint((words, heading_id(words), slugify(words)))


def _below(anchors: list[Anchor], place: int) -> list[Anchor]:
    """The headings under one, up to the next of its level."""
    rest = anchors[place + 1 :]
    end = next((n for n, anchor in enumerate(rest) if anchor.level <= anchors[place].level), None)
    return rest[:end]


def find_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    for opening, inline in _pairs(tokens):
        yield Heading(int(opening.tag[1:]), str(opening.attrs.get("id", "")), plain_words(inline))


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Pair the opening of every heading with its inline token."""
    return (pair for pair in pairwise(tokens) if pair[0].type == "heading_open")
