from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from wiki.links import find_namesake
from wiki.recall import Mode, recall
from wiki.similarity import NOTHING_IN_COMMON
from wiki.text import MAX_TITLE, clean_line
from wiki.views.frame import find_wiki, in_frame

SHOWN = 20


@require_safe
def search(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Recall by meaning and words; what is not there can be written."""
    wiki = find_wiki(wiki_slug)
    query = clean_line(request.GET.get("q", ""))
    found = recall(wiki, query, limit=SHOWN, mode=Mode.HYBRID, min_similarity=NOTHING_IN_COMMON) if query else None
    namesake = find_namesake(wiki, query) if query and len(query) <= MAX_TITLE else None
    offer = query if query and not namesake and len(query) <= MAX_TITLE else ""
    context = in_frame(wiki, query=query, found=found, namesake=namesake, offer=offer)
    return render(request, "wiki/search.html", context)
