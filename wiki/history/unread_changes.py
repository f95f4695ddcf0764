"""Visits of people and the changes since."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.utils import timezone

from wiki.models import Page, Person, Revision, Visit, Wiki

# Who was away for longer comes back: another visit begins.
AWAY = timedelta(minutes=30)
# A visit is not written down more often than this.
FRESH = timedelta(minutes=5)
# Pages beyond this are "more than".
COUNTED = 999


@dataclass(frozen=True)
class News:
    """How many pages others have changed `since` the visit before this one, at most one more than
    COUNTED."""

    since: datetime
    count: int

    counted = COUNTED

    @property
    def is_more(self) -> bool:
        return self.count > COUNTED


def note_visit(wiki: Wiki, user: Person) -> datetime | None:
    """Record a visit and return the end of the one before; None at the first visit and for
    strangers. One query, unless it is time to write."""
    if not isinstance(user, User):
        return None
    now = timezone.now()
    visit = Visit.objects.filter(wiki=wiki, user=user).first()
    if visit is None:
        Visit.objects.bulk_create([Visit(wiki=wiki, user=user, last_at=now)], ignore_conflicts=True)
        return None
    if now - visit.last_at < FRESH:
        return visit.before_at
    before = visit.last_at if now - visit.last_at > AWAY else visit.before_at
    # Of two requests at once the first one wins; the other must not take this visit for the one
    # before.
    Visit.objects.filter(pk=visit.pk, last_at=visit.last_at).update(last_at=now, before_at=before)
    return before


def mark_seen(wiki: Wiki, user: Person, until: datetime) -> None:
    """Mark changes until then as read; later ones were not on the screen."""
    moment = min(until, timezone.now())
    Visit.objects.filter(wiki=wiki, user=user.pk, before_at__lt=moment).update(before_at=moment)


def find_news(wiki: Wiki, user: Person, since: datetime | None, *, with_trash: bool) -> News | None:
    if since is None:
        return None
    pages = Page.objects.filter(wiki=wiki, updated_at__gt=since)
    pages = pages if with_trash else pages.live()
    changed = pages.filter(
        Exists(Revision.objects.news_to(user.pk, since).filter(page=OuterRef("pk")))
    )
    count = changed.order_by()[: COUNTED + 1].count()
    return News(since, count) if count else None
