"""The index of a wiki as a short list: titles under their types."""

from collections.abc import Collection

from wiki.models import PageType, Wiki
from wiki.recall.prompt.quoting import name_in_line
from wiki.recall.prompt.token_estimate import LINE_END, size_of, size_of_lines
from wiki.search.retrieval import IndexExtent, page_index
from wiki.text.slugs import slugify

_TITLE = 60


def name_page(title: str, slug: str) -> str:
    """The title, with the slug behind it unless it follows from the title as it is shown."""
    shown = name_in_line(title, _TITLE)
    return shown if slugify(shown) == slug else f"{shown} (slug: {slug})"


class Listing:
    def __init__(
        self, wiki: Wiki, extent: IndexExtent, total: int, without: Collection[str]
    ) -> None:
        """`total`: of the wiki's pages; `without`: the slugs of those that are shown already."""
        self._rows = [row for row in page_index(wiki, extent) if row["slug"] not in without]
        self._others = total - len(without)
        self._order = "by title" if extent == IndexExtent.ALL else "the last changed"
        self._lines = [f"- {name_page(row['title'], row['slug'])}" for row in self._rows]

    @property
    def size(self) -> int:
        """Of the whole list, in thirds of a token."""
        groups = [_group(type) for type in {row["type"] for row in self._rows}]
        lines = [self._heading(len(self._rows)), *groups, *self._lines]
        return size_of_lines(lines) if self._rows else 0

    def lines(self, room: int) -> list[str]:
        """As much of the list as fits, and how much does not."""
        room -= size_of(self._heading(1)) + 2 * LINE_END
        if not self._rows or room < 0:
            return []
        groups: dict[str, list[str]] = {}
        for row, line in zip(self._rows, self._lines, strict=True):
            size = size_of(line) + LINE_END
            if row["type"] not in groups:
                size += size_of(_group(row["type"])) + LINE_END
            room -= size
            if room < 0:
                break
            groups.setdefault(row["type"], []).append(line)
        shown = sum(map(len, groups.values()))
        ordered = [type for type in (*PageType.values, "") if type in groups]
        if ordered == [""]:
            return ["", self._heading(shown), *groups[""]]
        return [
            "",
            self._heading(shown),
            *(line for type in ordered for line in (_group(type), *groups[type])),
        ]

    def _heading(self, shown: int) -> str:
        if shown == self._others:
            return f"## Index: the other {shown} pages"
        return (
            f"## Index: {shown} of {self._others} other pages, {self._order}; list_pages lists all"
        )


def _group(type: str) -> str:
    return f"{type or 'no type'}:"
