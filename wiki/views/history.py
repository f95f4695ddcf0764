from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from wiki.authors import Author
from wiki.differences import find_changes, find_differing_fields, shorten_unchanged
from wiki.editing import EditConflict, PageGone, revise_page
from wiki.models import Page, Revision, RevisionKind, Role, Wiki
from wiki.page_fields import InvalidPage
from wiki.renaming import find_undoable
from wiki.views.frame import draw_text, find_page, find_wiki, in_frame, may, posted_number

PER_SCREEN = 50


@require_safe
def history(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        return redirect("history", wiki.slug, page.slug)
    revisions = page.revisions.with_growth().defer("body").order_by("-number")
    screen = Paginator(revisions, PER_SCREEN).get_page(request.GET.get("page"))
    return render(request, "wiki/history.html", in_frame(wiki, page=page, screen=screen, undoable=find_undoable(page)))


@require_http_methods(["GET", "HEAD", "POST"])
def revision(request: HttpRequest, wiki_slug: str, slug: str, number: int) -> HttpResponse:
    """A page as it once was, or what that revision changed; posting brings the text back."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR if request.method == "POST" else Role.READER)
    page = find_page(wiki, slug)
    # The revision before stands beside it, for the comparison.
    numbers = [number, number - 1] if number < 2**31 else []
    found = {row.number: row for row in page.revisions.filter(number__in=numbers)}
    if number not in found:
        raise Http404
    shown, before = found[number], found.get(number - 1)
    if request.method == "POST":
        return _restore(request, page, shown)
    if page.slug != slug:
        return redirect("revision", wiki.slug, page.slug, number)
    shows_changes = "changes" in request.GET
    context = in_frame(
        wiki,
        page=page,
        shown=shown,
        before=before,
        shows_changes=shows_changes,
        changes=shorten_unchanged(find_changes(before.body if before else "", shown.body)) if shows_changes else None,
        differing=find_differing_fields(before, shown) if before else [],
        body=None if shows_changes else _draw(request, wiki, shown),
    )
    return render(request, "wiki/revision.html", context)


def _draw(request: HttpRequest, wiki: Wiki, shown: Revision) -> str:
    return draw_text(wiki, shown.body, shown.title, may_edit=may(request, Role.EDITOR)).html


def _restore(request: HttpRequest, page: Page, shown: Revision) -> HttpResponse:
    try:
        revise_page(
            page,
            posted_number(request, "base_revision"),
            title=shown.title,
            body=shown.body,
            type=shown.type,
            tags=shown.tags,
            summary=_("Revision {number} restored").format(number=shown.number),
            kind=RevisionKind.REVERT,
            author=Author.person(request.user),
        )
    except (EditConflict, PageGone):
        messages.error(request, _("Nothing was restored: the page has changed since. Look at it again first."))
        return redirect("history", page.wiki.slug, page.slug)
    except InvalidPage as invalid:
        messages.error(request, str(invalid))
        return redirect("revision", page.wiki.slug, page.slug, shown.number)
    messages.success(request, _("Revision {number} is the present text again.").format(number=shown.number))
    return redirect(page)
