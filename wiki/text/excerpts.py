"""Cuts the part out of a long text that a reader came for."""

import re
from collections.abc import Collection
from dataclasses import dataclass

ELLIPSIS = "…"
EXCERPT = 240


def cut_around(text: str, position: int, length: int) -> str:
    """At most `length` characters of the text around a position, cut between words; … marks what is
    left out."""
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
    """A piece of a quoted text; the parts that the reader asked for are marked."""

    text: str
    is_marked: bool = False


_LINK = re.compile(r"\[\[([^\[\]|#\n\\]+)(?:#[^\[\]|\n]*)?(?:\\?\|([^\[\]\n]*))?\]\]")
_LINE_MARKS = re.compile(
    r"""^(?::{3,}.*$           # the fence of an insight
    |[ \t>*+-]*(?:`{3,}[^`\n]*|~{3,}[^\n]*)$  # the fence of code with its language
    |[ >]*\|?[ :|-]{3,}$  # the ruler of a table, a horizontal rule
    |[ \t>#|:+*-]+(?:\[[ xX]\][ ])?|[ \t]*\d+[.)][ ]+)""",
    re.MULTILINE | re.VERBOSE,
)
_MARKS = re.compile(r"[*`~]+")
_LAST_CELL = re.compile(r"[ ]*\|[ ]*$", re.MULTILINE)
# A picture, or a link to an address; code may say `calls[0](it)`.
_OUTSIDE = re.compile(
    r"!\[([^\[\]\n]*)\]\([^()\s]*\)|\[([^\[\]\n]+)\]\((?:https?:|mailto:|/|#)[^()\s]*\)"
)
_BLANKS = re.compile(r"[ \t]{2,}")
_CELLS = re.compile(r"[ ]*\|[ ]*")
_SENTENCE = 160
# Stands where the link was; Unicode keeps this character for such uses.
_PLACE = "\ufdd2"


def quote_link(body: str, targets: Collection[str]) -> list[Part]:
    """The sentence in which a text links to one of the targets, its link marked; empty when there
    is none."""
    for match in _LINK.finditer(body):
        if " ".join(match[1].split()) in targets:
            line_start = body.rfind("\n", 0, match.start()) + 1
            line_end = body.find("\n", match.end())
            after_link = body[match.end() : line_end if line_end >= 0 else len(body)]
            # In one piece, since marks mean something else at the beginning of a line.
            before, _, after = plain_text(
                f"{body[line_start : match.start()]}{_PLACE}{after_link}"
            ).partition(_PLACE)
            return quote_sentence(before, (match[2] or match[1]).strip(), after)
    return []


def quote_sentence(before: str, words: str, after: str) -> list[Part]:
    """The sentence around some words, which are marked."""
    parts = Part(_last_sentence(before)), Part(words, is_marked=True), Part(_first_sentence(after))
    return [part for part in parts if part.text]


def plain_text(markdown: str) -> str:
    """The words of a Markdown text for a quote: links and pictures by theirs, without marks. Not
    for a whole page."""
    # The patterns below try every blank of a long run as its beginning.
    shown = _OUTSIDE.sub(lambda match: match[1] or match[2] or "", _BLANKS.sub(" ", markdown))
    named = _LINK.sub(lambda match: (match[2] or match[1]).strip(), shown)
    bare = _MARKS.sub("", _LINE_MARKS.sub("", named))
    if "|" not in bare:
        return bare
    return _CELLS.sub(" · ", _LAST_CELL.sub("", _BLANKS.sub(" ", bare)))


def _last_sentence(text: str) -> str:
    text = re.split(r"(?<=[.!?])\s+", text)[-1] if text else ""
    if len(text) <= _SENTENCE:
        return text
    return f"{ELLIPSIS} {text[-_SENTENCE:].partition(' ')[2]}"


def _first_sentence(text: str) -> str:
    text = re.split(r"(?<=[.!?])\s+", text)[0] if text else ""
    if len(text) <= _SENTENCE:
        return text
    return f"{text[:_SENTENCE].rpartition(' ')[0]} {ELLIPSIS}"
