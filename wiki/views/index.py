from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from wiki.models import MAX_TAG, Page, PageQuerySet, PageType, Revision, Wiki
from wiki.text import clean_line
from wiki.views.changes import may_see_trash
from wiki.views.frame import MAX_ADDRESS, find_wiki, in_frame
from wiki.visits import find_news, note_visit

PER_SCREEN = 100
RECENT = 8
TAGS_SHOWN = 30


@require_safe
def index(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The pages of a wiki, by type, tag, letter, or the page they link to."""
    wiki = find_wiki(request, wiki_slug)
    before_at = note_visit(wiki, request.user)
    filters = _filters(request.GET)
    pages = _filtered(wiki, filters)
    listed = pages.by_title().only("slug", "title", "type", "tags", "updated_at")
    if letter := filters.get("letter"):
        listed = listed.filter(Q(letter=letter))
    context = in_frame(
        wiki,
        screen=Paginator(listed, PER_SCREEN).get_page(request.GET.get("page")),
        filters=filters,
        filter_query=_query(filters),
        letterless_query=_query({name: value for name, value in filters.items() if name != "letter"}),
        letters=pages.count_by_letter(),
        tags=Page.objects.live().filter(wiki=wiki).count_by_tag(TAGS_SHOWN),
        recent=_recent_changes(wiki),
        news=find_news(wiki, request.user, before_at, with_trash=may_see_trash(request)),
    )
    return render(request, "wiki/index.html", context)


def _filters(asked: QueryDict) -> dict[str, str]:
    """What the list is narrowed to; what cannot be meant is left out."""
    filters = {
        "type": asked.get("type", "") if asked.get("type") in PageType.values else "",
        "tag": clean_line(asked.get("tag", ""))[:MAX_TAG].lower(),
        "to": clean_line(asked.get("to", ""))[:MAX_ADDRESS],
        "letter": clean_line(asked.get("letter", ""))[:1].upper(),
    }
    return {name: value for name, value in filters.items() if value}


def _filtered(wiki: Wiki, filters: dict[str, str]) -> PageQuerySet:
    pages = Page.objects.live().filter(wiki=wiki)
    if slug := filters.get("to"):
        target = pages.filter(slug=slug).only("pk").first()
        pages = pages.linking_to(target) if target else pages.none()
    if type := filters.get("type"):
        pages = pages.filter(type=type)
    if tag := filters.get("tag"):
        pages = pages.filter(tags__contains=[tag])
    return pages


def _query(filters: dict[str, str]) -> str:
    query = QueryDict(mutable=True)
    query.update(filters)
    return query.urlencode()


def _recent_changes(wiki: Wiki) -> list[Revision]:
    latest = Revision.objects.current().filter(page__wiki=wiki, page__trashed_at=None).select_related("page")
    shown = ("number", "kind", "author_kind", "author_name", "created_at", "page__slug", "page__title")
    return list(latest.order_by("-page__updated_at").only(*shown)[:RECENT])
