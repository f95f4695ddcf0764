"""Undo one change, or all changes of an author in a span of time. Both show the result first."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.history.bulk_revert import (
    Effect,
    Plan,
    is_all_by,
    plan_contributions,
    plan_revision,
    undo_contributions,
    undo_revision,
)
from wiki.history.contributions import Contributions
from wiki.history.diff import describe_changes, find_differing_fields
from wiki.models import Page, Revision, RevisionKind, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.status import Status, describe_status
from wiki.views.frame import frame_context
from wiki.views.history.revisions import MAX_NUMBER
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import read_author, read_moment, read_number, write_query

PER_SCREEN, DONE_SHOWN = 50, 100
# What one request undoes; the rest waits until it is asked for.
SECONDS = 10.0
DAY = timedelta(days=1)


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, wiki_slug: str, slug: str, number: int) -> HttpResponse:
    """Preview the undoing of a revision; posting does it."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    page = find_page(wiki, slug)
    shown = get_object_or_404(page.revisions.defer("body"), number=min(number, MAX_NUMBER))
    if not shown.can_be_undone:
        raise Http404
    if request.method == "POST":
        return _undo(request, page, shown)
    plan = plan_revision(page, number)
    fields = plan.fields or page
    context = frame_context(
        wiki,
        page=page,
        shown=shown,
        plan=plan,
        is_all_theirs=plan.effect == Effect.STUCK and is_all_by(page, shown),
        changes=describe_changes(page.body, fields.body),
        differing=[*find_differing_fields(page, fields), *_differing_status(page, plan)],
    )
    return render(request, "wiki/history/undo_one.html", context)


def _differing_status(page: Page, plan: Plan) -> list[tuple[str, str, str]]:
    if plan.status is None:
        return []
    successors = Page.objects.in_bulk(
        [pk for pk in (page.replaced_by_id, plan.status.successor_id) if pk]
    )

    def name(status: Status) -> str:
        if successor := successors.get(status.successor_id or 0):
            return describe_status(status.standing, successor.title)
        return str(status.standing.label)

    return [(_("Mark"), name(Status.of(page)), name(plan.status))]


def _undo(request: HttpRequest, page: Page, shown: Revision) -> HttpResponse:
    summary = _("Revision {number} by {name} undone").format(
        number=shown.number, name=shown.author_name
    )
    plan = undo_revision(page, shown.number, author=Author.person(request.user), summary=summary)
    if plan.effect == Effect.TRASH:
        messages.success(request, _("“{title}” is in the trash.").format(title=page.title))
        return redirect("trash", page.wiki.slug)
    if plan.is_doable:
        messages.success(request, _("Revision {number} is undone.").format(number=shown.number))
    else:
        messages.error(
            request, _("Nothing was undone: the page has changed since. Look at it again first.")
        )
    return redirect("history", page.wiki.slug, page.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def undo_all(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The pages that an author changed in a span of time, a preview for each, and the result."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    asked = request.POST if request.method == "POST" else request.GET
    contributions = _read_contributions(wiki, asked)
    started = read_moment(asked.get("started", ""))
    after = read_number(asked.get("after", ""))
    if request.method == "POST":
        started = started or timezone.now()
        summary = _describe(contributions)
        me = Author.person(request.user)
        last = undo_contributions(
            contributions, author=me, summary=summary, after=after, seconds=SECONDS
        )
        return redirect(
            f"{request.path}?{_query(contributions, started=started.isoformat(), go_on=last)}"
        )
    done = contributions.undone_by(request.user, started)
    left = list(
        contributions.pages()
        .exclude(pk__in=done.values("pk"))
        .filter(pk__gt=after)[: PER_SCREEN + 1]
    )
    plans, further = (
        plan_contributions(contributions, left[:PER_SCREEN]),
        _further(contributions, started, left),
    )
    context = frame_context(
        wiki,
        contributions=contributions,
        me=Author.person(request.user).name,
        narrowed=RevisionKind(contributions.kind).label if contributions.kind else "",
        started=started,
        zone=f"{localtime(contributions.since):%Z}",
        spans=_spans(contributions),
        plans=plans,
        # Known only where the list is whole.
        doable=None if further or after else sum(plan.is_doable for plan in plans),
        concerned_total=contributions.pages().count(),
        confirmed_total=contributions.confirmations().count(),
        done=done.only("slug", "title", "trashed_at", "wiki")[:DONE_SHOWN],
        done_total=done.count(),
        go_on=read_number(asked.get("go_on", "")),
        further=further,
        undo_this=_undo_this(request, contributions, started),
    )
    return render(request, "wiki/history/undo_all.html", context)


def _read_contributions(wiki: Wiki, asked: Mapping[str, str]) -> Contributions:
    """Read author and span, by default the last day. Raises Http404 without an author."""
    kind, name = read_author(asked.get("by", ""))
    if not name:
        raise Http404
    until = read_moment(asked.get("until", "")) or timezone.now()
    since = read_moment(asked.get("since", "")) or until - DAY
    narrowed = asked.get("kind", "")
    return Contributions(
        wiki, kind, name, since, until, narrowed if narrowed in RevisionKind.values else ""
    )


def _query(contributions: Contributions, **more: str | int | None) -> str:
    return write_query(
        by=f"{contributions.author_kind}:{contributions.author_name}",
        kind=contributions.kind,
        since=contributions.since.isoformat(),
        until=contributions.until.isoformat(),
        **more,
    )


def _further(contributions: Contributions, started: datetime | None, left: list[Page]) -> str:
    if len(left) <= PER_SCREEN:
        return ""
    return _query(
        contributions, started=started.isoformat() if started else "", after=left[PER_SCREEN - 1].pk
    )


def _describe(contributions: Contributions) -> str:
    since = date_format(localtime(contributions.since), "DATETIME_FORMAT")
    return _("Undone: what {name} changed since {since}").format(
        name=contributions.author_name, since=since
    )


def _undo_this(request: HttpRequest, contributions: Contributions, started: datetime | None) -> str:
    """The query that undoes the undoing."""
    if started is None:
        return ""
    me = Author.person(request.user)
    now = timezone.now()
    return _query(
        Contributions(contributions.wiki, me.kind, me.name, started, now, RevisionKind.UNDO)
    )


def _spans(contributions: Contributions) -> list[tuple[str, str]]:
    """Label and query of the spans of time that are offered."""
    now = timezone.now()
    since = {
        _("the last hour"): now - timedelta(hours=1),
        _("the last day"): now - DAY,
        _("the last week"): now - timedelta(days=7),
        _("all the time"): contributions.wiki.created_at,
    }
    by = f"{contributions.author_kind}:{contributions.author_name}"
    return [
        (label, write_query(by=by, since=moment.isoformat())) for label, moment in since.items()
    ]
