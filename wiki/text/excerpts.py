"""Excerpts of a text around the words of a query, and quotations around a link."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from wiki.text.plain_text import plain_text
from wiki.text.sentences import find_ends

ELLIPSIS = "…"
EXCERPT = 240


# Of a table above a row that is not the first: head, ruler, and a row.
MIN_ROWS = 3
_RULER = re.compile(r"\|[ :|-]+")


def cut_around(text: str, position: int, length: int) -> str:
    """Return at most `length` characters around a position, cut between words; … marks a cut. A row
    of a table comes with the table's head."""
    if len(text) <= length:
        return text
    row = find_row(text, position)
    if row and len(row.head) < length // 2:
        rest = _cut(row.rest, 0, length - len(row.head) - 2 * len(ELLIPSIS))
        return f"{row.head}\n{ELLIPSIS}\n{rest}"
    return _cut(text, position, length)


class Row(NamedTuple):
    """The head of a table with its ruler, and the text from a row on that is not the first."""

    head: str
    rest: str


def find_row(text: str, position: int) -> Row | None:
    """The row of a table at a position, unless it stands right below the head."""
    start = text.rfind("\n", 0, position) + 1
    if not text.startswith("|", start):
        return None
    top, above = start, []
    while top and text.startswith("|", before := text.rfind("\n", 0, top - 1) + 1):
        above.append(text[before : top - 1])
        top = before
    if len(above) < MIN_ROWS or not _RULER.fullmatch(above[-2]):
        return None
    return Row(f"{above[-1]}\n{above[-2]}", text[start:])


def _cut(text: str, position: int, length: int) -> str:
    if len(text) <= length:
        return text
    room = length - 2 * len(ELLIPSIS)
    start = max(0, min(position - room // 4, len(text) - room))
    end = start + room
    if start:
        start = min(_next_blank(text, start), position) if position > start else start
    head, tail = ELLIPSIS if start else "", ELLIPSIS if end < len(text) else ""
    part = text[start:end]
    if tail and (blank := part.rfind(" ", len(part) * 3 // 4)) > 0:
        part = part[:blank]
    return f"{head}{part.strip()}{tail}"


def _next_blank(text: str, start: int) -> int:
    match = re.compile(r"\s").search(text, start, start + 60)
    return match.end() if match else start


@dataclass(frozen=True)
class Part:
    """A piece of a quoted text, marked if a query or a link names it."""

    text: str
    is_marked: bool = False


_SENTENCE = 160
# Stands where the link was; Unicode keeps this character for such uses.
_PLACE = "\ufdd2"


# A wikilink, or a Markdown link with its address.
_LINK = re.compile(
    r"\[\[(?P<name>[^\[\]|\n\\]+)(?:\\?\|(?P<label>[^\[\]\n]*))?\]\]"
    r"|(?<!!)\[(?P<words>[^\[\]\n]{1,300})\]\((?P<href>[^()\n]{1,600})\)"
)


def quote_link(body: str, targets: Collection[str]) -> list[Part]:
    """Return the first sentence that links to one of the targets, its link marked, or nothing."""
    for match in _LINK.finditer(body):
        if any(name in targets for name in _said(match)):
            line_start = body.rfind("\n", 0, match.start()) + 1
            line_end = body.find("\n", match.end())
            after_link = body[match.end() : line_end if line_end >= 0 else len(body)]
            # In one piece, since marks mean something else at the beginning of a line.
            before, _, after = plain_text(
                f"{body[line_start : match.start()]}{_PLACE}{after_link}"
            ).partition(_PLACE)
            words = match["label"] or match["words"] or match["name"].partition("#")[0]
            return quote_sentence(before, words.strip(), after)
    return []


def _said(match: re.Match[str]) -> set[str]:
    """What a link may be known by."""
    if match["href"] is None:
        name = " ".join(match["name"].split())
        # Of links from before it was the page alone.
        return {name, name.partition("#")[0].strip()}
    path = unquote(match["href"].partition("#")[0].strip("<>"))
    return {re.sub(r"^(?:\.{0,2}/)+", "", path), path.rpartition("/")[2]}


def quote_sentence(before: str, words: str, after: str) -> list[Part]:
    """Return the sentence around some words, which are marked."""
    parts = Part(_last_sentence(before)), Part(words, is_marked=True), Part(_first_sentence(after))
    return [part for part in parts if part.text]


def _last_sentence(text: str) -> str:
    ends = [end for _, end in find_ends(text) if end < len(text)]
    text = text[ends[-1] :].lstrip() if ends else text
    if len(text) <= _SENTENCE:
        return text
    return f"{ELLIPSIS} {text[-_SENTENCE:].partition(' ')[2]}"


def _first_sentence(text: str) -> str:
    text = text[: next((end for _, end in find_ends(text)), len(text))]
    if len(text) <= _SENTENCE:
        return text
    return f"{text[:_SENTENCE].rpartition(' ')[0]} {ELLIPSIS}"
