"""One proposal under review: both pages, their differences, the merged text."""

from dataclasses import dataclass
from typing import Any

from wiki.comparison import DifferenceKind
from wiki.history.diff import Change, describe_changes, find_differing_fields
from wiki.merging.merge import MergeRefused, choose_survivor, unite
from wiki.merging.queue import approve, dismiss, put_off, refresh
from wiki.models import Merge, MergeProposal, Page
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.text.cleaning import clean_text

ACTIONS = ("merge", "dismiss", "later")


@dataclass(frozen=True)
class Shown:
    """One difference, in words."""

    label: str
    first: str
    second: str


@dataclass(frozen=True)
class Answer:
    """A person's answer to a pair: one of the ACTIONS, for the texts with the hashes `seen`.

    `keep` is the address of the surviving page, `body` its text; without one, covey's own merge.
    """

    action: str
    seen: str
    keep: str = ""
    body: str | None = None


@dataclass(frozen=True)
class Review:
    proposal: MergeProposal
    survivor: Page
    source: Page
    body: str
    differences: list[Shown]
    differing: list[tuple[str, str, str]]
    changes: list[Change]
    # How many pages link to the one that goes in.
    moving: int
    is_changed: bool = False
    error: str = ""

    @property
    def pages(self) -> list[Page]:
        return [self.survivor, self.source]

    @property
    def seen(self) -> str:
        return _seen(self.proposal)

    @property
    def advises_merge(self) -> bool:
        """Where facts differ, the advice is to keep the two apart."""
        return not self.differences


@dataclass(frozen=True)
class Decision:
    """`again` is the review to show where nothing was decided."""

    merge: Merge | None = None
    again: Review | None = None


def look_at(proposal: MergeProposal, keep: str = "") -> Review:
    """As both pages read now."""
    return _review(proposal, keep, None, is_changed=refresh(proposal))


def decide(proposal: MergeProposal, answer: Answer, user: Any) -> Decision:
    """Carry out the answer, unless a text changed since it was shown or the merge is refused."""
    body = None if answer.body is None else clean_text(answer.body)
    if answer.seen != _seen(proposal):
        refresh(proposal)
        return Decision(again=_review(proposal, answer.keep, body or None, is_changed=True))
    if answer.action == "dismiss":
        dismiss([proposal], user)
    elif answer.action == "later":
        put_off(MergeProposal.objects.open().filter(pk=proposal.pk))
    else:
        survivor, source = _sides(proposal, answer.keep)
        try:
            fields = unite(survivor, source, body)
            return Decision(
                approve(proposal, survivor, source, author=Author.person(user), fields=fields)
            )
        except (MergeRefused, InvalidPage) as refused:
            return Decision(again=_review(proposal, answer.keep, body, error=str(refused)))
    return Decision()


def _review(
    proposal: MergeProposal,
    keep: str,
    body: str | None,
    *,
    is_changed: bool = False,
    error: str = "",
) -> Review:
    survivor, source = _sides(proposal, keep)
    if body is None:
        try:
            body = unite(survivor, source).body
        except InvalidPage as invalid:
            body, error = survivor.body, error or str(invalid)
    return Review(
        proposal,
        survivor,
        source,
        body,
        differences=_in_words(proposal),
        differing=find_differing_fields(survivor, source),
        changes=describe_changes(survivor.body, source.body),
        moving=Page.objects.live().linking_to(source).count(),
        is_changed=is_changed,
        error=error,
    )


def _seen(proposal: MergeProposal) -> str:
    return f"{proposal.first.text_hash}{proposal.second.text_hash}"


def _sides(proposal: MergeProposal, keep: str) -> tuple[Page, Page]:
    """The page that stays and the one that goes in."""
    survivor, source = choose_survivor(proposal.first, proposal.second)
    return (source, survivor) if keep == source.slug else (survivor, source)


def _in_words(proposal: MergeProposal) -> list[Shown]:
    labels = dict(DifferenceKind.choices)
    return [
        Shown(str(labels.get(kind, kind)), first, second)
        for kind, first, second in proposal.differences
    ]
