from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from embeddings.client import active_fingerprint
from wiki.merging.merge import find_merges
from wiki.models import Insight, Outcome, Page, Redirect, Revision, RevisionKind, Role, Wiki
from wiki.names.resolve import Resolved, resolve_links
from wiki.pages.links import find_backlinks, find_trashed
from wiki.pages.protect import find_protection
from wiki.pages.redirects import find_earlier_owner, find_redirect, former_title
from wiki.pages.rename import find_undoable
from wiki.pages.status import Confirmed, find_confirmed, find_status_revision
from wiki.pages.unlinked_mentions import MAX_MENTIONS, find_mentions
from wiki.search.retrieval import neighbours
from wiki.search.site_search import find, quote
from wiki.search.thresholds import NOTHING_IN_COMMON
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.slugs import slugify
from wiki.views.frame import frame_context
from wiki.views.history.unread_changes import keep_visit
from wiki.views.pages.load_page import MAX_ADDRESS, Opened, find_page, open_page, resolve_address
from wiki.views.pages.redirects import bare_redirect
from wiki.views.permissions import find_wiki, may, sees_recalls
from wiki.views.render import render_page

BACKLINKS_SHOWN = 20
INSIGHTS_SHOWN = 10
HEADINGS_FOR_CONTENTS = 3
NEAR_TITLES = 5
# So long the undoing of a rename is offered on the page itself; its history offers it on.
FRESH = timedelta(days=1)


@require_safe
def page(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug)
    if request.GET.get("redirect") == "no" and (row := find_redirect(wiki, slug)):
        return bare_redirect(request, wiki, row)
    opened = open_page(wiki, slug)
    if opened is None:
        return _elsewhere(request, wiki, slug)
    keep_visit(request, wiki)
    found, latest = opened.page, opened.latest
    drawn = render_page(found, opened.links, may_edit=may(request, Role.EDITOR))
    found.replaced_by = _live(found.replaced_by)
    came_from = _former_address(found, request.GET.get("from", ""))
    backlinks, backlink_total = find_backlinks(found, BACKLINKS_SHOWN)
    context = frame_context(
        wiki,
        page=found,
        body=drawn.html,
        title_id=drawn.title_id,
        former_title_id=drawn.former_title_id,
        contents=drawn.headings if len(drawn.headings) >= HEADINGS_FOR_CONTENTS else [],
        latest=latest,
        written_by=opened.written_by,
        came_from=came_from,
        came_from_title=former_title(came_from) if came_from else "",
        earlier_owner=find_earlier_owner(found) if _may_shadow(opened) else None,
        undoable=_undoable(request, found, latest),
        mark=find_status_revision(found),
        protection=find_protection(found),
        suggestion_total=opened.waiting,
        confirmed=find_confirmed(found) if opened.has_confirmations else Confirmed(),
        backlinks=backlinks,
        backlink_total=backlink_total,
        merges=find_merges(found) if opened.has_merges else [],
        similar=neighbours(found, least=NOTHING_IN_COMMON),
        insights=_insights(found) if opened.has_insights else [],
        asked_as=opened.asked_as,
        former_names=opened.former_names,
        sees_recalls=sees_recalls(request),
        recalled=opened.recalled,
        recall_days=settings.COVEY_RECALL_DAYS,
        embedding=found.embedding_state(active_fingerprint()),
    )
    return render(request, "wiki/pages/read.html", context)


def _elsewhere(request: HttpRequest, wiki: Wiki, slug: str) -> HttpResponse:
    """To the page that another spelling or a former address means."""
    resolved = resolve_address(wiki, slug)
    if resolved is None:
        return missing_page(request, wiki, slug)
    if resolved.is_ambiguous:
        return _choose(request, wiki, slug, resolved)
    came_from = (
        f"?{urlencode({'from': resolved.redirected_from})}" if resolved.redirected_from else ""
    )
    return redirect(reverse("page", args=[wiki.slug, resolved.page.slug]) + came_from)


@require_safe
def choice(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The pages that share the name in a link, or the one that has it now."""
    wiki = find_wiki(request, wiki_slug)
    name = clean_line(request.GET.get("name", ""))[:MAX_ADDRESS]
    resolved = resolve_links(wiki.pk, [name]).get(name)
    if resolved is None:
        return missing_page(request, wiki, name)
    if resolved.is_ambiguous:
        return _choose(request, wiki, name, resolved)
    return redirect("page", wiki.slug, resolved.page.slug)


def _choose(request: HttpRequest, wiki: Wiki, name: str, resolved: Resolved) -> HttpResponse:
    context = frame_context(wiki, name=name, pages=resolved.pages)
    return render(request, "wiki/pages/choice.html", context, status=300)


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
    response["Content-Disposition"] = (
        content_disposition_header(False, f"{found.slug}.md") or "inline"
    )
    return response


@require_safe
def mentions(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Pages with the title in their text but no link; searched on demand."""
    wiki = find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        return redirect("mentions", wiki.slug, page.slug)
    context = frame_context(wiki, page=page, mentions=find_mentions(page), most=MAX_MENTIONS)
    return render(request, "wiki/pages/mentions.html", context)


def missing_page(request: HttpRequest, wiki: Wiki, slug: str) -> HttpResponse:
    """404, with similar names and the offer to write the page."""
    address = clean_line(slug)[:MAX_ADDRESS]
    words = address.replace("-", " ") if slugify(address) == address else address
    near = find([wiki], words)
    if near.suggestion and not near.hits:
        # A misspelt address: what is near the word that was probably meant.
        near.hits = find([wiki], near.suggestion).hits
    near.hits = quote(near.hits[:NEAR_TITLES], near.suggestion or words)
    # What is in the trash is only for those who could take it out again.
    trashed = find_trashed(wiki, address) if may(request, Role.EDITOR) else None
    context = frame_context(wiki, words=words, near=near, trashed=trashed, query=words)
    return render(request, "wiki/pages/missing.html", context, status=404)


def _insights(page: Page) -> list[Insight]:
    on_page = page.insights.exclude(outcome__in=(Outcome.PENDING, Outcome.NOISE))
    return list(on_page.select_related("agent").defer("text", "candidates")[:INSIGHTS_SHOWN])


def _live(successor: Page | None) -> Page | None:
    return successor if successor and not successor.is_trashed else None


def _may_shadow(opened: Opened) -> bool:
    """Whether another page may have had this one's address or name; most have never been anybody
    else's."""
    return opened.is_shadowing or slugify(opened.page.title) != opened.page.slug


def _former_address(page: Page, slug: str) -> Redirect | None:
    """The redirect that led here; nothing that only stands in the address bar."""
    return Redirect.objects.filter(page=page, slug=clean_text(slug)).first() if slug else None


def _undoable(request: HttpRequest, page: Page, latest: Revision) -> Revision | None:
    """The rename of a moment ago, for people who may undo it."""
    is_fresh = (
        latest.kind in (RevisionKind.RENAME, RevisionKind.LINKS)
        and latest.created_at > timezone.now() - FRESH
    )
    return find_undoable(page) if is_fresh and may(request, Role.EDITOR) else None
