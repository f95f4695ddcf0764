"""The builtin embedding: signed feature hashing of words and word pairs into 256 values."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from embeddings.vectors import DIMENSIONS, Vector

# Runs of letters and digits: \w is the Unicode categories L* and N* and the underscore.
WORD = re.compile(r"[^\W_]+")

# The constants of 32-bit FNV-1a.
FNV_OFFSET = 0x811C9DC5
FNV_PRIME = 0x01000193


def split_words(text: str) -> list[str]:
    """The lower-cased words of a text; stop words count like any other."""
    return WORD.findall(unicodedata.normalize("NFC", text).lower())


def has_words(text: str) -> bool:
    return WORD.search(unicodedata.normalize("NFC", text)) is not None


def fnv1a(data: bytes, state: int = FNV_OFFSET) -> int:
    """32-bit FNV-1a; a hash of "ab" is the hash of "b" that starts from the state after "a"."""
    for byte in data:
        state = ((state ^ byte) * FNV_PRIME) & 0xFFFFFFFF
    return state


@lru_cache(maxsize=65_536)
def _hash_word(word: str) -> int:
    return fnv1a(word.encode())


@lru_cache(maxsize=65_536)
def _hash_pair(first: str, second: str) -> int:
    return fnv1a(b"_" + second.encode(), _hash_word(first))


def _features(words: list[str]) -> Iterator[tuple[int, float]]:
    """Hash and weight of every word (1) and of every pair of neighbours (0.5)."""
    for word in words:
        yield _hash_word(word), 1.0
    for first, second in zip(words, words[1:], strict=False):
        yield _hash_pair(first, second), 0.5


def hash_text(text: str) -> Vector | None:
    """Return the unit vector (256 values); None for a text without a word."""
    sums = [0.0] * DIMENSIONS
    for feature, weight in _features(split_words(text)):
        sums[feature % DIMENSIONS] += -weight if feature & 0x80000000 else weight
    vector = np.array(sums)
    norm = np.linalg.norm(vector)
    # Features can cancel each other out completely.
    return (vector / norm).astype(np.float32) if norm > 0 else None
