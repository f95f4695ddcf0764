"""The list of pages: filters and orders."""

from dataclasses import dataclass

from django.db.models import Case, Count, OuterRef, Subquery, TextChoices, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from wiki.models import Link, Page, PageQuerySet, PageType, Wiki
from wiki.text.slugs import fold_slug

# The filter for pages without a type.
NO_TYPE = "none"
# More tags at once narrow nothing further.
MAX_TAGS = 5
# In a wiki with more different tags the rare ones are only found on their pages.
MAX_DIFFERENT_TAGS = 5_000
TYPE_ORDER = (
    PageType.PROBLEM,
    PageType.SYSTEM,
    PageType.CUSTOMER,
    PageType.PROJECT,
    PageType.PERSON,
    PageType.TOPIC,
    "",
)


class Order(TextChoices):
    TYPE = "type", _("By type")
    TITLE = "title", _("A to Z")
    CHANGED = "changed", _("Last changed")
    LINKED = "linked", _("Most linked")


@dataclass(frozen=True)
class Filters:
    """`to` is the address of a page that the listed pages link to."""

    type: str = ""
    tags: tuple[str, ...] = ()
    to: str = ""


def narrow(wiki: Wiki, filters: Filters) -> PageQuerySet:
    """The live pages that all filters let through."""
    live = Page.objects.live().filter(wiki=wiki)
    pages = of_type(live, filters.type)
    if filters.to:
        target = live.filter(slug=filters.to).only("pk").first()
        pages = pages.linking_to(target) if target else pages.none()
    return pages.filter(tags__contains=list(filters.tags)) if filters.tags else pages


def of_type(pages: PageQuerySet, type: str) -> PageQuerySet:
    return pages.filter(type="" if type == NO_TYPE else type) if type else pages


def arrange(pages: PageQuerySet, order: str) -> PageQuerySet:
    """In this order, equals by title; with `link_count` where it decides."""
    if order == Order.TYPE:
        return pages.by_title(
            Case(*(When(type=type, then=rank) for rank, type in enumerate(TYPE_ORDER)), default=99)
        )
    if order == Order.CHANGED:
        return pages.by_title("-updated_at")
    if order == Order.LINKED:
        return with_link_count(pages).by_title("-link_count")
    return pages.by_title()


def with_link_count(pages: PageQuerySet) -> PageQuerySet:
    """`link_count`: how many other live pages link to each."""
    links = Link.objects.live().order_by().filter(resolved_page=OuterRef("pk"))
    counted = links.exclude(from_page=OuterRef("pk")).values("resolved_page")
    number = counted.annotate(n=Count("from_page", distinct=True)).values("n")
    return pages.annotate(link_count=Coalesce(Subquery(number), 0))


def find_tag(wiki: Wiki, text: str) -> str:
    """Return the tag itself if pages have it, else the most used tag that folds alike, else the
    text."""
    tag = text.lower()
    pages = Page.objects.live().filter(wiki=wiki)
    if not tag or pages.filter(tags__contains=[tag]).exists():
        return tag
    spellings = set(fold_slug(tag))
    alike = (
        known
        for known in pages.count_by_tag(MAX_DIFFERENT_TAGS)
        if spellings & set(fold_slug(known))
    )
    return next(alike, tag)


def tags_by_letter(wiki: Wiki) -> list[tuple[str, str, int]]:
    """Letter, tag and number of its pages, as people sort."""
    counts = Page.objects.live().filter(wiki=wiki).count_by_tag(MAX_DIFFERENT_TAGS)
    keyed = sorted((fold_slug(tag)[0], tag, count) for tag, count in counts.items())
    return [(key[:1].upper(), tag, count) for key, tag, count in keyed]
