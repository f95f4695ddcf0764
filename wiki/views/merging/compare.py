from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from wiki.history.diff import describe_changes, find_differing_fields
from wiki.merging.explain import explain_pair
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki


@require_safe
def two_pages(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Compare two pages of a wiki."""
    wiki = find_wiki(request, wiki_slug)
    first, second = find_page(wiki, slug), find_page(wiki, request.GET.get("with", ""))
    if first == second:
        raise Http404
    context = frame_context(
        wiki,
        first=first,
        second=second,
        pages=[first, second],
        partner=explain_pair(first, second),
        differing=find_differing_fields(first, second),
        changes=describe_changes(first.body, second.body),
    )
    return render(request, "wiki/merging/compare.html", context)
