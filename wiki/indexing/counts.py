"""Counts of pages and of the characters to embed."""

from typing import NamedTuple

from django.db.models import Count, Exists, QuerySet, Subquery
from django.db.models.functions import Least, Length

from embeddings.client import active_fingerprint
from embeddings.text import MAX_CHARACTERS
from wiki.db.prepared_queries import Prepared, Slot
from wiki.models import Insight, Page, PageCount, PageQuerySet, Wiki


class RecallCounts(NamedTuple):
    """The counts of a wiki in every recall: live pages, stale ones, and whether insights wait."""

    pages: int
    stale: int
    has_pending: bool


def recall_counts(wiki: Wiki) -> RecallCounts:
    [(pages, stale, has_pending)] = _RECALL_COUNTS.ask(wiki=wiki.pk, model=active_fingerprint())
    return RecallCounts(pages or 0, stale or 0, has_pending)


def _count(pages: PageQuerySet) -> Subquery:
    """Count by an index alone ("*"); NULL for no page."""
    of_wiki = pages.filter(wiki=Slot("wiki")).order_by().values("wiki")
    return Subquery(of_wiki.annotate(n=Count("*")).values("n"))


_RECALL_COUNTS = Prepared(
    lambda: (
        Wiki.objects.filter(pk=Slot("wiki"))
        .order_by()
        .values_list(
            Subquery(PageCount.objects.filter(wiki=Slot("wiki")).values("pages")),
            _count(Page.objects.stale(Slot("model"))),
            Exists(Insight.objects.pending().filter(wiki=Slot("wiki"))),
        )
    )
)


def embedded_lengths(pages: QuerySet[Page] | None = None) -> list[int]:
    """Return the characters that go to the provider, for each of these or of all live pages."""
    length = Least(Length("title") + Length("body") + 1, MAX_CHARACTERS)
    pages = Page.objects.live() if pages is None else pages
    return list(pages.order_by().values_list(length, flat=True))
