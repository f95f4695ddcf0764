"""Clean text as it comes in, and tell whether a page holds it already."""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from embeddings.text import replace_unusable
from wiki.text.sentences import ends_sentence

MAX_TITLE = 200


def clean_text(text: str) -> str:
    """Give a text Unix line ends, and U+FFFD for NUL, other controls and lone surrogates."""
    return replace_unusable(text.replace("\r\n", "\n").replace("\r", "\n"))


def clean_line(text: str) -> str:
    """Join a text to one line without repeated blanks."""
    return " ".join(clean_text(text).split())


# Marks of direction, fillers and other signs that nobody sees; tags make the flag of a region.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+"
    # Joiners shape the letters around them, and do nothing beside a blank.
    "|(?<!\\S)[\u200c\u200d]+|[\u200c\u200d]+(?!\\S)"
)


def clean_title(text: str) -> str:
    """Give one line without signs that nobody sees: two titles that look alike are alike."""
    return clean_line(_INVISIBLE.sub("", text))


def is_visible(text: str) -> bool:
    """Tell a text from one of blanks, zero-width signs and marks of direction alone."""
    return any(unicodedata.category(sign)[0] not in "CZ" for sign in text)


def hash_page_text(title: str, body: str) -> str:
    """Return the SHA-256 of exactly the text that is embedded, before it is cut."""
    return hashlib.sha256(f"{title}\n{body}".encode()).hexdigest()


def stands_in(text: str, body: str) -> bool:
    """Tell whether the body holds the text as whole sentences or paragraphs; only blanks may
    differ.

    "Port 80" does not stand in "Port 8080", "always rebase" not in "do not\nalways rebase", "5
    degrees" not in "-5 degrees", "it runs" not in "it runs?". Of code and what is indented the
    shape counts too. In doubt it does not: a text kept twice is better than one lost.
    """
    wanted = " ".join(text.split())
    if not wanted:
        return True
    if wanted not in " ".join(body.split()) or (
        _SHAPED.search(text) and not _has_lines(body, text)
    ):
        return False
    lines = _Lines(body)
    return any(
        lines.begins_at(start) and lines.ends_at(start + len(wanted))
        for start in islice(lines.places_of(wanted), _MAX_PLACES)
    )


_SHAPED = re.compile(r"^[ \t]+\S|```|~~~", re.MULTILINE)


def _has_lines(body: str, text: str) -> bool:
    """Tell whether the body has these lines in this order, as far indented."""
    lines = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    return lines in "\n".join(line.rstrip() for line in body.split("\n"))


_BLOCK_MARKS = re.compile(r"(?:(?:[>*+-]|#{1,6}|\d{1,9}[.)]) )*")
_BLOCK_BEGIN = re.compile(r"(?:[>*+-]|#{1,6}|\d{1,9}[.)]) |:::|```|~~~|\||[-*_=]{3,}$")
_WHOLE_LINE = re.compile(r"#{1,6} |:::|```|~~~|[-*_=]{3,}$")
_NEARBY = 40
_MAX_PLACES = 1000


class _Lines:
    """A text as one line with single blanks; with the starts of its lines, and whether each begins
    a statement (`fresh`)."""

    def __init__(self, body: str) -> None:
        self.starts: list[int] = []
        self.fresh: list[bool] = []
        parts: list[str] = []
        length, previous = 0, ""
        for line in (" ".join(raw.split()) for raw in body.split("\n")):
            if line:
                self.starts.append(length)
                self.fresh.append(not previous or _begins_anew(line, previous))
                parts.append(line)
                length += len(line) + 1
            previous = line
        self.text = " ".join(parts)

    def places_of(self, wanted: str) -> Iterator[int]:
        start = self.text.find(wanted)
        while start >= 0:
            yield start
            start = self.text.find(wanted, start + 1)

    def begins_at(self, start: int) -> bool:
        number = bisect_right(self.starts, start) - 1
        line = self.starts[number]
        if start - line <= _NEARBY and _BLOCK_MARKS.fullmatch(self.text, line, start):
            return self.fresh[number]
        before = self.text[max(line, start - _NEARBY) : start]
        return before.endswith(" ") and ends_sentence(before.rstrip())

    def ends_at(self, end: int) -> bool:
        number = bisect_right(self.starts, end - 1)
        is_ended = self.text[end - 1] in ".!?…"
        if end == len(self.text):
            return True
        if number < len(self.starts) and self.starts[number] == end + 1:
            return is_ended or self.fresh[number]
        mark, after = (
            ("", self.text[end : end + 2])
            if is_ended
            else (self.text[end], self.text[end + 1 : end + 3])
        )
        return mark in ("", ".", "!") and (
            not after or (after[0] == " " and not after[1:].islower())
        )


def _begins_anew(line: str, previous: str) -> bool:
    """Tell a line that begins a statement from one that goes on."""
    return bool(_BLOCK_BEGIN.match(line) or _WHOLE_LINE.match(previous) or ends_sentence(previous))
