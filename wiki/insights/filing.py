"""Where an insight goes: planned before the wiki is locked, with everything that asks the provider
or takes long, and decided under its lock."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from django.utils import timezone

from embeddings.client import active_provider
from embeddings.text import Document
from wiki.comparison.entailment import Claims, said_on
from wiki.comparison.restatement import Wording
from wiki.indexing.embed import Embedded, embed_text, embed_texts
from wiki.insights.candidates import (
    CANDIDATES,
    Surroundings,
    find_known,
    find_restated,
    look_around,
)
from wiki.markdown.insight_block import insight_block
from wiki.models import Insight, Outcome, Page, RevisionKind
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
from wiki.search.hit import Hit
from wiki.search.thresholds import append_from, is_settled, reaches
from wiki.text.cleaning import hash_page_text
from wiki.text.low_content import is_noise

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """An insight is to be filed onto the `named` page, else where it belongs, else as a page of
    these `fields`.

    `is_refused`: the provider answers, but takes this text never; then it is a page of its own,
    found by its words. `grown` is the page that the insight would be appended to, as it will read
    then. With `is_last` it is filed even if that page has changed since.
    """

    insight: Insight
    fields: PageFields
    claims: Claims
    wording: Wording
    vector: Embedded | None
    page_vector: Embedded | None
    named: Page | None = None
    is_refused: bool = False
    is_last: bool = False
    around: Surroundings | None = None
    grown: Embedded | None = None

    @property
    def author(self) -> Author:
        return Author.of_agent(self.insight.agent, self.insight.token)

    @property
    def change(self) -> Change:
        return Change(self.author, RevisionKind.INSIGHT, self.insight.source)

    def draw(self, page: Page) -> str:
        insight = self.insight
        text = said_on(insight.title, insight.text, page.title)
        day = timezone.localdate(insight.created_at)
        return insight_block(text, insight.agent.name, day, insight.source)


@dataclass(frozen=True)
class Filing:
    outcome: Outcome
    page: Page | None = None
    similarity: float | None = None
    candidates: list[dict[str, object]] = field(default_factory=list)


def make_plan(
    insight: Insight, fields: PageFields, named: Page | None = None, is_refused: bool = False
) -> Plan:
    """Embed the text, and the page that it would become."""
    text, page = Document(insight.title, insight.text), Document(fields.title, fields.body)
    documents = list(dict.fromkeys([text, page]))
    vectors = dict(zip(documents, embed_texts(documents), strict=True))
    claims = Claims(insight.title, insight.text)
    wording = Wording(insight.title, insight.text)
    return Plan(insight, fields, claims, wording, vectors[text], vectors[page], named, is_refused)


def prepare(plan: Plan, *, is_last: bool) -> Plan:
    """Compare the insight with the present pages, and embed the page that it would be appended
    to."""
    insight = plan.insight
    plan = replace(plan, is_last=is_last, grown=None)
    if is_noise(insight.title, insight.text):
        return plan
    vector = plan.vector.vector if plan.vector else None
    around = look_around(insight.wiki, insight.text, vector, plan.claims)
    plan = replace(plan, around=around)
    hits = [Hit(plan.named, None, [])] if plan.named else around.hits
    if find_known(plan.claims, hits):
        return plan
    target = plan.named
    if target is None:
        plan, home = _find_home(plan, around)
        target = home.page if home else None
    if target is None:
        return plan
    # A page that got its addition without its vector would be invisible to the next insight, which
    # would make a twin.
    grown = embed_text(target.title, join_paragraphs(target.body, plan.draw(target)))
    # With the provider away there is no better plan to wait for.
    return replace(plan, grown=grown, is_last=is_last or grown is None)


def place(plan: Plan) -> Filing | None:
    """File the insight under the wiki's lock; None if the page that it belongs to has changed since
    it was prepared.

    Without an answer of the provider, or before its model is calibrated, the outcome is `pending`
    where words alone cannot tell. Raises InvalidPage.
    """
    if plan.around is None:
        return Filing(Outcome.NOISE)
    around = plan.around.now()
    near = around.near
    if named := plan.named:
        similarity = next((hit.similarity for hit in near if hit.page.pk == named.pk), None)
        return _append(plan, Hit(named, similarity, []), near)
    if known := find_known(plan.claims, around.hits):
        return _confirm(plan, known, near)
    if plan.vector is None and not plan.is_refused:
        return Filing(Outcome.PENDING)
    plan, home = _find_home(plan, around)
    if home:
        if not is_settled():
            return Filing(Outcome.PENDING)
        try:
            return _append(plan, home, near)
        except InvalidPage:
            logger.info(
                "Page %s is full; an insight that belongs to it becomes a new page.", home.page.pk
            )
    page = insert_page(
        plan.insight.wiki,
        plan.fields,
        plan.page_vector,
        plan.change,
        is_named=bool(plan.insight.title),
    )
    return Filing(
        Outcome.CREATED, page, near[0].similarity if near else None, _candidates(near, page)
    )


def _confirm(plan: Plan, known: Sequence[Hit], near: Sequence[Hit]) -> Filing:
    """Confirm the pages that hold the insight already, except those marked against it."""
    for hit in known:
        with suppress(DoesNotHold):
            confirm_page(hit.page, author=plan.author)
    page = known[0].page
    return Filing(Outcome.KNOWN, page, known[0].similarity, _candidates(near, page))


def _find_home(plan: Plan, around: Surroundings) -> tuple[Plan, Hit | None]:
    """The nearest page that the insight belongs to and that has room for it, else the one that says
    the same in other words."""
    for hit in around.near:
        if reaches(hit.similarity, append_from()) and _has_room(plan, hit.page):
            return plan, hit
    if not plan.wording.is_comparable:
        return plan, None
    around = around if around.akin is not None else around.with_akin()
    same = find_restated(plan.wording, around)
    return replace(plan, around=around), same if same and _has_room(plan, same.page) else None


def _has_room(plan: Plan, page: Page) -> bool:
    return len(join_paragraphs(page.body, plan.draw(page)).encode()) <= MAX_BODY_BYTES


def _append(plan: Plan, hit: Hit, near: Sequence[Hit]) -> Filing | None:
    page = lock_page(hit.page)
    if known := find_known(plan.claims, [replace(hit, page=page)]):
        return _confirm(plan, known, near)
    if page.is_protected:
        # It waits for people, with the page that it belongs to (protected_pages.py).
        return Filing(Outcome.PENDING, page, hit.similarity, _candidates(near, page))
    drawn, grown = plan.draw(page), plan.grown
    text = join_paragraphs(page.body, drawn)
    if grown is None or grown.text_hash != hash_page_text(page.title, text):
        # Nobody is asked, so nothing keeps the wiki locked.
        if active_provider() == "builtin":
            grown = embed_text(page.title, text)
        elif not plan.is_last:
            return None
    write_revision(page, with_paragraph(page, drawn), grown, plan.change)
    return Filing(Outcome.APPENDED, page, hit.similarity, _candidates(near, page))


def _candidates(near: Sequence[Hit], page: Page) -> list[dict[str, object]]:
    """The next nearest pages, so that the agent can correct a filing."""
    others = [hit for hit in near if hit.page.pk != page.pk][:CANDIDATES]
    return [
        {"slug": hit.page.slug, "title": hit.page.title, "similarity": hit.similarity}
        for hit in others
    ]
