"""Texts of pages as HTML with the addresses of this site."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from django.urls import reverse

from wiki.images.storage import find_pictures
from wiki.markdown import (
    LinkTarget,
    Rendered,
    ShownPicture,
    WikiLink,
    anchor_in,
    find_picture_names,
    heading_id,
    render_with_headings,
)
from wiki.models import Page, Wiki
from wiki.names.addresses import fragment, page_path
from wiki.pages.links import LinkName, names_in, resolve_names
from wiki.text.slugs import title_key


class _Meant(NamedTuple):
    """The page that a link means; without an address several."""

    slug: str
    title: str
    is_whole: bool = False


def render_page(page: Page, links: Iterable[dict[str, Any]], *, may_edit: bool) -> Rendered:
    """Render a page with the targets in its Link rows. Only editors are offered to write a missing
    page."""
    named = {
        (row["text"], row["is_address"]): _Meant(
            row["slug"] or "", row["title"] or "", _is_whole(row)
        )
        for row in links
        if row["slug"] or row["is_ambiguous"]
    }
    return _render(page.wiki, page.body, named, page.title, may_edit)


def _is_whole(row: dict[str, Any]) -> bool:
    """Whether a name with a `#` is all of a page's name."""
    names = [row["title"], *(row["aliases"] or ())] if row["slug"] else []
    return "#" in row["text"] and title_key(row["text"]) in map(title_key, names)


def render_text(wiki: Wiki, body: str, title: str = "", *, may_edit: bool = True) -> Rendered:
    """A text that is not (or no longer) a page's, with the links it would have now."""
    found = resolve_names(wiki.pk, names_in(Page(wiki=wiki, body=body)))
    rows = (
        {
            "text": text,
            "is_address": is_address,
            "is_ambiguous": to.is_ambiguous,
            "slug": "" if to.is_ambiguous else to.page.slug,
            "title": to.page.title,
            "aliases": to.page.aliases,
        }
        for (text, is_address), to in found.items()
    )
    return render_page(Page(wiki=wiki, title=title, body=body), rows, may_edit=may_edit)


def _render(
    wiki: Wiki, body: str, named: Mapping[LinkName, _Meant], title: str, may_edit: bool
) -> Rendered:
    def lead(to: _Meant, name: str, anchor: str) -> LinkTarget:
        if not to.slug:
            return LinkTarget(_choice(wiki, name), is_choice=True)
        behind = "" if to.is_whole or not anchor else f"#{quote(anchor)}"
        url = reverse("page", args=[wiki.slug, to.slug]) + behind
        return LinkTarget(url, to.title, is_whole=to.is_whole)

    def anchor(to: _Meant, heading: str) -> str:
        # Only of a heading under another one the rest of its page has to be known.
        if "#" not in heading:
            return heading if heading.startswith(("h-", "^")) else heading_id(heading)
        body = Page.objects.live().filter(wiki=wiki, slug=to.slug).values_list("body", flat=True)
        return anchor_in(body.first() or "", heading)

    def offer(name: str) -> LinkTarget:
        query = urlencode({"title": name})
        return LinkTarget(f"{reverse('new', args=[wiki.slug])}?{query}" if may_edit else "")

    def resolve(link: WikiLink) -> LinkTarget:
        if to := named.get((link.name, False)):
            return lead(to, link.name, anchor(to, link.heading) if link.heading else "")
        return offer(link.target)

    def resolve_address(href: str) -> LinkTarget | None:
        path = page_path(href, wiki.slug)
        if not path:
            return None
        if to := named.get((path, True)):
            part = fragment(href)
            return lead(to, path, anchor(to, part) if part else "")
        return offer(path)

    return render_with_headings(
        body,
        resolve,
        title,
        _shown_pictures(wiki, body),
        resolve_address=resolve_address,
        has_permalinks=True,
    )


def _choice(wiki: Wiki, name: str) -> str:
    """The address of the pages that share a name."""
    return f"{reverse('choice', args=[wiki.slug])}?{urlencode({'name': name})}"


def _shown_pictures(wiki: Wiki, body: str) -> dict[str, ShownPicture]:
    """The stored pictures among those of a text, in at most one query."""
    found = find_pictures(wiki, find_picture_names(body))
    return {
        name: ShownPicture(each.get_absolute_url(), each.width, each.height)
        for name, each in found.items()
    }
