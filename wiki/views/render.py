"""Texts of pages as HTML with the addresses of this site."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from wiki.images.storage import find_pictures
from wiki.markdown import (
    LinkTarget,
    Rendered,
    ShownPicture,
    WikiLink,
    find_picture_names,
    find_wikilinks,
    heading_id,
    render_with_headings,
)
from wiki.models import (
    Page,
    Wiki,
)
from wiki.pages.links import resolve_targets


def render_page(page: Page, links: Iterable[dict[str, str]], *, may_edit: bool) -> Rendered:
    """Render a page with the targets in its Link rows. Only editors are offered to write a missing
    page."""
    named = {row["text"]: _Named(row["slug"], row["title"]) for row in links if row["slug"]}
    return _render(page.wiki, page.body, named, page.title, may_edit)


def render_text(wiki: Wiki, body: str, title: str = "", *, may_edit: bool = True) -> Rendered:
    """A text that is not (or no longer) a page's, with the links it would have now."""
    found = resolve_targets(wiki.pk, {link.target for link in find_wikilinks(body)})
    named = {text: _Named(to.page.slug, to.page.title) for text, to in found.items()}
    return _render(wiki, body, named, title, may_edit)


class _Named(NamedTuple):
    slug: str
    title: str


def _render(
    wiki: Wiki, body: str, named: Mapping[str, _Named], title: str, may_edit: bool
) -> Rendered:
    def resolve(link: WikiLink) -> LinkTarget:
        if to := named.get(link.target):
            anchor = f"#{heading_id(link.heading)}" if link.heading else ""
            return LinkTarget(reverse("page", args=[wiki.slug, to.slug]) + anchor, to.title)
        if not may_edit:
            return LinkTarget("")
        return LinkTarget(f"{reverse('new', args=[wiki.slug])}?{urlencode({'title': link.target})}")

    return render_with_headings(
        body, resolve, title, _shown_pictures(wiki, body), has_permalinks=True
    )


def _shown_pictures(wiki: Wiki, body: str) -> dict[str, ShownPicture]:
    """The stored pictures among those of a text, in at most one query."""
    found = find_pictures(wiki, find_picture_names(body))
    return {
        name: ShownPicture(each.get_absolute_url(), each.width, each.height)
        for name, each in found.items()
    }
