"""Seeing the memory: a wiki and the neighbourhood of a page as pictures, with a table that says the
same."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from wiki.graph import find_neighbourhood, find_wiki_graph
from wiki.models import PageType
from wiki.pages.listing import NO_TYPE
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki


@require_safe
def wiki_map(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The most linked pages of a wiki and their links, of all types or one."""
    wiki = find_wiki(request, wiki_slug)
    asked = request.GET.get("type", "")
    type = asked if asked in (*PageType.values, NO_TYPE) else ""
    with_similar = "similar" in request.GET
    found = find_wiki_graph(wiki, type, with_similar=with_similar)
    context = frame_context(
        wiki,
        graph=found.graph,
        drawing=found.drawing,
        rows=list(zip(found.graph.nodes, found.graph.targets(), strict=True)),
        type=type,
        with_similar=with_similar,
    )
    return render(request, "wiki/graph/wiki_graph.html", context)


@require_safe
def neighbourhood(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """A page amid the pages that it links to and that link to it."""
    wiki = find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        return redirect("page_map", wiki.slug, page.slug)
    with_similar = "similar" in request.GET
    near = find_neighbourhood(page, with_similar=with_similar)
    context = frame_context(
        wiki, page=page, near=near, drawing=near.drawing, with_similar=with_similar
    )
    return render(request, "wiki/graph/page_graph.html", context)
