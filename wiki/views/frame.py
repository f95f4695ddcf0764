"""What every screen of a wiki has around it, and how page texts become HTML with this site's addresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wiki.browsing import NO_TYPE
from wiki.links import Resolved, resolve_page, resolve_targets
from wiki.markup import LinkTarget, Rendered, WikiLink, find_wikilinks, heading_id, render_with_headings
from wiki.models import Page, PageType, Role, Wiki
from wiki.rights import role_in
from wiki.slugs import MAX_SLUG
from wiki.text import clean_text

# No title and no folded form of one is longer.
MAX_ADDRESS = 600

TYPES_IN_PLURAL: dict[str, Promise] = {
    PageType.PROBLEM: _("Problems"),
    PageType.SYSTEM: _("Systems"),
    PageType.CUSTOMER: _("Customers"),
    PageType.PROJECT: _("Projects"),
    PageType.PERSON: _("People"),
    PageType.TOPIC: _("Topics"),
}


@dataclass(frozen=True)
class TypeCount:
    value: str
    label: Promise
    count: int


def find_wiki(request: HttpRequest, slug: str, needed: Role = Role.READER) -> Wiki:
    """The wiki, for somebody who may do this in it; `request.role` says what they may.

    Raises Http404 for whom it does not exist, PermissionDenied for whom it does but not for this.
    """
    wiki = Wiki.objects.filter(slug=clean_text(slug)).first() if len(slug) <= MAX_SLUG else None
    role = role_in(wiki, request.user) if wiki else None
    if wiki is None or role is None:
        raise Http404
    if not role.includes(needed):
        raise PermissionDenied
    request.role = role  # type: ignore[attr-defined]
    return wiki


def rights(request: HttpRequest) -> dict[str, bool]:
    """For every template: what the person may do in the wiki that is shown."""
    role = getattr(request, "role", None)
    return {
        "may_edit": role is not None and role.includes(Role.EDITOR),
        "may_own": role is not None and role.includes(Role.OWNER),
    }


def resolve_address(wiki: Wiki, slug: str) -> Resolved | None:
    return resolve_page(wiki, slug) if len(slug) <= MAX_ADDRESS else None


def find_page(wiki: Wiki, slug: str) -> Page:
    """The page of an address, whole. Raises Http404."""
    resolved = resolve_address(wiki, slug)
    if resolved is None:
        raise Http404
    return whole_page(wiki, resolved.page)


def whole_page(wiki: Wiki, page: Page) -> Page:
    """The page with its body and vector. Raises Http404 if it was trashed a moment ago."""
    whole = Page.objects.live().defer("search").filter(pk=page.pk).first()
    if whole is None:
        raise Http404
    whole.wiki = wiki
    return whole


def posted_number(request: HttpRequest, name: str) -> int:
    """The number in a field of a form; -1 for anything else."""
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1


def in_frame(wiki: Wiki, **context: Any) -> dict[str, Any]:
    counts = Page.objects.live().filter(wiki=wiki).count_by_type()
    return {"wiki": wiki, "types": name_types(counts), "page_total": sum(counts.values()), **context}


def name_types(counts: Mapping[str, int]) -> list[TypeCount]:
    """The types that occur, in their order; pages without one come last."""
    typed = [TypeCount(type, label, counts[type]) for type, label in TYPES_IN_PLURAL.items() if type in counts]
    return [*typed, TypeCount(NO_TYPE, _("No type"), counts[""])] if "" in counts else typed


def draw_page(page: Page) -> Rendered:
    """The page as HTML; where its links lead stands in its Link rows."""
    rows = page.links.values_list("target_text", "resolved_page__slug", "resolved_page__title")
    named = {text: _Named(slug, title) for text, slug, title in rows if slug}
    return _draw(page.wiki, page.body, named, page.title)


def draw_text(wiki: Wiki, body: str, title: str = "") -> Rendered:
    """A text that is not (or no longer) a page's, with the links it would have now."""
    found = resolve_targets(wiki.pk, {link.target for link in find_wikilinks(body)})
    return _draw(wiki, body, {text: _Named(to.page.slug, to.page.title) for text, to in found.items()}, title)


class _Named(NamedTuple):
    slug: str
    title: str


def _draw(wiki: Wiki, body: str, named: Mapping[str, _Named], title: str) -> Rendered:
    def resolve(link: WikiLink) -> LinkTarget:
        if to := named.get(link.target):
            anchor = f"#{heading_id(link.heading)}" if link.heading else ""
            return LinkTarget(reverse("page", args=[wiki.slug, to.slug]) + anchor, to.title)
        return LinkTarget(f"{reverse('new', args=[wiki.slug])}?{urlencode({'title': link.target})}")

    return render_with_headings(body, resolve, title)
