"""Find private keys, which span many lines."""

import re
from collections.abc import Iterator

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PUTTY = re.compile(r"PuTTY-User-Key-File-\d:")
_PUTTY_END = re.compile(r"Private-MAC: ?[0-9a-f]{20,128}")
# Less than this is an abbreviation in a manual.
_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{40}")
# A key without an end goes on as long as its lines look like one.
_KEY_LINES = re.compile(
    r"(?:(?:\s|\\n)*[A-Za-z0-9+/=]{16,100}(?![^\s\\\"',]))+(?:(?:\s|\\n)*[A-Za-z0-9+/=]{1,100}(?=\s*$))?"
)

Span = tuple[int, int]


def find_private_keys(text: str) -> Iterator[Span]:
    """Find the spans of private keys, from their first to their last line."""
    for begin, end in ((_BEGIN, _END), (_PUTTY, _PUTTY_END)):
        yield from _find(text, begin, end)


def _find(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> Iterator[Span]:
    ends = [found.end() for found in end.finditer(text)]
    place = done = 0
    starts = [found.span() for found in begin.finditer(text)]
    for number, (start, behind) in enumerate(starts):
        if start < done:
            continue
        following = starts[number + 1][0] if number + 1 < len(starts) else len(text)
        while place < len(ends) and ends[place] <= behind:
            place += 1
        if place < len(ends) and ends[place] <= following:
            done = ends[place]
        elif lines := _KEY_LINES.match(text, behind, following):
            done = lines.end()
        else:
            continue
        if _MATERIAL.search(text, behind, done):
            yield start, done
