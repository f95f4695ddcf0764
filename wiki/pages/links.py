"""Resolving wikilinks and addresses to pages, and the table of links."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q

from wiki.db.prepared_queries import Prepared, Slot
from wiki.markdown import find_wikilinks
from wiki.models import Link, Page, Redirect, Wiki
from wiki.text.cleaning import MAX_TITLE, clean_text
from wiki.text.excerpts import Part, quote_link
from wiki.text.slugs import fold_slug, slugify, title_key


@dataclass(frozen=True)
class Resolved:
    page: Page
    redirected_from: str = ""


def resolve_page(wiki: Wiki, text: str) -> Resolved | None:
    """The live page that an address or a title means: exact slug, slug of the text, title,
    redirect, folded form."""
    text = clean_text(text)
    return resolve_targets(wiki.pk, [text]).get(text)


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


def resolve_targets(wiki_id: int, texts: Iterable[str]) -> dict[str, Resolved]:
    """Like `resolve_page` for many texts in two queries; pages come without body and vector."""
    wanted = {text: slugify(text) for text in texts if text.strip()}
    if not wanted:
        return {}
    slugs = [*wanted.keys(), *wanted.values()]
    folds = [fold for slug in wanted.values() for fold in fold_slug(slug)]
    titles = [title_key(text) for text in wanted]
    pages = list(
        Page.objects.live()
        .filter(
            Q(slug__in=slugs) | Q(title_key__in=titles) | Q(folds__overlap=folds), wiki_id=wiki_id
        )
        .defer("body", "embedding", "front_matter")
        .order_by("id")
    )
    redirects = (
        Redirect.objects.live().filter(wiki_id=wiki_id, slug__in=slugs).select_related("page")
    )
    names = _Names(pages, list(redirects))
    found = {
        text: resolved for text, slug in wanted.items() if (resolved := names.find(text, slug))
    }
    return {
        **_by_folded_redirect(
            wiki_id, {text: wanted[text] for text in wanted if text not in found}
        ),
        **found,
    }


# A slug that is written otherwise than it folds.
_UNFOLDED = "[^ -~]"


def _by_folded_redirect(wiki_id: int, wanted: Mapping[str, str]) -> dict[str, Resolved]:
    """Of texts that mean nothing else: the page that had a name of the same folded form."""
    folds = {fold for slug in wanted.values() for fold in fold_slug(slug)}
    if not folds:
        return {}
    # Redirects keep no folded forms. Few are not plain already, and those fold here.
    rows = Redirect.objects.live().filter(
        Q(slug__in=folds) | Q(slug__regex=_UNFOLDED), wiki=wiki_id
    )
    by_fold = {
        fold: slug
        for slug in rows.order_by("-id").values_list("slug", flat=True)
        for fold in fold_slug(slug)
    }
    meant = {
        text: by_fold[fold]
        for text, slug in wanted.items()
        for fold in fold_slug(slug)
        if fold in by_fold
    }
    pages = (
        {row.slug: row.page for row in rows.filter(slug__in=meant.values()).select_related("page")}
        if meant
        else {}
    )
    return {
        text: Resolved(pages[slug], redirected_from=slug)
        for text, slug in meant.items()
        if slug in pages
    }


class _Names:
    """The names under which some pages can be reached, by rank."""

    def __init__(self, pages: list[Page], redirects: list[Redirect]) -> None:
        self.by_slug = {page.slug: page for page in pages}
        self.by_title = {page.title_key: page for page in reversed(pages)}
        self.by_fold = {fold: page for page in reversed(pages) for fold in page.folds}
        self.by_redirect = {redirect.slug: redirect.page for redirect in redirects}

    def find(self, text: str, slug: str) -> Resolved | None:
        for page in (
            self.by_slug.get(text),
            self.by_slug.get(slug),
            self.by_title.get(title_key(text)),
        ):
            if page:
                return Resolved(page)
        for old in (text, slug):
            if old in self.by_redirect:
                return Resolved(self.by_redirect[old], redirected_from=old)
        folded = next(
            (self.by_fold[fold] for fold in fold_slug(slug) if fold in self.by_fold), None
        )
        return Resolved(folded) if folded else None


def page_folds(slug: str, names: Iterable[str]) -> list[str]:
    """Every folded name of a page: of its slug, its title and its aliases."""
    slugs = {slug, *map(slugify, names)}
    return sorted({fold for each in slugs for fold in fold_slug(each)})


def store_links(page: Page) -> None:
    """Make the page's Link rows follow its body. Call with the page row locked."""
    targets = list(dict.fromkeys(link.target for link in find_wikilinks(page.body)))
    stored = {target for (target,) in _STORED.ask(page=page.pk)}
    if gone := stored.difference(targets):
        Link.objects.filter(from_page=page, target_text__in=gone).delete()
    new = [target for target in targets if target not in stored]
    if not new:
        return
    resolved = resolve_targets(page.wiki_id, new)
    Link.objects.bulk_create(
        Link(
            from_page=page,
            target_text=target,
            target_key=slugify(target),
            target_folds=fold_slug(slugify(target)),
            resolved_page=resolved[target].page if target in resolved else None,
        )
        for target in new
    )


_STORED = Prepared(
    lambda: Link.objects.filter(from_page=Slot("page")).order_by().values_list("target_text")
)


def resolve_links_again(wiki_id: int, folds: Iterable[str]) -> None:
    """Update links that could mean a page whose names have changed."""
    named = Link.objects.order_by().filter(target_folds__overlap=list(folds))
    # Mostly there are none, which the index of the links alone tells; together with the pages the
    # planner may begin with those.
    if not named.exists():
        return
    links = named.filter(from_page__wiki_id=wiki_id)
    texts = list(links.values_list("target_text", flat=True).distinct())
    resolved = resolve_targets(wiki_id, texts)
    by_page: dict[int | None, list[str]] = {}
    for text in texts:
        by_page.setdefault(resolved[text].page.pk if text in resolved else None, []).append(text)
    # A page may have tens of thousands of links, but what they say is much the same.
    for page_id, said in by_page.items():
        links.filter(target_text__in=said).exclude(resolved_page=page_id).update(
            resolved_page=page_id
        )


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
    page = resolved.page
    is_namesake = page.slug == slugify(title) or page.title_key == title_key(title)
    return (page, None) if is_namesake else (None, page)
