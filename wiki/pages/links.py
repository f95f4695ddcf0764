"""The table of links, and the pages behind names where something is written."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db import transaction
from django.db.models import OuterRef, Q

from wiki.db.prepared_queries import Prepared, Slot
from wiki.markdown import MAX_NAME, find_links
from wiki.models import Link, Page, Redirect, Wiki
from wiki.names.addresses import page_path
from wiki.names.resolve import (
    Resolved,
    folds_of,
    resolve_links,
    resolve_page,
    resolve_paths,
    split_name,
)
from wiki.text.cleaning import MAX_TITLE, clean_text
from wiki.text.excerpts import Part, quote_link
from wiki.text.slugs import fold_slug, slugify, title_key

# A change of what counts as a link has those of all pages found again at the next start.
LINKS_RECIPE = 1
# Pages whose links are found at once.
BATCH = 200


def find_at_address(wiki: Wiki, text: str) -> Page | None:
    """The live page at exactly this address, or the one it redirects to. Writing never follows a
    similar spelling."""
    text = clean_text(text)
    address = slugify(text)
    if exact := Page.objects.live().filter(wiki=wiki, slug__in=[text, address]).first():
        return exact
    redirect = (
        Redirect.objects.live().filter(wiki=wiki, slug=address).select_related("page").first()
    )
    return redirect.page if redirect else None


def find_trashed(wiki: Wiki, text: str) -> Page | None:
    """The page that was the last to go to the trash from this address, or had it before."""
    text = clean_text(text)
    names = [text, slugify(text)]
    trashed = Page.objects.trashed().filter(
        Q(slug__in=names) | Q(redirects__slug__in=names), wiki=wiki
    )
    return trashed.order_by("-trashed_at").first()


def page_folds(slug: str, names: Iterable[str]) -> list[str]:
    """Every folded name of a page: of its slug, its title and its aliases."""
    slugs = {slug, *map(slugify, names)}
    return sorted({fold for each in slugs for fold in fold_slug(each)})


def store_links(page: Page) -> None:
    """Make the page's Link rows follow its body. Call with the page row locked."""
    wanted = dict.fromkeys(names_in(page))
    stored = set(_STORED.ask(page=page.pk))
    for text, is_address in stored - wanted.keys():
        Link.objects.filter(from_page=page, target_text=text, is_address=is_address).delete()
    new = [name for name in wanted if name not in stored]
    if new:
        _add_links(page, new)


# What a link says of a page, and whether it is an address.
LinkName = tuple[str, bool]


def names_in(page: Page) -> list[LinkName]:
    """Return what the links of a page say of pages of its wiki, in order."""
    links = find_links(page.body)
    # Most texts have none, and the wiki may not be loaded.
    paths = [page_path(href, page.wiki.slug) for href in links.addresses]
    return [
        *((link.name, False) for link in links.wikilinks),
        *((path, True) for path in paths if 0 < len(path) <= MAX_NAME),
    ]


def resolve_names(wiki_id: int, names: Iterable[LinkName]) -> dict[LinkName, Resolved]:
    names = list(names)
    links = resolve_links(wiki_id, [text for text, is_address in names if not is_address])
    paths = resolve_paths(wiki_id, [text for text, is_address in names if is_address])
    return {
        **{(text, False): resolved for text, resolved in links.items()},
        **{(text, True): resolved for text, resolved in paths.items()},
    }


def _add_links(page: Page, names: Iterable[LinkName]) -> None:
    resolved = resolve_names(page.wiki_id, names)
    Link.objects.bulk_create(
        Link(
            from_page=page,
            target_text=text,
            is_address=is_address,
            target_key=slugify(text if is_address else split_name(text)[0]),
            target_folds=folds_of(text, is_address=is_address),
            **_meaning(resolved.get((text, is_address))),
        )
        for text, is_address in names
    )


def _meaning(resolved: Resolved | None) -> dict[str, Any]:
    is_ambiguous = resolved is not None and resolved.is_ambiguous
    page = resolved.page if resolved and not is_ambiguous else None
    return {"resolved_page": page, "is_ambiguous": is_ambiguous}


_STORED = Prepared(
    lambda: (
        Link.objects.filter(from_page=Slot("page"))
        .order_by()
        .values_list("target_text", "is_address")
    )
)


def fill_links() -> int:
    """Find the links of pages that were not read yet, or by other rules, and what they mean;
    returns how many pages."""
    missing = Page.objects.exclude(links_recipe=LINKS_RECIPE).order_by("id")
    ids = list(missing.values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        part = Page.objects.filter(pk__in=ids[start : start + BATCH]).select_related("wiki")
        with transaction.atomic():
            Link.objects.filter(from_page__in=part).delete()
            for page in part.only("wiki", "body"):
                store_links(page)
            part.update(links_recipe=LINKS_RECIPE)
    return len(ids)


def resolve_links_again(wiki_id: int, folds: Iterable[str]) -> None:
    """Update links that could mean a page whose names have changed."""
    named = Link.objects.order_by().filter(target_folds__overlap=list(folds))
    # Mostly there are none, which the index of the links alone tells; together with the pages the
    # planner may begin with those.
    if not named.exists():
        return
    links = named.filter(from_page__wiki_id=wiki_id)
    names = list(links.values_list("target_text", "is_address").distinct())
    resolved = resolve_names(wiki_id, names)
    by_meaning: dict[tuple[Page | None, bool, bool], list[str]] = {}
    for text, is_address in names:
        meaning = _meaning(resolved.get((text, is_address)))
        key = (meaning["resolved_page"], meaning["is_ambiguous"], is_address)
        by_meaning.setdefault(key, []).append(text)
    # A page may have tens of thousands of links, but what they say is much the same.
    for (page, is_ambiguous, is_address), said in by_meaning.items():
        links.filter(target_text__in=said, is_address=is_address).exclude(
            resolved_page=page, is_ambiguous=is_ambiguous
        ).update(resolved_page=page, is_ambiguous=is_ambiguous)


@dataclass(frozen=True)
class Backlink:
    """A page that links here, with the sentence in which it does."""

    page: Page
    quote: list[Part]


def find_backlinks(page: Page, limit: int) -> tuple[list[Backlink], int]:
    """The first live pages by title that link to this one, each once, and how many there are; a
    self-link is none."""
    pages = Page.objects.live().linking_to(page)
    texts = Link.objects.filter(from_page=OuterRef("pk"), resolved_page=page).values("target_text")
    listed = pages.annotate(targets=ArraySubquery(texts)).only(
        "slug", "title", "title_key", "body", "wiki_id"
    )
    shown = list(listed.order_by("title_key", "id")[:limit])
    total = len(shown) if len(shown) < limit else pages.count()
    return [Backlink(other, quote_link(other.body, other.targets)) for other in shown], total


def find_namesake(wiki: Wiki, title: str) -> Page | None:
    """The live page that already has this title or its slug; another page that only folds alike is
    none."""
    return find_same_name(wiki, title)[0]


def find_same_name(wiki: Wiki, title: str) -> tuple[Page | None, Page | None]:
    """The namesake of this title; or, second, the live page that is spelled almost like it: only
    accents differ, or umlauts that are written out."""
    resolved = resolve_page(wiki, title) if len(title) <= MAX_TITLE else None
    if resolved is None or resolved.redirected_from:
        return None, None
    page, key = resolved.page, title_key(title)
    keys = {page.title_key, *map(title_key, page.aliases)}
    is_namesake = page.slug == slugify(title) or key in keys
    return (page, None) if is_namesake else (None, page)
