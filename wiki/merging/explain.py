"""Explain in words why two near pages are merged, proposed, or neither."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from embeddings.client import active_fingerprint
from wiki.merging.maintenance import last_look
from wiki.merging.policy import (
    Fate,
    Verdict,
    compare,
    find_decision,
    tell,
    weigh,
)
from wiki.merging.template_groups import BY_FACTS, MANY_ALIKE
from wiki.models import MergeProposal, Page, ProposalReason, ProposalState, Wiki
from wiki.search.all_pairs import similarity_of
from wiki.search.retrieval import neighbours
from wiki.search.thresholds import merge_from, reaches, suspect_from

NEIGHBOURS = 10
# Beside these further pages of the same title, or proposed with this one, however far they are.
FURTHER = 10
# Comparing two texts as long as a page may be takes half a second; no more than that is compared
# while somebody waits.
MAX_COMPARED = 600_000


@dataclass(frozen=True)
class Partner:
    """A page beside another one; `similarity` is None where one of the two has no vector."""

    page: Page
    similarity: float | None
    verdict: Verdict

    @property
    def waits(self) -> bool:
        return self.verdict.fate in (Fate.WAITS, Fate.LATER)

    @property
    def is_apart(self) -> bool:
        return self.verdict.fate == Fate.APART


def explain_neighbours(page: Page, most: int = NEIGHBOURS) -> list[Partner]:
    """List the nearest pages, and those paired with the page by a proposal or a title, the most
    similar first."""
    near = {hit.page.pk: (hit.page, hit.similarity) for hit in neighbours(page, most)}
    known = _known_of(page)
    for other in _further(page, known, near):
        near[other.pk] = (other, similarity_of(page, other))
    ranked = sorted(
        near.values(), key=lambda row: (-(row[1] if row[1] is not None else -2), row[0].pk)
    )
    explain = _Explainer(page.wiki)
    return [
        Partner(other, similarity, explain(page, other, similarity, known.get(other.pk)))
        for other, similarity in ranked
    ]


def explain_pair(first: Page, second: Page) -> Partner:
    """The second page beside the first."""
    similarity = similarity_of(first, second)
    known = MergeProposal.objects.filter(
        first=min(first.pk, second.pk), second=max(first.pk, second.pk)
    ).first()
    return Partner(second, similarity, _Explainer(first.wiki)(first, second, similarity, known))


def _known_of(page: Page) -> dict[int, MergeProposal]:
    """Map the other page of each proposal to that proposal."""
    rows = MergeProposal.objects.of_page(page)
    return {row.second_id if row.first_id == page.pk else row.first_id: row for row in rows}


def _further(page: Page, known: dict[int, MergeProposal], near: Iterable[int]) -> Iterable[Page]:
    states = (ProposalState.OPEN, ProposalState.LATER)
    waiting = [other for other, row in known.items() if row.state in states]
    rows = Page.objects.live().filter(wiki=page.wiki_id).exclude(pk__in=[page.pk, *near])
    proposed = rows.filter(pk__in=waiting)
    namesakes = rows.filter(title_key=page.title_key).exclude(pk__in=waiting)
    return [*proposed.order_by("pk")[:FURTHER], *namesakes.order_by("pk")[:FURTHER]]


class _Explainer:
    """Explain the pairs of one screen: the wiki is read once, and the length of compared texts is
    bounded."""

    def __init__(self, wiki: Wiki) -> None:
        self.wiki, self.left = wiki, MAX_COMPARED
        self.looked_at = last_look(wiki, active_fingerprint())

    def __call__(
        self, first: Page, second: Page, similarity: float | None, known: MergeProposal | None
    ) -> Verdict:
        first.wiki = second.wiki = self.wiki
        # What waits is shown also where a text has changed since: whoever decides is shown the pair
        # as it reads then.
        waiting = tell(known) if known and known.is_waiting else None
        return (
            waiting or find_decision(known, first, second) or self._weigh(first, second, similarity)
        )

    def _weigh(self, first: Page, second: Page, similarity: float | None) -> Verdict:
        if first.text_hash == second.text_hash:
            similarity = 1.0
        is_near = reaches(similarity, suspect_from())
        if not is_near and first.title_key != second.title_key:
            return Verdict(Fate.FAR)
        if not is_near and self._has_one_between(first, second):
            return Verdict(Fate.GROUPED, ProposalReason.TITLE)
        self.left -= len(first.body) + len(second.body)
        if self.left < 0 and reaches(similarity, merge_from()):
            return Verdict(Fate.LONG)
        differences = compare(first, second) if self.left >= 0 else []
        verdict = weigh(
            self.wiki, first, second, similarity, differences, are_namesakes=not is_near
        )
        return self._outlook(first, second, verdict)

    def _outlook(self, first: Page, second: Page, verdict: Verdict) -> Verdict:
        """A run looks only at pages that changed since the one before."""
        changes = [
            moment
            for page in (first, second)
            for moment in (page.updated_at, page.embedded_at)
            if moment
        ]
        if self.looked_at is None or max(changes) >= self.looked_at:
            return verdict
        alike = MergeProposal.objects.filter(
            wiki=self.wiki, reason__in=BY_FACTS, alike__gte=MANY_ALIKE
        )
        is_grouped = verdict.reason in BY_FACTS and bool(verdict.differences) and alike.exists()
        return replace(verdict, fate=Fate.GROUPED if is_grouped else Fate.SEEN)

    def _has_one_between(self, first: Page, second: Page) -> bool:
        """Of pages that share a title each is a pair with the next."""
        low, high = sorted((first.pk, second.pk))
        namesakes = Page.objects.live().filter(wiki=self.wiki, title_key=first.title_key)
        return namesakes.filter(pk__gt=low, pk__lt=high).exists()
