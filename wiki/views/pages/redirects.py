from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from wiki.models import Page, Redirect, Role, Wiki
from wiki.pages.redirects import count_pages_by, former_title, remove_redirect
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number


def bare_redirect(request: HttpRequest, wiki: Wiki, row: Redirect) -> HttpResponse:
    """Where a former address leads, instead of going there."""
    context = frame_context(
        wiki,
        row=row,
        former=former_title(row),
        shadowing=Page.objects.live()
        .filter(wiki=wiki, slug=row.slug)
        .only("slug", "title")
        .first(),
        linking_total=count_pages_by(row),
    )
    return render(request, "wiki/pages/remove_redirect.html", context)


@require_POST
def remove(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    row = (
        Redirect.objects.filter(wiki=wiki, pk=posted_number(request, "redirect_id"))
        .select_related("page")
        .first()
    )
    if row is None:
        # Somebody else was quicker.
        return redirect("page", wiki.slug, slug)
    remove_redirect(row)
    messages.success(request, _("The address “{slug}” leads nowhere now.").format(slug=row.slug))
    return redirect("page", wiki.slug, find_page(wiki, row.page.slug).slug)
