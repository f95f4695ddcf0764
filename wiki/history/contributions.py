"""What somebody changed in a wiki in a span of time."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from wiki.models import Confirmation, Page, Person, Revision, RevisionKind, RevisionQuerySet, Wiki


@dataclass(frozen=True)
class Deeds:
    """What one author changed in a wiki from one moment to another; `kind` narrows it to one kind
    of revision."""

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
        """What they confirmed last in this time; who takes back one kind of change leaves these."""
        found = Confirmation.objects.filter(
            author_kind=self.author_kind, author_name=self.author_name
        )
        here = found.filter(page__wiki=self.wiki, confirmed_at__range=(self.since, self.until))
        return here.none() if self.kind else here

    def undone_by(self, person: Person, since: datetime | None) -> QuerySet[Page]:
        """The pages on which somebody has undone something since they began; none as long as they
        have not."""
        if since is None:
            return self.pages().none()
        undoings = Revision.objects.filter(
            user=person.pk, kind=RevisionKind.UNDO, created_at__gte=since
        )
        return self.pages().filter(pk__in=undoings.order_by().values("page"))
