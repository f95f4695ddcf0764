"""Hybrid recall: the list by meaning and the list by words as one."""

from collections.abc import Sequence

from django.db.models import FloatField, Value
from django.db.models.functions import Cast
from pgvector.django import CosineDistance

from embeddings.vectors import Vector
from wiki.models import PageVector, PageWords
from wiki.search.hit import Hit, Mode
from wiki.search.word_search import WordQuery

# How many of each list are weighed against each other.
POOL = 50
# How much of a hybrid recall the words decide: the best of 0.3 to 0.9 on the sets of
# benchmarks/fusion.py. The builtin embedding sees words too, only worse.
WORDS_SHARE = 0.4
WORDS_SHARE_OF_BUILTIN = 0.6


def words_share(provider: str) -> float:
    return WORDS_SHARE_OF_BUILTIN if provider == "builtin" else WORDS_SHARE


def complete(
    near: Sequence[Hit], worded: Sequence[Hit], words: WordQuery, vector: Vector | None, model: str
) -> None:
    """Fill in the similarity of what words found, and the rank of what meaning found."""
    unranked = {hit.page.pk: hit for hit in near}
    unlike = {hit.page.pk: hit for hit in worded}
    both = unranked.keys() & unlike.keys()
    for pk in both:
        unlike[pk].similarity, unranked[pk].rank = unranked[pk].similarity, unlike[pk].rank
    if rest := unranked.keys() - both:
        said = PageWords.objects.filter(page__in=rest, lexemes=words.is_hit)
        for pk, rank in said.values_list("page", words.rank()):
            unranked[pk].rank = rank
    if vector is not None and (rest := unlike.keys() - both):
        distance = Cast(CosineDistance("embedding", vector) + Value(0.0), FloatField())
        rows = PageVector.objects.filter(page__in=rest, embed_model=model)
        for pk, far in rows.values_list("page", distance):
            unlike[pk].similarity = 1.0 - far


def fuse(near: Sequence[Hit], worded: Sequence[Hit], *, words_share: float) -> list[Hit]:
    """Both lists as one, by a convex combination of similarity and word rank (Bruch, Gai and Ingber
    2023).

    Each part goes up to 1. The similarity counts from the farthest of the pool on, since every
    model has its own idea of how similar unrelated texts are; the word rank counts in relation to
    the best.
    """
    hits: dict[int, Hit] = {}
    for hit in [*near, *worded]:
        known = hits.setdefault(hit.page.pk, hit)
        known.asked_as = known.asked_as or hit.asked_as
        known.rank = max(known.rank, hit.rank)
        by_words = [Mode.KEYWORD.value] if known.rank > 0 else []
        known.found_by = list(dict.fromkeys([*known.found_by, *hit.found_by, *by_words]))
    floor = max(0.0, min((hit.similarity or 0.0 for hit in near), default=0.0))
    best = max((hit.rank for hit in hits.values()), default=0.0) or 1.0

    def weight(hit: Hit) -> float:
        above = (hit.similarity or 0.0) - floor
        meaning = max(0.0, above / (1 - floor)) if floor < 1 else 0.0
        return (1 - words_share) * meaning + words_share * hit.rank / best

    return sorted(hits.values(), key=lambda hit: (-weight(hit), hit.page.pk))
