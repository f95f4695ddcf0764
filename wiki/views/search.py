from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from wiki.excerpts import excerpt, plain_text
from wiki.links import find_namesake
from wiki.models import Page, Wiki
from wiki.recall import Hit, Recall, holding_first, recall_for_people
from wiki.standing import attach_successors
from wiki.text import MAX_TITLE, clean_line
from wiki.views.frame import find_wiki, in_frame

SHOWN = 20
TITLES_SHOWN = 8
IN_TITLE = "title"


@require_safe
def search(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Titles with the words, then recall by meaning and words; what is not there can be written.

    From the field in the header (`jump`) the exact name of a page opens that page.
    """
    wiki = find_wiki(request, wiki_slug)
    query = clean_line(request.GET.get("q", ""))
    namesake = find_namesake(wiki, query)
    if namesake and "jump" in request.GET:
        return redirect("page", wiki.slug, namesake.slug)
    offer = query if query and not namesake and len(query) <= MAX_TITLE else ""
    context = in_frame(wiki, query=query, found=_find(wiki, query) if query else None, offer=offer)
    return render(request, "wiki/search.html", context)


@require_safe
def titles(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The pages whose title has the words typed so far, for the field in the header."""
    wiki = find_wiki(request, wiki_slug)
    query = clean_line(request.GET.get("q", ""))[:MAX_TITLE]
    pages = Page.objects.live().filter(wiki=wiki).titled(query).only("slug", "title", "type")
    return JsonResponse([_title(page, wiki) for page in pages[:TITLES_SHOWN]], safe=False)


def _title(page: Page, wiki: Wiki) -> dict[str, str]:
    page.wiki = wiki
    return {
        "title": page.title,
        "slug": page.slug,
        "type": page.get_type_display(),
        "url": page.get_absolute_url(),
    }


def _find(wiki: Wiki, query: str) -> Recall:
    found = recall_for_people(wiki, query, SHOWN)
    pages = Page.objects.live().filter(wiki=wiki).titled(query[:MAX_TITLE]).defer("embedding", "search")
    known = {hit.page.pk: hit for hit in found.hits}
    titled = [known.pop(page.pk) if page.pk in known else _hit(page, query) for page in pages[:TITLES_SHOWN]]
    for hit in titled:
        hit.found_by = [IN_TITLE, *hit.found_by]
    found.hits = holding_first([*titled, *known.values()])
    attach_successors([hit.page for hit in titled])
    return found


def _hit(page: Page, query: str) -> Hit:
    return Hit(page, None, [], excerpt=excerpt(plain_text(page.body), query))
