"""The recalled pages in a prompt: where each stands, who wrote it and when, whether it holds, and
what it says."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q
from django.utils.timezone import localdate

from wiki.models import Confirmation, Page, Revision, Standing
from wiki.recall.prompt.page_index import name_page
from wiki.recall.prompt.quoting import compact, name_in_line, quote_within, show_all
from wiki.recall.prompt.token_estimate import LINE_END, THIRDS, size_of
from wiki.search.retrieval import Hit, Mode
from wiki.search.similarity import two_decimals
from wiki.search.thresholds import NOTHING_IN_COMMON
from wiki.text.excerpts import cut_around, find_match

# A page of which less than this could be shown is named only: some lines help, the end of a
# sentence does not. The nearest comes even with less.
_LEAST_TEXT, _LEAST_OF_FIRST = 100 * THIRDS, 25 * THIRDS
# Of two pages that both want more than there is, the nearer one gets this much more.
_FIRST_SHARE = 2
_TITLE, _NAME = 60, 30


def has_in_common(hit: Hit) -> bool:
    """Whether there is anything about this page that a reader would find again in the query."""
    return Mode.KEYWORD in hit.found_by or (hit.similarity or 0.0) >= NOTHING_IN_COMMON


@dataclass
class _Entry:
    head: str
    name: str
    text: str
    position: int
    characters: int
    is_telling: bool

    @property
    def head_size(self) -> int:
        return size_of(self.head) + 3 * LINE_END

    @property
    def least(self) -> int:
        """What showing it takes at least."""
        return self.head_size + min(self.wanted, _LEAST_TEXT)

    @property
    def wanted(self) -> int:
        """What its whole text takes, with the marks of its lines."""
        return size_of(self.text) + (self.text.count("\n") + 1) * 5


def page_lines(hits: Sequence[Hit], query: str, room: int, *, with_text: bool) -> list[str]:
    """The hits in at most so many thirds of a token. Those that say nothing of the query, and those
    for whose text no room is left, are only named."""
    entries = _entries(hits, query, with_text, room)
    shown, named = _choose(entries, room)
    room -= sum(entry.head_size for entry in shown)
    names = _name(named)
    if _size(names) > room - _LEAST_OF_FIRST * len(shown):
        names = ["", f"({len(named)} more were found; a larger budget shows them)"]
    room -= _size(names)
    lines: list[str] = []
    for entry, share in zip(shown, share_out([entry.wanted for entry in shown], room), strict=True):
        lines += ["", entry.head, *_text_lines(entry, share)]
    return [*lines, *names]


def _choose(entries: Sequence[_Entry], room: int) -> tuple[list[_Entry], list[_Entry]]:
    """Those whose text is shown, and those that are only named."""
    shown = [entry for entry in entries if entry.is_telling]
    named = [entry for entry in entries if not entry.is_telling]
    while shown and sum(entry.least for entry in shown) + _size(_name(named)) > room:
        if len(shown) == 1 and shown[0].head_size + _LEAST_OF_FIRST <= room:
            break
        named.insert(0, shown.pop())
    return shown, named


def share_out(wanted: Sequence[int], room: int) -> list[int]:
    """Room for each: all it wants if that is less than its share, and what it leaves goes to the
    others."""
    shares = [0] * len(wanted)
    open_ones = list(range(len(wanted)))
    while open_ones:
        weights = {number: _FIRST_SHARE if number == 0 else 1 for number in open_ones}
        unit = max(0, room) / sum(weights.values())
        modest = [number for number in open_ones if wanted[number] <= weights[number] * unit]
        for number in modest or open_ones:
            shares[number] = wanted[number] if modest else int(weights[number] * unit)
        if not modest:
            break
        room -= sum(wanted[number] for number in modest)
        open_ones = [number for number in open_ones if number not in modest]
    return shares


def _text_lines(entry: _Entry, share: int) -> list[str]:
    if entry.wanted <= share:
        return [quote_within(entry.text, 0, share)]
    cut = f"(cut; {entry.characters:,} characters in all)"
    return [quote_within(entry.text, entry.position, share - size_of(cut) - LINE_END), cut]


def _name(entries: Sequence[_Entry]) -> list[str]:
    return (
        ["", "Also near, by title only:", *(f"- {entry.name}" for entry in entries)]
        if entries
        else []
    )


def _size(lines: Sequence[str]) -> int:
    return sum(size_of(line) + LINE_END for line in lines)


def _entries(hits: Sequence[Hit], query: str, with_text: bool, room: int) -> list[_Entry]:
    written = _written([hit.page for hit in hits])
    confirmed = _confirmed([hit.page for hit in hits])
    entries = []
    for number, hit in enumerate(hits, 1):
        page = hit.page
        # No character is smaller than a third, so no more of a text can be shown.
        window = (
            cut_around(page.body, find_match(page.body, query), max(room, 1))
            if with_text
            else hit.excerpt
        )
        text, hidden = show_all(window)
        facts = [
            f"slug: {page.slug}",
            page.type,
            _found(hit),
            written.get(page.pk, ""),
            confirmed.get(page.pk, ""),
            f"{hidden} invisible characters were taken out" if hidden else "",
        ]
        head = (
            f"### {number}. {name_in_line(page.title, _TITLE)}\n"
            f"{' · '.join(filter(None, facts))}{_standing(page)}"
        )
        text = _without_title(compact(text), page.title) or "(no text)"
        position = find_match(text, query)
        name, telling = name_page(page.title, page.slug), has_in_common(hit)
        entries.append(_Entry(head, name, text, position, len(page.body), telling))
    return entries


def _without_title(text: str, title: str) -> str:
    first, _, rest = text.partition("\n")
    return rest.strip("\n") if first.removeprefix("# ").strip() == title else text


def _found(hit: Hit) -> str:
    near = f"similarity {two_decimals(hit.similarity):.2f}" if hit.similarity is not None else ""
    worded = "has words of the query" if Mode.KEYWORD in hit.found_by else ""
    return ", ".join(filter(None, [near, worded]))


def _standing(page: Page) -> str:
    if page.standing == Standing.OUTDATED:
        return "\n**Marked as outdated: what it says holds no longer.**"
    if page.standing == Standing.REPLACED:
        by = (
            f" by {name_page(page.replaced_by.title, page.replaced_by.slug)}"
            if page.replaced_by
            else ""
        )
        return f"\n**Marked as replaced{by}: what it says holds no longer.**"
    return ""


def _written(pages: Sequence[Page]) -> dict[int, str]:
    """By page: who wrote it and when, and who changed it last."""
    ends = Revision.objects.filter(page__in=[page.pk for page in pages])
    ends = ends.filter(Q(number=1) | Q(number=F("page__revision"))).order_by("page", "number")
    by_page: dict[int, list[Revision]] = {}
    for revision in ends.only("page", "number", "author_kind", "author_name", "created_at"):
        by_page.setdefault(revision.page_id, []).append(revision)
    return {page: _tell(revisions[0], revisions[-1]) for page, revisions in by_page.items()}


def _tell(first: Revision, last: Revision) -> str:
    begun = f"written {_day(first.created_at)}"
    if first == last:
        return f"{begun} by {_who(first)}"
    changed = f"last changed {_day(last.created_at)} by {_who(last)}"
    return (
        f"{begun} by {_who(first)}, {changed}"
        if _who(first) != _who(last)
        else f"{begun}, {changed}"
    )


def _confirmed(pages: Sequence[Page]) -> dict[int, str]:
    rows = Confirmation.objects.filter(page__in=[page.pk for page in pages]).order_by(
        "confirmed_at"
    )
    return {row.page_id: f"confirmed {_day(row.confirmed_at)} by {_who(row)}" for row in rows}


def _who(row: Revision | Confirmation) -> str:
    return f"{name_in_line(row.author_name, _NAME)} ({row.author_kind})"


def _day(moment: datetime) -> str:
    return localdate(moment).isoformat()
