from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from wiki.models import MAX_SUMMARY, Page, Revision, Role
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.link_rewriting import AT_ONCE, Rewritten, count_linking_pages
from wiki.pages.links import find_same_name
from wiki.pages.rename import NotUndoable, find_undoable, rename_page, undo_rename
from wiki.pages.write import EditConflict, PageGone, SlugTaken
from wiki.tasks import rewrite_links_soon
from wiki.text.cleaning import clean_line
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number


@require_http_methods(["GET", "HEAD", "POST"])
def rename(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    page = find_page(wiki, slug)
    if request.method == "POST":
        return _rename(request, page)
    if page.slug != slug:
        return redirect("rename", wiki.slug, page.slug)
    return _form(request, page, title=page.title, rewrites=True)


def _rename(request: HttpRequest, page: Page) -> HttpResponse:
    page_id, base_revision = _base(request)
    if page_id != page.pk:
        return _other_page(request, page, page_id)
    title = clean_line(request.POST.get("title", ""))
    summary, rewrites = request.POST.get("summary", ""), "rewrite_links" in request.POST
    entered: dict[str, Any] = {"title": title, "summary": summary, "rewrites": rewrites}
    if request.POST.get("action") != "rename-anyway" and (
        other := _other_of_that_name(page, title)
    ):
        return _form(request, page, status=409, **other, **entered)
    try:
        renamed = rename_page(
            page, base_revision, title=title, summary=summary, author=Author.person(request.user)
        )
    except InvalidPage as invalid:
        return _form(request, page, status=422, error=str(invalid), **entered)
    except PageGone:
        return redirect("page", page.wiki.slug, page.slug)
    except EditConflict as conflict:
        # Pressed twice: it is called so already.
        if conflict.page.title == title:
            return redirect("page", page.wiki.slug, conflict.page.slug)
        return _form(
            request, find_page(page.wiki, conflict.page.slug), status=409, is_stale=True, **entered
        )
    if renamed.revision != base_revision:
        rewritten = rewrite_links_soon(renamed) if rewrites else Rewritten()
        # That it has a new name stands on the page, with the way back.
        if told := _tell(rewritten):
            messages.success(request, told)
    return redirect("page", page.wiki.slug, renamed.slug)


def _other_of_that_name(page: Page, title: str) -> dict[str, Page]:
    found = zip(("namesake", "alike"), find_same_name(page.wiki, title), strict=True)
    return {kind: other for kind, other in found if other and other.pk != page.pk}


def _tell(rewritten: Rewritten) -> str:
    if rewritten.is_more:
        return _(
            "The links to it are being rewritten in the background; until then the old ones lead "
            "here as well."
        )
    if not rewritten.pages:
        return ""
    text = ngettext(
        "The links on {n} page were rewritten.",
        "The links on {n} pages were rewritten.",
        rewritten.pages,
    )
    return text.format(n=rewritten.pages)


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Asks once, then gives the page its old name back."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    page = find_page(wiki, slug)
    if request.method == "POST":
        return _undo(request, page)
    undone = find_undoable(page)
    if undone is None:
        messages.error(request, _("There is no rename to undo."))
        return redirect("page", wiki.slug, page.slug)
    before = page.revisions.defer("body").get(number=undone.number - 1)
    context = frame_context(
        wiki,
        page=page,
        undone=undone,
        before=before,
        taken=Page.objects.live()
        .filter(wiki=wiki, slug=before.slug)
        .exclude(pk=page.pk)
        .only("slug", "title")
        .first(),
        linking_total=count_linking_pages(page),
        many=AT_ONCE,
    )
    return render(request, "wiki/pages/undo_rename.html", context)


def _undo(request: HttpRequest, page: Page) -> HttpResponse:
    page_id, base_revision = _base(request)
    number = posted_number(request, "number")
    if page_id != page.pk:
        return _other_page(request, page, page_id)
    try:
        undone = undo_rename(page, number, base_revision, author=Author.person(request.user))
    except SlugTaken as taken:
        refusal = _("Nothing was undone: the page “{title}” has the old address now.")
        messages.error(request, refusal.format(title=taken.page.title))
    except NotUndoable as refused:
        messages.error(request, str(refused))
    except EditConflict as conflict:
        # Pressed twice: it is undone already.
        if find_undoable(conflict.page):
            messages.error(
                request,
                _("Nothing was undone: the page has changed since. Look at it again first."),
            )
        return redirect("page", page.wiki.slug, conflict.page.slug)
    except PageGone:
        pass
    else:
        rewritten = rewrite_links_soon(undone) if "rewrite_links" in request.POST else Rewritten()
        messages.success(
            request, " ".join([_("The page has its old name again."), _tell(rewritten)]).strip()
        )
        return redirect("page", page.wiki.slug, undone.slug)
    return redirect("page", page.wiki.slug, page.slug)


def _base(request: HttpRequest) -> tuple[int, int]:
    """The page and the revision that the form was opened on; no name of a page is taken from a
    form."""
    numbers = posted_number(request, "page_id"), posted_number(request, "base_revision")
    if -1 in numbers:
        raise BadRequest("page_id and base_revision are numbers")
    return numbers


def _form(request: HttpRequest, page: Page, *, status: int = 200, **shown: Any) -> HttpResponse:
    context = frame_context(
        page.wiki,
        page=page,
        latest=Revision.objects.latest_of(page),
        linking_total=count_linking_pages(page),
        many=AT_ONCE,
        max_summary=MAX_SUMMARY,
        **shown,
    )
    return render(request, "wiki/pages/rename.html", context, status=status)


def _other_page(request: HttpRequest, page: Page, page_id: int) -> HttpResponse:
    """The address belongs to another page by now."""
    meant = Page.objects.live().filter(wiki=page.wiki, pk=page_id).only("slug", "title").first()
    return render(
        request,
        "wiki/pages/other_page.html",
        frame_context(page.wiki, page=page, meant=meant),
        status=409,
    )
