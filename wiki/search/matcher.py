"""Snippets of a text for a query, and marks of the query's words in it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice
from math import log

from embeddings.hash_embedder import WORD, split_words
from wiki.text.excerpts import ELLIPSIS, EXCERPT, Part, cut_around, find_row
from wiki.text.plain_text import plain_text
from wiki.text.query_syntax import parse_query
from wiki.text.terms import find_words, fold, is_stop, term_of

# Of a longer text the snippet reads so many characters around the match.
WINDOW = 4000
# More words find no better place, only later.
MAX_WORDS = 50
# Matches of a text that are weighed, and how many behind each are near enough to look at.
MAX_MATCHES = 2000
MATCHES_AHEAD = 40
# A word that stands more often in the text says little about where to look.
COMMON = 100
# Letters of a stem that stands for its word.
STEM = 4


class Matcher:
    """A query, prepared once to be looked for in many texts."""

    def __init__(self, query: str) -> None:
        asked = parse_query(query)
        self._phrases = [_phrase_pattern(phrase) for phrase in asked.phrases]
        self._loose = asked.loose
        self._words = _words_to_find(query)

    def find(self, text: str) -> int:
        """The position of a phrase of the query, else of its words close together, the rarer in
        this text the better; 0 where the text has none of them."""
        for phrase in self._phrases:
            if match := phrase.search(text):
                return match.start()
        text = _lower_in_place(text)
        words = _telling(self._words, text)
        if not words:
            return 0
        pattern = _word_pattern(words)
        matches = [*islice(pattern.finditer(text), MAX_MATCHES)]
        # As the end of a longer word, or in a script without blanks.
        matches = matches or [*islice(_word_pattern(words, r"").finditer(text), MAX_MATCHES)]
        return _densest([(match.start(), match[0]) for match in matches])

    def cut(self, text: str, length: int) -> str:
        """At most `length` characters of the text around the match."""
        return text if len(text) <= length else cut_around(text, self.find(text), length)

    def snippet(self, text: str, length: int = EXCERPT) -> str:
        """One line of a plain text."""
        return self.cut(" ".join(text.split()), length)

    def snippet_of_page(self, body: str, length: int = EXCERPT) -> str:
        """One line of a Markdown text; of a table the row with the table's head."""
        if len(body) > length and (row := find_row(body, self.find(body))):
            head, rest = (" ".join(plain_text(part).split()) for part in row)
            return cut_around(f"{head} {ELLIPSIS} {rest}", 0, length)
        return self.snippet(plain_text(self.cut(body, WINDOW)), length)

    def mark(self, text: str) -> list[Part]:
        """The text in parts, marked the phrases of the query and each of its other words, in any
        case and form, with or without its accents."""
        spans = [match.span() for phrase in self._phrases for match in phrase.finditer(text)]
        spans += self._asked_spans(text)
        parts: list[Part] = []
        end = 0
        for start, stop in _merge(spans):
            parts += [Part(text[end:start]), Part(text[start:stop], is_marked=True)]
            end = stop
        return [part for part in [*parts, Part(text[end:])] if part.text]

    @cached_property
    def _asked(self) -> set[str]:
        return {term for word in find_words(self._loose) for term, _ in word.terms}

    def _asked_spans(self, text: str) -> Iterator[tuple[int, int]]:
        for word in find_words(text):
            if word.terms[0][0] in self._asked:
                yield word.start, word.end
                continue
            for part in WORD.finditer(text, word.start, word.end):
                if term_of(fold(part[0]).casefold()) in self._asked:
                    yield part.span()


def _words_to_find(query: str) -> list[str]:
    """The names and words of a query in lower case, each by what its forms begin with."""
    said = [query[word.start : word.end].lower() for word in find_words(query)]
    words = dict.fromkeys([*said, *split_words(query)])
    telling = [word for word in words if len(word) > 2 and not is_stop(term_of(fold(word)))]
    return [_beginning(word) for word in telling or words]


def _beginning(word: str) -> str:
    stem = term_of(word)
    return stem if len(stem) >= STEM and word.startswith(stem) else word


def _telling(words: Collection[str], text: str) -> list[str]:
    """Those that stand in the text, without the common ones if there are others."""
    # A text may hold its accents as characters of their own.
    forms = dict.fromkeys(form for word in words for form in (word, _decomposed(word)))
    counts = {form: count for form in forms if (count := text.count(form))}
    rare = {form: count for form, count in counts.items() if count <= COMMON}
    return sorted(rare or counts, key=lambda form: counts[form])[:MAX_WORDS]


def _decomposed(word: str) -> str:
    return unicodedata.normalize("NFD", word)


def _word_pattern(words: Collection[str], before: str = r"\b") -> re.Pattern[str]:
    """One of the words, the longest first, at the beginning of any word."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"{before}(?:{'|'.join(map(re.escape, longest))})")


def _densest(matches: Sequence[tuple[int, str]]) -> int:
    """Where the words that stand together say most."""
    counts = Counter(word for _, word in matches)
    weights = {word: _weight(word) / (1 + log(count)) for word, count in counts.items()}
    best, most = 0, 0.0
    for index, (start, _) in enumerate(matches):
        near = set()
        for position, word in matches[index : index + MATCHES_AHEAD]:
            if position >= start + EXCERPT:
                break
            near.add(word)
        says = sum(weights[word] for word in near)
        if says > most + 1e-9:
            best, most = start, says
    return best


def _weight(word: str) -> float:
    # What has a digit names one thing.
    return 2.0 if any(character.isdigit() for character in word) else 1.0


def _phrase_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """The words in a row, with anything between them that is no word."""
    said = r"[\W_]+".join(words)
    return re.compile(rf"(?<![^\W_]){said}(?![^\W_])", re.IGNORECASE)


def _merge(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that overlap as one; pairs of characters do."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged


def _lower_in_place(text: str) -> str:
    """The text in lower case with every character where it was: a lower-case İ is two characters
    and stays."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
