"""Review of one pair of pages, on the wiki and in the admin."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from wiki.merging.merge import MergeRefused
from wiki.merging.policy import tell
from wiki.merging.queue import Place, find_place, open_proposals, propose, tell_apart
from wiki.merging.queue_filters import Narrowing
from wiki.merging.review import ACTIONS, Answer, Review, decide, look_at
from wiki.models import Merge, MergeProposal, MergeProposalQuerySet, Role
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number, write_query


@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, wiki_slug: str, proposal_id: int) -> HttpResponse:
    """Two pages side by side: differences on top, and the merged text."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    proposal = find_proposal(MergeProposal.objects.filter(wiki=wiki), proposal_id)
    narrowing = Narrowing.read(request.GET.dict())
    path = Path(
        address_of=lambda pk: reverse("review", args=[wiki.slug, pk]),
        queue_address=reverse("merges", args=[wiki.slug]),
        query=write_query(**narrowing.chosen),
    )
    shown = work_on(request, proposal, narrowing.narrow(open_proposals(wiki)), path)
    if isinstance(shown, HttpResponse):
        return shown
    context, status = shown
    return render(
        request, "wiki/merging/review.html", frame_context(wiki, **context), status=status
    )


class Path:
    """The addresses of one way through a queue, with its filters."""

    def __init__(self, address_of: Callable[[int], str], queue_address: str, query: str) -> None:
        self._address_of, self._queue, self._query = address_of, queue_address, query

    def to(self, proposal_id: int | None) -> str:
        """The review of a proposal, or without one the queue."""
        address = self._address_of(proposal_id) if proposal_id else self._queue
        return f"{address}?{self._query}" if self._query else address

    def keeping(self, proposal: MergeProposal, slug: str) -> str:
        """The same review with the other page as the one that stays."""
        query = "&".join(part for part in (self._query, write_query(keep=slug)) if part)
        return f"{self._address_of(proposal.pk)}?{query}"


def find_proposal(proposals: MergeProposalQuerySet, proposal_id: int) -> MergeProposal:
    rows = proposals.select_related("first", "second", "wiki")
    proposal = get_object_or_404(rows, pk=proposal_id if proposal_id < 2**63 else 0)
    proposal.first.wiki = proposal.second.wiki = proposal.wiki
    return proposal


def work_on(
    request: HttpRequest, proposal: MergeProposal, queue: MergeProposalQuerySet, path: Path
) -> HttpResponse | tuple[dict[str, Any], int]:
    """Shows the pair, as context and status, or decides about it and leads on to the next."""
    if proposal.first.is_trashed or proposal.second.is_trashed:
        messages.info(
            request,
            _("One of the two pages is not in the wiki any more; there is nothing to decide."),
        )
        return redirect(path.to(None))
    place = find_place(queue, proposal)
    if request.method != "POST":
        return _context(look_at(proposal, request.GET.get("keep", "")), place, path), 200
    if request.POST.get("action") not in ACTIONS:
        raise Http404
    answer = Answer(
        request.POST["action"],
        request.POST.get("seen", ""),
        request.POST.get("keep", ""),
        request.POST.get("body"),
    )
    decision = decide(proposal, answer, request.user)
    if decision.again:
        return _context(decision.again, place, path), 409
    _tell(request, answer, decision.merge)
    return redirect(path.to(place.following))


def _context(review: Review, place: Place, path: Path) -> dict[str, Any]:
    proposal = review.proposal
    return {
        "review": review,
        "proposal": proposal,
        "verdict": tell(proposal),
        "place": place,
        "queue_address": path.to(None),
        "previous_address": path.to(place.previous) if place.previous else "",
        "next_address": path.to(place.next) if place.next else "",
        "keep_address": path.keeping(proposal, review.source.slug),
    }


def _tell(request: HttpRequest, answer: Answer, merge: Merge | None) -> None:
    if answer.action == "dismiss":
        messages.success(
            request, _("These two are not the same. They are not proposed again until one changes.")
        )
    elif answer.action == "later":
        messages.success(request, _("Put off for a week."))
    elif merge:
        words = _("“{source}” is part of “{survivor}” now.").format(
            source=merge.source.title, survivor=merge.survivor.title
        )
        address = reverse("undo_merge", args=[merge.wiki.slug, merge.pk])
        messages.success(
            request, format_html('{} <a href="{}">{}</a>', words, address, _("Take it back"))
        )


@require_POST
def propose_merge(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """From two pages beside each other: shall they be one, or are they not the same."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    first, second = find_page(wiki, slug), find_page(wiki, request.POST.get("with", ""))
    if posted_number(request, "page_id") != first.pk:
        raise Http404
    try:
        if request.POST.get("action") != "dismiss":
            return redirect("review", wiki.slug, propose(first, second).pk)
        tell_apart(first, second, request.user)
    except MergeRefused as refused:
        messages.error(request, str(refused))
        return redirect(first)
    messages.success(
        request, _("These two are not the same. They are not proposed again until one changes.")
    )
    return redirect("similar", wiki.slug, first.slug)
