from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from wiki.pages.listing import tags_by_letter
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki

PER_SCREEN = 500


@require_safe
def tags(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Every tag of a wiki with the number of its pages, by name or most used first."""
    wiki = find_wiki(request, wiki_slug)
    found = tags_by_letter(wiki)
    by_count = request.GET.get("sort") == "count"
    if by_count:
        found.sort(key=lambda row: -row[2])
    screen = Paginator(found, PER_SCREEN).get_page(request.GET.get("page"))
    context = frame_context(
        wiki, screen=screen, by_count=by_count, filter_query="sort=count" if by_count else ""
    )
    return render(request, "wiki/pages/tags.html", context)
