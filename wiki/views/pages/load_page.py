"""The page of an address, with all that its screen shows in one query."""

from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.http import Http404

from wiki.models import (
    AskedAs,
    Confirmation,
    Insight,
    Link,
    Merge,
    Page,
    Redirect,
    Revision,
    Suggestion,
    Wiki,
)
from wiki.names.resolve import Resolved, resolve_page
from wiki.recall.log import Recalled, counted_recalls, last_recall, read_recalled
from wiki.text.cleaning import clean_text
from wiki.text.slugs import MAX_SLUG

# No title and no folded form of one is longer.
MAX_ADDRESS = 600


def resolve_address(wiki: Wiki, slug: str) -> Resolved | None:
    return resolve_page(wiki, slug) if len(slug) <= MAX_ADDRESS else None


def find_page(wiki: Wiki, slug: str) -> Page:
    """The page of an address, whole. Raises Http404."""
    resolved = resolve_address(wiki, slug)
    if resolved is None:
        raise Http404
    return whole_page(wiki, resolved.page)


_LINK_ROW = {
    "text": "target_text",
    "is_address": "is_address",
    "is_ambiguous": "is_ambiguous",
    "slug": "resolved_page__slug",
    "title": "resolved_page__title",
    "aliases": "resolved_page__aliases",
}
_NOT_OF_SUCCESSORS = [
    f"page__replaced_by__{name}" for name in ("body", "embedding", "front_matter")
]


class Opened(NamedTuple):
    """A page with its present revision.

    `links` are its Link rows, `written_by` the kinds of all its authors; `is_shadowing` if its
    address once led to another page.
    """

    page: Page
    latest: Revision
    links: list[dict[str, Any]]
    written_by: list[str]
    is_shadowing: bool
    has_merges: bool
    has_confirmations: bool
    has_insights: bool
    waiting: int
    recalled: Recalled | None
    asked_as: list[str]
    former_names: list[dict[str, str]]


def open_page(wiki: Wiki, slug: str) -> Opened | None:
    """The live page with exactly this slug, in one query."""
    if len(slug) > MAX_SLUG:
        return None
    kinds = (
        Revision.objects.filter(page=OuterRef("page"))
        .order_by("author_kind")
        .values("author_kind")
        .distinct()
    )
    links = Link.objects.filter(from_page=OuterRef("page")).values(row=JSONObject(**_LINK_ROW))
    redirects = Redirect.objects.filter(wiki=wiki, slug=OuterRef("page__slug")).exclude(
        page=OuterRef("page")
    )
    former = Redirect.objects.filter(page=OuterRef("page")).order_by("-created_at", "-id")
    waiting = Suggestion.objects.open().filter(page=OuterRef("page")).order_by().values("page")
    merges = Merge.objects.filter(survivor=OuterRef("page"), undone_at=None)
    found = (
        Revision.objects.current()
        .filter(page__wiki=wiki, page__slug=clean_text(slug), page__trashed_at=None)
        .select_related("page", "page__replaced_by")
        .annotate(
            written_by=ArraySubquery(kinds),
            links=ArraySubquery(links),
            is_shadowing=Exists(redirects),
            has_merges=Exists(merges),
            has_confirmations=Exists(Confirmation.objects.filter(page=OuterRef("page"))),
            has_insights=Exists(Insight.objects.filter(page=OuterRef("page"))),
            waiting=Subquery(waiting.annotate(n=Count("pk")).values("n")),
            recall_count=counted_recalls("page"),
            last_recall=last_recall("page"),
            asked_as=ArraySubquery(AskedAs.objects.filter(page=OuterRef("page")).values("text")),
            former_names=ArraySubquery(former.values(row=JSONObject(slug="slug", title="title"))),
        )
        .defer("body", "page__front_matter", *_NOT_OF_SUCCESSORS)
        .first()
    )
    if found is None:
        return None
    found.page.wiki = wiki
    return Opened(
        page=found.page,
        latest=found,
        links=found.links,
        written_by=found.written_by,
        is_shadowing=found.is_shadowing,
        has_merges=found.has_merges,
        has_confirmations=found.has_confirmations,
        has_insights=found.has_insights,
        waiting=found.waiting or 0,
        recalled=read_recalled(found.recall_count, found.last_recall),
        asked_as=found.asked_as,
        former_names=found.former_names,
    )


def whole_page(wiki: Wiki, page: Page) -> Page:
    """The page with its body and vector. Raises Http404 if it was trashed a moment ago."""
    whole = Page.objects.live().filter(pk=page.pk).first()
    if whole is None:
        raise Http404
    whole.wiki = wiki
    return whole
