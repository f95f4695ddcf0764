from collections.abc import Mapping

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from wiki.history.unread_changes import find_news, note_visit
from wiki.models import MAX_TAG, PageType, Revision, Wiki
from wiki.pages.listing import MAX_TAGS, NO_TYPE, Filters, Order, arrange, find_tag, narrow
from wiki.text.cleaning import clean_line
from wiki.views.frame import TypeCount, frame_context, name_types
from wiki.views.history.recent_changes import may_see_trash
from wiki.views.pages.load_page import MAX_ADDRESS
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import Choice, write_query

PER_SCREEN = 100
RECENT = 8
TAGS_SHOWN = 30


@require_safe
def index(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The pages of a wiki, narrowed by type, tags, letter, or the page they link to, in an order of
    one's choice."""
    wiki = find_wiki(request, wiki_slug)
    before_at = note_visit(wiki, request.user)
    filters, letter = _filters(wiki, request.GET), _letter(request.GET)
    pages = narrow(wiki, filters)
    context = frame_context(wiki, filters=filters, letter=letter)
    counts = {type.value: type.count for type in context["types"]}
    order = _order(request.GET, filters, counts)
    asked = {"sort": order.value} if "sort" in request.GET else {}
    listed = arrange(pages, order).defer("body", "embedding", "front_matter")
    if letter:
        listed = listed.filter(Q(letter=letter))
    chosen = _query(filters, **asked)
    context |= {
        "screen": Paginator(listed, PER_SCREEN).get_page(request.GET.get("page")),
        "order": order,
        "orders": [
            Choice(
                str(name.label), _address(wiki, filters, sort=name.value), is_chosen=name == order
            )
            for name in Order
        ],
        "filter_query": _query(filters, **asked, letter=letter),
        "letterless_query": chosen,
        "letters": pages.count_by_letter() if order == Order.TITLE else {},
        "chips": _chips(wiki, filters, letter, asked),
        "narrower_types": _types_within(wiki, filters, asked) if filters.tags or filters.to else [],
        "tags": _tags_within(wiki, filters, asked),
        "recent": _recent_changes(wiki),
        "news": find_news(wiki, request.user, before_at, with_trash=may_see_trash(request)),
    }
    return render(request, "wiki/pages/listing.html", context)


def _filters(wiki: Wiki, asked: QueryDict) -> Filters:
    """Read the filters; a value without meaning is ignored."""
    type = asked.get("type", "")
    tags = (clean_line(tag)[:MAX_TAG] for tag in asked.getlist("tag")[:MAX_TAGS])
    return Filters(
        type=type if type in (*PageType.values, NO_TYPE) else "",
        tags=tuple(dict.fromkeys(found for tag in tags if (found := find_tag(wiki, tag)))),
        to=clean_line(asked.get("to", ""))[:MAX_ADDRESS],
    )


def _letter(asked: QueryDict) -> str:
    return clean_line(asked.get("letter", ""))[:1].upper()


def _order(asked: QueryDict, filters: Filters, counts: Mapping[str, int]) -> Order:
    """As asked for; else by type as long as all of a wiki stands on one screen."""
    if asked.get("sort") in Order.values:
        return Order(asked.get("sort", ""))
    is_small = sum(counts.values()) <= PER_SCREEN and len(counts) > 1
    return (
        Order.TYPE if is_small and filters == Filters() and "letter" not in asked else Order.TITLE
    )


def _query(filters: Filters, **more: str) -> str:
    return write_query(type=filters.type, to=filters.to, tag=filters.tags, **more)


def _address(wiki: Wiki, filters: Filters, **more: str) -> str:
    query = _query(filters, **more)
    return f"{wiki.get_absolute_url()}?{query}" if query else wiki.get_absolute_url()


def _chips(wiki: Wiki, filters: Filters, letter: str, asked: dict[str, str]) -> list[Choice]:
    """The active filters, each with the query without it."""
    chips = []
    if filters.type:
        label = PageType.label_of(filters.type) or _("No type")
        chips.append(Choice(label, _address(wiki, Filters("", filters.tags, filters.to), **asked)))
    for tag in filters.tags:
        others = Filters(
            filters.type, tuple(other for other in filters.tags if other != tag), filters.to
        )
        chips.append(Choice(_("Tag: {tag}").format(tag=tag), _address(wiki, others, **asked)))
    if filters.to:
        label = _("links to {page}").format(page=filters.to)
        chips.append(Choice(label, _address(wiki, Filters(filters.type, filters.tags), **asked)))
    if letter:
        chips.append(Choice(f"{letter} …", _address(wiki, filters, **asked)))
    return chips


def _types_within(wiki: Wiki, filters: Filters, asked: dict[str, str]) -> list[Choice]:
    """The types among the pages that pass the other filters."""
    counts = narrow(wiki, Filters("", filters.tags, filters.to)).count_by_type()
    return [_type_choice(wiki, type, filters, asked) for type in name_types(counts)]


def _type_choice(wiki: Wiki, type: TypeCount, filters: Filters, asked: dict[str, str]) -> Choice:
    is_chosen = type.value == filters.type
    address = _address(
        wiki, Filters("" if is_chosen else type.value, filters.tags, filters.to), **asked
    )
    return Choice(str(type.label), address, type.count, is_chosen)


def _tags_within(wiki: Wiki, filters: Filters, asked: dict[str, str]) -> list[Choice]:
    """The most used tags among the listed pages; a chosen one narrows the list further."""
    counts = narrow(wiki, filters).count_by_tag(TAGS_SHOWN + len(filters.tags))
    may_add = len(filters.tags) < MAX_TAGS
    return [
        Choice(
            tag,
            _address(wiki, Filters(filters.type, (*filters.tags, tag), filters.to), **asked),
            count,
        )
        for tag, count in counts.items()
        if may_add and tag not in filters.tags
    ][:TAGS_SHOWN]


def _recent_changes(wiki: Wiki) -> list[Revision]:
    latest = (
        Revision.objects.current()
        .filter(page__wiki=wiki, page__trashed_at=None)
        .select_related("page")
    )
    shown = (
        "number",
        "kind",
        "author_kind",
        "author_name",
        "created_at",
        "page__slug",
        "page__title",
    )
    return list(latest.order_by("-page__updated_at").only(*shown)[:RECENT])
