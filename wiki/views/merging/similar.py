from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from embeddings.client import active_fingerprint
from wiki.merging.explain import explain_neighbours
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki


@require_safe
def similar(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """The pages nearest to one, and why each is or is not proposed to be one with it."""
    wiki = find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        return redirect("similar", wiki.slug, page.slug)
    partners, embedding = explain_neighbours(page), page.embedding_state(active_fingerprint())
    return render(
        request,
        "wiki/merging/similar.html",
        frame_context(wiki, page=page, partners=partners, embedding=embedding),
    )
