"""What every screen of a wiki has around it, and how page texts become HTML with this site's
addresses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wiki.accounts.permissions import Access, find_access
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
    AskedAs,
    Confirmation,
    Insight,
    Link,
    Membership,
    Merge,
    Page,
    PageType,
    Redirect,
    Revision,
    Role,
    Suggestion,
    Wiki,
)
from wiki.pages.links import Resolved, resolve_page, resolve_targets
from wiki.pages.listing import NO_TYPE
from wiki.recall.log import Recalled, counted_recalls, last_recall, read_recalled
from wiki.text.cleaning import clean_text
from wiki.text.slugs import MAX_SLUG

# No title and no folded form of one is longer.
MAX_ADDRESS = 600
# Of those who could help somebody further.
OWNERS_NAMED = 5

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
    """The wiki, for somebody who may do this in it; `request.role` says what they may,
    `request.is_member` whether they could leave.

    Raises Http404 for whom it does not exist, PermissionDenied for whom it does but not for this.
    """
    access = find_access(slug, request.user)
    if access is None:
        raise Http404
    request.role, request.is_member = access.role, access.is_member  # type: ignore[attr-defined]
    if not access.role.includes(needed):
        request.refusal = Refusal(needed, access)  # type: ignore[attr-defined]
        raise PermissionDenied
    return access.wiki


@dataclass(frozen=True)
class Refusal:
    """For the page that says so: which role was needed, and who could give it."""

    needed: Role
    access: Access

    @property
    def owners(self) -> str:
        """Their names, for members; who else may read is not told who is in a wiki."""
        if not self.access.is_member:
            return ""
        owners = Membership.objects.filter(
            wiki=self.access.wiki, role=Role.OWNER, user__is_active=True
        )
        people = [owner.user for owner in owners.select_related("user")[:OWNERS_NAMED]]
        return ", ".join(person.get_full_name() or person.get_username() for person in people)


def may(request: HttpRequest, needed: Role) -> bool:
    """Whether the person may do this in the wiki that `find_wiki` found."""
    role: Role | None = getattr(request, "role", None)
    return role is not None and role.includes(needed)


def sees_recalls(request: HttpRequest) -> bool:
    """What agents asked is for those who are in the wiki, not for everybody who may read a public
    one."""
    return getattr(request, "is_member", False) or may(request, Role.EDITOR)


def rights(request: HttpRequest) -> dict[str, Any]:
    """For every template: what the person may do in the wiki that is shown."""
    return {
        "may_edit": may(request, Role.EDITOR),
        "may_own": may(request, Role.OWNER),
        "is_member": getattr(request, "is_member", False),
        "refusal": getattr(request, "refusal", None),
    }


def resolve_address(wiki: Wiki, slug: str) -> Resolved | None:
    return resolve_page(wiki, slug) if len(slug) <= MAX_ADDRESS else None


def find_page(wiki: Wiki, slug: str) -> Page:
    """The page of an address, whole. Raises Http404."""
    resolved = resolve_address(wiki, slug)
    if resolved is None:
        raise Http404
    return whole_page(wiki, resolved.page)


_LINK_ROW = {"text": "target_text", "slug": "resolved_page__slug", "title": "resolved_page__title"}
_NOT_OF_SUCCESSORS = [
    f"page__replaced_by__{name}" for name in ("body", "embedding", "search", "front_matter")
]


class Opened(NamedTuple):
    """A page with its present revision. `links` are its Link rows; `written_by` the kinds of all
    who ever wrote on it; `is_shadowing` says whether its address once led to another page."""

    page: Page
    latest: Revision
    links: list[dict[str, str]]
    written_by: list[str]
    is_shadowing: bool
    has_merges: bool
    has_confirmations: bool
    has_insights: bool
    waiting: int
    recalled: Recalled | None
    asked_as: list[str]


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
        )
        .defer("body", "page__search", "page__front_matter", *_NOT_OF_SUCCESSORS)
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
    )


def whole_page(wiki: Wiki, page: Page) -> Page:
    """The page with its body and vector. Raises Http404 if it was trashed a moment ago."""
    whole = Page.objects.live().filter(pk=page.pk).first()
    if whole is None:
        raise Http404
    whole.wiki = wiki
    return whole


def in_frame(wiki: Wiki, **context: Any) -> dict[str, Any]:
    counts = Page.objects.live().filter(wiki=wiki).count_by_type()
    return {
        "wiki": wiki,
        "types": name_types(counts),
        "page_total": sum(counts.values()),
        **context,
    }


def name_types(counts: Mapping[str, int]) -> list[TypeCount]:
    """The types that occur, in their order; pages without one come last."""
    typed = [
        TypeCount(type, label, counts[type])
        for type, label in TYPES_IN_PLURAL.items()
        if type in counts
    ]
    return [*typed, TypeCount(NO_TYPE, _("No type"), counts[""])] if "" in counts else typed


def draw_page(page: Page, links: Iterable[dict[str, str]], *, may_edit: bool) -> Rendered:
    """The page as HTML; where its links lead stand in its Link rows. Who may not edit is offered no
    page to write."""
    named = {row["text"]: _Named(row["slug"], row["title"]) for row in links if row["slug"]}
    return _draw(page.wiki, page.body, named, page.title, may_edit)


def draw_text(wiki: Wiki, body: str, title: str = "", *, may_edit: bool = True) -> Rendered:
    """A text that is not (or no longer) a page's, with the links it would have now."""
    found = resolve_targets(wiki.pk, {link.target for link in find_wikilinks(body)})
    named = {text: _Named(to.page.slug, to.page.title) for text, to in found.items()}
    return _draw(wiki, body, named, title, may_edit)


class _Named(NamedTuple):
    slug: str
    title: str


def _draw(
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
    """Of the pictures that a text names those that are there, in at most one query."""
    found = find_pictures(wiki, find_picture_names(body))
    return {
        name: ShownPicture(each.get_absolute_url(), each.width, each.height)
        for name, each in found.items()
    }
