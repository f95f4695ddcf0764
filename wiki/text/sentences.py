"""Where sentences end: a dot may also belong to an abbreviation, an ordinal, or a date."""

import re
from collections.abc import Iterator

from wiki.text.lexicon import (
    ABBREVIATIONS,
    ABBREVIATIONS_AT_ENDS,
    ABBREVIATIONS_BEFORE_NUMBERS,
    GERMAN_MONTHS,
)

# Signs that may close something together with its sentence.
_CLOSING = r"[\"'”“»)\]*_]*"
# Only from the first sign of a run, or a long run would be read again from each.
_MAYBE_END = re.compile(rf"(?<![.!?…])(?P<sign>[.!?…]++){_CLOSING}+(?=\s|$)")
_LAST_SIGN = re.compile(rf"[.!?…]+{_CLOSING}$")
_WORD_BEFORE = re.compile(r"[^\W_]+$")
_SHORT = ABBREVIATIONS | ABBREVIATIONS_BEFORE_NUMBERS | ABBREVIATIONS_AT_ENDS
_MONTH = re.compile(rf"\s(?:{'|'.join(map(str.capitalize, GERMAN_MONTHS))})\b")
_BEFORE_ORDINALS = frozenset(
    "am im vom zum beim der die das dem den des ein eine einen einem einer eines ab bis seit jeden "
    "jede jedes jedem ihr ihre sein seine unser unsere und oder".split()
)
# Characters around a sign that are looked at.
_NEARBY = 40
# Characters; a word of more is no abbreviation, whatever it begins with.
_LONGEST = 10


def split_sentences(text: str, *, is_strict: bool = False) -> list[str]:
    """Split a paragraph into sentences, as they are written; at least one."""
    ends = [end for _, end in find_ends(text, is_strict=is_strict)]
    sentences = [
        text[start:end].strip() for start, end in zip([0, *ends], [*ends, len(text)], strict=True)
    ]
    return [sentence for sentence in sentences if sentence] or [text]


def find_ends(text: str, *, is_strict: bool = False) -> Iterator[tuple[int, int]]:
    """Find the spans of the signs that end a sentence.

    Strict is for texts that are taken apart: in doubt the sentence goes on.
    """
    start = 0
    for found in _MAYBE_END.finditer(text):
        before = text[max(start, found.start() - _NEARBY) : found.start()]
        if is_strict:
            goes_on = _is_short(before)
        else:
            after = text[found.end() : found.end() + _NEARBY]
            goes_on = found["sign"] == "." and (
                # "Am 24.12. ist zu", "Heinrich VIII. war": a text that begins with a capital does
                # so in the next sentence too.
                (text[start : start + 1].isupper() and after.lstrip()[:1].islower())
                or _goes_on(before, after)
            )
        if not goes_on:
            yield found.span()
            start = found.end() + 1


def ends_sentence(text: str) -> bool:
    """Tell whether the text is certain to end with a sentence."""
    found = _LAST_SIGN.search(text, max(len(text) - _NEARBY, 0))
    if found is None:
        return False
    before = text[max(found.start() - _NEARBY, 0) : found.start()]
    return not before[-1:].isdigit() and not _is_short(before)


def is_abbreviation(word: str, after: str) -> bool:
    """Tell whether a dot behind the word belongs to it, by the text after the dot."""
    word, following = word.lower(), after.lstrip()[:1]
    if word in ABBREVIATIONS_BEFORE_NUMBERS:
        return following.isdigit()
    if word in ABBREVIATIONS_AT_ENDS:
        return not following.isupper()
    return word in ABBREVIATIONS


def _is_short(before: str) -> bool:
    word = _WORD_BEFORE.search(before, max(len(before) - _LONGEST, 0))
    return word is not None and (len(word[0]) <= 2 or word[0].lower() in _SHORT)


def _goes_on(before: str, after: str) -> bool:
    found = _WORD_BEFORE.search(before, max(len(before) - _LONGEST, 0))
    if found is None:
        return False
    word = found[0]
    if word.isdecimal():
        return _is_ordinal(before[: found.start()], word, after)
    if len(word) == 1:
        return before[-2:-1] in ("", " ", ".", "(", "„", "“")
    return is_abbreviation(word, after)


def _is_ordinal(before: str, number: str, after: str) -> bool:
    """ "Am 3. März", "der 2. Versuch"; but "Port 80. Danach"."""
    if len(number) > 2:
        return False
    words = before.split()
    return _MONTH.match(after) is not None or (
        bool(words) and words[-1].lower() in _BEFORE_ORDINALS
    )
