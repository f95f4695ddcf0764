"""Hybrid recall: the list by meaning and the list by words as one."""

from collections.abc import Sequence

from embeddings.vectors import Vector
from wiki.models import Centre, PageVector, PageWords
from wiki.search.all_pairs import read_vectors
from wiki.search.centring import compare_centred
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
    near: Sequence[Hit],
    worded: Sequence[Hit],
    words: WordQuery,
    vector: Vector | None,
    model: str,
    centre: Centre | None,
) -> None:
    """Fill in what the other way says: the similarity of what words found, and the rank of what
    meaning found; with a centre also the centred similarities."""
    ranks = {hit.page.pk: hit.rank for hit in worded}
    if rest := {hit.page.pk for hit in near} - ranks.keys():
        said = PageWords.objects.filter(page__in=rest, lexemes=words.is_hit)
        ranks |= dict(said.values_list("page", words.rank()))
    for hit in near:
        hit.rank = ranks.get(hit.page.pk, 0.0)
    if vector is None:
        return
    hits = [*near, *worded]
    pages = {hit.page.pk for hit in hits}
    ids, vectors = read_vectors(PageVector.objects.filter(page__in=pages, embed_model=model))
    cosines = dict(zip(ids, (vectors @ vector).tolist(), strict=True))
    centred = compare_centred(centre, vector, vectors) if centre else None
    without = {} if centred is None else dict(zip(ids, centred.tolist(), strict=True))
    for hit in hits:
        if hit.similarity is None:
            hit.similarity = cosines.get(hit.page.pk)
        # A question that the page has is as near as it is.
        if not hit.asked_as:
            hit.centred = without.get(hit.page.pk)


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
    floor = max(0.0, min(map(_nearness, near), default=0.0))
    best = max((hit.rank for hit in hits.values()), default=0.0) or 1.0

    def weight(hit: Hit) -> float:
        above = _nearness(hit) - floor
        meaning = max(0.0, above / (1 - floor)) if floor < 1 else 0.0
        return (1 - words_share) * meaning + words_share * hit.rank / best

    return sorted(hits.values(), key=lambda hit: (-weight(hit), hit.page.pk))


def _nearness(hit: Hit) -> float:
    return (hit.similarity or 0.0) if hit.centred is None else hit.centred
