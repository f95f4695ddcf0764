"""Search: suggestions while typing, and the whole search in one wiki or all readable ones."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from wiki.models import MAX_TAG, PageType, Role, Wiki
from wiki.pages.links import find_namesake
from wiki.pages.status import attach_successors
from wiki.search.retrieval import Hit
from wiki.search.site_search import Found, find, find_instantly, find_titled, pages_of, quote
from wiki.text.cleaning import MAX_TITLE, clean_line
from wiki.text.query_syntax import meant_title, split_filters
from wiki.text.slugs import slugify
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki, may
from wiki.views.query_parameters import Choice, write_query

PER_SCREEN = 20
TAGS_OFFERED = 8
WIKIS_OFFERED = 10


@dataclass(frozen=True)
class Asked:
    """The query of the address: words, and filters."""

    query: str
    type: str = ""
    tag: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> "Asked":
        """Also understands "runner type:problem tag:ci" in the field."""
        query, typed = split_filters(clean_line(request.GET.get("q", "")))
        asked = {
            name: clean_line(typed.get(name) or request.GET.get(name, "")).lower()
            for name in ("type", "tag")
        }
        return cls(
            query, asked["type"] if asked["type"] in PageType.values else "", asked["tag"][:MAX_TAG]
        )

    def address(self, **changes: str) -> str:
        """The query of an address that asks the same, but for the changes."""
        return write_query(**{"q": self.query, **self.filters, **changes})

    @property
    def filters(self) -> dict[str, str]:
        return {
            name: value for name, value in {"type": self.type, "tag": self.tag}.items() if value
        }


@require_safe
def search(request: HttpRequest, wiki_slug: str = "") -> HttpResponse:
    """Search by meaning and words in one wiki or all readable ones; a missing page can be written.

    From the header of a screen without scripts (`jump`) the exact name of a page opens that page.
    """
    wiki = find_wiki(request, wiki_slug) if wiki_slug else None
    asked = Asked.of(request)
    namesake = find_namesake(wiki, asked.query) if wiki else None
    if wiki and namesake and "jump" in request.GET and not asked.filters:
        exact = find_titled(pages_of([wiki]), asked.query) or namesake
        return redirect("page", wiki.slug, exact.slug)
    open_wikis = list(Wiki.objects.open_to(request.user))
    context: dict[str, Any] = {
        "asked": asked,
        "query": asked.query,
        "may_write_in": [],
        "offer": "",
    }
    if asked.query or asked.filters:
        wikis = [wiki] if wiki else open_wikis
        found = find(wikis, asked.query, type=asked.type, tag=asked.tag)
        context |= _listed(request, found, asked, {wiki.pk: wiki for wiki in wikis})
        context["choices"] = _choices(found, asked)
        context["places"] = _places(found, asked, wiki, open_wikis)
        if not namesake and 0 < len(asked.query) <= MAX_TITLE:
            context |= {
                "offer": meant_title(asked.query),
                "may_write_in": _may_write_in(request, wiki),
            }
    layout = "wiki/frame.html" if wiki else "base.html"
    return render(
        request,
        "wiki/search/search.html",
        {**(frame_context(wiki) if wiki else {}), "layout": layout, **context},
    )


@require_safe
def instant(request: HttpRequest, wiki_slug: str = "") -> HttpResponse:
    """The rows below the search field while typing, as HTML and as a sentence for screen
    readers."""
    wiki = find_wiki(request, wiki_slug) if wiki_slug else None
    query = clean_line(request.GET.get("q", ""))[:MAX_TITLE]
    wikis = [wiki] if wiki else list(Wiki.objects.open_to(request.user))
    found = find_instantly(wikis, query)
    hits = found.hits
    _name_wikis(hits, {wiki.pk: wiki for wiki in wikis})
    may_create = bool(wiki and query and may(request, Role.EDITOR))
    offer = meant_title(query) if may_create and wiki and not find_namesake(wiki, query) else ""
    context = {"hits": hits, "query": query, "wiki": wiki, "offer": offer, "found": found}
    return JsonResponse(
        {
            "html": render_to_string("wiki/search/instant.html", context),
            "said": _say_found(found) if query else "",
        }
    )


def _say_found(found: Found) -> str:
    if found.hits:
        return ngettext("{n} page", "{n} pages", len(found.hits)).format(n=len(found.hits))
    nothing = _("No page has these words.")
    return f"{nothing} {_('Did you mean')} {found.suggestion}?" if found.suggestion else nothing


def _listed(
    request: HttpRequest, found: Found, asked: Asked, wikis: dict[int, Wiki]
) -> dict[str, Any]:
    screen = Paginator(found.hits, PER_SCREEN).get_page(request.GET.get("page"))
    shown = quote(list(screen.object_list), asked.query)
    screen.object_list = shown
    attach_successors([hit.page for hit in shown])
    _name_wikis(shown, wikis)
    return {"found": found, "screen": screen, "filter_query": asked.address()}


def _name_wikis(hits: list[Hit], wikis: dict[int, Wiki]) -> None:
    for hit in hits:
        hit.page.wiki = wikis[hit.page.wiki_id]


def _choices(found: Found, asked: Asked) -> list[tuple[str, list[Choice]]]:
    """Filters by type and tag: chosen ones to remove, others with their number of pages."""
    total = len(found.hits)
    types = [(type, n) for type, n in found.types.items() if n < total]
    tags = [(tag, n) for tag, n in found.tags.items() if 1 < n < total][:TAGS_OFFERED]
    rows = [(_("Type"), "type", asked.type, types), (_("Tag"), "tag", asked.tag, tags)]
    drawn = [
        (label, _choices_of(name, chosen, counts, asked)) for label, name, chosen, counts in rows
    ]
    return [(label, choices) for label, choices in drawn if choices]


def _choices_of(
    name: str, chosen: str, counts: list[tuple[str, int]], asked: Asked
) -> list[Choice]:
    def choice(value: str, to: str, count: int | None = None) -> Choice:
        label = PageType.label_of(value) if name == "type" else value
        address = f"?{asked.address(**{name: to})}"
        return Choice(
            label, address, count, is_chosen=value == chosen, id=f"by-{name}-{slugify(value)}"
        )

    taken_back = [choice(chosen, "")] if chosen else []
    return taken_back + [choice(value, value, n) for value, n in counts if value != chosen]


def _places(found: Found, asked: Asked, wiki: Wiki | None, open_wikis: list[Wiki]) -> list[Choice]:
    """This wiki or all; none for a person with a single one."""
    if len(open_wikis) < 2:
        return []
    address = f"{reverse('search_all')}?{asked.address()}"
    everywhere = Choice(_("All my wikis"), address, is_chosen=not wiki, id="in-all")
    if wiki:
        return [_place(wiki, asked, is_chosen=True), everywhere]
    names = {other.pk: other for other in open_wikis}
    return [
        everywhere,
        *(_place(names[pk], asked, n) for pk, n in list(found.wikis.items())[:WIKIS_OFFERED]),
    ]


def _place(
    wiki: Wiki, asked: Asked, count: int | None = None, *, is_chosen: bool = False
) -> Choice:
    address = f"{reverse('search', args=[wiki.slug])}?{asked.address()}"
    return Choice(wiki.name, address, count, is_chosen, id=f"in-{wiki.slug}")


def _may_write_in(request: HttpRequest, wiki: Wiki | None) -> list[Wiki]:
    if wiki:
        return [wiki] if may(request, Role.EDITOR) else []
    return list(Wiki.objects.with_role(request.user, Role.EDITOR)[:WIKIS_OFFERED])
