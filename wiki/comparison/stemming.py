"""Detect the language of texts, and stem its words."""

import re
from functools import lru_cache

from wiki.comparison.antonyms import OPPOSITES
from wiki.comparison.lexicon import DATES, NEGATIONS, RESTRICTIONS, SAME_NEGATION, TYPICAL, UNITS

_WORD = re.compile(r"[^\W\d_]+")
# Characters of a text that show its language.
_SAMPLE = 20_000
# Not to be shortened: these words are no plural, or stand in a list as they are.
_WHOLE = frozenset("news means series species does".split()).union(
    OPPOSITES, NEGATIONS, RESTRICTIONS, DATES, UNITS
)


def find_language(*texts: str) -> str:
    """Return `en` or `de`; empty where the small words do not tell."""
    words = [word for text in texts for word in _WORD.findall(text[:_SAMPLE].lower())]
    english, german = (
        sum(word in TYPICAL[language] for word in words) for language in ("en", "de")
    )
    return "" if english == german else "en" if english > german else "de"


@lru_cache(maxsize=65_536)
def stem_word(word: str, language: str) -> str:
    """Stem a lower-cased word. Endings that may tell done from to do stay."""
    if word in SAME_NEGATION:
        return SAME_NEGATION[word]
    if word in _WHOLE or not language:
        return word
    return _english(word) if language == "en" else _german(word)


def _english(word: str) -> str:
    if len(word) >= 7 and word.endswith("ing"):
        return _without_ing(word)
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses", "zes")) else word[:-1]


def _without_ing(word: str) -> str:
    """Stem "planning" to "plan"; leave "taping", which may come from "tape" or "tap"."""
    stem = word[:-3]
    if stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return word if stem[-2] in "aeiouy" and stem[-3] not in "aeiou" else stem


def _german(word: str) -> str:
    for ending in ("en", "em", "es", "e", "n", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
