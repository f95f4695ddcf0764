"""The pages nearest to a vector: exact cosine search among pages of the active model."""

from functools import lru_cache
from typing import Any

import pgvector
from django.db.models import FloatField, QuerySet, Value
from django.db.models.functions import Cast
from pgvector.django import CosineDistance

from embeddings.client import active_fingerprint
from embeddings.vectors import Vector
from wiki.db.prepared_queries import Prepared, Slot
from wiki.models import AskedAs, Page, PageQuerySet, PageVector, Wiki
from wiki.search.hit import Hit, Mode
from wiki.search.question_search import noting_questions


def nearest_pages(pages: QuerySet[Page], vector: Vector, limit: int) -> list[Hit]:
    """Among these, nearest first."""
    return _hits(list(_by_distance(pages, vector).defer("embedding")[:limit]))


def nearest_in_wiki(wiki: Wiki, vector: Vector, limit: int) -> list[Hit]:
    """Among all of a wiki; each page knows whether any question is kept (may_be_asked)."""
    return _hits(_prepare_pages(limit).ask(**_filling(wiki, vector)))


def nearest_fields(wiki: Wiki, vector: Vector, limit: int, *fields: str) -> list[tuple[Any, ...]]:
    """Of the nearest of a wiki these fields alone."""
    rows = _prepare_rows(limit, fields).ask(**_filling(wiki, vector))
    return [row[: len(fields)] for row in rows]


def _by_distance(pages: QuerySet[Any], vector: Vector | Slot) -> Any:
    """Each with its `distance`."""
    # "+ 0" keeps an approximate index out: with a WHERE it would silently return fewer and other
    # rows.
    distance = CosineDistance("embedding", vector) + Value(0.0)
    return pages.annotate(distance=Cast(distance, FloatField())).order_by("distance", "pk")


def _nearest(limit: int) -> PageQuerySet:
    near = PageVector.objects.filter(wiki=Slot("wiki"), embed_model=Slot("model"))
    nearest = _by_distance(near, Slot("vector")).values("pk")[:limit]
    pages: PageQuerySet = _by_distance(Page.objects.filter(pk__in=nearest), Slot("vector"))
    return pages


@lru_cache
def _prepare_pages(limit: int) -> Prepared[Page, Any]:
    return Prepared(
        lambda: noting_questions(_nearest(limit), AskedAs.objects.all()).defer("embedding")
    )


@lru_cache
def _prepare_rows(limit: int, fields: tuple[str, ...]) -> Prepared[Page, Any]:
    return Prepared(lambda: _nearest(limit).values_list(*fields, "distance"))


def _filling(wiki: Wiki, vector: Vector) -> dict[str, object]:
    return {
        "wiki": wiki.pk,
        "model": active_fingerprint(),
        "vector": pgvector.Vector(vector).to_text(),
    }


def _hits(pages: list[Any]) -> list[Hit]:
    return [Hit(page, 1.0 - page.distance, [Mode.VECTOR.value]) for page in pages]
