import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wiki.secrets.blocks import find_private_keys
from wiki.secrets.patterns import PATTERNS, Pattern

PRIVATE_KEY = "private key"
_MASK = "[secret removed: {}]"
# What stands where a secret stood.
MASKED = re.compile(r"\[secret removed: [\w ]{1,40}\]")


class Masked(NamedTuple):
    """The text without its secrets, and what they were: "GitHub token", each once."""

    text: str
    removed: list[str]


def mask_secrets(text: str, known: str = "") -> Masked:
    """What stands in `known` too is left: it is no news, and may be somebody's own."""
    removed: dict[str, None] = {}
    if spans := [(start, end) for start, end in find_private_keys(text) if not known or text[start:end] not in known]:
        text = _cut(text, spans)
        removed[PRIVATE_KEY] = None
    lower = text.lower()
    for pattern in PATTERNS:
        if any(hint in lower for hint in pattern.hints):
            found = [span for span in _find(pattern, text) if not known or text[slice(*span)] not in known]
            if found:
                text = _replace(text, found, pattern.name)
                removed[pattern.name] = None
    return Masked(text, list(removed))


def removed_from(*texts: str, known: str = "") -> list[str]:
    """What would be removed from these texts, each kind once."""
    return list(dict.fromkeys(name for text in texts for name in mask_secrets(text, known).removed))


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    return _replace(text, sorted(spans), PRIVATE_KEY)


def _find(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    for found in pattern.regex.finditer(text):
        if pattern.judge(found["secret"]):
            yield found.span("secret")


def _replace(text: str, spans: Iterable[tuple[int, int]], name: str) -> str:
    parts, done = [], 0
    for start, end in spans:
        if start >= done:
            parts += [text[done:start], _MASK.format(name)]
            done = end
    return "".join([*parts, text[done:]])
