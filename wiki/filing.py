"""Where an insight goes: decided under the wiki's lock, from what was embedded before the lock was taken."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeVar

from django.conf import settings
from django.db import transaction

from embeddings.client import active_fingerprint
from embeddings.text import Document
from wiki.authors import Author
from wiki.editing import append_locked, insert_page, join_paragraphs, lock_page
from wiki.indexing import Embedded, embed_page, embed_text, embed_texts
from wiki.insight_blocks import insight_block
from wiki.locks import lock_wiki
from wiki.models import Agent, ApiToken, Outcome, Page, RevisionKind, Wiki
from wiki.noise import is_noise
from wiki.page_fields import MAX_BODY_BYTES, InvalidPage, PageFields
from wiki.recall import ROUNDING, Hit, nearest_pages
from wiki.slugs import title_key
from wiki.text import hash_page_text, stands_in

logger = logging.getLogger(__name__)
T = TypeVar("T")

CANDIDATES = 5
# How many pages that have all words of an insight are read for its text.
WORDED = 20
# How often a filing is planned anew because somebody else changed the page that it belongs to. Each time at least one
# of those who meet there is done, so this many can hand in to one page at the same moment.
ATTEMPTS = 50


@dataclass(frozen=True)
class Matter:
    """What is to be filed: onto the `named` page, else where it belongs, else as a page of these `fields`."""

    wiki: Wiki
    agent: Agent
    text: str
    title: str
    source: str
    day: date
    fields: PageFields
    named: Page | None = None
    token: ApiToken | None = None

    @property
    def author(self) -> Author:
        return Author.of_agent(self.agent, self.token)

    def said_on(self, page: Page) -> str:
        """The text as it is added to a page. A title of its own says what the text is about and goes with it."""
        if not self.title or title_key(self.title) == page.title_key:
            return self.text
        return f"**{self.title}**\n\n{self.text}"

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
    for attempt in range(ATTEMPTS):
        plan = _grow(_Plan(matter, insight, new_page, is_last=attempt == ATTEMPTS - 1))
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
    """Everything a filing needs that may ask the provider, made before the wiki is locked."""

    matter: Matter
    insight: Embedded | None
    new_page: Embedded | None
    is_last: bool
    grown: Embedded | None = None


def _grow(plan: _Plan) -> _Plan:
    """Embeds the page that the insight would be appended to as it will read then.

    A page that got its addition without its vector would be invisible to the next insight, which would make a twin.
    """
    home = None if plan.matter.named else _home(plan, _nearest(plan))
    target = home.page if home else plan.matter.named
    if target is None:
        return plan
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
    if known := next((hit for hit in _may_know(matter, near) if _is_known(matter, hit.page)), None):
        return Filing(Outcome.KNOWN, known.page, known.similarity, _candidates(near, known.page))
    if plan.insight is None:
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


def _may_know(matter: Matter, near: Sequence[Hit]) -> Iterator[Hit]:
    """The pages that may say the text already: the nearest, and those that have all its words.

    A long page is far from each of its sentences, and a stale one is near to nothing.
    """
    yield from near
    pages = Page.objects.live().filter(wiki=matter.wiki).exclude(pk__in=[hit.page.pk for hit in near])
    for page in pages.with_all_words(matter.text)[:WORDED]:
        yield Hit(page, None, [])


def _is_known(matter: Matter, page: Page) -> bool:
    return stands_in(matter.said_on(page), page.body)


def _home(plan: _Plan, near: Sequence[Hit]) -> Hit | None:
    """The nearest page that the insight belongs to and that has room for it."""
    return next((hit for hit in near if _belongs(hit) and _has_room(plan.matter, hit.page)), None)


def _has_room(matter: Matter, page: Page) -> bool:
    return len(join_paragraphs(page.body, matter.draw(page)).encode()) <= MAX_BODY_BYTES


def _append(plan: _Plan, hit: Hit, near: Sequence[Hit]) -> Filing:
    matter, page = plan.matter, lock_page(hit.page)
    if _is_known(matter, page):
        return Filing(Outcome.KNOWN, page, hit.similarity, _candidates(near, page))
    if page.is_protected:
        # It waits for people, with the page that it belongs to (suggestions.py).
        return Filing(Outcome.PENDING, page, hit.similarity, _candidates(near, page))
    drawn = matter.draw(page)
    grown_hash = hash_page_text(page.title, join_paragraphs(page.body, drawn))
    if not plan.is_last and (plan.grown is None or plan.grown.text_hash != grown_hash):
        raise _Outdated
    kind = RevisionKind.INSIGHT
    append_locked(page, matter.said_on(page), drawn, plan.grown, matter.author, kind, matter.source)
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
