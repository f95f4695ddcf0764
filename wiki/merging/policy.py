"""The verdict on two pages that may be one, with its reason. Writes nothing: the maintenance acts
on it, and the screens show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext

from wiki.comparison import Difference, Text, find_differences
from wiki.merging.merge import choose_survivor, in_order, unite, wrote_people
from wiki.models import MergeMode, MergeProposal, Page, ProposalReason, ProposalState, Wiki
from wiki.pages.fields import InvalidPage
from wiki.search.thresholds import merge_from, reaches, suspect_from

# Of a kind, and what each side says: of a comparison, or as a proposal keeps it.
Told = tuple[str, str, str] | list[str] | Difference


class Fate(StrEnum):
    WAITS = "waits"
    LATER = "later"
    APART = "apart"
    MERGES = "merges"
    PROPOSED = "proposed"
    FAR = "far"
    # Looked at already, and only again when a text changes.
    SEEN = "seen"
    # Another pair stands for it.
    GROUPED = "grouped"
    LONG = "long"


@dataclass(frozen=True)
class Verdict:
    """`reason` speaks against merging the two automatically."""

    fate: Fate
    reason: ProposalReason | None = None
    differences: Sequence[Told] = ()
    proposal: MergeProposal | None = None

    @property
    def words(self) -> str:
        """The fate of the two pages, and its reason after a colon."""
        why = str(self.reason.label) if self.reason and self.fate in _REASONED else ""
        return f"{_fate_in_words(self)}: {why}" if why else _fate_in_words(self)


_REASONED = (Fate.WAITS, Fate.LATER, Fate.PROPOSED, Fate.SEEN)


def judge(
    wiki: Wiki, first: Page, second: Page, similarity: float | None, *, are_namesakes: bool = False
) -> Verdict:
    """Judge two pages by their present texts; `are_namesakes` if their title alone makes them a
    pair."""
    first, second = in_order(first, second)
    known = MergeProposal.objects.filter(first=first, second=second).first()
    decided = find_decision(known, first, second)
    return decided or weigh(
        wiki, first, second, similarity, compare(first, second), are_namesakes=are_namesakes
    )


def find_decision(known: MergeProposal | None, first: Page, second: Page) -> Verdict | None:
    """The open or decided proposal of the pair, as long as both texts are unchanged."""
    first, second = in_order(first, second)
    if known is None or (known.first_hash, known.second_hash) != (
        first.text_hash,
        second.text_hash,
    ):
        return None
    return tell(known)


def tell(known: MergeProposal) -> Verdict | None:
    """The verdict in a stored proposal; None for a finished one."""
    fates = {ProposalState.LATER: Fate.LATER, ProposalState.DISMISSED: Fate.APART}
    fate = Fate.WAITS if known.is_waiting else fates.get(ProposalState(known.state))
    reason = ProposalReason(known.reason) if known.reason else None
    return Verdict(fate, reason, known.differences, known) if fate else None


def weigh(
    wiki: Wiki,
    first: Page,
    second: Page,
    similarity: float | None,
    differences: Sequence[Difference],
    *,
    are_namesakes: bool = False,
) -> Verdict:
    """By the texts alone, whatever was said about them."""
    reason = (
        ProposalReason.TITLE
        if are_namesakes
        else _reason_against(wiki, first, second, similarity, differences)
    )
    return Verdict(Fate.PROPOSED if reason else Fate.MERGES, reason, differences)


def compare(first: Page, second: Page) -> list[Difference]:
    return find_differences(Text(first.title, first.body), Text(second.title, second.body))


def _reason_against(
    wiki: Wiki,
    first: Page,
    second: Page,
    similarity: float | None,
    differences: Sequence[Difference],
) -> ProposalReason | None:
    """Why the two are not merged without being asked; None if they are."""
    if not reaches(similarity, merge_from()):
        return ProposalReason.NEAR
    if differences:
        return ProposalReason.GUARDED
    if first.is_protected or second.is_protected:
        return ProposalReason.PROTECTED
    if wrote_people(first) and wrote_people(second):
        return ProposalReason.PEOPLE
    if (wiki.merge_mode or settings.COVEY_MERGE_MODE) != MergeMode.AUTO:
        return ProposalReason.REVIEW
    try:
        unite(*choose_survivor(first, second))
    except InvalidPage:
        return ProposalReason.REFUSED
    return None


def _fate_in_words(verdict: Verdict) -> str:
    known = verdict.proposal
    match verdict.fate:
        case Fate.WAITS:
            return gettext("waits in the queue")
        case Fate.LATER:
            until = known.later_until if known else None
            return gettext("put off until {day}").format(
                day=date_format(localtime(until)) if until else "–"
            )
        case Fate.APART:
            said = known.decided_at if known else None
            return gettext("not the same, said on {day}").format(
                day=date_format(localtime(said)) if said else "–"
            )
        case Fate.MERGES:
            return gettext("merged by itself at the next run")
        case Fate.PROPOSED:
            return gettext("proposed at the next run")
        case Fate.FAR:
            return gettext("not proposed: below {number}").format(
                number=number_format(suspect_from(), 2)
            )
        case Fate.SEEN:
            return gettext("looked at; again when one of them changes")
        case Fate.GROUPED if verdict.reason == ProposalReason.TITLE:
            return gettext("not proposed: of pages with one title each is proposed with the next")
        case Fate.GROUPED:
            return gettext(
                "not proposed: many pages are alike in this way, and one pair stands for them all"
            )
        case Fate.LONG:
            return gettext("long texts: compare the two to see what tells them apart")
