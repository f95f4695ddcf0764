"""Excerpts of a text around the words of a query, and quotations around a link."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from embeddings.hash_embedder import WORD, split_words
from wiki.text.plain_text import WIKILINK, plain_text
from wiki.text.query_syntax import parse_query
from wiki.text.sentences import find_ends
from wiki.text.slugs import fold_slug

ELLIPSIS = "…"
EXCERPT = 240
BODY_WINDOW = 4000


# More words find no better place, only later.
MAX_WORDS = 50


def find_match(text: str, query: str) -> int:
    """Return the place of a phrase of the query, else of most of its longer words close together,
    else 0."""
    for phrase in parse_query(query).phrases:
        if match := _phrase_pattern(phrase).search(text):
            return match.start()
    text = _lower_in_place(text)
    longest = _words_to_find(text, query)
    if not longest:
        return 0
    # A text may hold its accents as characters of their own.
    forms = [
        form
        for word in longest
        for form in dict.fromkeys([word, unicodedata.normalize("NFD", word)])
    ]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})")
    hits = [(match.start(), match[0]) for match in islice(pattern.finditer(text), 2000)]
    best, best_count = 0, 0
    for index, (start, _) in enumerate(hits):
        near = {word for position, word in hits[index : index + 40] if position < start + EXCERPT}
        if len(near) > best_count:
            best, best_count = start, len(near)
    return best


def _words_to_find(text: str, query: str) -> list[str]:
    words = {word for word in split_words(query) if len(word) > 2} or set(split_words(query))
    if len(words) > MAX_WORDS:
        words = words.intersection(WORD.findall(text)) or words
    return sorted(words, key=lambda word: (-len(word), word))[:MAX_WORDS]


def _lower_in_place(text: str) -> str:
    """Lower the case of a text and keep its length: İ, two characters in lower case, stays."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def cut_around(text: str, position: int, length: int) -> str:
    """Return at most `length` characters around a position, cut between words; … marks a cut."""
    if len(text) <= length:
        return text
    room = length - 2 * len(ELLIPSIS)
    start = max(0, min(position - room // 4, len(text) - room))
    end = start + room
    if start:
        start = min(_next_blank(text, start), position) if position > start else start
    head, tail = ELLIPSIS if start else "", ELLIPSIS if end < len(text) else ""
    part = text[start:end]
    if tail and (blank := part.rfind(" ", len(part) * 3 // 4)) > 0:
        part = part[:blank]
    return f"{head}{part.strip()}{tail}"


def _next_blank(text: str, start: int) -> int:
    match = re.compile(r"\s").search(text, start, start + 60)
    return match.end() if match else start


def excerpt(text: str, query: str, length: int = EXCERPT) -> str:
    """Return one line of the text around the words of the query."""
    line = " ".join(text.split())
    return cut_around(line, find_match(line, query), length)


def excerpt_of_page(body: str, query: str, length: int = EXCERPT) -> str:
    """Return an excerpt of a Markdown text; of a long one only the neighbourhood of the match is
    read closely."""
    near = (
        body if len(body) <= BODY_WINDOW else cut_around(body, find_match(body, query), BODY_WINDOW)
    )
    return excerpt(plain_text(near), query, length)


@dataclass(frozen=True)
class Part:
    """A piece of a quoted text, marked if a query or a link names it."""

    text: str
    is_marked: bool = False


def mark_words(text: str, query: str) -> list[Part]:
    """Mark the phrases of the query, and its other words in any case, form and accents."""
    asked = parse_query(query)
    wanted = {form for word in split_words(asked.loose) for form in _forms(word)}
    phrases = [
        match.span() for phrase in asked.phrases for match in _phrase_pattern(phrase).finditer(text)
    ]
    words = [
        match.span()
        for match in WORD.finditer(text)
        if any(_is_form_of(form, wanted) for form in _forms(match[0].lower()))
    ]
    parts: list[Part] = []
    end = 0
    for start, stop in sorted([*phrases, *words], key=lambda span: (span[0], -span[1])):
        if start >= end:
            parts += [Part(text[end:start]), Part(text[start:stop], is_marked=True)]
            end = stop
    return [part for part in [*parts, Part(text[end:])] if part.text]


# The same words come again and again.
@lru_cache(maxsize=20_000)
def _forms(word: str) -> tuple[str, ...]:
    return tuple(fold_slug(word))


def _phrase_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Match the words one after another with any signs between them."""
    said = r"[\W_]+".join(words)
    return re.compile(rf"(?<![^\W_]){said}(?![^\W_])", re.IGNORECASE)


# By which German and English words are inflected.
_ENDINGS = frozenset("e en em er es n s d ed ing ern ung ungen".split())


def _is_form_of(word: str, wanted: Collection[str]) -> bool:
    """Match a word with another ending: "tests" for "test", but not "back" for "backup"."""
    return word in wanted or any(
        len(shorter) > 3 and longer.startswith(shorter) and longer[len(shorter) :] in _ENDINGS
        for form in wanted
        for shorter, longer in [sorted((word, form), key=len)]
    )


_SENTENCE = 160
# Stands where the link was; Unicode keeps this character for such uses.
_PLACE = "\ufdd2"


def quote_link(body: str, targets: Collection[str]) -> list[Part]:
    """Return the first sentence that links to one of the targets, its link marked, or nothing."""
    for match in WIKILINK.finditer(body):
        if " ".join(match[1].split()) in targets:
            line_start = body.rfind("\n", 0, match.start()) + 1
            line_end = body.find("\n", match.end())
            after_link = body[match.end() : line_end if line_end >= 0 else len(body)]
            # In one piece, since marks mean something else at the beginning of a line.
            before, _, after = plain_text(
                f"{body[line_start : match.start()]}{_PLACE}{after_link}"
            ).partition(_PLACE)
            return quote_sentence(before, (match[2] or match[1]).strip(), after)
    return []


def quote_sentence(before: str, words: str, after: str) -> list[Part]:
    """Return the sentence around some words, which are marked."""
    parts = Part(_last_sentence(before)), Part(words, is_marked=True), Part(_first_sentence(after))
    return [part for part in parts if part.text]


def _last_sentence(text: str) -> str:
    ends = [end for _, end in find_ends(text) if end < len(text)]
    text = text[ends[-1] :].lstrip() if ends else text
    if len(text) <= _SENTENCE:
        return text
    return f"{ELLIPSIS} {text[-_SENTENCE:].partition(' ')[2]}"


def _first_sentence(text: str) -> str:
    text = text[: next((end for _, end in find_ends(text)), len(text))]
    if len(text) <= _SENTENCE:
        return text
    return f"{text[:_SENTENCE].rpartition(' ')[0]} {ELLIPSIS}"
