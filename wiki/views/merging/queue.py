"""Merges: the queue of proposals, and taking a merge back."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from wiki.merging.accuracy import track_record
from wiki.merging.merge import MergeRefused, UndoConflict, undo_merge
from wiki.merging.queue import dismiss_listed, open_proposals, put_off
from wiki.merging.queue_filters import Narrowing, Option, count_options
from wiki.models import MaintenanceRun, Merge, MergeProposalQuerySet, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.write import SlugTaken, with_body
from wiki.tasks import queue_maintenance
from wiki.views.frame import frame_context
from wiki.views.merging.histogram import draw_spread
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import read_number, write_query

PER_SCREEN = 50
# What a list does not show of its pages.
HEAVY = [
    f"{side}__{name}"
    for side in ("first", "second")
    for name in ("body", "embedding", "front_matter")
]


@require_http_methods(["GET", "HEAD", "POST"])
def queue(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The open proposals; posting decides about the chosen ones."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    proposals, narrowing = open_proposals(wiki), Narrowing.read(request.GET.dict())
    if request.method == "POST":
        _act(request, proposals)
        query = write_query(**narrowing.chosen, page=request.GET.get("page"))
        return redirect(reverse("merges", args=[wiki.slug]) + (f"?{query}" if query else ""))
    listed = narrowing.narrow(proposals).select_related("first", "second").defer(*HEAVY)
    context = frame_context(
        wiki,
        screen=Paginator(listed, PER_SCREEN).get_page(request.GET.get("page")),
        filters=_filters(proposals, narrowing),
        filter_query=write_query(**narrowing.chosen),
        waiting=proposals.count(),
        merges=_latest_merges(wiki),
        records=track_record(wiki),
        spread=draw_spread(wiki),
        last_run=MaintenanceRun.objects.filter(wiki=wiki).first(),
    )
    return render(request, "wiki/merging/queue.html", context)


def _filters(
    proposals: MergeProposalQuerySet, narrowing: Narrowing
) -> list[tuple[str, str, str, list[Option]]]:
    """Name, label, choice and options of each filter."""
    options = count_options(proposals, narrowing)
    labels = {
        "reason": _("Why"),
        "kind": _("Differs in"),
        "band": _("Similarity"),
        "older": _("Age"),
    }
    return [
        (name, label, getattr(narrowing, name), options[name])
        for name, label in labels.items()
        if options[name]
    ]


def _latest_merges(wiki: Wiki) -> list[Merge]:
    merges = Merge.objects.filter(wiki=wiki, undone_at=None).select_related("survivor", "source")
    heavy = [f"{page}__{name}" for page in ("survivor", "source") for name in ("body", "embedding")]
    return list(merges.defer(*heavy)[:10])


def _act(request: HttpRequest, proposals: MergeProposalQuerySet) -> None:
    ids = [read_number(text) for text in request.POST.getlist("proposal")]
    chosen = proposals.filter(pk__in=ids)
    action = request.POST.get("action")
    if action in ("dismiss", "later") and not chosen.exists():
        messages.info(request, _("Nothing was chosen: tick the pairs that you mean."))
        return
    match action:
        case "look":
            queue_maintenance()
            messages.success(
                request, _("covey looks for such pages now; in a moment the result stands here.")
            )
        case "dismiss":
            tell_dismissed(request, chosen.select_related("first", "second").defer(*HEAVY))
        case "later":
            # What is updated has no order.
            count = put_off(chosen.order_by())
            messages.success(request, _("Put off for a week: {n}.").format(n=count))


def tell_dismissed(request: HttpRequest, proposals: MergeProposalQuerySet) -> None:
    """Dismisses them and says how many."""
    done = dismiss_listed(proposals, request.user)
    if done.count or not done.changed:
        messages.success(request, _("Marked as not the same: {n}.").format(n=done.count))
    if done.changed:
        words = ngettext(
            "{n} pair has changed since it was proposed. Look at it by itself.",
            "{n} pairs have changed since they were proposed. Look at them one by one.",
            done.changed,
        )
        messages.warning(request, words.format(n=done.changed))


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, wiki_slug: str, merge_id: int) -> HttpResponse:
    """Asks once, then makes two pages of one again."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    rows = Merge.objects.filter(wiki=wiki).select_related("survivor", "source", "survivor_revision")
    merge = get_object_or_404(rows, pk=merge_id if merge_id < 2**63 else 0)
    context: dict[str, Any] = {"merge": merge}
    if request.method != "POST":
        return render(request, "wiki/merging/undo_merge.html", frame_context(wiki, **context))
    body = request.POST.get("body")
    survivor = merge.survivor
    try:
        fields = with_body(survivor, body) if body is not None else None
        author, new_address = Author.person(request.user), "new_address" in request.POST
        _survivor, source = undo_merge(merge, author=author, fields=fields, new_address=new_address)
    except UndoConflict as conflict:
        context |= {"conflict": conflict.page, "body": conflict.page.body}
    except SlugTaken as taken:
        context |= {"taken": taken.page, "body": body}
    except (MergeRefused, InvalidPage) as refused:
        context |= {"error": str(refused), "body": body}
    else:
        messages.success(
            request, _("“{title}” is a page of its own again.").format(title=source.title)
        )
        return redirect("page", wiki.slug, source.slug)
    return render(
        request, "wiki/merging/undo_merge.html", frame_context(wiki, **context), status=409
    )
