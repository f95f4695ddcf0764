import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from wiki.redaction.contextual_patterns import CONTEXTUAL_PATTERNS
from wiki.redaction.private_keys import find_private_keys
from wiki.redaction.table_columns import find_in_tables
from wiki.redaction.token_patterns import TOKEN_PATTERNS, Pattern
from wiki.redaction.unicode_normalisation import VisibleText

PRIVATE_KEY = "private key"
_MASK = "[secret removed: {}]"
_LONG = 200
_REST = re.compile(r"[\w+/=~%.-]{0,20000}[\w=]")
Span = tuple[int, int]
Finder = Callable[[VisibleText], Iterable[Span]]
# Stands in the place of a secret.
MASKED = re.compile(r"\[secret removed: [\w ]{1,40}\]")


class Masked(NamedTuple):
    """The text without its secrets, and their kinds, such as "GitHub token", each once."""

    text: str
    removed: list[str]


def mask_secrets(text: str, known: str = "") -> Masked:
    """Replace secrets by masks; one that is in `known` is no news and stays."""
    removed: dict[str, None] = {}
    seen = VisibleText(text)
    for name, hints, find in _KINDS:
        # Most texts have nothing that looks like a secret, and agents hand in many.
        if not any(map(seen.lower.__contains__, hints)):
            continue
        spans = [
            span
            for start, end in find(seen)
            if not _is_known(seen.text[slice(*(span := seen.place(start, end)))], known)
        ]
        if spans:
            seen = VisibleText(_replace(seen.text, spans, name))
            removed[name] = None
    return Masked(seen.text, list(removed))


def _is_known(secret: str, known: str) -> bool:
    return bool(known) and secret in known


def removed_from(*texts: str, known: str = "") -> list[str]:
    """Return the kinds of secrets in these texts, each once."""
    return list(dict.fromkeys(name for text in texts for name in mask_secrets(text, known).removed))


def _finder(pattern: Pattern) -> Finder:
    def find(seen: VisibleText) -> Iterator[Span]:
        for found in pattern.regex.finditer(seen.plain):
            if pattern.judge(found["secret"]):
                yield found.start("secret"), _end_of(seen.plain, *found.span("secret"))

    return find


def _end_of(text: str, start: int, end: int) -> int:
    """Find the end of a long secret beyond the bound of its pattern."""
    rest = _REST.match(text, end) if end - start >= _LONG else None
    return rest.end() if rest else end


def _replace(text: str, spans: Iterable[tuple[int, int]], name: str) -> str:
    parts, done = [], 0
    for start, end in spans:
        if start >= done:
            parts += [text[done:start], _MASK.format(name)]
            done = end
    return "".join([*parts, text[done:]])


_KINDS: list[tuple[str, tuple[str, ...], Finder]] = [
    (
        PRIVATE_KEY,
        ("-----begin ", "putty-user-key-file-"),
        lambda seen: sorted(find_private_keys(seen.plain)),
    ),
    *(
        (pattern.name, pattern.hints, _finder(pattern))
        for pattern in (*TOKEN_PATTERNS, *CONTEXTUAL_PATTERNS)
    ),
    ("password or key", ("|",), lambda seen: find_in_tables(seen.plain)),
]
