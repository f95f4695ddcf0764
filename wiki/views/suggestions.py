"""Suggestions of agents for protected pages: the queue, one of them, the decided ones."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from wiki.history.diff import describe_changes, find_differing_fields
from wiki.models import Page, Role, Suggestion, SuggestionKind, SuggestionQuerySet, Wiki
from wiki.pages.fields import InvalidPage
from wiki.pages.write import EditConflict, PageGone, SlugTaken
from wiki.suggestions.review import (
    AlreadyDecided,
    Preview,
    accept,
    draw,
    preview_change,
    reject,
    reopen,
)
from wiki.text.cleaning import clean_text, hash_page_text
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number, write_query
from wiki.views.render import render_text

PER_SCREEN = 50

_HEAVY = [f"page__{name}" for name in ("body", "embedding", "front_matter")]


@never_cache
@require_safe
def suggestions(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The open ones, oldest first, or the decided ones, latest first."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    of, is_decided = clean_text(request.GET.get("of", "")), request.GET.get("state") == "decided"
    chosen = Suggestion.objects.filter(wiki=wiki)
    if of:
        chosen = chosen.filter(page__slug=of)
    rows = chosen.decided().order_by("-decided_at", "-pk") if is_decided else chosen.open()
    listed = rows.select_related("page", "agent").defer(*_HEAVY)
    context = frame_context(
        wiki,
        screen=Paginator(listed, PER_SCREEN).get_page(request.GET.get("page")),
        is_decided=is_decided,
        waiting=chosen.open().count(),
        decided=chosen.decided().count(),
        of=of,
        of_page=Page.objects.filter(wiki=wiki, slug=of).only("slug", "title").first()
        if of
        else None,
        has_protected=Page.objects.live().filter(wiki=wiki, is_protected=True).exists(),
        filter_query=write_query(of=of, state="decided" if is_decided else ""),
    )
    return render(request, "wiki/suggestions/queue.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, wiki_slug: str, suggestion_id: int) -> HttpResponse:
    """The suggested text, to accept as it is or edited, or to reject."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    suggestion = _find(wiki, suggestion_id)
    if request.method != "POST":
        return _show(request, suggestion)
    match request.POST.get("action"):
        case "accept":
            return _accept(request, suggestion)
        case "reject":
            return _reject(request, suggestion)
        case "reopen":
            return _reopen(request, suggestion)
    raise Http404


def _find(wiki: Wiki, id: int) -> Suggestion:
    rows = Suggestion.objects.filter(wiki=wiki).select_related(
        "page__merged_into", "agent", "base", "result"
    )
    suggestion = get_object_or_404(rows, pk=id if id < 2**63 else 0)
    suggestion.wiki = suggestion.page.wiki = wiki
    return suggestion


def _show(
    request: HttpRequest,
    suggestion: Suggestion,
    *,
    text: str | None = None,
    error: str = "",
    is_changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    """`text` is the suggestion as edited so far."""
    preview = preview_change(suggestion) if suggestion.is_open else Preview(None)
    waiting = Suggestion.objects.open().filter(wiki=suggestion.wiki)
    shown = _text_of(suggestion, preview)
    context = frame_context(
        suggestion.wiki,
        suggestion=suggestion,
        page=suggestion.page,
        preview=preview,
        target=preview.page,
        text=shown if text is None else text,
        shown=hash_page_text("", shown),
        is_edited=text is not None,
        addition=_drawn(suggestion) if suggestion.is_addition else None,
        waiting=waiting.count(),
        next=_next(waiting, suggestion),
        insight=suggestion.insights.order_by("pk").first(),
        error=error,
        is_changed=is_changed,
        **(_compared(suggestion, preview) if suggestion.kind == SuggestionKind.EDIT else {}),
    )
    return render(request, "wiki/suggestions/review.html", context, status=status)


def _text_of(suggestion: Suggestion, preview: Preview) -> str:
    """The editable text: of an edit the whole page, of an addition only itself."""
    is_edit = suggestion.kind == SuggestionKind.EDIT
    return preview.fields.body if is_edit and preview.fields else suggestion.body


def _drawn(suggestion: Suggestion) -> str:
    return render_text(
        suggestion.wiki, draw(suggestion, suggestion.body), suggestion.page.title
    ).html


def _compared(suggestion: Suggestion, preview: Preview) -> dict[str, Any]:
    """Compare an open edit with the present page, a decided one with the agent's base."""
    base, present = suggestion.base, preview.page
    before, after = present or base, preview.fields or suggestion
    is_behind = present is not None and present.revision != base.number
    return {
        "changes": describe_changes(before.body, after.body),
        "differing": find_differing_fields(before, after),
        "since": describe_changes(base.body, before.body) if is_behind else None,
        "since_differing": find_differing_fields(base, before) if is_behind else [],
    }


def _next(waiting: SuggestionQuerySet, suggestion: Suggestion) -> int | None:
    """The one behind this, or from the beginning again."""
    others = waiting.exclude(pk=suggestion.pk).order_by("pk").values_list("pk", flat=True)
    return others.filter(pk__gt=suggestion.pk).first() or others.first()


def _accept(request: HttpRequest, suggestion: Suggestion) -> HttpResponse:
    text = clean_text(request.POST["body"]) if "body" in request.POST else None
    # Only what somebody has changed comes back; else what is shown is the agent's on top of the
    # present text.
    edited = None if text is None or hash_page_text("", text) == request.POST.get("shown") else text
    seen = posted_number(request, "seen")
    try:
        accept(suggestion, request.user, seen=seen, text=text)
    except AlreadyDecided as late:
        return _too_late(request, suggestion, late)
    except EditConflict:
        return _show(
            request, _find(suggestion.wiki, suggestion.pk), text=edited, is_changed=True, status=409
        )
    except (PageGone, SlugTaken) as refused:
        return _show(
            request,
            _find(suggestion.wiki, suggestion.pk),
            text=edited,
            error=str(refused),
            status=409,
        )
    except InvalidPage as invalid:
        return _show(request, suggestion, text=text, error=str(invalid), status=422)
    messages.success(request, _("Accepted: “{title}”.").format(title=suggestion.page.title))
    return _onward(suggestion)


def _reject(request: HttpRequest, suggestion: Suggestion) -> HttpResponse:
    try:
        reject(suggestion, request.user, request.POST.get("reason", ""))
    except AlreadyDecided as late:
        return _too_late(request, suggestion, late)
    messages.success(request, _("Rejected. The text is kept with the decided ones."))
    return _onward(suggestion)


def _reopen(request: HttpRequest, suggestion: Suggestion) -> HttpResponse:
    try:
        reopen(suggestion)
    except AlreadyDecided as late:
        return _too_late(request, suggestion, late)
    return redirect(suggestion)


def _too_late(request: HttpRequest, suggestion: Suggestion, late: AlreadyDecided) -> HttpResponse:
    messages.info(request, str(late))
    return redirect(suggestion)


def _onward(suggestion: Suggestion) -> HttpResponse:
    following = _next(Suggestion.objects.open().filter(wiki=suggestion.wiki), suggestion)
    slug = suggestion.wiki.slug
    return redirect("suggestion", slug, following) if following else redirect("suggestions", slug)
