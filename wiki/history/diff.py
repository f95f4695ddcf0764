"""The difference between two texts, word by word, and between the fields around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from os.path import commonprefix
from typing import Protocol

from django.utils.translation import gettext as _

from wiki.models import PageType, Revision
from wiki.text.bounded_difflib import BoundedMatcher, Effort


class ChangeKind(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Change:
    kind: ChangeKind
    text: str


# Blocks with more words than this are not compared word by word: the old one is removed, the new
# one added.
MAX_WORDS = 1_500
# Lines beyond this are not matched either: difflib needs quadratic time for them.
MAX_LINES = 5_000
# This much unchanged text is kept around a change.
CONTEXT = 300

_TOKEN = re.compile(r"\s*\w+|\s*[^\w\s]|\s+")


def find_changes(
    old: str, new: str, max_words: int = MAX_WORDS, effort: Effort | None = None
) -> list[Change]:
    """Return the new text with additions and removals in reading order. Both texts can be joined
    from it exactly."""
    effort = effort or Effort()
    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(old_lines) + len(new_lines) > MAX_LINES:
        return _join(_replaced(old, new))
    return _join(
        change
        for tag, before, after in _compare(old_lines, new_lines, effort, autojunk=True)
        for change in (
            _words(before, after, max_words, effort)
            if tag == "replace"
            else _replaced(before, after, tag)
        )
    )


def describe_changes(old: str, new: str) -> list[Change]:
    """Return the changes for display; nothing for the same text."""
    if old == new:
        return []
    return [
        _show_blanks(change) for change in shorten_unchanged(_spare_blanks(find_changes(old, new)))
    ]


def _spare_blanks(changes: list[Change]) -> list[Change]:
    """A word is compared with the blank before it, and that struck out would look like a minus: it
    stays unmarked. So does a word before which only the blank changed."""
    spared: list[Change] = []
    for change in changes:
        if change.kind == ChangeKind.ADDED and spared and spared[-1].kind == ChangeKind.REMOVED:
            removed = spared.pop().text
            shared = commonprefix([removed, change.text])
            blank = len(shared) - len(shared.lstrip())
            spared.append(Change(ChangeKind.SAME, removed[:blank]))
            before, after = removed[blank:], change.text[blank:]
            kept = before.lstrip() if before.lstrip() == after.lstrip() else ""
            spared += _replaced(before.removesuffix(kept), after.removesuffix(kept))
            spared.append(Change(ChangeKind.SAME, kept))
        else:
            spared.append(change)
    return _join(change for change in spared if change.text)


_SIGNS = {"\n": "↵", "\t": "→", "\u00a0": "⍽"}


def _show_blanks(change: Change) -> Change:
    """Blanks and ends of lines alone would be nothing to see."""
    if change.kind not in (ChangeKind.ADDED, ChangeKind.REMOVED) or not change.text.isspace():
        return change
    is_broken = change.kind == ChangeKind.ADDED
    signs = (
        _SIGNS.get(blank, "·") + ("\n" if blank == "\n" and is_broken else "")
        for blank in change.text
    )
    return Change(change.kind, "".join(signs))


def shorten_unchanged(changes: list[Change]) -> list[Change]:
    """Keep only some text around each change; SKIPPED stands for the rest."""
    shortened: list[Change] = []
    for index, change in enumerate(changes):
        head = CONTEXT if index > 0 else 0
        tail = CONTEXT if index < len(changes) - 1 else 0
        if change.kind != ChangeKind.SAME or len(change.text) <= head + tail + CONTEXT:
            shortened.append(change)
            continue
        before, after = (
            _cut_end(change.text[:head]),
            _cut_start(change.text[len(change.text) - tail :]),
        )
        shortened += [
            Change(change.kind, before),
            Change(ChangeKind.SKIPPED, "…"),
            Change(change.kind, after),
        ]
    return [change for change in shortened if change.text]


def _cut_end(text: str) -> str:
    """Without the word that was cut through at its end."""
    return re.sub(r"\s\S{0,60}\Z", "", text)


def _cut_start(text: str) -> str:
    return re.sub(r"\A\S{0,60}\s", "", text)


def _words(old: str, new: str, max_words: int, effort: Effort) -> Iterator[Change]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(before), len(after)) > max_words:
        yield from _replaced(old, new)
        return
    for tag, removed, added in _compare(before, after, effort, autojunk=False):
        yield from _replaced(removed, added, tag)


def _compare(
    old: list[str], new: list[str], effort: Effort, *, autojunk: bool
) -> Iterator[tuple[str, str, str]]:
    for tag, i1, i2, j1, j2 in BoundedMatcher(None, old, new, autojunk, effort).get_opcodes():
        yield tag, "".join(old[i1:i2]), "".join(new[j1:j2])


def _replaced(old: str, new: str, tag: str = "replace") -> Iterator[Change]:
    if tag == "equal":
        yield Change(ChangeKind.SAME, new)
        return
    yield from (
        change
        for change in (Change(ChangeKind.REMOVED, old), Change(ChangeKind.ADDED, new))
        if change.text
    )


def _join(changes: Iterator[Change]) -> list[Change]:
    joined: list[Change] = []
    for change in changes:
        if joined and joined[-1].kind == change.kind:
            change = Change(change.kind, joined.pop().text + change.text)
        joined.append(change)
    return joined


class Described(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def aliases(self) -> list[str]: ...


def find_differing_fields(old: Described, new: Described) -> list[tuple[str, str, str]]:
    """Label, old and new value of every short field that differs, in words for people."""
    rows = [
        (_("Title"), old.title, new.title),
        (_("Type"), PageType.label_of(old.type), PageType.label_of(new.type)),
        (_("Tags"), ", ".join(old.tags), ", ".join(new.tags)),
        (_("Aliases"), " · ".join(old.aliases), " · ".join(new.aliases)),
    ]
    return [row for row in rows if row[1] != row[2]]


def find_differing_revisions(old: Revision, new: Revision) -> list[tuple[str, str, str]]:
    """The same of two revisions, which may also stand at different addresses."""
    address = (
        [(_("Address"), old.slug, new.slug)]
        if old.slug and new.slug and old.slug != new.slug
        else []
    )
    return find_differing_fields(old, new) + address
