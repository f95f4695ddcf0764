"""Find passwords in table columns with such a heading."""

import re
from collections.abc import Generator, Iterator
from itertools import accumulate

from wiki.redaction.false_positives import is_told

_RULE = re.compile(r"^[ \t>]*(?:\|[ \t]*)?:?-{1,80}:?[ \t]*(?:\|[ \t|:-]{0,400})?$", re.MULTILINE)
_NAMES = re.compile(
    r"(?i)\W*(?:password|passwort|passwd|kennwort|pwd?|pass|passphrase|secret|token"
    r"|(?:api|auth|access)[ _-]?(?:key|token))\W*"
)
_VALUE = re.compile(r"[\s`*_]*(?P<secret>[^\s`]{6,400}?)[`*_]*\s*")


def find_in_tables(text: str) -> Iterator[tuple[int, int]]:
    """Find the spans of passwords, from the top."""
    if "|" not in text:
        return
    done = 0
    for rule in _RULE.finditer(text):
        if rule.start() < done:
            continue
        end = max(rule.start() - 1, 0)
        header = text[text.rfind("\n", 0, end) + 1 : end]
        columns = {
            number for number, (_, name) in enumerate(_cells(header)) if _NAMES.fullmatch(name)
        }
        if columns:
            done = yield from _find_below(text, rule.end() + 1, columns)


def _find_below(text: str, start: int, columns: set[int]) -> Generator[tuple[int, int], None, int]:
    """Yield the spans below a header, and return the end of the table."""
    while "|" in (line := _line_at(text, start)):
        for number, (place, cell) in enumerate(_cells(line)):
            if number in columns and (found := _VALUE.fullmatch(cell)) and is_told(found["secret"]):
                yield start + place + found.start("secret"), start + place + found.end("secret")
        start += len(line) + 1
    return start


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _cells(line: str) -> Iterator[tuple[int, str]]:
    """Yield the cells of a row with their starts; nothing for other lines."""
    cells = line.split("|")
    if len(cells) < 2:
        return
    starts = accumulate((len(cell) + 1 for cell in cells), initial=0)
    rows = list(zip(starts, cells, strict=False))
    yield from rows if cells[0].strip(" \t>") else rows[1:]
