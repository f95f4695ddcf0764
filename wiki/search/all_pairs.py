"""All pairs of pages whose vectors are near each other, exactly, in blocks that keep the memory
small."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db.models import BinaryField, Func, QuerySet
from numpy.typing import NDArray

from embeddings.vectors import DIMENSIONS
from wiki.models import Page
from wiki.search.thresholds import ROUNDING

# 256 rows against 20,000 are 20 MB.
BLOCK = 256
# What pgvector sends before the numbers says how many they are.
HEADER = 4

Vectors = NDArray[np.float32]


class NearPair(NamedTuple):
    first: int
    second: int
    similarity: float


@dataclass(frozen=True)
class NearPairs:
    """Pairs of page ids from a similarity on, nearest first, and how many there are beside those
    that are listed."""

    pairs: list[NearPair]
    total: int


def read_vectors(pages: QuerySet[Any]) -> tuple[list[int], Vectors]:
    """Ids and vectors of pages, or of rows of PageVector, by id. In binary: parsing numbers takes
    longer than comparing them."""
    packed = Func("embedding", function="vector_send", output_field=BinaryField())
    rows = list(pages.order_by("pk").annotate(packed=packed).values_list("pk", "packed"))
    numbers = np.frombuffer(b"".join(bytes(vector)[HEADER:] for _, vector in rows), dtype=">f4")
    return [page_id for page_id, _ in rows], numbers.astype(np.float32).reshape(-1, DIMENSIONS)


def similarity_of(first: Page, second: Page) -> float | None:
    """The cosine of two pages; None unless one model made both vectors."""
    if not first.embed_model or first.embed_model != second.embed_model:
        return None
    return float(min(np.dot(np.asarray(first.embedding), np.asarray(second.embedding)), 1.0))


def find_pairs_of(
    ids: list[int], vectors: Vectors, chosen: set[int], threshold: float, limit: int
) -> NearPairs:
    """The nearest `limit` pairs of which at least one page is among the chosen."""
    rows = np.flatnonzero(np.isin(np.asarray(ids), list(chosen)))
    best, total = _Found.nothing(), 0
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        similarities = vectors[block] @ vectors.T
        firsts, seconds = np.nonzero(similarities >= threshold - ROUNDING)
        found = _Found(similarities[firsts, seconds], block[firsts], seconds)
        # Two chosen pages meet twice, and every page meets itself.
        is_first = (found.firsts < found.seconds) | ~np.isin(found.seconds, rows)
        kept = is_first & (found.firsts != found.seconds)
        found = _Found(found.similarities[kept], found.firsts[kept], found.seconds[kept])
        total += len(found.similarities)
        best = best.join(found.nearest(limit)).nearest(limit)
    return NearPairs(_listed(ids, best), total)


def find_near_pairs(ids: list[int], vectors: Vectors, threshold: float, limit: int) -> NearPairs:
    """The nearest `limit` pairs of pages at least this similar."""
    best, total = _Found.nothing(), 0
    for start in range(0, len(ids), BLOCK):
        found = _compare_block(vectors, start, threshold - ROUNDING)
        total += len(found.similarities)
        best = best.join(found.nearest(limit)).nearest(limit)
    return NearPairs(_listed(ids, best), total)


def _listed(ids: list[int], found: "_Found") -> list[NearPair]:
    """As pairs of page ids, the smaller first, nearest first."""
    pairs = [
        NearPair(min(ids[first], ids[second]), max(ids[first], ids[second]), min(similarity, 1.0))
        for similarity, first, second in zip(*(part.tolist() for part in found), strict=True)
    ]
    return sorted(pairs, key=lambda pair: (-pair.similarity, pair))


class _Found(NamedTuple):
    similarities: Vectors
    firsts: NDArray[np.int64]
    seconds: NDArray[np.int64]

    @classmethod
    def nothing(cls) -> "_Found":
        return cls(np.empty(0, np.float32), np.empty(0, np.int64), np.empty(0, np.int64))

    def join(self, other: "_Found") -> "_Found":
        return _Found(
            np.concatenate([self.similarities, other.similarities]),
            np.concatenate([self.firsts, other.firsts]),
            np.concatenate([self.seconds, other.seconds]),
        )

    def nearest(self, limit: int) -> "_Found":
        if len(self.similarities) <= limit:
            return self
        kept = np.argpartition(-self.similarities, limit)[:limit]
        return _Found(self.similarities[kept], self.firsts[kept], self.seconds[kept])


def _compare_block(vectors: Vectors, start: int, threshold: float) -> _Found:
    """The block's pages with themselves and with all that come later; each pair once."""
    similarities = vectors[start : start + BLOCK] @ vectors[start:].T
    firsts, seconds = np.nonzero(np.triu(similarities >= threshold, k=1))
    return _Found(similarities[firsts, seconds], firsts + start, seconds + start)
