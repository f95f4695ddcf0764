"""Two edits of the same page at once: put together where they touch different paragraphs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

from wiki.authors import Author
from wiki.editing import EditConflict, revise_page
from wiki.models import Page, Revision
from wiki.page_fields import PageFields

T = TypeVar("T")

# A paragraph with the blank lines behind it.
_PARAGRAPH = re.compile(r"(?:[^\n]+\n?)+\n*|\n+")
# Longer texts are left to the person: comparing them takes quadratic time.
MAX_PARAGRAPHS = 1_000


@dataclass(frozen=True)
class _Edit:
    """Paragraphs `start` to `end` of the base become `text`."""

    start: int
    end: int
    text: str


def revise_together(
    page: Page,
    base_revision: int,
    *,
    title: str,
    body: str,
    type: str,
    tags: Sequence[str],
    author: Author,
    summary: str = "",
) -> tuple[Page, bool]:
    """`revise_page`, but what somebody else changed elsewhere in the page meanwhile is kept, and the answer says so.

    Raises EditConflict where both changed the same.
    """
    try:
        saved = revise_page(
            page, base_revision, title=title, body=body, type=type, tags=tags, author=author, summary=summary
        )
        return saved, False
    except EditConflict as conflict:
        current = conflict.page
        base = Revision.objects.filter(page=current, number=base_revision).first()
        combined = combine_edits(base, PageFields.clean(title, body, type, tags), current) if base else None
        if combined is None:
            raise
    return revise_page(current, current.revision, author=author, summary=summary, **vars(combined)), True


def combine_edits(base: Revision, mine: PageFields, current: Page) -> PageFields | None:
    """What both wanted who started from `base`; None where they changed the same thing to something different."""
    title = _combine(base.title, mine.title, current.title)
    type = _combine(base.type, mine.type, current.type)
    tags = _combine(base.tags, mine.tags, current.tags)
    body = combine_texts(base.body, mine.body, current.body)
    if title is None or type is None or tags is None or body is None:
        return None
    return PageFields(title, body, type, tags)


def _combine(base: T, mine: T, theirs: T) -> T | None:
    if mine in (base, theirs):
        return theirs
    return mine if theirs == base else None


def combine_texts(base: str, mine: str, theirs: str) -> str | None:
    """The base with both changes; None when they touch the same paragraph, or each other."""
    texts = [_PARAGRAPH.findall(text) for text in (base, mine, theirs)]
    if max(map(len, texts)) > MAX_PARAGRAPHS:
        return None
    paragraphs, ours, others = texts
    edits = sorted({*_edits(paragraphs, ours), *_edits(paragraphs, others)}, key=lambda edit: (edit.start, edit.end))
    if any(_touch(earlier, later) for earlier, later in zip(edits, edits[1:], strict=False)):
        return None
    for edit in reversed(edits):
        paragraphs[edit.start : edit.end] = [edit.text]
    return "".join(paragraphs)


def _touch(earlier: _Edit, later: _Edit) -> bool:
    """Whether two edits overlap; what is put in between two paragraphs also touches both of them."""
    is_insertion = earlier.start == earlier.end or later.start == later.end
    return earlier.end > later.start or (is_insertion and earlier.end == later.start)


def _edits(base: list[str], changed: list[str]) -> list[_Edit]:
    codes = SequenceMatcher(None, base, changed, autojunk=False).get_opcodes()
    return [_Edit(i1, i2, "".join(changed[j1:j2])) for tag, i1, i2, j1, j2 in codes if tag != "equal"]
