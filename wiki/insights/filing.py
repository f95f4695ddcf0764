"""Where an insight goes: decided under the wiki's lock, from what was embedded before the lock was
taken."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeVar

from django.conf import settings
from django.db import transaction

from embeddings.client import active_provider
from embeddings.text import Document
from wiki.comparison.entailment import Claims, said_on
from wiki.db.locks import lock_wiki
from wiki.indexing.embed import Embedded, embed_page, embed_text, embed_texts
from wiki.insights.candidates import CANDIDATES, Surroundings, find_known, look_around
from wiki.markdown.insight_block import insight_block
from wiki.models import Agent, ApiToken, Outcome, Page, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import MAX_BODY_BYTES, InvalidPage, PageFields
from wiki.pages.status import DoesNotHold, confirm_page
from wiki.pages.write import (
    insert_page,
    join_paragraphs,
    lock_page,
    with_paragraph,
    write_revision,
)
from wiki.search.retrieval import Hit
from wiki.search.similarity import ROUNDING
from wiki.text.cleaning import hash_page_text
from wiki.text.low_content import is_noise

logger = logging.getLogger(__name__)
T = TypeVar("T")

# How often a filing is planned anew because somebody else changed the page that it belongs to. Each
# time at least one of those who meet there is done, so this many can hand in to one page at the
# same moment.
ATTEMPTS = 50


@dataclass(frozen=True)
class Matter:
    """What is to be filed: onto the `named` page, else where it belongs, else as a page of these
    `fields`.

    `is_refused`: the provider answers, but takes this text never; then it is a page of its own,
    found by its words.
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

    @property
    def change(self) -> Change:
        return Change(self.author, RevisionKind.INSIGHT, self.source)

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
    """Files the matter unless `settled`, asked under the wiki's lock, says that it was; `record`
    keeps the outcome.

    Without an answer of the provider the outcome is `pending`, unless words alone can tell. Raises
    InvalidPage.
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
    """Everything a filing needs that may ask the provider or takes long, made before the wiki is
    locked."""

    matter: Matter
    claims: Claims
    insight: Embedded | None
    new_page: Embedded | None
    is_last: bool = False
    grown: Embedded | None = None
    around: Surroundings | None = None


def _prepare(plan: _Plan) -> _Plan:
    """Compares the insight with what may say it already, and grows the page that it would be
    appended to."""
    matter = plan.matter
    if is_noise(matter.title, matter.text):
        return plan
    vector = plan.insight.vector if plan.insight else None
    around = look_around(matter.wiki, matter.text, vector, plan.claims)
    plan, home = replace(plan, around=around), _home(plan, around.near)
    target = matter.named or (home.page if home else None)
    hits = [Hit(matter.named, None, [])] if matter.named else around.hits
    return _grow(plan, target) if target and not find_known(plan.claims, hits) else plan


def _grow(plan: _Plan, target: Page) -> _Plan:
    """Embeds the page that the insight would be appended to as it will read then.

    A page that got its addition without its vector would be invisible to the next insight, which
    would make a twin.
    """
    grown = embed_text(target.title, join_paragraphs(target.body, plan.matter.draw(target)))
    # With the provider away there is no better plan to wait for.
    return replace(plan, grown=grown, is_last=plan.is_last or grown is None)


def _place(plan: _Plan) -> Filing:
    matter = plan.matter
    if plan.around is None:
        return Filing(Outcome.NOISE)
    around = plan.around.now()
    near = around.near
    if matter.named:
        similarity = next((hit.similarity for hit in near if hit.page.pk == matter.named.pk), None)
        return _append(plan, Hit(matter.named, similarity, []), near)
    if known := find_known(plan.claims, around.hits):
        return _confirm(plan, known, near)
    if plan.insight is None and not matter.is_refused:
        return Filing(Outcome.PENDING)
    if home := _home(plan, near):
        try:
            return _append(plan, home, near)
        except InvalidPage:
            logger.info(
                "Page %s is full; an insight that belongs to it becomes a new page.", home.page.pk
            )
    page = insert_page(
        matter.wiki, matter.fields, plan.new_page, matter.change, is_named=bool(matter.title)
    )
    return Filing(
        Outcome.CREATED, page, near[0].similarity if near else None, _candidates(near, page)
    )


def _confirm(plan: _Plan, known: Sequence[Hit], near: Sequence[Hit]) -> Filing:
    """Who says once more what a page says confirms it; a mark against the page stays."""
    for hit in known:
        with suppress(DoesNotHold):
            confirm_page(hit.page, author=plan.matter.author)
    page = known[0].page
    return Filing(Outcome.KNOWN, page, known[0].similarity, _candidates(near, page))


def _home(plan: _Plan, near: Sequence[Hit]) -> Hit | None:
    """The nearest page that the insight belongs to and that has room for it."""
    return next((hit for hit in near if _belongs(hit) and _has_room(plan.matter, hit.page)), None)


def _has_room(matter: Matter, page: Page) -> bool:
    return len(join_paragraphs(page.body, matter.draw(page)).encode()) <= MAX_BODY_BYTES


def _append(plan: _Plan, hit: Hit, near: Sequence[Hit]) -> Filing:
    matter, page = plan.matter, lock_page(hit.page)
    if known := find_known(plan.claims, [replace(hit, page=page)]):
        return _confirm(plan, known, near)
    if page.is_protected:
        # It waits for people, with the page that it belongs to (wiki/suggestions/propose.py).
        return Filing(Outcome.PENDING, page, hit.similarity, _candidates(near, page))
    drawn, grown = matter.draw(page), plan.grown
    text = join_paragraphs(page.body, drawn)
    if grown is None or grown.text_hash != hash_page_text(page.title, text):
        # Nobody is asked, so nothing keeps the wiki locked.
        if active_provider() == "builtin":
            grown = embed_text(page.title, text)
        elif not plan.is_last:
            raise _Outdated
    write_revision(page, with_paragraph(page, drawn), grown, matter.change)
    return Filing(Outcome.APPENDED, page, hit.similarity, _candidates(near, page))


def _belongs(hit: Hit) -> bool:
    """S11: an insight belongs to a page from this similarity on."""
    return (hit.similarity or 0) >= settings.COVEY_APPEND_THRESHOLD - ROUNDING


def _candidates(near: Sequence[Hit], page: Page) -> list[dict[str, object]]:
    """The next nearest pages, so that the agent can correct a filing."""
    others = [hit for hit in near if hit.page.pk != page.pk][:CANDIDATES]
    return [
        {"slug": hit.page.slug, "title": hit.page.title, "similarity": hit.similarity}
        for hit in others
    ]
