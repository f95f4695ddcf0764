"""Merges: the queue of proposals, one of them, and taking a merge back."""

from dataclasses import dataclass
from math import log1p
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from embeddings.client import active_fingerprint
from wiki.authors import Author
from wiki.differences import describe_changes, find_differing_fields
from wiki.editing import SlugTaken
from wiki.guarding import DifferenceKind
from wiki.merging import MergeRefused, UndoConflict, choose_survivor, undo_merge, unite
from wiki.models import MaintenanceRun, Merge, MergeProposal, MergeProposalQuerySet, Page, ProposalReason, Role, Wiki
from wiki.page_fields import InvalidPage, PageFields
from wiki.proposals import approve, dismiss, open_proposals, propose, put_off, refresh, track_record
from wiki.spread import BINS, LOWEST, Spread, last_spread
from wiki.tasks import queue_maintenance
from wiki.text import clean_text
from wiki.views.addresses import posted_number, read_number, write_query
from wiki.views.frame import find_page, find_wiki, in_frame

PER_SCREEN = 50


@dataclass(frozen=True)
class Shown:
    """One difference, in words."""

    label: str
    first: str
    second: str


@require_http_methods(["GET", "HEAD", "POST"])
def queue(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """What waits for a decision; posting decides about the chosen ones."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    if request.method == "POST":
        return _decide_many(request, wiki)
    proposals = open_proposals(wiki)
    reason = request.GET.get("reason", "")
    chosen = proposals.filter(reason=reason) if reason in ProposalReason.values else proposals
    listed = chosen.select_related("first", "second").defer(*_HEAVY)
    counts: dict[str, int] = {}
    for value in proposals.order_by().values_list("reason", flat=True):
        counts[value] = counts.get(value, 0) + 1
    context = in_frame(
        wiki,
        screen=Paginator(listed, PER_SCREEN).get_page(request.GET.get("page")),
        reason=reason,
        filter_query=write_query(reason=reason if reason in ProposalReason.values else ""),
        reasons=[(value, label, counts[value]) for value, label in ProposalReason.choices if value in counts],
        waiting=sum(counts.values()),
        merges=_latest_merges(wiki),
        record=[row for row in track_record(wiki) if row.merged or row.proposed],
        spread=_drawn(wiki),
        last_run=MaintenanceRun.objects.filter(wiki=wiki).first(),
    )
    return render(request, "wiki/merges.html", context)


@dataclass(frozen=True)
class Plot:
    """The distribution of similarities as bars: place and height in a picture of 100 by 40."""

    spread: Spread
    bars: list[tuple[float, float, float]]
    marks: list[tuple[float, float]]

    @property
    def width(self) -> float:
        return 100 / BINS

    @property
    def percentile_50(self) -> float:
        return self.spread.percentiles["50"]

    @property
    def percentile_99(self) -> float:
        return self.spread.percentiles["99"]

    @property
    def above_append(self) -> float:
        return self.spread.above_append * 100

    @property
    def above_merge(self) -> float:
        return self.spread.above_merge * 100


def _drawn(wiki: Wiki) -> Plot | None:
    spread = last_spread(wiki, active_fingerprint())
    if spread is None or not spread.pairs:
        return None
    # Rare pairs matter most, so the heights are those of logarithms.
    top = log1p(max(spread.bins))
    heights = [round(38 * log1p(count) / top, 2) for count in spread.bins]
    bars = [(round(number * 100 / BINS, 2), round(40 - height, 2), height) for number, height in enumerate(heights)]
    thresholds = (settings.COVEY_APPEND_THRESHOLD, settings.COVEY_MERGE_THRESHOLD)
    marks = [(value, round((value - LOWEST) / (1 - LOWEST) * 100, 2)) for value in thresholds]
    return Plot(spread, bars, marks)


_HEAVY = [f"{side}__{name}" for side in ("first", "second") for name in ("body", "embedding", "search", "front_matter")]


def _latest_merges(wiki: Wiki) -> list[Merge]:
    merges = Merge.objects.filter(wiki=wiki, undone_at=None).select_related("survivor", "source")
    heavy = [f"{page}__{name}" for page in ("survivor", "source") for name in ("body", "embedding", "search")]
    return list(merges.defer(*heavy)[:10])


def _decide_many(request: HttpRequest, wiki: Wiki) -> HttpResponse:
    ids = [read_number(text) for text in request.POST.getlist("proposal")]
    chosen = MergeProposal.objects.filter(wiki=wiki, pk__in=ids)
    if request.POST.get("action") == "look":
        queue_maintenance()
        messages.success(request, _("covey looks for such pages now; in a moment the result stands here."))
        return redirect("merges", wiki.slug)
    if request.POST.get("action") == "dismiss":
        count = dismiss(chosen.select_related("first", "second"), request.user)
        messages.success(request, _("Marked as not the same: {n}.").format(n=count))
    elif request.POST.get("action") == "later":
        messages.success(request, _("Put off for a week: {n}.").format(n=put_off(chosen)))
    return redirect("merges", wiki.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, wiki_slug: str, proposal_id: int) -> HttpResponse:
    """Two pages side by side, with what tells them apart on top, and what the one page would say."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    proposal = _find_proposal(wiki, proposal_id)
    if proposal.first.is_trashed or proposal.second.is_trashed:
        messages.info(request, _("One of the two pages is not in the wiki any more; there is nothing to decide."))
        return redirect("merges", wiki.slug)
    if request.method == "POST":
        return _decide(request, wiki, proposal)
    return _show(request, wiki, proposal, is_changed=refresh(proposal))


def _find_proposal(wiki: Wiki, proposal_id: int) -> MergeProposal:
    rows = MergeProposal.objects.filter(wiki=wiki).select_related("first", "second")
    proposal = get_object_or_404(rows, pk=proposal_id if proposal_id < 2**63 else 0)
    proposal.first.wiki = proposal.second.wiki = wiki
    return proposal


def _show(
    request: HttpRequest,
    wiki: Wiki,
    proposal: MergeProposal,
    *,
    is_changed: bool = False,
    body: str | None = None,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    survivor, source = _sides(proposal, request.GET.get("keep", "") or request.POST.get("keep", ""))
    try:
        united = unite(survivor, source).body if body is None else body
    except InvalidPage as invalid:
        united, error = survivor.body, str(invalid)
    differences = _in_words(proposal)
    waiting = open_proposals(wiki)
    context = in_frame(
        wiki,
        proposal=proposal,
        survivor=survivor,
        source=source,
        pages=[survivor, source],
        united=united,
        error=error,
        is_changed=is_changed,
        differences=differences,
        differing=find_differing_fields(survivor, source),
        changes=describe_changes(survivor.body, source.body),
        moving=Page.objects.live().linking_to(source).count(),
        waiting=waiting.count(),
        next=_next(waiting, proposal),
        advises_merge=not differences,
    )
    return render(request, "wiki/review.html", context, status=status)


def _sides(proposal: MergeProposal, keep: str) -> tuple[Page, Page]:
    """The page that stays and the one that goes in; `keep` is the slug of a choice."""
    survivor, source = choose_survivor(proposal.first, proposal.second)
    return (source, survivor) if keep == source.slug else (survivor, source)


def _in_words(proposal: MergeProposal) -> list[Shown]:
    labels = dict(DifferenceKind.choices)
    return [Shown(str(labels.get(kind, kind)), first, second) for kind, first, second in proposal.differences]


def _next(waiting: MergeProposalQuerySet, proposal: MergeProposal) -> int | None:
    ids = list(waiting.values_list("pk", flat=True)[:500])
    if proposal.pk in ids[:-1]:
        return ids[ids.index(proposal.pk) + 1]
    return next((pk for pk in ids if pk != proposal.pk), None)


def _decide(request: HttpRequest, wiki: Wiki, proposal: MergeProposal) -> HttpResponse:
    following = _next(open_proposals(wiki), proposal)
    seen = request.POST.get("seen", "")
    if seen != f"{proposal.first.text_hash}{proposal.second.text_hash}":
        refresh(proposal)
        body = clean_text(request.POST.get("body", "")) or None
        return _show(request, wiki, proposal, is_changed=True, body=body, status=409)
    match request.POST.get("action"):
        case "merge":
            if refusal := _merge(request, proposal):
                body = clean_text(request.POST.get("body", ""))
                return _show(request, wiki, proposal, body=body, error=refusal, status=409)
        case "dismiss":
            dismiss([proposal], request.user)
            messages.success(request, _("These two are not the same. They are not proposed again until one changes."))
        case "later":
            put_off(MergeProposal.objects.filter(pk=proposal.pk))
        case _:
            raise Http404
    return redirect("review", wiki.slug, following) if following else redirect("merges", wiki.slug)


def _merge(request: HttpRequest, proposal: MergeProposal) -> str:
    """Merges and says so, or gives the reason why not."""
    survivor, source = _sides(proposal, request.POST.get("keep", ""))
    try:
        planned = unite(survivor, source)
        fields = PageFields.clean(planned.title, request.POST.get("body", planned.body), planned.type, planned.tags)
        merge = approve(proposal, survivor, source, author=Author.person(request.user), fields=fields)
    except (MergeRefused, InvalidPage) as refused:
        return str(refused)
    undo = reverse("undo_merge", args=[proposal.wiki.slug, merge.pk])
    messages.success(
        request,
        _("“{source}” is part of “{survivor}” now. It can be taken back at any time: {address}").format(
            source=source.title, survivor=survivor.title, address=undo
        ),
    )
    return ""


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, wiki_slug: str, merge_id: int) -> HttpResponse:
    """Asks once, then makes two pages of one again."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    rows = Merge.objects.filter(wiki=wiki).select_related("survivor", "source", "survivor_revision")
    merge = get_object_or_404(rows, pk=merge_id if merge_id < 2**63 else 0)
    context: dict[str, Any] = {"merge": merge}
    if request.method != "POST":
        return render(request, "wiki/undo_merge.html", in_frame(wiki, **context))
    body = request.POST.get("body")
    survivor = merge.survivor
    try:
        fields = PageFields.clean(survivor.title, body, survivor.type, survivor.tags) if body is not None else None
        author, new_address = Author.person(request.user), "new_address" in request.POST
        _survivor, source = undo_merge(merge, author=author, fields=fields, new_address=new_address)
    except UndoConflict as conflict:
        context |= {"conflict": conflict.page, "body": conflict.page.body}
    except SlugTaken as taken:
        context |= {"taken": taken.page, "body": body}
    except (MergeRefused, InvalidPage) as refused:
        context |= {"error": str(refused), "body": body}
    else:
        messages.success(request, _("“{title}” is a page of its own again.").format(title=source.title))
        return redirect("page", wiki.slug, source.slug)
    return render(request, "wiki/undo_merge.html", in_frame(wiki, **context), status=409)


@require_POST
def propose_merge(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """From two pages beside each other: shall they be one, or are they not the same."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    first, second = find_page(wiki, slug), find_page(wiki, request.POST.get("with", ""))
    if posted_number(request, "page_id") != first.pk:
        raise Http404
    try:
        proposal = propose(first, second)
    except MergeRefused as refused:
        messages.error(request, str(refused))
        return redirect(first)
    if request.POST.get("action") == "dismiss":
        dismiss([proposal], request.user)
        messages.success(request, _("These two are not the same. They are not proposed again until one changes."))
        return redirect(first)
    return redirect("review", wiki.slug, proposal.pk)
