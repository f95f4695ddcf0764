from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from wiki.models import Page, Revision, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.successor import find_successor
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import EditConflict, PageGone, PageMerged, SlugTaken
from wiki.text.cleaning import clean_line
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number
from wiki.views.render import render_text

PER_SCREEN = 100


@require_http_methods(["GET", "HEAD", "POST"])
def trash(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The pages in the trash; posting brings one back."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    if request.method == "POST":
        return _restore(request, wiki)
    revisions = Revision.objects.current().filter(
        page__wiki=wiki, page__trashed_at__isnull=False, page__merged_into=None
    )
    listed = revisions.select_related("page").order_by("-page__trashed_at", "-page_id")
    listed = listed.only("kind", "author_kind", "author_name", "page__title", "page__trashed_at")
    screen = Paginator(listed, PER_SCREEN).get_page(request.GET.get("page"))
    return render(request, "wiki/pages/trash.html", frame_context(wiki, screen=screen))


@require_safe
def trashed(request: HttpRequest, wiki_slug: str, page_id: int) -> HttpResponse:
    """The text of a page in the trash, with the way back."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    page = get_object_or_404(
        Page.objects.trashed().filter(wiki=wiki), pk=page_id if page_id < 2**63 else 0
    )
    context = frame_context(
        wiki,
        page=page,
        latest=Revision.objects.latest_of(page),
        body=render_text(wiki, page.body, page.title).html,
        taken=Page.objects.live().filter(wiki=wiki, slug=page.slug).only("slug", "title").first(),
    )
    return render(request, "wiki/pages/trashed.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def trash_one(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Asks once, then moves the page to the trash."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    page = find_page(wiki, slug)
    if request.method != "POST":
        return _ask(request, page)
    if posted_number(request, "page_id") != page.pk:
        messages.error(request, _("Nothing was moved: this address belongs to another page now."))
        return redirect(page)
    name = clean_line(request.POST.get("successor", ""))
    try:
        trash_page(
            page,
            base_revision=posted_number(request, "base_revision"),
            author=Author.person(request.user),
            successor=find_successor(page, name) if name else None,
        )
    except InvalidPage as invalid:
        return _ask(request, page, status=422, successor=name, error=str(invalid))
    except EditConflict:
        messages.error(
            request, _("Nothing was moved: the page has changed since. Look at it again first.")
        )
        return redirect(page)
    except PageGone:
        pass
    messages.success(request, _("“{title}” is in the trash.").format(title=page.title))
    return redirect("trash", wiki.slug)


def _ask(request: HttpRequest, page: Page, status: int = 200, **entered: str) -> HttpResponse:
    backlink_total = Page.objects.live().linking_to(page).count()
    context = frame_context(page.wiki, page=page, backlink_total=backlink_total, **entered)
    return render(request, "wiki/pages/trash_one.html", context, status=status)


def _restore(request: HttpRequest, wiki: Wiki) -> HttpResponse:
    page = get_object_or_404(Page.objects.filter(wiki=wiki), pk=posted_number(request, "page_id"))
    try:
        restored = restore_page(
            page, author=Author.person(request.user), new_address="new_address" in request.POST
        )
    except SlugTaken as taken:
        refusal = _("“{title}” stays in the trash: the page “{other}” has its address now.")
        messages.error(request, refusal.format(title=page.title, other=taken.page.title))
        return redirect("trashed", wiki.slug, page.pk)
    except PageMerged as merged:
        messages.error(request, str(merged))
        return redirect("trash", wiki.slug)
    return redirect("page", wiki.slug, restored.slug)
