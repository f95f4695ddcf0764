"""How decisions about pairs turned out: of the merges made alone, and of the proposals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from embeddings.client import active_fingerprint
from wiki.merging.queue_filters import in_band, label_band, similarity_bands
from wiki.models import Merge, MergeProposal, ProposalReason, ProposalState, Wiki


@dataclass(frozen=True)
class Record:
    """In one band of similarity: of the automatic merges how many were undone, of the decided
    proposals how many were not the same."""

    band: str
    merged: int
    undone: int
    proposed: int
    dismissed: int


@dataclass(frozen=True)
class ModelRecord:
    """Under one model, since each has its own similarities; none (empty) where pages were alike
    word by word."""

    fingerprint: str
    is_active: bool
    records: list[Record]


def track_record(wiki: Wiki) -> list[ModelRecord]:
    """Count merges and decisions by model, the active one first, and by band of similarity.

    Pairs that people asked for say nothing about the maintenance and are left out.
    """
    merges = Merge.objects.filter(wiki=wiki, is_automatic=True)
    states = (ProposalState.MERGED, ProposalState.DISMISSED)
    # Without a reason: what an undone merge left behind where nothing was proposed.
    answered = MergeProposal.objects.filter(wiki=wiki, state__in=states).exclude(
        reason__in=("", ProposalReason.ASKED)
    )
    counted = [
        _count(merges),
        _count(merges.filter(undone_at__isnull=False)),
        _count(answered),
        _count(answered.filter(state=ProposalState.DISMISSED)),
    ]
    active = active_fingerprint()
    names = sorted(set().union(*counted), key=lambda name: (name != active, not name, name))
    return [ModelRecord(name, name == active, list(_records(name, counted))) for name in names]


# By fingerprint and band.
_Counts = dict[str, dict[str, int]]


def _count(rows: QuerySet) -> _Counts:
    bands = {band: Count("pk", filter=in_band(band)) for band in similarity_bands()}
    counted = rows.order_by().values("fingerprint").annotate(**bands)
    return {row["fingerprint"]: {band: row[band] for band in similarity_bands()} for row in counted}


def _records(fingerprint: str, counted: Sequence[_Counts]) -> Iterator[Record]:
    for band in similarity_bands():
        numbers = [counts.get(fingerprint, {}).get(band, 0) for counts in counted]
        if any(numbers):
            yield Record(label_band(band), *numbers)
