"""Recall: the nearest pages for a query, by meaning, by words, or by both."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TypedDict, cast

from django.conf import settings

from embeddings.client import EmbeddingError, active_fingerprint, active_provider, embed_query
from embeddings.text import query_text
from embeddings.vectors import Vector
from wiki.indexing.counts import recall_counts
from wiki.indexing.reindex import note_provider_answers
from wiki.models import (
    Agent,
    AskedAs,
    AskedAsQuerySet,
    Insight,
    Page,
    PageQuerySet,
    Standing,
    Wiki,
)
from wiki.pages.page_templates import template_keys
from wiki.pages.status import attach_successors
from wiki.search.centring import find_centre
from wiki.search.fusion import POOL, complete, fuse, words_share
from wiki.search.hit import Hit, Mode
from wiki.search.question_search import (
    Asked,
    may_be_asked,
    nearest_questions,
    noting_questions,
    worded_questions,
)
from wiki.search.thresholds import NOTHING_IN_COMMON, ROUNDING
from wiki.search.vector_search import nearest_in_wiki, nearest_pages
from wiki.search.word_search import WordQuery, ask_words
from wiki.text.terms import count_terms, is_stop

LIMIT = 5
MAX_LIMIT = 50
INDEX_RECENT = 500
# Insights that are read for the words of a query while they wait for the provider.
MAX_PENDING = 200


def default_mode() -> Mode:
    return Mode(settings.COVEY_RECALL_MODE)


class IndexExtent(StrEnum):
    RECENT = "recent"
    ALL = "all"
    NONE = "none"


class IndexRow(TypedDict):
    slug: str
    title: str
    type: str


@dataclass
class Recall:
    mode: Mode
    model: str
    hits: list[Hit]
    stale: int
    # Live pages of the wiki; not counted for people.
    total: int = 0
    degraded: bool = False
    reason: str = ""
    below_minimum: int = 0
    # Insights that wait to be filed and say one of the query's words.
    pending: list[Insight] = field(default_factory=list)
    # Of the query; None for a query without a word, in keyword mode, and while degraded.
    vector: Vector | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True)
class RecallRequest:
    """`agent` and `task` are for the log and change nothing in the result."""

    wiki: Wiki
    query: str
    limit: int = LIMIT
    mode: Mode = field(default_factory=default_mode)
    min_similarity: float | None = None
    agent: Agent | None = None
    task: str = ""

    @cached_property
    def text(self) -> str:
        """The query as it is looked for."""
        return query_text(self.query)


def retrieve(request: RecallRequest, asked: AskedAsQuerySet | None = None) -> Recall:
    """The nearest live pages of one wiki, best first, without a minimum similarity unless one is
    asked for. Those of them that are marked as outdated or replaced come after the others.

    Vectors are compared with pages of the active model alone; keyword search also finds stale
    pages. When the provider is away, words answer instead and the recall says so. `asked` are the
    questions that pages are found by besides their texts, all unless told.
    """
    wiki = request.wiki
    counts = recall_counts(wiki)
    found = Recall(request.mode, active_fingerprint(), [], counts.stale, counts.pages)
    pages = Page.objects.filter(wiki=wiki)
    scope = (
        _Scope([wiki.pk], pages, AskedAs.objects.all(), wiki)
        if asked is None
        else _Scope([wiki.pk], pages, asked)
    )
    _look_for(found, scope, request.text, request.limit, request.min_similarity)
    if any(_is_template(hit) for hit in found.hits):
        # Rare, and nothing to know: once more with room for those behind them.
        room = request.limit + len(template_keys())
        _look_for(found, scope, request.text, room, request.min_similarity)
        found.hits = [hit for hit in found.hits if not _is_template(hit)]
    found.hits = holding_first(found.hits[: request.limit])
    attach_successors([hit.page for hit in found.hits])
    if counts.has_pending:
        found.pending = _find_pending(wiki, request.text, request.limit)
    return found


def _is_template(hit: Hit) -> bool:
    return hit.page.title_key in template_keys()


def recall_for_people(wikis: Sequence[int], pages: PageQuerySet, query: str, limit: int) -> Recall:
    """By meaning and by words among these pages of the wikis, without pages in which a reader would
    see nothing of the query.

    Similarities are comparable across wikis, since all are embedded by one model. The hits come
    without excerpts.
    """
    fingerprint = active_fingerprint()
    found = Recall(Mode.HYBRID, fingerprint, [], pages.stale(fingerprint).count())
    _look_for(
        found,
        _Scope(wikis, pages, AskedAs.objects.all()),
        query_text(query),
        limit,
        NOTHING_IN_COMMON,
    )
    if active_provider() == "builtin":
        # It sees words, not meaning: what no word finds is near by chance alone.
        found.hits = [
            replace(hit, found_by=[Mode.KEYWORD])
            for hit in found.hits
            if Mode.KEYWORD in hit.found_by
        ]
    found.hits = holding_first(found.hits[:limit])
    return found


def find_worded(
    wikis: Sequence[int], pages: PageQuerySet, query: str, limit: int, *, is_growing: bool = False
) -> list[Hit]:
    """By words alone, among these pages of the wikis; the last word may still be growing."""
    scope = _Scope(wikis, pages, AskedAs.objects.all())
    return _find_worded(scope, ask_words(wikis, query, is_growing=is_growing), limit)


def find_by_words(wiki: Wiki, text: str, vector: Vector | None, limit: int) -> list[Hit]:
    """The best pages of a wiki by the words of their texts, each with its similarity if it has a
    vector of the active model."""
    words = ask_words([wiki.pk], text)
    scope = _Scope([wiki.pk], Page.objects.filter(wiki=wiki), AskedAs.objects.none())
    hits = _find_worded(scope, words, limit)
    complete([], hits, words, vector, active_fingerprint(), None)
    return hits


@dataclass(frozen=True)
class _Scope:
    """Pages to search, and the questions kept with them. With a `wiki` these are all of it."""

    wikis: Sequence[int]
    pages: PageQuerySet
    asked: AskedAsQuerySet
    wiki: Wiki | None = None

    def nearest(self, vector: Vector, model: str, limit: int) -> list[Hit]:
        if self.wiki:
            return nearest_in_wiki(self.wiki, vector, limit)
        return nearest_pages(
            noting_questions(self.pages.comparable(model), self.asked), vector, limit
        )


def _look_for(
    found: Recall, scope: _Scope, query: str, limit: int, min_similarity: float | None
) -> None:
    near = _find_near(scope, query, limit, found) if found.mode != Mode.KEYWORD else []
    if min_similarity is not None:
        kept = [hit for hit in near if (hit.similarity or 0) >= min_similarity - ROUNDING]
        found.below_minimum, near = len(near) - len(kept), kept
    worded, words = [], None
    if found.mode != Mode.VECTOR or found.degraded:
        words = ask_words(scope.wikis, query)
        worded = _find_worded(scope, words, max(limit, POOL))
    if found.mode == Mode.HYBRID and words is not None:
        centre = find_centre(scope.wikis, found.model)
        complete(near, worded, words, found.vector, found.model, centre)
        found.hits = fuse(near, worded, words_share=words_share(active_provider()))
    else:
        found.hits = near or worded


def holding_first(hits: Sequence[Hit]) -> list[Hit]:
    """Outdated and replaced pages come last, and are not left out: they are worth knowing too."""
    holding = [hit for hit in hits if hit.page.standing == Standing.HOLDS]
    if len(holding) == len(hits):
        return holding
    return holding + [hit for hit in hits if hit.page.standing != Standing.HOLDS]


def page_index(wiki: Wiki, extent: IndexExtent) -> list[IndexRow]:
    """The wiki's index (slug, title, type), independent of the embedding."""
    if extent == IndexExtent.NONE:
        return []
    pages = Page.objects.live().filter(wiki=wiki).values("slug", "title", "type")
    rows = (
        pages.order_by("title", "id")
        if extent == IndexExtent.ALL
        else pages.order_by("-updated_at", "-id")
    )
    return cast(list[IndexRow], list(rows if extent == IndexExtent.ALL else rows[:INDEX_RECENT]))


def neighbours(page: Page, limit: int = LIMIT, least: float = -1.0) -> list[Hit]:
    """The pages of the same wiki nearest to a page, from a similarity of `least` on; none while the
    page has no vector of the active model."""
    fingerprint = active_fingerprint()
    if page.is_trashed or page.embed_model != fingerprint or page.embedding is None:
        return []
    others = Page.objects.comparable(fingerprint).filter(wiki=page.wiki_id).exclude(pk=page.pk)
    return [
        hit
        for hit in nearest_pages(others, page.embedding, limit)
        if (hit.similarity or 0.0) >= least
    ]


def _find_near(scope: _Scope, query: str, limit: int, found: Recall) -> list[Hit]:
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
    found.vector = vector
    most = limit if found.mode == Mode.VECTOR else max(limit, POOL)
    hits = scope.nearest(vector, found.model, most)
    if not may_be_asked([hit.page for hit in hits]):
        return hits
    comparable = scope.pages.comparable(found.model)
    questions = nearest_questions(comparable, vector, found.model, most, scope.asked)
    for hit in _hits_of(comparable, hits, questions):
        question = questions[hit.page.pk]
        if hit.similarity is None or question.weight > hit.similarity + ROUNDING:
            hit.similarity, hit.asked_as = question.weight, question.text
            hit.found_by = [Mode.VECTOR.value]
    return sorted(hits, key=lambda hit: (-(hit.similarity or 0), hit.page.pk))[:most]


def _hits_of(pages: PageQuerySet, hits: list[Hit], questions: dict[int, Asked]) -> list[Hit]:
    """The hits that have one of the questions; pages that are none yet are put among the hits."""
    known = {hit.page.pk for hit in hits}
    if missing := questions.keys() - known:
        hits += [Hit(page, None, []) for page in pages.filter(pk__in=missing).defer("embedding")]
    return [hit for hit in hits if hit.page.pk in questions]


def _find_worded(scope: _Scope, words: WordQuery, most: int) -> list[Hit]:
    """Those whose text says a word of the query, and those that are asked with one."""
    noting = noting_questions(scope.pages.live(), scope.asked).defer("embedding")
    said = noting.filter(words__lexemes=words.is_hit)
    rows = list(said.annotate(rank=words.rank("words__weights")).order_by("-rank", "id")[:most])
    hits = [Hit(page, None, [Mode.KEYWORD.value], rank=page.rank) for page in rows]
    questions = (
        worded_questions(scope.pages, words, most, scope.asked) if may_be_asked(rows) else {}
    )
    for hit in _hits_of(scope.pages.live(), hits, questions):
        question = questions[hit.page.pk]
        if question.weight > hit.rank:
            hit.rank, hit.asked_as = question.weight, question.text
            hit.found_by = [Mode.KEYWORD.value]
    return sorted(hits, key=lambda hit: (-hit.rank, hit.page.pk))[:most]


def _find_pending(wiki: Wiki, query: str, limit: int) -> list[Insight]:
    """The latest insights that are not on a page yet and have a telling term of the query."""
    asked = {term for term in count_terms(query)[0] if not is_stop(term)}
    waiting = Insight.objects.pending().filter(wiki=wiki).select_related("agent").order_by("-id")
    found = []
    for insight in waiting[:MAX_PENDING]:
        text = " ".join([insight.title, *insight.tags, insight.text])
        if not asked.isdisjoint(count_terms(text)[0]):
            found.append(insight)
        if len(found) == limit:
            break
    return found
