"""Terms: what a text is found by, in texts and queries alike.

A word becomes its stem, whichever of German and English it is. What signs, digits or capitals hold
together (a path, a host, a version, CamelCase) becomes a term as a whole, and so do its parts.
Scripts without blanks give pairs of characters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from threading import local
from typing import NamedTuple

from Stemmer import Stemmer

from wiki.text.stop_words import STOP_WORDS

# Characters; longer ones are cut.
MAX_TERM = 64
# How often a part counts where its whole counts once, and several neighbouring parts together.
PART = 0.6
PARTS = 0.4
# So many neighbouring parts are a term too: "10.0.0.5" in "10.0.0.5:8080".
MAX_JOINED = 4
# Of what has more parts than any name, such as encoded bytes, the whole is a term and each part.
MAX_PARTS = 24
# Stands before stop words, so that no stem is taken for one: "notes" becomes "not".
STOP_MARK = "_"

# Scripts whose words no blank parts: Thai, Lao, Burmese, Khmer, Kana, Han, Hangul (which has
# blanks, but appends its particles).
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# What \w leaves out though it stands within words: accents as characters of their own, vowel signs,
# joiners, and the soft hyphen.
_WITHIN = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963"
    "\u0966-\u0dff\u00ad\u200b-\u200f\u2060\ufeff"
)
_RUN = rf"(?:(?![{_UNPARTED}_])\w)(?:(?![{_UNPARTED}])[\w{_WITHIN}])*"
# Two signs in a row join as well ("a::b", "std->x"), but never a blank. "C++" and "C#" end in
# theirs.
_CHUNK = re.compile(
    rf"(?P<unparted>[{_UNPARTED}]+)|{_RUN}(?:[-._/:@#+\\&=~%'’>]{{1,3}}{_RUN})*(?:\+\+|#(?!\w))?"
)
_PART = re.compile(rf"\d+|(?:[^\W\d_][{_WITHIN}]*)+")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_APOSTROPHE = re.compile(r"['’]")
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_DIACRITICS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]"
)


class Word(NamedTuple):
    """What stands from `start` to `end` of a text, and its terms, the whole first, each with how
    often it counts."""

    start: int
    end: int
    terms: tuple[tuple[str, float], ...]


def find_words(text: str) -> Iterator[Word]:
    """Find the words of a text in their order; pairs of characters overlap."""
    for match in _CHUNK.finditer(text):
        if match.lastgroup:
            yield from _pairs(match[0], match.start())
        elif terms := _read(match[0]):
            yield Word(match.start(), match.end(), terms)


def count_terms(text: str) -> tuple[Counter[str], int]:
    """Return how often each term counts, and the number of words."""
    counts: Counter[str] = Counter()
    words = 0
    for word in find_words(text):
        words += 1
        for term, weight in word.terms:
            counts[term] += weight  # type: ignore[assignment]
    return counts, words


def term_of(word: str) -> str:
    """Return the term of a single word, such as a part of a compound, in lower case."""
    return _term(word)


def is_stop(term: str) -> bool:
    return term.startswith(STOP_MARK)


def fold(text: str) -> str:
    """Return the text in compatibility form without diacritics and invisible characters; case
    stays."""
    shown = unicodedata.normalize("NFKC", _HIDDEN.sub("", text))
    if shown.isascii():
        return shown
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFD", shown))
    return unicodedata.normalize("NFC", bare)


def _pairs(run: str, start: int) -> Iterator[Word]:
    # Half-width kana and their marks become one character; the rest keeps its length.
    if len(run) == 1:
        yield Word(start, start + 1, ((fold(run), 1.0),))
    for at, pair in enumerate(map("".join, pairwise(run)), start):
        yield Word(at, at + 2, ((fold(pair), 1.0), (fold(pair[0]), PARTS)))


def _read(chunk: str) -> tuple[tuple[str, float], ...]:
    return _read_again(chunk) if len(chunk) <= MAX_TERM else _terms(chunk)


# The same words come again and again.
@lru_cache(maxsize=65_536)
def _read_again(chunk: str) -> tuple[tuple[str, float], ...]:
    return _terms(chunk)


def _terms(chunk: str) -> tuple[tuple[str, float], ...]:
    folded = _POSSESSIVE.sub("", fold(chunk))
    parts = list(_parts(folded))
    if not parts:
        return ()
    lowered = [_lower(folded[start:end]) for start, end in parts]
    end = len(folded) if folded.endswith(("++", "#")) else parts[-1][1]
    whole = folded[parts[0][0] : end]
    terms = {_term(_lower(whole)): 1.0}
    for term in map(_term, lowered):
        terms.setdefault(term, PART)
    if 2 < len(parts) <= MAX_PARTS:
        for size in range(2, MAX_JOINED + 1):
            for first, last in zip(parts, parts[size - 1 :], strict=False):
                terms.setdefault(_term(_lower(folded[first[0] : last[1]])), PARTS)
    return tuple(terms.items())


def _parts(folded: str) -> Iterator[tuple[int, int]]:
    for match in _PART.finditer(folded):
        cuts = [cut.start() for cut in _CAPITAL.finditer(folded, match.start(), match.end())]
        inner = [cut for cut in cuts if match.start() < cut < match.end()]
        yield from pairwise([match.start(), *inner, match.end()])


def _lower(text: str) -> str:
    # Case folding takes "ß" for "ss"; what it leaves decomposed was composed before.
    return _APOSTROPHE.sub("'", text.casefold())


def _term(word: str) -> str:
    if word in STOP_WORDS:
        return STOP_MARK + word
    return (_stem(word) if word.isalpha() else word)[:MAX_TERM]


class _Stemmers(local):
    """Snowball's, one pair a thread, since a stemmer works on one word at a time. The German one
    reads "ue" as "ü", so that "Übung", "Uebung" and "Ubung" are one."""

    def __init__(self) -> None:
        self.english = Stemmer("english")
        self.german = Stemmer("german")


_STEMMERS = _Stemmers()


def _stem(word: str) -> str:
    # One after the other: which language a word is of, its text does not always tell.
    stem: str = _STEMMERS.german.stemWord(_STEMMERS.english.stemWord(word))
    return stem
