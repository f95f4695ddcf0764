"""Links to pages that do not exist, by what they want. A link to a redirect leads somewhere and is
none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.db.models import Count, Min, QuerySet, Window
from django.db.models.functions import DenseRank

from wiki.models import Link, Page, PageQuerySet, Wiki

# Named beside a wanted page; all of them stand in a list of their own.
WANTING_SHOWN = 5


@dataclass(frozen=True)
class WantedPage:
    """A page that does not exist, how many live pages want it, and the first of them by title."""

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
    """What is wanted, most wanted first."""
    grouped = _dead_links(wiki).values("target_key")
    counted = grouped.annotate(title=Min("target_text"), wanting=Count("from_page", distinct=True))
    return counted.order_by("-wanting", "target_key")


def show_wanted(wiki: Wiki, rows: Sequence[WantedRow]) -> list[WantedPage]:
    """These rows with the first pages that want each, in one query."""
    by_title = Window(DenseRank(), "target_key", order_by=["from_page__title_key", "from_page"])
    links = (
        _dead_links(wiki)
        .filter(target_key__in=[row["target_key"] for row in rows])
        .annotate(place=by_title)
    )
    first = (
        links.filter(place__lte=WANTING_SHOWN)
        .select_related("from_page")
        .order_by("target_key", "place")
    )
    pages: dict[str, dict[int, Page]] = {}
    for link in first.only("target_key", "from_page__slug", "from_page__title"):
        pages.setdefault(link.target_key, {})[link.from_page_id] = link.from_page
    return [
        WantedPage(
            row["target_key"],
            row["title"],
            row["wanting"],
            list(pages.get(row["target_key"], {}).values()),
        )
        for row in rows
    ]


def find_wanting(wiki: Wiki, key: str) -> PageQuerySet:
    """The live pages that want this page."""
    return Page.objects.live().filter(
        pk__in=_dead_links(wiki).filter(target_key=key).values("from_page")
    )


def _dead_links(wiki: Wiki) -> QuerySet[Link]:
    return Link.objects.live().order_by().filter(from_page__wiki=wiki, resolved_page=None)
