"""The queue of proposals, and the decisions about them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext

from embeddings.client import active_fingerprint
from wiki.merging.merge import MergeRefused, in_order, merge_pages, remember_no
from wiki.merging.policy import Told, compare
from wiki.models import (
    Merge,
    MergeProposal,
    MergeProposalQuerySet,
    Page,
    ProposalReason,
    ProposalState,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.fields import PageFields
from wiki.search.all_pairs import similarity_of

# What has no similarity comes last.
NEAREST_FIRST = (F("similarity").desc(nulls_last=True), "pk")
# So long a pair that was put off stays out of the queue.
PUT_OFF = timedelta(days=7)


def open_proposals(wiki: Wiki) -> MergeProposalQuerySet:
    """Open proposals of a wiki, the most similar first."""
    return waiting(MergeProposal.objects.filter(wiki=wiki))


def waiting(proposals: MergeProposalQuerySet) -> MergeProposalQuerySet:
    """Open proposals in the order of work, without pairs of which a page is gone."""
    live = Q(first__trashed_at=None, second__trashed_at=None)
    return proposals.open().filter(live).order_by(*NEAREST_FIRST)


@dataclass(frozen=True)
class Place:
    """Where a proposal stands in a queue, from 1; 0 for one that is not in it."""

    number: int
    total: int
    previous: int | None = None
    next: int | None = None
    first: int | None = None

    @property
    def following(self) -> int | None:
        """The proposal after this one, or behind the last the first that was skipped."""
        return self.next or self.first


def find_place(queue: MergeProposalQuerySet, proposal: MergeProposal) -> Place:
    ids = list(queue.values_list("pk", flat=True))
    others = [pk for pk in ids if pk != proposal.pk]
    first = others[0] if others else None
    if proposal.pk not in ids:
        return Place(0, len(ids), next=first, first=first)
    index = ids.index(proposal.pk)
    previous = ids[index - 1] if index else None
    return Place(index + 1, len(ids), previous, next(iter(ids[index + 1 :]), None), first)


def refresh(proposal: MergeProposal) -> bool:
    """Bring a proposal up to date with the present texts, in memory; True if they changed since it
    was made.

    The row is left to the next run: a decision is about the texts on the screen.
    """
    first, second, is_current = proposal.first, proposal.second, proposal.is_current
    # Where nothing was ever proposed, as after undoing a merge, nobody has compared the two.
    if is_current and proposal.reason:
        return False
    proposal.first_hash, proposal.second_hash = first.text_hash, second.text_hash
    proposal.similarity, proposal.fingerprint = similarity_of(first, second), active_fingerprint()
    proposal.differences = _kept(compare(first, second))
    return not is_current


def propose(first: Page, second: Page) -> MergeProposal:
    """Queue a pair at a person's request; an earlier "no" is taken back. Raises MergeRefused."""
    if (
        first.pk == second.pk
        or first.wiki_id != second.wiki_id
        or first.is_trashed
        or second.is_trashed
    ):
        raise MergeRefused(gettext("Only two pages of one wiki can be merged."))
    first, second = in_order(first, second)
    return put_into_queue(
        first, second, ProposalReason.ASKED, similarity_of(first, second), compare(first, second)
    )


def put_into_queue(
    first: Page,
    second: Page,
    reason: ProposalReason,
    similarity: float | None,
    differences: Sequence[Told],
    *,
    alike: int = 2,
) -> MergeProposal:
    """Queue a pair by its present texts; `differences` name the page with the smaller id first."""
    first, second = in_order(first, second)
    asked = {
        "wiki_id": first.wiki_id,
        "first_hash": first.text_hash,
        "second_hash": second.text_hash,
        "similarity": similarity,
        "fingerprint": active_fingerprint(),
        "reason": reason,
        "differences": _kept(differences),
        "alike": alike,
        "state": ProposalState.OPEN,
        "decided_by": None,
        "decided_at": None,
        "later_until": None,
    }
    known = (
        MergeProposal.objects.filter(first=first, second=second)
        .values_list("state", flat=True)
        .first()
    )
    if known not in (ProposalState.OPEN, ProposalState.LATER):
        # Its age is that of the question, not of one that was decided long ago.
        asked["created_at"] = timezone.now()
    proposal, _is_new = MergeProposal.objects.update_or_create(
        first=first, second=second, defaults=asked
    )
    return proposal


def _kept(differences: Sequence[Told]) -> list[list[str]]:
    return [[str(kind), first, second] for kind, first, second in differences]


def approve(
    proposal: MergeProposal,
    survivor: Page,
    source: Page,
    *,
    author: Author,
    fields: PageFields | None = None,
) -> Merge:
    """Merges the two as they were shown. Raises MergeRefused and InvalidPage."""
    return merge_pages(
        survivor, source, author=author, fields=fields, similarity=proposal.similarity
    )


def dismiss(proposals: Iterable[MergeProposal], user: Any) -> int:
    """Not the same: the pairs are not proposed again until a text changes. Says how many."""
    count = 0
    for proposal in proposals:
        remember_no(proposal.first, proposal.second, similarity=proposal.similarity, user=user)
        count += 1
    return count


def tell_apart(first: Page, second: Page, user: Any) -> None:
    """Record that two pages are not the same, proposed or not. Raises MergeRefused."""
    first, second = in_order(first, second)
    known = MergeProposal.objects.open().filter(first=first, second=second).exists()
    # What the maintenance proposed keeps its reason.
    dismiss(
        [MergeProposal(first=first, second=second)] if known else [propose(first, second)], user
    )


@dataclass(frozen=True)
class Dismissed:
    """How many were dismissed, and how many were not, since one of their pages has changed."""

    count: int
    changed: int


def dismiss_listed(proposals: Iterable[MergeProposal], user: Any) -> Dismissed:
    """Dismiss proposals of a list, except those whose texts changed since it was shown."""
    listed = list(proposals)
    current = [proposal for proposal in listed if proposal.is_current]
    return Dismissed(dismiss(current, user), len(listed) - len(current))


def put_off(proposals: MergeProposalQuerySet) -> int:
    return proposals.update(state=ProposalState.LATER, later_until=timezone.now() + PUT_OFF)
