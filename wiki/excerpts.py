"""Cuts the part out of a long text that a reader came for."""

import re

from embeddings.hashing import split_words

ELLIPSIS = "…"
EXCERPT = 240
BODY_WINDOW = 4000


def find_match(text: str, query: str) -> int:
    """Where the text says most of the query's longer words close together; 0 when it says none of them."""
    words = {word for word in split_words(query) if len(word) > 2} or set(split_words(query))
    if not words:
        return 0
    pattern = re.compile("|".join(rf"\b{re.escape(word)}" for word in sorted(words, key=len, reverse=True)))
    hits = [(match.start(), match[0]) for match in pattern.finditer(text.lower())][:2000]
    best, best_count = 0, 0
    for index, (start, _) in enumerate(hits):
        near = {word for position, word in hits[index : index + 40] if position < start + EXCERPT}
        if len(near) > best_count:
            best, best_count = start, len(near)
    return best


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
