"""Pages made from one template differ in pairs without end. From some pages on they are one hint
instead of a proposal for each pair, and stay one however many pages are made later."""

from collections.abc import Iterable
from typing import Protocol

from django.utils import timezone
from networkx.utils import UnionFind

from wiki.models import MergeProposal, MergeProposalQuerySet, ProposalReason, ProposalState

MANY_ALIKE = 4
# What the maintenance proposes by itself where facts differ.
BY_FACTS = (ProposalReason.NEAR, ProposalReason.GUARDED)
_HOLDING = (ProposalState.OPEN, ProposalState.LATER, ProposalState.DISMISSED)


class Pair(Protocol):
    @property
    def first(self) -> int: ...
    @property
    def second(self) -> int: ...


class Groups:
    """Pages that hang together by pairs, and whether there is a hint about them."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        joined: UnionFind = UnionFind()
        for pair in pairs:
            joined.union(pair.first, pair.second)
        self._of = {
            page_id: group for group in map(frozenset, joined.to_sets()) for page_id in group
        }
        self._hinted: set[frozenset[int]] = set()

    def size(self, pair: Pair) -> int:
        return len(self._of[pair.first])

    def is_many(self, pair: Pair) -> bool:
        return self.size(pair) >= MANY_ALIKE

    def has_hint(self, pair: Pair) -> bool:
        """Whether a hint is open or was dismissed."""
        group = self._of[pair.first]
        if group not in self._hinted and any(hint.is_current for hint in _hints(group)):
            self._hinted.add(group)
        return group in self._hinted

    def note_hint(self, pair: Pair) -> None:
        self._hinted.add(self._of[pair.first])

    def count_again(self) -> None:
        """Hints from before say how many pages they are about now."""
        for group in self._hinted:
            MergeProposal.objects.filter(pk__in=[hint.pk for hint in _hints(group)]).update(
                alike=len(group)
            )

    def withdraw_others(self, hint: MergeProposal) -> None:
        """Withdraw proposals of single pairs of the group, and those of earlier texts."""
        group = self._of[hint.first_id]
        others = _within(group).filter(
            reason__in=BY_FACTS, state__in=(ProposalState.OPEN, ProposalState.LATER)
        )
        others.exclude(pk=hint.pk).exclude(differences=[]).update(
            state=ProposalState.WITHDRAWN, decided_at=timezone.now()
        )


def _within(group: frozenset[int]) -> MergeProposalQuerySet:
    return MergeProposal.objects.filter(first__in=group, second__in=group)


def _hints(group: frozenset[int]) -> Iterable[MergeProposal]:
    hints = _within(group).filter(alike__gte=MANY_ALIKE, reason__in=BY_FACTS, state__in=_HOLDING)
    live = hints.exclude(differences=[]).filter(first__trashed_at=None, second__trashed_at=None)
    return live.select_related("first", "second").only(
        "first_hash", "second_hash", "first__text_hash", "second__text_hash"
    )
