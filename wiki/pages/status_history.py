"""Which mark a page had earlier. A revision keeps none, but says in its summary which one it set,
in its writer's language."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, reduce
from operator import or_

from django.conf import settings
from django.db.models import Min, Q
from django.utils.translation import gettext, override

from wiki.models import Page, Revision, RevisionKind, Standing
from wiki.text.cleaning import clean_line

# Where the title of the successor stands.
_TITLE = "{title}"


@dataclass(frozen=True)
class Mark:
    """What somebody said of a page; `successor_id` is the page that replaces it, None where nobody
    knows any more."""

    standing: Standing
    successor_id: int | None = None

    @classmethod
    def of(cls, page: Page) -> "Mark":
        return cls(Standing(page.standing), page.replaced_by_id)


def say_mark(standing: Standing, successor_title: str = "") -> str:
    """The summary of the revision that sets the mark."""
    if successor_title:
        return gettext("replaced by {title}").format(title=successor_title)
    match standing:
        case Standing.HOLDS:
            return gettext("marked as holding again")
        case Standing.OUTDATED:
            return gettext("marked as outdated")
        case Standing.REPLACED:
            return gettext("marked as replaced")


def say_taken_back(mark: str, why: str) -> str:
    """The summary of an undoing that sets a mark."""
    return f"{mark} ({why})"


@cache
def _sentences() -> list[tuple[Standing, str]]:
    """In every language; the one with a successor has `_TITLE` in it."""
    said: list[tuple[Standing, str]] = []
    for code, _name in settings.LANGUAGES:
        with override(code):
            said += [(standing, say_mark(standing)) for standing in Standing]
            said.append((Standing.REPLACED, say_mark(Standing.REPLACED, _TITLE)))
    return said


def sets_mark() -> Q:
    """The condition for revisions that gave their page the mark it had then; some of them undid
    another."""
    undoings = [
        f"{said} (" if _TITLE not in said else said.partition(_TITLE)[0]
        for _standing, said in _sentences()
    ]
    begins = reduce(or_, (Q(summary__startswith=said) for said in undoings))
    return Q(kind=RevisionKind.MARK) | (Q(kind=RevisionKind.UNDO) & begins)


@dataclass(frozen=True)
class _Said:
    """Of a revision that set a mark. `titles` are those that its successor may have had, the
    likeliest first."""

    standing: Standing
    at: datetime
    titles: tuple[str, ...] = ()


def find_marks(pages: Iterable[int]) -> dict[int, dict[int, Mark | None]]:
    """By page the marks that its revisions set, by their numbers; None for one that cannot be told.
    Two queries."""
    said: dict[int, dict[int, _Said | None]] = defaultdict(dict)
    rows = Revision.objects.filter(sets_mark(), page__in=list(pages)).order_by("page", "number")
    for page_id, number, kind, summary, at in rows.values_list(
        "page", "number", "kind", "summary", "created_at"
    ):
        said[page_id][number] = _read(summary, at, is_undoing=kind == RevisionKind.UNDO)
    titles = {
        title for own in said.values() for mark in own.values() if mark for title in mark.titles
    }
    named = _find_named(list(said), titles)
    return {
        page_id: {
            number: _mark(page_id, mark, named) if mark else None for number, mark in own.items()
        }
        for page_id, own in said.items()
    }


def _read(summary: str, at: datetime, *, is_undoing: bool) -> _Said | None:
    for standing, sentence in _sentences():
        if _TITLE not in sentence:
            if summary == sentence or (is_undoing and summary.startswith(f"{sentence} (")):
                return _Said(standing, at)
            continue
        before, _title, after = sentence.partition(_TITLE)
        if summary.startswith(before) and (is_undoing or summary.endswith(after)):
            return _Said(
                standing,
                at,
                tuple(_titles(summary.removeprefix(before), after, is_undoing=is_undoing)),
            )
    return None


def _titles(rest: str, after: str, *, is_undoing: bool) -> list[str]:
    """A title may have a bracket in it too."""
    if not is_undoing:
        return [rest.removesuffix(after)]
    parts = rest.split(f"{after} (")
    return [f"{after} (".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]


def _find_named(pages: list[int], titles: set[str]) -> Mapping[str, list[tuple[datetime, int]]]:
    """Since when which page of the wiki has had the title, by its words as a summary has them; the
    earliest first."""
    named: dict[str, list[tuple[datetime, int]]] = defaultdict(list)
    if not titles:
        return named
    wikis = Page.objects.filter(pk__in=pages).values("wiki")
    rows = Revision.objects.filter(page__wiki__in=wikis, title__in=titles).order_by()
    for title, page_id, since in rows.values_list("title", "page").annotate(Min("created_at")):
        named[clean_line(title)].append((since, page_id))
    return {title: sorted(found) for title, found in named.items()}


def _mark(page_id: int, said: _Said, named: Mapping[str, list[tuple[datetime, int]]]) -> Mark:
    for title in said.titles:
        # Of two pages that have had one name the one that took it last is the one that was meant.
        fitting = [
            other for since, other in named.get(title, ()) if since <= said.at and other != page_id
        ]
        if fitting:
            return Mark(said.standing, fitting[-1])
    return Mark(said.standing)
