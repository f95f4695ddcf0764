"""Filing an insight: onto the page it belongs to, as a new page, as already known, or as noise."""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from embeddings.client import active_fingerprint
from embeddings.text import Document
from wiki.authors import Author
from wiki.editing import append_locked, insert_page, join_paragraphs, lock_page
from wiki.indexing import Embedded, embed_page, embed_text, embed_texts
from wiki.insight_blocks import insight_block
from wiki.links import resolve_page
from wiki.locks import lock_wiki
from wiki.models import Agent, Insight, Outcome, Page, RevisionKind, Wiki
from wiki.noise import is_noise
from wiki.page_fields import MAX_BODY_BYTES, InvalidPage, PageFields, clean_type, fold_tags
from wiki.recall import ROUNDING, Hit, nearest_pages
from wiki.slugs import title_key
from wiki.text import clean_line, clean_text, derive_title, hash_page_text, stands_in

logger = logging.getLogger(__name__)

CANDIDATES = 5
# How many pages that have all words of an insight are read for its text.
WORDED = 20
KEY_LIFETIME = timedelta(days=1)


class KeyReused(Exception):
    """The Idempotency-Key was used for another insight."""


@dataclass(frozen=True)
class Handed:
    """What an agent hands in. `page` names the page it belongs to and skips the 0.80 rule (S11)."""

    text: str
    title: str = ""
    page: str = ""
    type: str = ""
    tags: Sequence[str] = ()
    source: str = ""
    task: str = ""

    def cleaned(self) -> "Handed":
        return replace(
            self,
            text=clean_text(self.text).strip(),
            title=clean_line(self.title),
            type=clean_type(self.type),
            tags=fold_tags(self.tags),
            source=clean_line(self.source)[:500],
            task=clean_line(self.task)[:500],
        )

    def said_on(self, page: Page) -> str:
        """The text as it is added to a page. A title of its own says what the text is about and goes with it."""
        if not self.title or title_key(self.title) == page.title_key:
            return self.text
        return f"**{self.title}**\n\n{self.text}"

    def hash(self) -> str:
        return hashlib.sha256(json.dumps(vars(self), sort_keys=True, default=list).encode()).hexdigest()


def file_insight(wiki: Wiki, agent: Agent, handed: Handed, idempotency_key: str = "") -> Insight:
    """Files the text and records what became of it. The same Idempotency-Key gives the same row for a day.

    Raises InvalidPage (empty text, unknown page, a limit) and KeyReused.
    """
    handed = handed.cleaned()
    if not handed.text:
        raise InvalidPage({"text": "An insight needs a text."})
    # A repeated call answers as the first one did, even if the page it named is gone by now.
    if earlier := _earlier(wiki, agent, handed, idempotency_key):
        return earlier
    named = _named_page(wiki, handed.page)
    fields = _new_page_fields(handed)
    insight, new_page = embed_texts([Document(handed.title, handed.text), Document(fields.title, fields.body)])
    for attempt in range(ATTEMPTS):
        plan = _grow(_Plan(wiki, agent, handed, named, insight, fields, new_page, is_last=attempt == ATTEMPTS - 1))
        try:
            with transaction.atomic():
                lock_wiki(wiki.pk)
                filed = _earlier(wiki, agent, handed, idempotency_key) or _record(plan, _place(plan), idempotency_key)
        except _Outdated:
            continue
        if filed.page and filed.outcome == Outcome.APPENDED:
            embed_page(filed.page)
        return filed
    raise AssertionError("the last attempt never counts as outdated")


# How often a filing is planned anew because somebody else changed the page that it belongs to. Each time at least one
# of those who meet there is done, so this many can hand in to one page at the same moment.
ATTEMPTS = 50


class _Outdated(Exception):
    """The page that the insight belongs to is no longer the one that was embedded with it."""


@dataclass(frozen=True)
class _Plan:
    """Everything a filing needs that may ask the provider, made before the wiki is locked."""

    wiki: Wiki
    agent: Agent
    handed: Handed
    named: Page | None
    insight: Embedded | None
    fields: PageFields
    new_page: Embedded | None
    is_last: bool
    grown: Embedded | None = None


def _grow(plan: _Plan) -> _Plan:
    """Embeds the page that the insight would be appended to as it will read then.

    A page that got its addition without its vector would be invisible to the next insight, which would make a twin.
    """
    home = None if plan.named else _home(plan, _nearest(plan.wiki, plan.insight))
    target = home.page if home else plan.named
    if target is None:
        return plan
    grown = embed_text(target.title, join_paragraphs(target.body, _draw(plan, target)))
    # With the provider away there is no better plan to wait for.
    return replace(plan, grown=grown, is_last=plan.is_last or grown is None)


def _draw(plan: _Plan, page: Page) -> str:
    return insight_block(plan.handed.said_on(page), plan.agent.name, timezone.localdate(), plan.handed.source)


@dataclass
class _Filing:
    outcome: Outcome
    page: Page | None = None
    similarity: float | None = None
    candidates: list[dict[str, object]] = field(default_factory=list)


def _named_page(wiki: Wiki, name: str) -> Page | None:
    if not name.strip():
        return None
    resolved = resolve_page(wiki, name)
    if resolved is None:
        raise InvalidPage({"page": f"There is no page “{clean_line(name)[:100]}” in this wiki."})
    return resolved.page


def _earlier(wiki: Wiki, agent: Agent, handed: Handed, key: str) -> Insight | None:
    if not key:
        return None
    earlier = Insight.objects.filter(wiki=wiki, agent=agent, idempotency_key=key).select_related("page").first()
    if earlier is None:
        return None
    if earlier.created_at < timezone.now() - KEY_LIFETIME:
        earlier.idempotency_key = None
        earlier.save(update_fields=["idempotency_key"])
        return None
    if earlier.request_hash != handed.hash():
        raise KeyReused("This Idempotency-Key was used for another insight in the last 24 hours.")
    return earlier


def _new_page_fields(handed: Handed) -> PageFields:
    try:
        return PageFields.clean(handed.title or derive_title(handed.text), handed.text, handed.type, handed.tags)
    except InvalidPage as error:
        raise InvalidPage({"text" if name == "body" else name: why for name, why in error.errors.items()}) from error


def _place(plan: _Plan) -> _Filing:
    if is_noise(plan.handed.title, plan.handed.text):
        return _Filing(Outcome.NOISE)
    near = _nearest(plan.wiki, plan.insight)
    if plan.named:
        similarity = next((hit.similarity for hit in near if hit.page.pk == plan.named.pk), None)
        return _append(plan, Hit(plan.named, similarity, []), near)
    if known := next((hit for hit in _may_know(plan, near) if _is_known(plan, hit.page)), None):
        return _Filing(Outcome.KNOWN, known.page, known.similarity, _candidates(near, known.page))
    if home := _home(plan, near):
        try:
            return _append(plan, home, near)
        except InvalidPage:
            logger.info("Page %s is full; an insight that belongs to it becomes a new page.", home.page.pk)
    page = insert_page(
        plan.wiki,
        plan.fields,
        plan.new_page,
        Author.of_agent(plan.agent),
        summary=plan.handed.source,
        kind=RevisionKind.INSIGHT,
    )
    return _Filing(Outcome.CREATED, page, near[0].similarity if near else None, _candidates(near, page))


def _may_know(plan: _Plan, near: Sequence[Hit]) -> Iterator[Hit]:
    """The pages that may say the text already: the nearest, and those that have all its words.

    A long page is far from each of its sentences, and a stale one is near to nothing.
    """
    yield from near
    pages = Page.objects.live().filter(wiki=plan.wiki).exclude(pk__in=[hit.page.pk for hit in near])
    for page in pages.with_all_words(plan.handed.text)[:WORDED]:
        yield Hit(page, None, [])


def _is_known(plan: _Plan, page: Page) -> bool:
    return stands_in(plan.handed.said_on(page), page.body)


def _home(plan: _Plan, near: Sequence[Hit]) -> Hit | None:
    """The nearest page that the insight belongs to and that has room for it."""
    return next((hit for hit in near if _belongs(hit) and _has_room(plan, hit.page)), None)


def _has_room(plan: _Plan, page: Page) -> bool:
    return len(join_paragraphs(page.body, _draw(plan, page)).encode()) <= MAX_BODY_BYTES


def _append(plan: _Plan, hit: Hit, near: Sequence[Hit]) -> _Filing:
    page = lock_page(hit.page)
    if _is_known(plan, page):
        return _Filing(Outcome.KNOWN, page, hit.similarity, _candidates(near, page))
    drawn = _draw(plan, page)
    grown_hash = hash_page_text(page.title, join_paragraphs(page.body, drawn))
    if not plan.is_last and (plan.grown is None or plan.grown.text_hash != grown_hash):
        raise _Outdated
    author = Author.of_agent(plan.agent)
    append_locked(page, plan.handed.said_on(page), drawn, plan.grown, author, RevisionKind.INSIGHT, plan.handed.source)
    return _Filing(Outcome.APPENDED, page, hit.similarity, _candidates(near, page))


def _record(plan: _Plan, filing: _Filing, idempotency_key: str) -> Insight:
    return Insight.objects.create(
        wiki=plan.wiki,
        agent=plan.agent,
        text=plan.handed.text,
        title=plan.handed.title,
        source=plan.handed.source,
        task=plan.handed.task,
        outcome=filing.outcome,
        similarity=filing.similarity,
        page=filing.page,
        candidates=filing.candidates,
        idempotency_key=idempotency_key or None,
        request_hash=plan.handed.hash(),
    )


def _belongs(hit: Hit) -> bool:
    """S11: an insight belongs to a page from this similarity on."""
    return (hit.similarity or 0) >= settings.COVEY_APPEND_THRESHOLD - ROUNDING


def _candidates(near: Sequence[Hit], page: Page) -> list[dict[str, object]]:
    """The next nearest pages, so that the agent can correct a filing."""
    others = [hit for hit in near if hit.page.pk != page.pk][:CANDIDATES]
    return [{"slug": hit.page.slug, "title": hit.page.title, "similarity": hit.similarity} for hit in others]


def _nearest(wiki: Wiki, embedded: Embedded | None) -> list[Hit]:
    if embedded is None or embedded.vector is None:
        return []
    pages = Page.objects.comparable(active_fingerprint()).filter(wiki=wiki)
    return nearest_pages(pages, embedded.vector, CANDIDATES + 1)
