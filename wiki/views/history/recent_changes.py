"""Recent changes of a wiki, and the unread ones."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from wiki.history.recent_changes import Filters, list_changes, recent_authors
from wiki.history.unread_changes import find_news, mark_seen, note_visit
from wiki.models import Agent, AuthorKind, Revision, RevisionKind, Role, Wiki
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki, may
from wiki.views.query_parameters import read_author, read_moment, read_number, write_query

PER_SCREEN = 50
SHOWN = (
    "number", "kind", "summary", "author_kind", "author_name", "created_at",
    "page__slug", "page__title", "page__revision", "page__trashed_at", "page__merged_into",
)  # fmt: skip


@require_safe
def changes(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug)
    before_at = note_visit(wiki, request.user)
    filters = read_filters(request.GET, before_at)
    with_trash = may_see_trash(request)
    found = list_changes(wiki, filters, request.user, with_trash=with_trash)
    cursor = read_number(request.GET.get("before", ""))
    if cursor:
        found = found.filter(pk__lt=cursor)
    rows = list(found.with_growth().select_related("page").only(*SHOWN)[: PER_SCREEN + 1])
    authors = recent_authors(wiki, with_trash=with_trash)
    chosen = (filters.author_kind, filters.author_name)
    context = frame_context(
        wiki,
        days=_by_day(rows[:PER_SCREEN]),
        narrowed=filters,
        filter_query=write_query(
            **{name: request.GET.get(name) for name in ("by", "kind", "since")}
        ),
        is_later_screen=cursor > 0,
        older=rows[PER_SCREEN - 1].pk if len(rows) > PER_SCREEN else None,
        authors=authors,
        agent=_narrowed_to(wiki, filters) if may(request, Role.EDITOR) else None,
        is_other_author=bool(filters.author_name) and chosen not in authors,
        kinds=RevisionKind,
        author_kinds=AuthorKind,
        before_at=before_at,
        news=find_news(wiki, request.user, before_at, with_trash=with_trash),
    )
    return render(request, "wiki/history/recent_changes.html", context)


@require_POST
def seen(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Mark changes of others as read, up to the time of the screen that was shown."""
    wiki = find_wiki(request, wiki_slug)
    if until := read_moment(request.POST.get("until", "")):
        mark_seen(wiki, request.user, until)
    return redirect("changes", wiki.slug)


def _narrowed_to(wiki: Wiki, filters: Filters) -> Agent | None:
    """The agent of the filter, for the link to its activity."""
    if filters.author_kind != AuthorKind.AGENT or not filters.author_name:
        return None
    return Agent.objects.seen_in(wiki).filter(name=filters.author_name).first()


def may_see_trash(request: HttpRequest) -> bool:
    return may(request, Role.EDITOR)


def read_filters(asked: Mapping[str, str], before_at: datetime | None = None) -> Filters:
    """Read the filters; a value without meaning is ignored."""
    author_kind, author_name = read_author(asked.get("by", ""))
    kind = asked.get("kind", "")
    since = before_at if asked.get("since") == "visit" else None
    return Filters(author_kind, author_name, kind if kind in RevisionKind.values else "", since)


def _by_day(rows: Iterable[Revision]) -> list[tuple[str, list[Revision]]]:
    days = groupby(rows, lambda row: localtime(row.created_at).date())
    return [(_day(day), list(group)) for day, group in days]


def _day(day: date) -> str:
    if day == localdate():
        return _("Today")
    return _("Yesterday") if day == localdate() - timedelta(days=1) else date_format(day)
