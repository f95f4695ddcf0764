"""Two edits of the same page at once: put together where they touch different lines."""

from functools import partial
from typing import Any, TypeVar

from merge3 import Merge3

from wiki.models import Page, Revision
from wiki.pages.change import Change
from wiki.pages.fields import PageFields
from wiki.pages.redacted_fields import clean_fields
from wiki.pages.write import EditConflict, revise_page
from wiki.text.bounded_difflib import BoundedMatcher, Effort

T = TypeVar("T")

# Longer texts are left to the person: comparing them takes quadratic time.
MAX_LINES = 2_000


def revise_together(
    page: Page, base_revision: int, fields: PageFields, change: Change
) -> tuple[Page, bool]:
    """`revise_page` that keeps changes of others elsewhere in the page, and returns whether there
    were any. Raises EditConflict where both changed the same."""
    try:
        return revise_page(page, base_revision, fields, change), False
    except EditConflict as conflict:
        current = conflict.page
        base = Revision.objects.filter(page=current, number=base_revision).first()
        mine = clean_fields(change.author, fields, page)
        combined = combine_edits(base, mine, current) if base else None
        if combined is None:
            raise
    saved = revise_page(current, current.revision, combined, change)
    # Sent twice, or written alike by both: nothing of somebody else was added.
    return saved, combined != mine


def combine_edits(base: Revision, mine: PageFields, current: Page) -> PageFields | None:
    """Return both edits of `base` in one; None where they change the same thing differently."""
    title = combine_values(base.title, mine.title, current.title)
    type = combine_values(base.type, mine.type, current.type)
    tags = combine_values(base.tags, mine.tags, current.tags)
    aliases = combine_values(base.aliases, mine.aliases, current.aliases)
    body = combine_texts(base.body, mine.body, current.body)
    if title is None or type is None or tags is None or aliases is None or body is None:
        return None
    return PageFields(title, body, type, tags, aliases)


def combine_values(base: T, mine: T, theirs: T) -> T | None:
    """The one value that was changed; None when both were, to something different."""
    if mine in (base, theirs):
        return theirs
    return mine if theirs == base else None


def combine_texts(base: str, mine: str, theirs: str, effort: Effort | None = None) -> str | None:
    """The base with both changes; None when they touch the same lines, or where that takes too much
    effort to tell."""
    if mine in (base, theirs):
        return theirs
    groups = _merge(base, mine, theirs, effort)
    if groups is None or any(group[0] == "conflict" for group in groups):
        return None
    return "".join(line for group in groups for line in group[1])


def overrule(base: Revision, mine: PageFields, current: Page) -> PageFields:
    """Like `combine_edits`, but where both changed the same it is mine, for a person to look at."""
    title = combine_values(base.title, mine.title, current.title) or mine.title
    type = combine_values(base.type, mine.type, current.type)
    tags = combine_values(base.tags, mine.tags, current.tags)
    aliases = combine_values(base.aliases, mine.aliases, current.aliases)
    return PageFields(
        title,
        _overrule_texts(base.body, mine.body, current.body),
        mine.type if type is None else type,
        mine.tags if tags is None else tags,
        mine.aliases if aliases is None else aliases,
    )


def _overrule_texts(base: str, mine: str, theirs: str) -> str:
    groups = _merge(base, mine, theirs)
    if groups is None:
        return mine
    return "".join(line for group in groups for line in group[2 if group[0] == "conflict" else 1])


def _merge(
    base: str, mine: str, theirs: str, effort: Effort | None = None
) -> list[tuple[Any, ...]] | None:
    """Return runs of lines with merge3's label, of a conflict those of all three; None for long
    texts."""
    before, ours, others = (text.splitlines(keepends=True) for text in (base, mine, theirs))
    if max(len(before), len(ours), len(others)) > MAX_LINES:
        return None
    matcher = partial(BoundedMatcher, effort=effort or Effort())
    return list(Merge3(before, ours, others, sequence_matcher=matcher).merge_groups())  # type: ignore[arg-type]
