"""Snippets of a text for a query, and marks of the query's words in it."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache
from itertools import islice

from embeddings.hash_embedder import WORD, split_words
from wiki.text.excerpts import EXCERPT, Part, cut_around
from wiki.text.plain_text import plain_text
from wiki.text.query_syntax import parse_query
from wiki.text.slugs import fold_slug

# Of a longer text the snippet reads so many characters around the match.
WINDOW = 4000
# More words find no better place, only later.
MAX_WORDS = 50
# Matches of a text that are weighed, and how many behind each are near enough to look at.
MAX_MATCHES = 2000
MATCHES_AHEAD = 40


class Matcher:
    """A query, prepared once to be looked for in many texts."""

    def __init__(self, query: str) -> None:
        asked = parse_query(query)
        self._loose = asked.loose
        self._phrases = [_phrase_pattern(phrase) for phrase in asked.phrases]
        said = set(split_words(query))
        self._words = {word for word in said if len(word) > 2} or said

    def find(self, text: str) -> int:
        """The position of a phrase of the query, else of most of its longer words close together;
        0 where the text has none of them."""
        for phrase in self._phrases:
            if match := phrase.search(text):
                return match.start()
        if not self._words:
            return 0
        text = _lower_in_place(text)
        pattern = self._pattern
        if len(self._words) > MAX_WORDS:
            pattern = _word_pattern(self._words.intersection(WORD.findall(text)) or self._words)
        found = islice(pattern.finditer(text), MAX_MATCHES)
        matches = [(match.start(), match[0]) for match in found]
        best, best_count = 0, 0
        for index, (start, _) in enumerate(matches):
            near = set()
            for position, word in matches[index : index + MATCHES_AHEAD]:
                if position >= start + EXCERPT:
                    break
                near.add(word)
            if len(near) > best_count:
                best, best_count = start, len(near)
        return best

    def cut(self, text: str, length: int) -> str:
        """At most `length` characters of the text around the match."""
        return text if len(text) <= length else cut_around(text, self.find(text), length)

    def snippet(self, text: str, length: int = EXCERPT) -> str:
        """One line of a plain text."""
        return self.cut(" ".join(text.split()), length)

    def snippet_of_page(self, body: str, length: int = EXCERPT) -> str:
        """One line of a Markdown text."""
        return self.snippet(plain_text(self.cut(body, WINDOW)), length)

    def mark(self, text: str) -> list[Part]:
        """The text in parts, marked the phrases of the query and each of its other words, in any
        case, with or without its accents."""
        spans = [match.span() for phrase in self._phrases for match in phrase.finditer(text)]
        spans += [match.span() for match in WORD.finditer(text) if self._is_asked(match[0].lower())]
        parts: list[Part] = []
        end = 0
        for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= end:
                parts += [Part(text[end:start]), Part(text[start:stop], is_marked=True)]
                end = stop
        return [part for part in [*parts, Part(text[end:])] if part.text]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _word_pattern(self._words)

    @cached_property
    def _asked_forms(self) -> set[str]:
        return {form for word in split_words(self._loose) for form in _forms(word)}

    def _is_asked(self, word: str) -> bool:
        return any(_is_inflection(form, self._asked_forms) for form in _forms(word))


def _word_pattern(words: Collection[str]) -> re.Pattern[str]:
    """The longest of the words, at the beginning of any word."""
    longest = sorted(sorted(words), key=len, reverse=True)[:MAX_WORDS]
    # A text may hold its accents as characters of their own.
    decomposed = [unicodedata.normalize("NFD", word) for word in longest]
    forms = dict.fromkeys(form for pair in zip(longest, decomposed, strict=True) for form in pair)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})")


def _phrase_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """The words in a row, with anything between them that is no word."""
    said = r"[\W_]+".join(words)
    return re.compile(rf"(?<![^\W_]){said}(?![^\W_])", re.IGNORECASE)


def _lower_in_place(text: str) -> str:
    """The text in lower case with every character where it was: a lower-case İ is two characters
    and stays."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


# The same words come again and again.
@lru_cache(maxsize=20_000)
def _forms(word: str) -> tuple[str, ...]:
    return tuple(fold_slug(word))


# By which German and English words are inflected.
_ENDINGS = frozenset("e en em er es n s d ed ing ern ung ungen".split())


def _is_inflection(word: str, asked: Collection[str]) -> bool:
    """The word itself or one with another ending: "tests" for "test", but not "back" for
    "backup"."""
    return word in asked or any(
        len(shorter) > 3 and longer.startswith(shorter) and longer[len(shorter) :] in _ENDINGS
        for form in asked
        for shorter, longer in [sorted((word, form), key=len)]
    )
