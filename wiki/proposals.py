"""Deciding about pairs of pages: the queue, and what a person says to each."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from embeddings.client import active_fingerprint
from wiki.authors import Author
from wiki.guarding import Difference, Text, find_differences
from wiki.merging import MergeRefused, in_order, merge_pages, remember_no
from wiki.models import Merge, MergeProposal, MergeProposalQuerySet, Page, ProposalReason, ProposalState, Wiki
from wiki.near_pairs import similarity_of
from wiki.page_fields import PageFields

# So long a pair that was put off stays out of the queue.
PUT_OFF = timedelta(days=7)


def open_proposals(wiki: Wiki) -> MergeProposalQuerySet:
    """What waits for a decision in a wiki, the most similar first. A pair with a page that is gone is no question."""
    live = Q(first__trashed_at=None, second__trashed_at=None)
    return MergeProposal.objects.open().filter(live, wiki=wiki).order_by("-similarity", "pk")


def compare(first: Page, second: Page) -> list[Difference]:
    return find_differences(Text(first.title, first.body), Text(second.title, second.body))


def refresh(proposal: MergeProposal) -> bool:
    """Shows a proposal by the present texts, and says whether they have changed since it was made. Nothing is written:
    a decision is about what is shown, and a run brings the row up to date."""
    first, second = proposal.first, proposal.second
    if proposal.is_current:
        return False
    proposal.first_hash, proposal.second_hash = first.text_hash, second.text_hash
    proposal.similarity, proposal.fingerprint = similarity_of(first, second), active_fingerprint()
    proposal.differences = [[part.kind.value, part.first, part.second] for part in compare(first, second)]
    return True


def propose(first: Page, second: Page) -> MergeProposal:
    """Puts a pair into the queue because somebody asks for it; a "no" that still holds is taken back. Raises
    MergeRefused for what can never be one page."""
    if first.pk == second.pk or first.wiki_id != second.wiki_id or first.is_trashed or second.is_trashed:
        raise MergeRefused(gettext("Only two pages of one wiki can be merged."))
    first, second = in_order(first, second)
    asked = {
        "wiki_id": first.wiki_id,
        "first_hash": first.text_hash,
        "second_hash": second.text_hash,
        "similarity": similarity_of(first, second),
        "fingerprint": active_fingerprint(),
        "differences": [[part.kind.value, part.first, part.second] for part in compare(first, second)],
        "state": ProposalState.OPEN,
        "reason": ProposalReason.ASKED,
        "decided_by": None,
        "decided_at": None,
        "later_until": None,
    }
    proposal, _is_new = MergeProposal.objects.update_or_create(first=first, second=second, defaults=asked)
    return proposal


def approve(
    proposal: MergeProposal, survivor: Page, source: Page, *, author: Author, fields: PageFields | None = None
) -> Merge:
    """Merges the two as they were shown. Raises MergeRefused and InvalidPage."""
    return merge_pages(survivor, source, author=author, fields=fields, similarity=proposal.similarity)


def dismiss(proposals: Iterable[MergeProposal], user: Any) -> int:
    """Not the same: the pairs are not proposed again until a text changes. Says how many."""
    count = 0
    for proposal in proposals:
        remember_no(proposal.first, proposal.second, similarity=proposal.similarity, user=user)
        count += 1
    return count


def put_off(proposals: MergeProposalQuerySet) -> int:
    return proposals.update(state=ProposalState.LATER, later_until=timezone.now() + PUT_OFF)


@dataclass(frozen=True)
class Record:
    """How decisions turned out, in one band of similarity."""

    band: str
    merged: int
    undone: int
    proposed: int
    dismissed: int


_BANDS = (("0.98 – 1.00", 0.98, 1.01), ("0.93 – 0.98", 0.93, 0.98), ("0.88 – 0.93", 0.88, 0.93), ("< 0.88", -1.0, 0.88))


def track_record(wiki: Wiki) -> list[Record]:
    """Of the automatic merges how many were undone, of the decided proposals how many dismissed; under the active
    model, since every model has its own similarities."""
    own = {"wiki": wiki, "fingerprint": active_fingerprint()}
    automatic = list(Merge.objects.filter(**own, is_automatic=True).values_list("similarity", "undone_at"))
    states = (ProposalState.MERGED, ProposalState.DISMISSED)
    decided = list(MergeProposal.objects.filter(**own, state__in=states).values_list("similarity", "state"))
    records = []
    for band, low, high in _BANDS:
        merges = [undone for similarity, undone in automatic if low <= (similarity or 0) < high]
        answers = [state for similarity, state in decided if low <= (similarity or 0) < high]
        dismissed = sum(state == ProposalState.DISMISSED for state in answers)
        records.append(Record(band, len(merges), sum(undone is not None for undone in merges), len(answers), dismissed))
    return records
