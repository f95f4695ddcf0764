"""Recall: the nearest pages for a query, by meaning, by words, or by both."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypedDict, cast

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVectorField
from django.db.models import F, FloatField, Func, QuerySet, Value
from django.db.models.functions import Cast
from pgvector.django import CosineDistance

from embeddings.client import EmbeddingError, active_fingerprint, active_provider, embed_query
from embeddings.text import query_text
from embeddings.vectors import Vector
from wiki.excerpts import BODY_WINDOW, cut_around, excerpt, find_match, plain_text
from wiki.models import Insight, Link, Page, PageQuerySet, Standing, Wiki
from wiki.reembedding import note_provider_answers
from wiki.similarity import NOTHING_IN_COMMON
from wiki.standing import attach_successors

LIMIT = 5
MAX_LIMIT = 50
INDEX_RECENT = 500


class Mode(StrEnum):
    VECTOR = "vector"
    KEYWORD = "keyword"
    HYBRID = "hybrid"


class IndexExtent(StrEnum):
    RECENT = "recent"
    ALL = "all"
    NONE = "none"


class IndexRow(TypedDict):
    slug: str
    title: str
    type: str


@dataclass
class Hit:
    """A recalled page. `similarity` is the cosine, None where only words matched; `found_by` says how it was found."""

    page: Page
    similarity: float | None
    found_by: list[str]
    # Of the words alone, comparable within one recall.
    rank: float = 0.0
    excerpt: str = ""
    body: str = ""
    truncated: bool = False
    links: list[dict[str, str | None]] = field(default_factory=list)


@dataclass
class Recall:
    mode: Mode
    model: str
    hits: list[Hit]
    stale: int
    degraded: bool = False
    reason: str = ""
    below_minimum: int = 0
    # Insights that wait to be filed and say one of the query's words.
    pending: list[Insight] = field(default_factory=list)
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


def recall(
    wiki: Wiki, query: str, *, limit: int = LIMIT, mode: Mode = Mode.VECTOR, min_similarity: float | None = None
) -> Recall:
    """The nearest live pages of one wiki, best first, without a minimum similarity unless one is asked for (S10).
    Those of them that are marked as outdated or replaced come after the others.

    Vectors are compared with pages of the active model alone (S13); keyword search also finds stale pages. When the
    provider is away, words answer instead and the recall says so.
    """
    query = query_text(query)
    found = _look_for(Page.objects.filter(wiki=wiki), query, limit, mode, min_similarity)
    found.hits = holding_first(found.hits[:limit])
    _quote(found.hits, query)
    found.pending = _find_pending(wiki, query, limit)
    return found


def recall_for_people(pages: PageQuerySet, worded: PageQuerySet, query: str, limit: int) -> Recall:
    """By meaning, and among `worded` by words, without pages in which a reader would see nothing of the query.

    The pages may be of several wikis: similarities are comparable, since all are embedded by one model. The hits come
    without excerpts.
    """
    found = _look_for(pages, query_text(query), limit, Mode.HYBRID, NOTHING_IN_COMMON, worded)
    if active_provider() == "builtin":
        # It sees words, not meaning: what no word finds is near by chance alone.
        found.hits = [replace(hit, found_by=[Mode.KEYWORD]) for hit in found.hits if Mode.KEYWORD in hit.found_by]
    found.hits = holding_first(found.hits[:limit])
    return found


def _look_for(
    pages: PageQuerySet,
    query: str,
    limit: int,
    mode: Mode,
    min_similarity: float | None,
    worded_pages: PageQuerySet | None = None,
) -> Recall:
    fingerprint = active_fingerprint()
    found = Recall(mode, fingerprint, [], pages.stale(fingerprint).count())
    near = _find_near(pages, query, limit, found) if mode != Mode.KEYWORD else []
    if min_similarity is not None:
        kept = [hit for hit in near if (hit.similarity or 0) >= min_similarity - ROUNDING]
        found.below_minimum, near = len(near) - len(kept), kept
    among = pages if worded_pages is None else worded_pages
    worded = _find_worded(among, query, limit) if mode != Mode.VECTOR or found.degraded else []
    found.hits = _fuse(near, worded) if mode == Mode.HYBRID else near or worded
    return found


def holding_first(hits: Sequence[Hit]) -> list[Hit]:
    """Which pages are the nearest is not changed by a mark: what was known and holds no longer is worth knowing too."""
    return sorted(hits, key=lambda hit: hit.page.standing != Standing.HOLDS)


def page_index(wiki: Wiki, extent: IndexExtent) -> tuple[list[IndexRow], int]:
    """The wiki's index (slug, title, type), independent of the embedding, and how many pages there are in all."""
    pages = Page.objects.live().filter(wiki=wiki)
    total = pages.count()
    if extent == IndexExtent.NONE:
        return [], total
    ordered = pages.order_by("title", "id") if extent == IndexExtent.ALL else pages.order_by("-updated_at", "-id")
    shown = total if extent == IndexExtent.ALL else INDEX_RECENT
    return cast(list[IndexRow], list(ordered.values("slug", "title", "type")[:shown])), total


# Stored vectors are 32-bit: a cosine of exactly 0.80 may come back as 0.7999999.
ROUNDING = 1e-6

# How many of each list are weighed against each other in a hybrid recall.
_POOL = 50


def nearest_pages(pages: QuerySet[Page], vector: Vector, limit: int) -> list[Hit]:
    """Exact cosine search among pages of the active model, nearest first."""
    rows = by_distance(pages, vector).defer("embedding", "search")
    return [Hit(page, 1.0 - page.distance, [Mode.VECTOR.value]) for page in rows[:limit]]


def by_distance(pages: QuerySet[Page], vector: Vector) -> QuerySet[Any]:
    """Each with its `distance`."""
    # "+ 0" keeps an approximate index out: with a WHERE it would silently return fewer and other rows.
    distance = CosineDistance("embedding", vector) + Value(0.0)
    return pages.annotate(distance=Cast(distance, FloatField())).order_by("distance", "id")


def neighbours(page: Page, limit: int = LIMIT) -> list[Hit]:
    """The pages of the same wiki nearest to a page; none while the page has no vector of the active model."""
    fingerprint = active_fingerprint()
    if page.is_trashed or page.embed_model != fingerprint or page.embedding is None:
        return []
    others = Page.objects.comparable(fingerprint).filter(wiki=page.wiki_id).exclude(pk=page.pk)
    return nearest_pages(others, page.embedding, limit)


def _find_near(pages: PageQuerySet, query: str, limit: int, found: Recall) -> list[Hit]:
    try:
        vector = embed_query(query)
    except EmbeddingError as error:
        found.degraded, found.reason = True, f"Words only: {error}"
        return []
    if found.stale:
        note_provider_answers()
    if vector is None:
        found.reason = "There is no word in the query, so no page is near it."
        return []
    comparable = pages.comparable(found.model)
    return nearest_pages(comparable, vector, limit if found.mode == Mode.VECTOR else max(limit, _POOL))


class AnyWordQuery(SearchQuery):
    """A tsquery by the SQL function `covey_search_query`: any word of the query may match."""

    SEARCH_TYPES = {**SearchQuery.SEARCH_TYPES, "any": "covey_search_query"}

    def __init__(self, query: str) -> None:
        super().__init__(query, search_type="any")


def _find_worded(pages: PageQuerySet, query: str, limit: int) -> list[Hit]:
    words = AnyWordQuery(query)
    rank = SearchRank(F("search"), words, normalization=Value(1), weights=[0.2, 0.3, 0.6, 1.0])
    rows = pages.live().filter(search=words).annotate(rank=rank).defer("embedding", "search").order_by("-rank", "id")
    return [Hit(page, None, [Mode.KEYWORD.value], page.rank) for page in rows[: max(limit, _POOL)]]


def _find_pending(wiki: Wiki, query: str, limit: int) -> list[Insight]:
    """Insights that are not on a page yet; words find them meanwhile."""
    text = Func(F("title"), F("tags"), F("text"), function="covey_search_vector", output_field=SearchVectorField())
    waiting = Insight.objects.pending().filter(wiki=wiki).annotate(search=text)
    return list(waiting.filter(search=AnyWordQuery(query)).select_related("agent").order_by("-id")[:limit])


# How much of a hybrid recall the words decide; the best of 0.3 to 0.7 on the queries of benchmarks/fusion.py.
_WORDS_SHARE = 0.4


def _fuse(near: Sequence[Hit], worded: Sequence[Hit]) -> list[Hit]:
    """Both lists as one, by a convex combination of similarity and word rank (Bruch, Gai and Ingber 2023).

    Each part goes up to 1. The similarity counts from the farthest of the pool on, since every model has its own idea
    of how similar unrelated texts are; the word rank counts in relation to the best.
    """
    floor = max(0.0, min((hit.similarity or 0.0 for hit in near), default=0.0))
    best = max((hit.rank for hit in worded), default=0.0) or 1.0
    hits: dict[int, Hit] = {}
    weights: dict[int, float] = {}
    for hit in [*near, *worded]:
        known = hits.setdefault(hit.page.pk, hit)
        known.found_by = list(dict.fromkeys([*known.found_by, *hit.found_by]))
        meaning = (hit.similarity - floor) / (1 - floor) if hit.similarity is not None and floor < 1 else 0.0
        share = (1 - _WORDS_SHARE) * max(0.0, meaning) + _WORDS_SHARE * hit.rank / best
        weights[hit.page.pk] = weights.get(hit.page.pk, 0.0) + share
    return sorted(hits.values(), key=lambda hit: (-weights[hit.page.pk], hit.page.pk))


def _quote(hits: Sequence[Hit], query: str) -> None:
    pages = [hit.page for hit in hits]
    links = _links_of(pages)
    attach_successors(pages)
    for hit in hits:
        body = hit.page.body
        hit.excerpt = excerpt(plain_text(body), query)
        hit.body = cut_around(body, find_match(body, query), BODY_WINDOW) if len(body) > BODY_WINDOW else body
        hit.truncated = len(body) > BODY_WINDOW
        hit.links = links.get(hit.page.pk, [])


def _links_of(pages: Sequence[Page]) -> dict[int, list[dict[str, str | None]]]:
    rows = Link.objects.filter(from_page__in=[page.pk for page in pages]).values_list(
        "from_page", "target_text", "resolved_page__slug", "resolved_page__title"
    )
    links: dict[int, list[dict[str, str | None]]] = {}
    for page_id, text, slug, title in rows:
        links.setdefault(page_id, []).append({"title": title or text, "slug": slug})
    return links
