"""Cuts the part out of a long text that a reader came for."""

import re
import unicodedata
from itertools import islice

from embeddings.hashing import WORD, split_words

ELLIPSIS = "…"
EXCERPT = 240
BODY_WINDOW = 4000


# More words find no better place, only later.
MAX_WORDS = 50


def find_match(text: str, query: str) -> int:
    """Where the text says most of the query's longer words close together; 0 when it says none of them."""
    text = _lower_in_place(text)
    longest = _words_to_find(text, query)
    if not longest:
        return 0
    # A text may hold its accents as characters of their own.
    forms = [form for word in longest for form in dict.fromkeys([word, unicodedata.normalize("NFD", word)])]
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
    """The text in lower case with every character where it was: a lower-case İ is two characters and stays."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def cut_around(text: str, position: int, length: int) -> str:
    """At most `length` characters of the text around a position, cut between words; … marks what is left out."""
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
    """One line of the text around what the query asks for."""
    line = " ".join(text.split())
    return cut_around(line, find_match(line, query), length)
