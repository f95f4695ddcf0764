"""Every change of a wiki, the newest first."""

from dataclasses import dataclass
from datetime import datetime

from wiki.models import AuthorKind, Person, Revision, RevisionQuerySet, Wiki

# Authors are offered for choice out of so many of the last changes.
AUTHORS_FROM = 500


@dataclass(frozen=True)
class Filters:
    """`since` leaves out the reader's own changes."""

    author_kind: str = ""
    author_name: str = ""
    kind: str = ""
    since: datetime | None = None


def list_changes(
    wiki: Wiki, filters: Filters, reader: Person, *, with_trash: bool
) -> RevisionQuerySet:
    """Newest first. The trash is only for readers who may open it."""
    found = _visible(wiki, with_trash)
    if filters.since:
        found = found.news_to(reader.pk, filters.since)
    if filters.author_kind:
        found = found.by_author(filters.author_kind, filters.author_name)
    if filters.kind:
        found = found.filter(kind=filters.kind)
    return found


def recent_authors(wiki: Wiki, *, with_trash: bool) -> list[tuple[str, str]]:
    """Kind and name of the latest authors, people first."""
    latest = _visible(wiki, with_trash).values_list("author_kind", "author_name")[:AUTHORS_FROM]
    order = list(AuthorKind)
    return sorted(
        set(latest), key=lambda author: (order.index(AuthorKind(author[0])), author[1].casefold())
    )


def _visible(wiki: Wiki, with_trash: bool) -> RevisionQuerySet:
    # Numbers are given in the order of time: the table needs no index for it.
    found = Revision.objects.filter(page__wiki=wiki).order_by("-pk")
    return found if with_trash else found.filter(page__trashed_at=None)
