"""Search among the questions that are kept with pages: each page by its best one alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, FloatField, Value, Window
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, RowNumber
from pgvector.django import CosineDistance

from embeddings.vectors import Vector
from wiki.models import AskedAsQuerySet, Page, PageQuerySet
from wiki.search.word_search import WordQuery


@dataclass(frozen=True)
class Asked:
    """The question of a page that fits best: `weight` is its similarity or its word rank."""

    text: str
    weight: float


def noting_questions(rows: PageQuerySet, asked: AskedAsQuerySet) -> PageQuerySet:
    """The rows with `any_asked`: without any question there is no need to look."""
    return rows.annotate(any_asked=Exists(asked))


def may_be_asked(rows: Sequence[Page]) -> bool:
    """Whether it is worth a look for questions, by rows of `noting_questions`."""
    return not rows or bool(getattr(rows[0], "any_asked", True))


def nearest_questions(
    pages: PageQuerySet, vector: Vector, fingerprint: str, limit: int, asked: AskedAsQuerySet
) -> dict[int, Asked]:
    """By page, nearest first: exact search among questions of the active model."""
    questions = asked.comparable(fingerprint)
    # As in nearest_pages: "+ 0" keeps an approximate index out.
    distance = Cast(CosineDistance("embedding", vector) + Value(0.0), FloatField())
    rows = _best(questions.filter(page__in=pages), distance, limit)
    return {page_id: Asked(text, 1.0 - distance) for page_id, text, distance in rows}


def worded_questions(
    pages: PageQuerySet, words: WordQuery, limit: int, asked: AskedAsQuerySet
) -> dict[int, Asked]:
    """By page, best first; a question is weighed like a page of its own."""
    questions = asked.filter(page__in=pages.live(), lexemes=words.is_hit)
    return {
        page_id: Asked(text, -rank)
        for page_id, text, rank in _best(questions, Value(0.0) - words.rank(), limit)
    }


def _best(
    questions: AskedAsQuerySet, order: Combinable, limit: int
) -> list[tuple[int, str, float]]:
    """Page, text and number of each page's first question in the order."""
    place = Window(RowNumber(), partition_by=F("page"), order_by=("order", "id"))
    first = questions.annotate(order=order, of_page=place).filter(of_page=1)
    return list(first.order_by("order", "page").values_list("page", "text", "order")[:limit])
