"""The history of a page: its revisions, one of them, two beside each other."""

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from wiki.history.diff import describe_changes, find_differing_revisions
from wiki.models import Page, Revision, RevisionKind, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage
from wiki.pages.rename import find_undoable
from wiki.pages.write import EditConflict, PageGone, fields_of, revise_page
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki, may
from wiki.views.query_parameters import posted_number, read_number
from wiki.views.render import render_text

PER_SCREEN = 50
MAX_NUMBER = 2**31 - 1


@require_safe
def history(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """The revisions, newest first. Their numbers have no gaps, so that a screen needs no
    counting."""
    wiki = find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        return redirect("history", wiki.slug, page.slug)
    before = min(read_number(request.GET.get("before", "")), page.revision + 1) or page.revision + 1
    listed = (
        page.revisions.filter(number__lt=before).with_growth().defer("body").order_by("-number")
    )
    context = frame_context(
        wiki,
        page=page,
        revisions=listed[:PER_SCREEN],
        is_later_screen=before <= page.revision,
        undoable=find_undoable(page),
        older=before - PER_SCREEN if before - PER_SCREEN > 1 else None,
    )
    return render(request, "wiki/history/history.html", context)


@require_safe
def compare(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """The changes from one revision to another; by default the last change."""
    wiki = find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        query = request.GET.urlencode()
        return redirect(
            reverse("compare", args=[wiki.slug, page.slug]) + (f"?{query}" if query else "")
        )
    newest = read_number(request.GET.get("to", "")) or page.revision
    oldest = read_number(request.GET.get("from", "")) or max(newest - 1, 1)
    oldest, newest = sorted((oldest, newest))
    found = _find_revisions(page, oldest, newest)
    if oldest not in found or newest not in found:
        raise Http404
    old, new = found[oldest], found[newest]
    between = page.revisions.filter(number__gt=oldest, number__lte=newest).order_by()
    context = frame_context(
        wiki,
        page=page,
        old=old,
        sides=[old, new],
        new=new,
        changes=describe_changes(old.body, new.body),
        differing=find_differing_revisions(old, new),
        step_total=newest - oldest,
        authors=between.values("author_kind", "author_name")
        .annotate(count=Count("pk"))
        .order_by("-count"),
    )
    return render(request, "wiki/history/compare.html", context)


def _find_revisions(page: Page, *numbers: int) -> dict[int, Revision]:
    possible = [number for number in numbers if 0 < number <= MAX_NUMBER]
    return {row.number: row for row in page.revisions.filter(number__in=possible)}


@require_http_methods(["GET", "HEAD", "POST"])
def revision(request: HttpRequest, wiki_slug: str, slug: str, number: int) -> HttpResponse:
    """An earlier revision, or its changes; posting restores the text."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR if request.method == "POST" else Role.READER)
    page = find_page(wiki, slug)
    # The revision before stands beside it, for the comparison.
    found = _find_revisions(page, number, number - 1)
    if number not in found:
        raise Http404
    shown, before = found[number], found.get(number - 1)
    if request.method == "POST":
        return _restore(request, page, shown)
    shows_changes = "changes" in request.GET
    if page.slug != slug:
        address = reverse("revision", args=[wiki.slug, page.slug, number])
        return redirect(f"{address}?changes" if shows_changes else address)
    context = frame_context(
        wiki,
        page=page,
        shown=shown,
        before=before,
        shows_changes=shows_changes,
        changes=describe_changes(before.body if before else "", shown.body)
        if shows_changes
        else None,
        differing=find_differing_revisions(before, shown) if before else [],
        body=None if shows_changes else _draw(request, wiki, shown),
    )
    return render(request, "wiki/history/revision.html", context)


def _draw(request: HttpRequest, wiki: Wiki, shown: Revision) -> str:
    return render_text(wiki, shown.body, shown.title, may_edit=may(request, Role.EDITOR)).html


def _restore(request: HttpRequest, page: Page, shown: Revision) -> HttpResponse:
    try:
        summary = _("Revision {number} restored").format(number=shown.number)
        change = Change(Author.person(request.user), RevisionKind.REVERT, summary)
        revise_page(page, posted_number(request, "base_revision"), fields_of(shown), change)
    except (EditConflict, PageGone):
        messages.error(
            request, _("Nothing was restored: the page has changed since. Look at it again first.")
        )
        return redirect("history", page.wiki.slug, page.slug)
    except InvalidPage as invalid:
        messages.error(request, str(invalid))
        return redirect("revision", page.wiki.slug, page.slug, shown.number)
    messages.success(
        request, _("Revision {number} is the present text again.").format(number=shown.number)
    )
    return redirect(page)
