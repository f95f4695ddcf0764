"""Where an insight goes: decided under the wiki's lock, from what was embedded before the lock was taken."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeVar

from django.conf import settings
from django.db import transaction

from embeddings.client import active_fingerprint
from embeddings.text import Document
from wiki.authors import Author
from wiki.editing import add_locked, insert_page, join_paragraphs, lock_page
from wiki.guarding import Text
from wiki.indexing import Embedded, embed_page, embed_text, embed_texts
from wiki.insight_blocks import insight_block
from wiki.knowing import Claims, said_on
from wiki.locks import lock_wiki
from wiki.models import Agent, ApiToken, Outcome, Page, PageQuerySet, RevisionKind, Wiki
from wiki.noise import is_noise
from wiki.page_fields import MAX_BODY_BYTES, InvalidPage, PageFields
from wiki.recall import ROUNDING, Hit, holding_first, nearest_pages
from wiki.standing import DoesNotHold, confirm_page
from wiki.text import hash_page_text

logger = logging.getLogger(__name__)
T = TypeVar("T")

CANDIDATES = 5
# How many pages that have all words of an insight are read for its text.
WORDED = 20
# How many sentences of a summary are looked up one by one, and how many pages are read for each.
LOOKED_UP, PAGES_EACH = 20, 5
# How often a filing is planned anew because somebody else changed the page that it belongs to. Each time at least one
# of those who meet there is done, so this many can hand in to one page at the same moment.
ATTEMPTS = 50


@dataclass(frozen=True)
class Matter:
    """What is to be filed: onto the `named` page, else where it belongs, else as a page of these `fields`.

    `is_refused`: the provider answers, but takes this text never; then it is a page of its own, found by its words.
    """

    wiki: Wiki
    agent: Agent
    text: str
    title: str
    source: str
    day: date
    fields: PageFields
    named: Page | None = None
    token: ApiToken | None = None
    is_refused: bool = False

    @property
    def author(self) -> Author:
        return Author.of_agent(self.agent, self.token)

    def said_on(self, page: Page) -> str:
        return said_on(self.title, self.text, page.title)

    def draw(self, page: Page) -> str:
        return insight_block(self.said_on(page), self.agent.name, self.day, self.source)


@dataclass
class Filing:
    outcome: Outcome
    page: Page | None = None
    similarity: float | None = None
    candidates: list[dict[str, object]] = field(default_factory=list)


def file(matter: Matter, settled: Callable[[], T | None], record: Callable[[Filing], T]) -> T:
    """Files the matter unless `settled`, asked under the wiki's lock, says that it was; `record` keeps the outcome.

    Without an answer of the provider the outcome is `pending`, unless words alone can tell. Raises InvalidPage.
    """
    insight, new_page = embed_texts(
        [Document(matter.title, matter.text), Document(matter.fields.title, matter.fields.body)]
    )
    plan = _Plan(matter, Claims(matter.title, matter.text), insight, new_page)
    for attempt in range(ATTEMPTS):
        plan = _prepare(replace(plan, is_last=attempt == ATTEMPTS - 1))
        filing = None
        try:
            with transaction.atomic():
                lock_wiki(matter.wiki.pk)
                if (answer := settled()) is None:
                    filing = _place(plan)
                    answer = record(filing)
        except _Outdated:
            continue
        if filing and filing.page and filing.outcome == Outcome.APPENDED:
            embed_page(filing.page)
        return answer
    raise AssertionError("the last attempt never counts as outdated")


class _Outdated(Exception):
    """The page that the insight belongs to is no longer the one that was embedded with it."""


@dataclass(frozen=True)
class _Plan:
    """Everything a filing needs that may ask the provider or takes long, made before the wiki is locked.

    `quoted` are the ids of pages that say a sentence of the insight and are not found by the whole.
    """

    matter: Matter
    claims: Claims
    insight: Embedded | None
    new_page: Embedded | None
    is_last: bool = False
    grown: Embedded | None = None
    quoted: Sequence[int] = ()


def _prepare(plan: _Plan) -> _Plan:
    """Compares the insight with what may say it already, and grows the page that it would be appended to."""
    if is_noise(plan.matter.title, plan.matter.text):
        return plan
    near = _nearest(plan)
    if plan.matter.named:
        return plan if _known(plan, [Hit(plan.matter.named, None, [])]) else _grow(plan, plan.matter.named)
    hits = [*_may_know(plan, near)]
    hits += (quoted := _look_up(plan, [hit.page for hit in hits]))
    plan, home = replace(plan, quoted=[hit.page.pk for hit in quoted]), _home(plan, near)
    return _grow(plan, home.page) if home and not _known(plan, hits) else plan


def _look_up(plan: _Plan, pages: Sequence[Page]) -> list[Hit]:
    """Pages for the sentences that none of the others has, until one stands nowhere."""
    read = list(pages)
    for _ in range(LOOKED_UP):
        words = plan.claims.missing_words([_text(page) for page in read])
        if not words:
            break
        others = _pages(plan.matter.wiki).exclude(pk__in=[page.pk for page in read])
        found = list(others.with_all_words(words)[:PAGES_EACH])
        if not found:
            break
        read += found
    return [Hit(page, None, []) for page in read[len(pages) :]]


def _grow(plan: _Plan, target: Page) -> _Plan:
    """Embeds the page that the insight would be appended to as it will read then.

    A page that got its addition without its vector would be invisible to the next insight, which would make a twin.
    """
    grown = embed_text(target.title, join_paragraphs(target.body, plan.matter.draw(target)))
    # With the provider away there is no better plan to wait for.
    return replace(plan, grown=grown, is_last=plan.is_last or grown is None)


def _place(plan: _Plan) -> Filing:
    matter = plan.matter
    if is_noise(matter.title, matter.text):
        return Filing(Outcome.NOISE)
    near = _nearest(plan)
    if matter.named:
        similarity = next((hit.similarity for hit in near if hit.page.pk == matter.named.pk), None)
        return _append(plan, Hit(matter.named, similarity, []), near)
    if known := _known(plan, [*_may_know(plan, near)]):
        return _confirm(plan, known, near)
    if plan.insight is None and not matter.is_refused:
        return Filing(Outcome.PENDING)
    if home := _home(plan, near):
        try:
            return _append(plan, home, near)
        except InvalidPage:
            logger.info("Page %s is full; an insight that belongs to it becomes a new page.", home.page.pk)
    page = insert_page(
        matter.wiki,
        matter.fields,
        plan.new_page,
        matter.author,
        summary=matter.source,
        kind=RevisionKind.INSIGHT,
        is_named=bool(matter.title),
    )
    return Filing(Outcome.CREATED, page, near[0].similarity if near else None, _candidates(near, page))


def _may_know(plan: _Plan, near: Sequence[Hit]) -> Iterator[Hit]:
    """The pages that may say the text already: the nearest, and those that have all its words or a sentence of it.

    A long page is far from each of its sentences, and a stale one is near to nothing.
    """
    yield from near
    pages = _pages(plan.matter.wiki).exclude(pk__in=[hit.page.pk for hit in near])
    worded = list(pages.with_all_words(plan.matter.text)[:WORDED])
    quoted = pages.filter(pk__in={*plan.quoted} - {page.pk for page in worded}) if plan.quoted else ()
    for page in [*worded, *quoted]:
        yield Hit(page, None, [])


def _known(plan: _Plan, hits: Sequence[Hit]) -> list[Hit]:
    """Those of the pages that say all of it together, best of all one that holds; none if they do not."""
    hits = holding_first(hits)
    return [hits[number] for number in plan.claims.find_homes([_text(hit.page) for hit in hits])]


def _confirm(plan: _Plan, known: Sequence[Hit], near: Sequence[Hit]) -> Filing:
    """Who says once more what a page says confirms it; a mark against the page stays."""
    for hit in known:
        with suppress(DoesNotHold):
            confirm_page(hit.page, author=plan.matter.author)
    page = known[0].page
    return Filing(Outcome.KNOWN, page, known[0].similarity, _candidates(near, page))


def _text(page: Page) -> Text:
    return Text(page.title, page.body)


def _pages(wiki: Wiki) -> PageQuerySet:
    return Page.objects.live().filter(wiki=wiki).defer("embedding", "search")


def _home(plan: _Plan, near: Sequence[Hit]) -> Hit | None:
    """The nearest page that the insight belongs to and that has room for it."""
    return next((hit for hit in near if _belongs(hit) and _has_room(plan.matter, hit.page)), None)


def _has_room(matter: Matter, page: Page) -> bool:
    return len(join_paragraphs(page.body, matter.draw(page)).encode()) <= MAX_BODY_BYTES


def _append(plan: _Plan, hit: Hit, near: Sequence[Hit]) -> Filing:
    matter, page = plan.matter, lock_page(hit.page)
    if known := _known(plan, [replace(hit, page=page)]):
        return _confirm(plan, known, near)
    if page.is_protected:
        # It waits for people, with the page that it belongs to (suggestions.py).
        return Filing(Outcome.PENDING, page, hit.similarity, _candidates(near, page))
    drawn = matter.draw(page)
    grown_hash = hash_page_text(page.title, join_paragraphs(page.body, drawn))
    if not plan.is_last and (plan.grown is None or plan.grown.text_hash != grown_hash):
        raise _Outdated
    add_locked(page, drawn, plan.grown, matter.author, RevisionKind.INSIGHT, matter.source)
    return Filing(Outcome.APPENDED, page, hit.similarity, _candidates(near, page))


def _belongs(hit: Hit) -> bool:
    """S11: an insight belongs to a page from this similarity on."""
    return (hit.similarity or 0) >= settings.COVEY_APPEND_THRESHOLD - ROUNDING


def _candidates(near: Sequence[Hit], page: Page) -> list[dict[str, object]]:
    """The next nearest pages, so that the agent can correct a filing."""
    others = [hit for hit in near if hit.page.pk != page.pk][:CANDIDATES]
    return [{"slug": hit.page.slug, "title": hit.page.title, "similarity": hit.similarity} for hit in others]


def _nearest(plan: _Plan) -> list[Hit]:
    if plan.insight is None or plan.insight.vector is None:
        return []
    pages = Page.objects.comparable(active_fingerprint()).filter(wiki=plan.matter.wiki)
    return nearest_pages(pages, plan.insight.vector, CANDIDATES + 1)
