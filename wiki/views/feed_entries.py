"""One change as an entry of a feed: author, page, reason, words added and removed."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Left
from django.template.defaultfilters import linebreaksbr
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from wiki.accounts.feed_keys import xml_text
from wiki.history.diff import (
    Change,
    ChangeKind,
    find_changes,
    find_differing_revisions,
    shorten_unchanged,
)
from wiki.models import AuthorKind, Revision, RevisionQuerySet, Wiki
from wiki.text.bounded_difflib import Effort

ENTRIES = 50
# Longer texts are not compared, and longer comparisons are cut: a feed is asked for often, by
# machines.
MAX_COMPARED, MAX_SHOWN = 20_000, 2_000
# Comparing word by word takes quadratic time, and here it is done for every entry.
MAX_WORDS = 100


class Feed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        """A feed without entries has a date too: else it would be new at every request."""
        updated: datetime = self.feed["updated"]
        return updated


def make_feed(
    wiki: Wiki,
    found: RevisionQuerySet,
    *,
    title: str,
    link: str,
    guid: str,
    path: str,
    updated: datetime,
) -> Feed:
    """The newest of these changes. The feed's own address in it is the one without a key."""
    feed = Feed(
        title=xml_text(title),
        link=_absolute(link),
        description=None,
        language=get_language(),
        feed_url=_absolute(path),
        feed_guid=guid,
        updated=updated,
    )
    revisions = list(
        found.select_related("page").defer("body", "page__body", "page__embedding")
        .annotate(text=Left("body", MAX_COMPARED + 1))[:ENTRIES]
    )  # fmt: skip
    before, effort = _find_before(revisions), Effort()
    for revision in revisions:
        feed.add_item(
            title=xml_text(f"{revision.title}: {revision.get_kind_display()}"),
            link=_absolute(_address(wiki, revision)),
            description=xml_text(
                _describe(before.get((revision.page_id, revision.number - 1)), revision, effort)
            ),
            unique_id=tag_uri(
                revision.created_at, f"page/{revision.page_id}/revision/{revision.number}"
            ),
            author_name=xml_text(
                f"{revision.author_name} ({AuthorKind(revision.author_kind).label})"
            ),
            pubdate=revision.created_at,
            updateddate=revision.created_at,
        )
    return feed


def tag_uri(since: datetime, what: str) -> str:
    """A name that stays through every change of address (RFC 4151)."""
    host = (urlsplit(settings.COVEY_PUBLIC_URL).hostname or "covey").replace(":", "-")
    return f"tag:{host},{since:%Y-%m-%d}:{what}"


def _absolute(path: str) -> str:
    return f"{settings.COVEY_PUBLIC_URL}{path}"


def _find_before(revisions: Iterable[Revision]) -> dict[tuple[int, int], Revision]:
    wanted = Q(pk__in=[])
    for revision in revisions:
        wanted |= Q(page=revision.page_id, number=revision.number - 1)
    found = (
        Revision.objects.filter(wanted).defer("body").annotate(text=Left("body", MAX_COMPARED + 1))
    )
    return {(row.page_id, row.number): row for row in found}


def _address(wiki: Wiki, revision: Revision) -> str:
    if revision.page.is_trashed:
        return reverse("trashed", args=[wiki.slug, revision.page_id])
    address = reverse("revision", args=[wiki.slug, revision.page.slug, revision.number])
    return f"{address}?changes" if revision.number > 1 else address


def _describe(before: Revision | None, revision: Revision, effort: Effort) -> str:
    """HTML in which every word of a page, summary or name is escaped."""
    summary = format_html("<p>{}</p>", revision.summary) if revision.summary else ""
    differing = find_differing_revisions(before, revision) if before else []
    fields = format_html_join("", "<p>{}: <del>{}</del> <ins>{}</ins></p>", differing)
    return summary + fields + _draw_changes(before.text if before else "", revision.text, effort)  # type: ignore[attr-defined]


def _draw_changes(old: str, new: str, effort: Effort) -> SafeString:
    if old == new or max(len(old), len(new)) > MAX_COMPARED:
        return SafeString("")
    changes = _cut(shorten_unchanged(find_changes(old, new, MAX_WORDS, effort)))
    return format_html(
        "<p>{}</p>", format_html_join("", "{}", ((_draw(change),) for change in changes))
    )


def _draw(change: Change) -> SafeString:
    text = linebreaksbr(change.text)
    if change.kind == ChangeKind.ADDED:
        return format_html("<ins>{}</ins>", text)
    return (
        format_html("<del>{}</del>", text)
        if change.kind == ChangeKind.REMOVED
        else format_html("{}", text)
    )


def _cut(changes: Iterable[Change]) -> Iterator[Change]:
    room = MAX_SHOWN
    for change in changes:
        yield Change(change.kind, change.text[:room])
        room -= len(change.text)
        if room < 0:
            yield Change(ChangeKind.SKIPPED, " …")
            return
