"""The changes of a wiki or of one page as an Atom feed."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from wiki.accounts.feed_keys import find_key, find_reader, renew_key
from wiki.history.recent_changes import Filters, list_changes
from wiki.models import Revision, RevisionQuerySet, Wiki
from wiki.views.feed_entries import make_feed, tag_uri
from wiki.views.frame import frame_context
from wiki.views.history.recent_changes import may_see_trash, read_filters
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki

ATOM = "application/atom+xml; charset=utf-8"

FeedView = Callable[..., HttpResponseBase]


def bare(view: FeedView) -> FeedView:
    """Answer a refused feed without a body, whoever's key was used, and keep caches private."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            sentence = _(
                "There is no feed at this address, or the key in it opens nothing any more."
            )
            response = HttpResponse(sentence, status=404, content_type="text/plain; charset=utf-8")
        # The key stands in the address: no page that is opened from here, and no shared cache, is
        # told it.
        response["Referrer-Policy"] = "no-referrer"
        response["Cache-Control"] = "private, no-cache"
        return response

    return answered


@require_safe
@bare
def wiki_feed(request: HttpRequest, wiki_slug: str) -> HttpResponseBase:
    wiki = _find_wiki(request, wiki_slug)
    found = list_changes(
        wiki, read_filters(request.GET), request.user, with_trash=may_see_trash(request)
    )
    guid = tag_uri(wiki.created_at, f"wiki/{wiki.pk}")
    return _serve(
        request, wiki, found, title=wiki.name, link=reverse("changes", args=[wiki.slug]), guid=guid
    )


@require_safe
@bare
def page_feed(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponseBase:
    wiki = _find_wiki(request, wiki_slug)
    page = find_page(wiki, slug)
    if page.slug != slug:
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return redirect(reverse("page_feed", args=[wiki.slug, page.slug]) + query)
    found = list_changes(wiki, Filters(), request.user, with_trash=False).filter(page=page)
    title, guid = f"{page.title} · {wiki.name}", tag_uri(page.created_at, f"page/{page.pk}")
    return _serve(request, wiki, found, title=title, link=page.get_absolute_url(), guid=guid)


@require_http_methods(["GET", "HEAD", "POST"])
def feed_address(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The person's own address of the feed; posting makes a key, or a new one in place of the
    old."""
    wiki = find_wiki(request, wiki_slug)
    assert isinstance(request.user, User)
    if request.method == "POST":
        renew_key(request.user)
        return redirect("feed_address", wiki.slug)
    key = find_key(request.user)
    address = settings.COVEY_PUBLIC_URL + reverse("wiki_feed", args=[wiki.slug])
    if key:
        address = f"{address}?{urlencode({'key': key})}"
    return render(request, "wiki/feeds/address.html", frame_context(wiki, key=key, address=address))


def _find_wiki(request: HttpRequest, slug: str) -> Wiki:
    """The wiki, if the owner of the key, or without one the signed-in person, may read it."""
    if key := request.GET.get("key"):
        reader = find_reader(key)
        if reader is None:
            raise Http404
        request.user = reader
    return find_wiki(request, slug)


def _serve(
    request: HttpRequest, wiki: Wiki, found: RevisionQuerySet, **about: str
) -> HttpResponseBase:
    """The feed, or 304 for a reader that has it as it is: told without looking at a single text."""
    shown = found.values_list("created_at", flat=True).first() or wiki.created_at
    # What goes to the trash is not shown to everybody, but takes its older changes out of the feed.
    newest = (
        Revision.objects.filter(page__wiki=wiki)
        .order_by("-pk")
        .values_list("pk", flat=True)
        .first()
    )
    state = (
        about,
        wiki.name,
        newest,
        get_language(),
        settings.COVEY_PUBLIC_URL,
        request.GET.get("by"),
        request.GET.get("kind"),
    )
    response = HttpResponse(content_type=ATOM)
    response["ETag"] = etag = quote_etag(hashlib.sha256(repr(state).encode()).hexdigest()[:32])
    modified = int(shown.timestamp())
    response["Last-Modified"] = http_date(modified)
    if (answer := get_conditional_response(request, etag, modified, response)) is not response:
        return answer or response
    make_feed(wiki, found, path=request.path, updated=shown, **about).write(response, "utf-8")
    return response
