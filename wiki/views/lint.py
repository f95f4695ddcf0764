"""Possible faults of a wiki's pages: a number for each kind, and the pages behind it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from wiki.lint import (
    Duplicates,
    Finding,
    count_findings,
    find_duplicates,
    find_same_titles,
    find_wanted,
    find_wanting,
    known_duplicates,
    pages_with,
    show_wanted,
)
from wiki.models import Page, Wiki
from wiki.search.all_pairs import NearPair
from wiki.text.cleaning import clean_line
from wiki.text.slugs import MAX_SLUG
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import write_query

PER_SCREEN = 100


class Advice(NamedTuple):
    """The meaning of a finding, and its remedy."""

    meaning: Promise
    remedy: Promise


ADVICE = {
    Finding.DEAD_LINKS: Advice(
        _("Pages link to these titles, but nothing is written under them yet."),
        _("Write the page, or correct the link where it is only misspelt."),
    ),
    Finding.ORPHANS: Advice(
        _("No other page links to these, so that nobody comes upon them while reading."),
        _("Link them from a page where somebody would look for them."),
    ),
    Finding.DUPLICATES: Advice(
        _("These pages say nearly the same, as far as their similarity tells."),
        _(
            "Compare the two. If they are one thing, let one page say it and link to it from the "
            "other."
        ),
    ),
    Finding.SAME_TITLES: Advice(
        _(
            "These pages share a title but for case, blanks and accents. A link by the title "
            "reaches one of them only."
        ),
        _("Give one of them a title that tells them apart."),
    ),
    Finding.OUTDATED: Advice(
        _(
            "These pages are marked as outdated or replaced, and other pages still send their "
            "readers there."
        ),
        _("Point those links to what holds today."),
    ),
    Finding.FAILED: Advice(
        _(
            "The embedding service could not take these texts. Search by meaning does not find "
            "them."
        ),
        _("Edit the page, or have it embedded again in the administration."),
    ),
    Finding.STALE: Advice(
        _("These pages will be embedded; until then only their words find them."),
        _("Nothing to do: it goes on by itself as soon as the embedding service answers."),
    ),
    Finding.DIARY: Advice(
        _(
            "These titles name a day or are as long as a sentence. Whoever needs the page again "
            "will not think of them."
        ),
        _("Name the page after what it is about."),
    ),
    Finding.STUBS: Advice(
        _("There is hardly any text on these pages."),
        _("Write the sentence that helps whoever comes here, or move the page to the trash."),
    ),
    Finding.LONG: Advice(
        _(
            "Only the first 8,000 characters are compared by meaning; what stands below them is "
            "found by its words."
        ),
        _("Split the page: give each matter a page of its own and link to it from here."),
    ),
    Finding.UNTYPED: Advice(
        _("These pages have no type, so that they are missing where pages are listed by type."),
        _("Choose a type when you edit them next."),
    ),
    Finding.UNCONFIRMED: Advice(
        _("Nobody has changed these pages for a year, or said that they still hold."),
        _(
            "Read them once: what is still right can be confirmed, what is not can be marked as "
            "outdated."
        ),
    ),
}


class Tile(NamedTuple):
    finding: Finding
    # None: nobody has looked yet.
    number: int | None


@require_http_methods(["GET", "HEAD", "POST"])
def health(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The findings with their numbers and the pages of one; posting compares all pages of a large
    wiki."""
    wiki = find_wiki(request, wiki_slug)
    if request.method == "POST":
        if not find_duplicates(wiki):
            messages.info(
                request, gettext("Pages are being compared already. Look again in a moment.")
            )
        return redirect(f"{reverse('health', args=[wiki.slug])}?finding={Finding.DUPLICATES}")
    duplicates, namesakes = known_duplicates(wiki), find_same_titles(wiki)
    counts: dict[Finding, int | None] = {
        **count_findings(wiki),
        Finding.DEAD_LINKS: find_wanted(wiki).count(),
        Finding.DUPLICATES: duplicates.total if duplicates else None,
        Finding.SAME_TITLES: sum(map(len, namesakes)),
    }
    shown = _asked(request.GET, counts)
    context = frame_context(
        wiki,
        tiles=[Tile(finding, counts[finding]) for finding in Finding],
        shown=shown,
        advice=ADVICE[shown] if shown else None,
        duplicates=duplicates,
        filter_query=write_query(finding=shown),
    )
    context |= _listed(wiki, request.GET, shown, duplicates, namesakes)
    return render(request, "wiki/lint/findings.html", context)


def _asked(asked: QueryDict, counts: dict[Finding, int | None]) -> Finding | None:
    """The finding that was asked for, else the first with something in it."""
    if asked.get("finding") in Finding.values:
        return Finding(asked.get("finding", ""))
    return next((finding for finding in Finding if counts[finding]), None)


def _listed(
    wiki: Wiki,
    asked: QueryDict,
    finding: Finding | None,
    duplicates: Duplicates | None,
    namesakes: list[list[int]],
) -> dict[str, Any]:
    """The rows of one screen of a finding."""
    number = asked.get("page")
    if finding is None:
        return {}
    if finding == Finding.DEAD_LINKS:
        return _dead_links(wiki, clean_line(asked.get("wanted", ""))[:MAX_SLUG], number)
    if finding == Finding.DUPLICATES:
        return _pairs(wiki, duplicates.pairs if duplicates else [], number)
    if finding == Finding.SAME_TITLES:
        return _namesakes(wiki, [page_id for group in namesakes for page_id in group], number)
    listed = pages_with(wiki, finding).by_title(
        *(["updated_at"] if finding == Finding.UNCONFIRMED else [])
    )
    successors = {"successor": F("replaced_by__title"), "successor_slug": F("replaced_by__slug")}
    rows = listed.annotate(**successors).defer("body", "embedding", "front_matter")
    screen = Paginator(rows, PER_SCREEN).get_page(number)
    return {"screen": screen, "pages": screen.object_list}


def _pairs(wiki: Wiki, pairs: list[NearPair], number: str | None) -> dict[str, Any]:
    screen = Paginator(pairs, PER_SCREEN).get_page(number)
    shown = list(screen.object_list)
    pages = _pages_of(wiki, {page_id for pair in shown for page_id in pair[:2]})
    rows = [
        (pages[a], pages[b], similarity) for a, b, similarity in shown if {a, b} <= pages.keys()
    ]
    return {"screen": screen, "pairs": rows}


def _namesakes(wiki: Wiki, ids: list[int], number: str | None) -> dict[str, Any]:
    screen = Paginator(ids, PER_SCREEN).get_page(number)
    shown = list(screen.object_list)
    pages = _pages_of(wiki, shown)
    return {"screen": screen, "pages": [pages[page_id] for page_id in shown if page_id in pages]}


def _dead_links(wiki: Wiki, key: str, number: str | None) -> dict[str, Any]:
    """The wanted titles; of one of them all pages that link to it."""
    wanted = find_wanted(wiki)
    if not key:
        titles = Paginator(wanted, PER_SCREEN).get_page(number)
        return {"screen": titles, "wanted": show_wanted(wiki, list(titles.object_list))}
    wanting = find_wanting(wiki, key).by_title().only("slug", "title", "type", "updated_at")
    screen = Paginator(wanting, PER_SCREEN).get_page(number)
    query = write_query(finding=Finding.DEAD_LINKS, wanted=key)
    only = wanted.filter(target_key=key).first()
    return {"screen": screen, "pages": screen.object_list, "only": only, "filter_query": query}


def _pages_of(wiki: Wiki, ids: Iterable[int]) -> dict[int, Page]:
    return (
        Page.objects.live()
        .filter(wiki=wiki)
        .only("slug", "title", "type", "updated_at")
        .in_bulk(list(ids))
    )
