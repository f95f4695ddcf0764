from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from embeddings.client import active_fingerprint
from wiki.finding import find, pages_of, quote
from wiki.links import find_backlinks, find_trashed
from wiki.models import Page, Redirect, Revision, Wiki
from wiki.recall import neighbours
from wiki.slugs import slugify
from wiki.text import clean_line, clean_text
from wiki.views.frame import MAX_ADDRESS, draw_page, find_page, find_wiki, in_frame, resolve_address, whole_page

BACKLINKS_SHOWN = 20
INSIGHTS_SHOWN = 10
HEADINGS_FOR_CONTENTS = 3
NEAR_TITLES = 5


@require_safe
def page(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug)
    resolved = resolve_address(wiki, slug)
    if resolved is None:
        return missing_page(request, wiki, slug)
    if resolved.page.slug != slug:
        came_from = f"?{urlencode({'from': resolved.redirected_from})}" if resolved.redirected_from else ""
        return redirect(reverse("page", args=[wiki.slug, resolved.page.slug]) + came_from)
    found = whole_page(wiki, resolved.page)
    drawn = draw_page(found)
    backlinks, backlink_total = find_backlinks(found, BACKLINKS_SHOWN)
    context = in_frame(
        wiki,
        page=found,
        body=drawn.html,
        title_id=drawn.title_id,
        contents=drawn.headings if len(drawn.headings) >= HEADINGS_FOR_CONTENTS else [],
        latest=Revision.objects.latest_of(found),
        came_from=_former_address(found, request.GET.get("from", "")),
        backlinks=backlinks,
        backlink_total=backlink_total,
        similar=neighbours(found),
        insights=found.insights.select_related("agent").defer("text", "candidates")[:INSIGHTS_SHOWN],
        embedding=found.embedding_state(active_fingerprint()),
    )
    return render(request, "wiki/page.html", context)


@require_safe
def markdown(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """The page's Markdown, byte for byte."""
    wiki = find_wiki(request, wiki_slug)
    # "README.md" may also be the title of a page.
    if not resolve_address(wiki, slug) and (titled := resolve_address(wiki, f"{slug}.md")):
        titled.page.wiki = wiki
        return redirect(titled.page)
    found = find_page(wiki, slug)
    response = HttpResponse(found.body, content_type="text/plain; charset=utf-8")
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = content_disposition_header(False, f"{found.slug}.md") or "inline"
    return response


def missing_page(request: HttpRequest, wiki: Wiki, slug: str) -> HttpResponse:
    """404, with what may have been meant and the offer to write it."""
    address = clean_line(slug)[:MAX_ADDRESS]
    words = address.replace("-", " ") if slugify(address) == address else address
    near = find(pages_of([wiki]), words)
    near.hits = quote(near.hits[:NEAR_TITLES], words)
    context = in_frame(wiki, words=words, near=near, trashed=find_trashed(wiki, address), query=words)
    return render(request, "wiki/missing.html", context, status=404)


def _former_address(page: Page, slug: str) -> str:
    """The redirect that led here; nothing that only stands in the address bar."""
    slug = clean_text(slug)
    if not slug or not Redirect.objects.filter(page=page, slug=slug).exists():
        return ""
    return slug
