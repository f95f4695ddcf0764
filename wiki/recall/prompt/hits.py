"""The recalled pages in a prompt: address, authors with their days, status, and text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q
from django.utils.timezone import localdate

from wiki.models import Confirmation, Page, Revision, Standing
from wiki.recall.prompt.page_index import name_page
from wiki.recall.prompt.quoting import compact, name_in_line, quote_within, show_all
from wiki.recall.prompt.token_estimate import LINE_END, THIRDS, size_of, size_of_lines
from wiki.search.hit import Hit, Mode
from wiki.search.matcher import Matcher
from wiki.search.similarity import two_decimals
from wiki.search.thresholds import NOTHING_IN_COMMON

# A page of which less than this could be shown is named only: some lines help, the end of a
# sentence does not. The nearest comes even with less.
_LEAST_TEXT = 100 * THIRDS
_LEAST_OF_FIRST = 25 * THIRDS
# Of two pages that both want more than there is, the nearer one gets this much more.
_FIRST_SHARE = 2
# Thirds of a token for the mark of a quoted line and its end, generously.
_LINE_MARK = 5
# Tokens for a title, and for the name of an author.
_TITLE = 60
_NAME = 30


def has_in_common(hit: Hit) -> bool:
    """Whether a reader would find anything of the query on the page."""
    return Mode.KEYWORD in hit.found_by or (hit.similarity or 0.0) >= NOTHING_IN_COMMON


@dataclass(frozen=True)
class _Entry:
    """A page in the block; sizes in thirds of a token. `wanted` is the size of its whole text, with
    the marks of its lines."""

    hit: Hit
    head: str
    text: str
    head_size: int
    wanted: int

    @property
    def least(self) -> int:
        return self.head_size + min(self.wanted, _LEAST_TEXT)


def page_lines(hits: Sequence[Hit], matcher: Matcher, room: int, *, with_text: bool) -> list[str]:
    """The hits in at most `room` thirds of a token. Those that share nothing with the query, and
    those for whose text no room is left, are only named."""
    entries = _entries(hits, matcher, with_text, room)
    shown, named = _choose(entries, room)
    room -= sum([entry.head_size for entry in shown])
    names = _name(named)
    names_size = size_of_lines(names)
    if names_size > room - _LEAST_OF_FIRST * len(shown):
        names = ["", f"({len(named)} more were found; a larger budget shows them)"]
        names_size = size_of_lines(names)
    lines: list[str] = []
    shares = share_out([entry.wanted for entry in shown], room - names_size)
    for entry, share in zip(shown, shares, strict=True):
        lines += ["", entry.head, *_text_lines(entry, matcher, share)]
    return [*lines, *names]


def _choose(entries: Sequence[_Entry], room: int) -> tuple[list[_Entry], list[_Entry]]:
    """Those whose text is shown, and those that are only named."""
    shown: list[_Entry] = []
    named: list[_Entry] = []
    for entry in entries:
        (shown if has_in_common(entry.hit) else named).append(entry)
    least = sum([entry.least for entry in shown])
    while shown and least + size_of_lines(_name(named)) > room:
        if len(shown) == 1 and shown[0].head_size + _LEAST_OF_FIRST <= room:
            break
        least -= shown[-1].least
        named.insert(0, shown.pop())
    return shown, named


def share_out(wanted: Sequence[int], room: int) -> list[int]:
    """All that each wants if that is less than its share; the rest goes to the others."""
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
        room -= sum([wanted[number] for number in modest])
        open_ones = [number for number in open_ones if number not in modest]
    return shares


def _text_lines(entry: _Entry, matcher: Matcher, share: int) -> list[str]:
    if entry.wanted <= share:
        return [quote_within(entry.text, 0, share)]
    cut = f"(cut; {len(entry.hit.page.body):,} characters in all)"
    room = share - size_of(cut) - LINE_END
    return [quote_within(entry.text, matcher.find(entry.text), room), cut]


def _name(entries: Sequence[_Entry]) -> list[str]:
    if not entries:
        return []
    pages = [entry.hit.page for entry in entries]
    names = [f"- {name_page(page.title, page.slug)}" for page in pages]
    return ["", "Also near, by title only:", *names]


def _entries(hits: Sequence[Hit], matcher: Matcher, with_text: bool, room: int) -> list[_Entry]:
    written = _written([hit.page for hit in hits])
    confirmed = _confirmed([hit.page for hit in hits])
    entries = []
    for number, hit in enumerate(hits, 1):
        page = hit.page
        # No character is smaller than a third, so no more of a text can be shown.
        text, hidden = show_all(
            matcher.cut(page.body, max(room, 1))
            if with_text
            else matcher.snippet_of_page(page.body)
        )
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
        head_size = size_of(head) + 3 * LINE_END
        wanted = size_of(text) + (text.count("\n") + 1) * _LINE_MARK
        entries.append(_Entry(hit, head, text, head_size, wanted))
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
    """By page the first and the last author, with their days."""
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
