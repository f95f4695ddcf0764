"""Take one step of a page's history out of its present text."""

from wiki.pages.edit_conflicts import MAX_LINES, combine_texts, combine_values
from wiki.pages.fields import PageFields
from wiki.text.bounded_difflib import BoundedMatcher, Effort


def reverse_step(before: PageFields, after: PageFields, present: PageFields) -> PageFields | None:
    """Return the present page without the step from `before` to `after`; None where the same was
    changed since."""
    title = combine_values(after.title, before.title, present.title)
    type = combine_values(after.type, before.type, present.type)
    body = reverse_text(before.body, after.body, present.body)
    if title is None or type is None or body is None:
        return None
    tags = _reverse_list(before.tags, after.tags, present.tags)
    aliases = _reverse_list(before.aliases, after.aliases, present.aliases)
    return PageFields(title, body, type, tags, aliases)


def _reverse_list(before: list[str], after: list[str], present: list[str]) -> list[str]:
    added, removed = set(after) - set(before), [tag for tag in before if tag not in after]
    kept = [tag for tag in present if tag not in added]
    return kept + [tag for tag in removed if tag not in kept]


def reverse_text(before: str, after: str, present: str) -> str | None:
    """Like `reverse_step`, for the text alone."""
    if present == after:
        return before
    # The last line of a page has no line end, and would be another line as soon as a paragraph
    # follows it.
    old, new, now = (
        text if text.endswith("\n") or not text else f"{text}\n"
        for text in (before, after, present)
    )
    effort = Effort()
    reversed_ = combine_texts(new, old, now, effort)
    if reversed_ is None:
        was, became, stands = (text.splitlines(keepends=True) for text in (old, new, now))
        reversed_ = _replace_intact_lines(was, became, stands, effort)
    if reversed_ is None:
        return None
    if not present.startswith("\n"):
        reversed_ = reversed_.lstrip("\n")
    return reversed_ if present.endswith("\n") else reversed_.rstrip("\n")


def _replace_intact_lines(
    before: list[str], after: list[str], present: list[str], effort: Effort
) -> str | None:
    """A merge takes two changes beside each other for a conflict: of two insights filed one after
    the other it would not take out the first. Here the lines of the step may have any neighbours,
    as long as they stand as they stood."""
    if max(len(before), len(after), len(present)) > MAX_LINES:
        return None
    places = _places(after, present, effort)
    replaced: list[tuple[int, int, list[str]]] = []
    for tag, i1, i2, j1, j2 in BoundedMatcher(None, after, before, False, effort).get_opcodes():
        if tag == "equal":
            continue
        start = _find_intact(places, i1, i2)
        if start is None:
            return None
        replaced.append((start, start + i2 - i1, before[j1:j2]))
    lines = list(present)
    for start, end, old in reversed(replaced):
        lines[start:end] = old
    return "".join(lines)


def _places(after: list[str], present: list[str], effort: Effort) -> dict[int, int]:
    """Where each line of the one text stands in the other; before the first and behind the last
    line is a place too."""
    places = {-1: -1, len(after): len(present)}
    for block in BoundedMatcher(None, after, present, False, effort).get_matching_blocks():
        places.update((block.a + offset, block.b + offset) for offset in range(block.size))
    return places


def _find_intact(places: dict[int, int], i1: int, i2: int) -> int | None:
    """Where these lines begin in the present text; None if they do not stand there together."""
    # Lines that only come back need both their neighbours: nothing else says where they belong.
    numbers = list(range(i1, i2)) or [i1 - 1, i1]
    found = [places.get(number) for number in numbers]
    if found[0] is None or found != list(range(found[0], found[0] + len(found))):
        return None
    return found[0] if i1 < i2 else found[0] + 1
