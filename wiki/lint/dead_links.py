"""Wanted pages: targets of links that neither a page nor a redirect answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.db.models import Count, Min, QuerySet, Window
from django.db.models.functions import DenseRank

from wiki.models import Link, Page, PageQuerySet, Wiki

# Linking pages named beside a wanted page.
WANTING_SHOWN = 5


@dataclass(frozen=True)
class WantedPage:
    """A missing page, the number of live pages that link to it, and the first of them by title."""

    key: str
    title: str
    count: int
    pages: list[Page]

    @property
    def more(self) -> int:
        return self.count - len(self.pages)


class WantedRow(TypedDict):
    target_key: str
    title: str
    wanting: int


def find_wanted(wiki: Wiki) -> QuerySet[Link, WantedRow]:
    """Return the wanted pages, most wanted first."""
    grouped = _dead_links(wiki).values("target_key")
    counted = grouped.annotate(title=Min("target_text"), wanting=Count("from_page", distinct=True))
    return counted.order_by("-wanting", "target_key")


def show_wanted(wiki: Wiki, rows: Sequence[WantedRow]) -> list[WantedPage]:
    """Add the first linking pages to each row, in one query."""
    by_title = Window(DenseRank(), "target_key", order_by=["from_page__title_key", "from_page"])
    keys = [row["target_key"] for row in rows]
    links = _dead_links(wiki).filter(target_key__in=keys).annotate(place=by_title)
    first = links.filter(place__lte=WANTING_SHOWN).order_by("target_key", "place")
    first = first.select_related("from_page")
    pages: dict[str, dict[int, Page]] = {key: {} for key in keys}
    for link in first.only("target_key", "from_page__slug", "from_page__title"):
        pages[link.target_key][link.from_page_id] = link.from_page
    return [
        WantedPage(key, row["title"], row["wanting"], list(pages[key].values()))
        for key, row in zip(keys, rows, strict=True)
    ]


def find_wanting(wiki: Wiki, key: str) -> PageQuerySet:
    """Return the live pages that link to this missing page."""
    links = _dead_links(wiki).filter(target_key=key)
    return Page.objects.live().filter(pk__in=links.values("from_page"))


def _dead_links(wiki: Wiki) -> QuerySet[Link]:
    return (
        Link.objects.live()
        .order_by()
        .filter(from_page__wiki=wiki, resolved_page=None, is_ambiguous=False)
    )
