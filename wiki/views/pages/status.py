from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.models import Page, Role
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.status import mark_holds, mark_outdated, mark_replaced
from wiki.pages.successor import find_successor
from wiki.pages.write import PageGone
from wiki.text.cleaning import clean_line
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number


@require_http_methods(["GET", "HEAD", "POST"])
def mark(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Mark the page as valid, outdated or replaced; asks for the successor."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    page = find_page(wiki, slug)
    if request.method != "POST":
        return _ask(request, page)
    if posted_number(request, "page_id") != page.pk:
        messages.error(request, _("Nothing was marked: this address belongs to another page now."))
        return redirect(page)
    author = Author.person(request.user)
    try:
        match request.POST.get("mark"):
            case "holds":
                mark_holds(page, author=author)
                messages.success(request, _("Thank you. You have confirmed what the page says."))
            case "outdated":
                mark_outdated(page, author=author)
            case "replaced":
                return _replace(request, page, author)
    except PageGone:
        pass
    return redirect("page", wiki.slug, page.slug)


def _replace(request: HttpRequest, page: Page, author: Author) -> HttpResponse:
    name = clean_line(request.POST.get("successor", ""))
    try:
        mark_replaced(page, find_successor(page, name), author=author)
    except InvalidPage as invalid:
        return _ask(request, page, status=422, successor=name, error=str(invalid))
    return redirect("page", page.wiki.slug, page.slug)


def _ask(request: HttpRequest, page: Page, status: int = 200, **entered: str) -> HttpResponse:
    return render(
        request,
        "wiki/pages/replaced_by.html",
        frame_context(page.wiki, page=page, **entered),
        status=status,
    )
