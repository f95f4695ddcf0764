"""Undo one revision, or all changes of an author in a span of time. Changes of others stay."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter

from django.db.models import Q, TextChoices
from django.utils.translation import gettext_lazy as _

from embeddings.hash_embedder import has_words
from wiki.history.contributions import Contributions
from wiki.history.revert import reverse_step
from wiki.models import Page, Revision, RevisionKind, Standing
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage, PageFields
from wiki.pages.status import Status, restore_status
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import EditConflict, PageGone, SlugTaken, fields_of, revise_page

# How often a page is looked at anew because somebody else wrote on it in between.
ATTEMPTS = 5
# Texts of 256 KiB.
READ_AT_ONCE = 50

# Whoever rewrites the links of a page, says whether it holds or who may write on it, has not
# written on it.
_WORDLESS = frozenset(
    (RevisionKind.LINKS, RevisionKind.MARK, RevisionKind.PROTECT, RevisionKind.UNPROTECT)
)


class Effect(TextChoices):
    """The effect of an undo on a page."""

    TEXT = "text", _("the change is taken out of the text")
    MARK = "mark", _("its mark becomes what it was before")
    BOTH = "both", _("the change is taken out of the text, and its mark becomes what it was before")
    HALF = (
        "half",
        _("its mark becomes what it was before; the text stays: the same was changed again since"),
    )
    TRASH = "trash", _("moved to the trash: nobody else has written on it")
    RESTORE = "restore", _("comes back from the trash")
    NOTHING = "nothing", _("nothing to do: none of it is left")
    STUCK = "stuck", _("stays as it is: the same was changed again since")


_AND_MARK = {Effect.NOTHING: Effect.MARK, Effect.TEXT: Effect.BOTH, Effect.STUCK: Effect.HALF}


@dataclass(frozen=True)
class Plan:
    """The effect of an undo on a page as it stands: its fields and its status afterwards, None for
    what stays. `count` changes are undone."""

    page: Page
    effect: Effect
    count: int
    fields: PageFields | None = None
    status: Status | None = None

    @property
    def is_doable(self) -> bool:
        return self.effect not in (Effect.NOTHING, Effect.STUCK)


def plan_contributions(contributions: Contributions, pages: Iterable[Page]) -> list[Plan]:
    """Plan for each of the pages, in three queries for all of them."""
    pages = list(pages)
    numbers: dict[int, list[int]] = {page.pk: [] for page in pages}
    for page_id, number in (
        contributions.revisions().filter(page__in=pages).values_list("page", "number")
    ):
        numbers[page_id].append(number)
    return _plan(pages, numbers)


def plan_revision(page: Page, number: int) -> Plan:
    return _plan([page], {page.pk: [number]})[0]


def is_all_by(page: Page, first: Revision) -> bool:
    """Whether all changes of the page's text since that revision are by its author."""
    since = page.revisions.filter(number__gt=first.number).exclude(kind__in=_WORDLESS)
    return not since.exclude(author_kind=first.author_kind, author_name=first.author_name).exists()


def undo_revision(page: Page, number: int, *, author: Author, summary: str) -> Plan:
    """Undo one revision and return what was done."""
    return _undo(page.pk, lambda fresh: plan_revision(fresh, number), author, summary)


def undo_contributions(
    contributions: Contributions, *, author: Author, summary: str, after: int, seconds: float
) -> int | None:
    """Undo page by page in the order of their ids until the time is over, at least one page, and
    delete the author's confirmations. Return the id of the last page, to continue `after`; None at
    the end."""
    ends = time.monotonic() + seconds
    last = None
    contributions.confirmations().delete()
    for page_id in list(contributions.pages().filter(pk__gt=after).values_list("pk", flat=True)):
        if last and time.monotonic() > ends:
            return last
        _undo(page_id, lambda fresh: plan_contributions(contributions, [fresh])[0], author, summary)
        last = page_id
    return None


def _undo(page_id: int, look: Callable[[Page], Plan], author: Author, summary: str) -> Plan:
    """Plan and carry out; once more if the page was changed in between."""
    restored = None
    for _attempt in range(ATTEMPTS):
        plan = look(Page.objects.defer("embedding", "front_matter").get(pk=page_id))
        try:
            _carry_out(plan, author, summary)
        except (EditConflict, PageGone):
            continue
        except (SlugTaken, InvalidPage):
            break
        if plan.effect != Effect.RESTORE:
            return restored if restored and plan.effect == Effect.NOTHING else plan
        # What is back from the trash may have a text to undo as well.
        restored = plan
    return replace(plan, effect=Effect.STUCK)


def _carry_out(plan: Plan, author: Author, summary: str) -> None:
    page = plan.page
    if plan.effect == Effect.TRASH:
        trash_page(
            page,
            author=author,
            base_revision=page.revision,
            summary=summary,
            kind=RevisionKind.UNDO,
        )
    elif plan.effect == Effect.RESTORE:
        restore_page(page, author=author, summary=summary, kind=RevisionKind.UNDO)
    elif plan.fields is not None:
        change = Change(author, RevisionKind.UNDO, summary)
        page = revise_page(page, page.revision, plan.fields, change)
    if plan.status:
        restore_status(
            page, plan.status, author=author, base_revision=page.revision, summary=summary
        )


def _plan(pages: Sequence[Page], numbers: Mapping[int, Iterable[int]]) -> list[Plan]:
    undone = {page.pk: sorted(numbers[page.pk]) for page in pages}
    kinds, statuses = _read_history(undone)
    wanted = {page_id: _wanted(own, kinds[page_id]) for page_id, own in undone.items()}
    changed = {page.pk: page for page in pages}
    plans = {
        pk: _plan_page(changed[pk], undone[pk], kinds[pk], texts) for pk, texts in _texts(wanted)
    }
    return [
        _with_status(plans[page.pk], undone[page.pk], statuses[page.pk])
        if page.pk in plans
        else Plan(page, Effect.NOTHING, 0)
        for page in pages
    ]


def _with_status(plan: Plan, undone: list[int], statuses: Mapping[int, Status]) -> Plan:
    """Add the status before the undone changes, unless another author has set one since."""
    if (
        plan.effect in (Effect.TRASH, Effect.RESTORE)
        or plan.page.is_trashed
        or not statuses
        or max(statuses) not in undone
    ):
        return plan
    left = [number for number in statuses if number not in undone]
    status = statuses[max(left)] if left else Status()
    if status == Status.of(plan.page):
        return plan
    return replace(plan, effect=_AND_MARK[plan.effect], status=status)


def _read_history(
    undone: Mapping[int, list[int]],
) -> tuple[dict[int, dict[int, str]], dict[int, dict[int, Status]]]:
    """By page and number the kinds of all revisions, and the statuses that some have set. An undo
    that set one counts as a mark."""
    kinds: dict[int, dict[int, str]] = {page_id: {} for page_id in undone}
    statuses: dict[int, dict[int, Status]] = {page_id: {} for page_id in undone}
    rows = Revision.objects.filter(page__in=undone).order_by("page", "number")
    columns = rows.values_list("page", "number", "kind", "standing", "replaced_by")
    for page_id, own in groupby(columns, itemgetter(0)):
        before = Status()
        for _page_id, number, kind, standing, successor_id in own:
            status = Status(Standing(standing), successor_id)
            is_undone_mark = kind == RevisionKind.UNDO and status != before
            if kind == RevisionKind.MARK or is_undone_mark:
                statuses[page_id][number] = status
            kinds[page_id][number] = RevisionKind.MARK if is_undone_mark else kind
            before = status
    return kinds, statuses


def _wanted(undone: list[int], kinds: Mapping[int, str]) -> set[int]:
    """The revisions whose texts are needed: both ends of every run, and both sides of an undo."""
    ends = {number for run in _runs(undone) for number in (run[0] - 1, run[-1])}
    undoings = {number for number in undone if kinds[number] == RevisionKind.UNDO}
    return ends | undoings | {number - 1 for number in undoings}


def _texts(wanted: Mapping[int, set[int]]) -> Iterator[tuple[int, dict[int, Revision]]]:
    """By page, one after the other: all at once may be more than there is memory."""
    needed = Q(pk__in=[])
    for page_id, numbers in wanted.items():
        needed |= Q(page=page_id, number__in=numbers)
    rows = Revision.objects.filter(needed).order_by("page").iterator(chunk_size=READ_AT_ONCE)
    for page_id, revisions in groupby(rows, attrgetter("page_id")):
        yield page_id, {revision.number: revision for revision in revisions}


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    """Revisions that follow each other are undone in one step."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _plan_page(
    page: Page, undone: list[int], kinds: Mapping[int, str], texts: Mapping[int, Revision]
) -> Plan:
    plan = Plan(page, Effect.NOTHING, len(undone))
    was_in_trash = _was_in_trash(page, _runs(undone)[-1], kinds, texts)
    is_own = 1 in undone and _is_alone(undone, kinds)
    if page.is_trashed:
        return plan if was_in_trash or is_own else replace(plan, effect=Effect.RESTORE)
    if was_in_trash or is_own:
        return replace(plan, effect=Effect.TRASH)
    return _plan_text(plan, undone, texts)


def _plan_text(plan: Plan, undone: list[int], texts: Mapping[int, Revision]) -> Plan:
    present = fields = fields_of(plan.page)
    for run in reversed(_runs(undone)):
        after, earlier = fields_of(texts[run[-1]]), texts.get(run[0] - 1)
        # Before its first revision a page had no text, but no other name either.
        before = fields_of(earlier) if earlier else replace(after, body="")
        reversed_ = reverse_step(before, after, fields)
        if reversed_ is None:
            return replace(plan, effect=Effect.STUCK)
        fields = reversed_
    if 1 in undone and not has_words(fields.body):
        return replace(plan, effect=Effect.TRASH)
    return plan if fields == present else replace(plan, effect=Effect.TEXT, fields=fields)


def _is_alone(undone: Iterable[int], kinds: Mapping[int, str]) -> bool:
    """Whether the author is the only one."""
    return all(kind in _WORDLESS for number, kind in kinds.items() if number not in set(undone))


def _was_in_trash(
    page: Page, run: list[int], kinds: Mapping[int, str], texts: Mapping[int, Revision]
) -> bool:
    """Whether the page was in the trash before the last run. A change of others after the run
    stands."""
    in_trash = page.is_trashed
    if run[-1] != page.revision:
        return in_trash
    for number in reversed(run):
        if kinds[number] == RevisionKind.UNDO and _is_same(texts[number], texts[number - 1]):
            # An undoing that left text and name alone moved the page to the trash or back.
            in_trash = not in_trash
        else:
            in_trash = kinds[number] == RevisionKind.RESTORE
    return in_trash


def _is_same(one: Revision, other: Revision) -> bool:
    return fields_of(one) == fields_of(other) and one.slug == other.slug
