"""The changes of an author in a span of time."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from wiki.models import Confirmation, Page, Person, Revision, RevisionKind, RevisionQuerySet, Wiki


@dataclass(frozen=True)
class Contributions:
    """The changes of one author in a wiki between two moments; `kind` narrows them to one kind."""

    wiki: Wiki
    author_kind: str
    author_name: str
    since: datetime
    until: datetime
    kind: str = ""

    def revisions(self) -> RevisionQuerySet:
        found = Revision.objects.by_author(self.author_kind, self.author_name).filter(
            page__wiki=self.wiki, created_at__range=(self.since, self.until)
        )
        # A merge is about two pages and is taken back as a whole (wiki/merging/merge.py).
        found = found.exclude(kind=RevisionKind.MERGE)
        return found.filter(kind=self.kind) if self.kind else found

    def pages(self) -> QuerySet[Page]:
        """In the trash or not, in the order in which they are worked off."""
        changed = Page.objects.filter(
            wiki=self.wiki, pk__in=self.revisions().order_by().values("page")
        )
        return changed.defer("embedding", "front_matter").order_by("pk")

    def confirmations(self) -> QuerySet[Confirmation]:
        """The author's confirmations in this time; none if `kind` narrows the changes."""
        found = Confirmation.objects.filter(
            author_kind=self.author_kind, author_name=self.author_name
        )
        here = found.filter(page__wiki=self.wiki, confirmed_at__range=(self.since, self.until))
        return here.none() if self.kind else here

    def undone_by(self, person: Person, since: datetime | None) -> QuerySet[Page]:
        """The pages with an undo by this person since then."""
        if since is None:
            return self.pages().none()
        undoings = Revision.objects.filter(
            user=person.pk, kind=RevisionKind.UNDO, created_at__gte=since
        )
        return self.pages().filter(pk__in=undoings.order_by().values("page"))
