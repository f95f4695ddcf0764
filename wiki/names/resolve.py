"""What a name means: one resolver for addresses, wikilinks and Markdown links.

A name is looked for in an order of ranks. On the first rank that knows it, it means the one page
there, or each of several: nobody guesses which. A former name never beats a live page.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Q

from wiki.models import Page, Redirect, Wiki
from wiki.names.addresses import is_markdown_file, without_suffix
from wiki.text.cleaning import clean_text
from wiki.text.slugs import fold_slug, slugify, title_key


@dataclass(frozen=True)
class Resolved:
    """The page that a name means, the oldest of several; `others` are the rest of them."""

    page: Page
    redirected_from: str = ""
    others: Sequence[Page] = ()

    @property
    def is_ambiguous(self) -> bool:
        return bool(self.others)

    @property
    def pages(self) -> list[Page]:
        return [self.page, *self.others]


def resolve_page(wiki: Wiki, text: str) -> Resolved | None:
    """The live page that an address or a title means."""
    text = clean_text(text)
    return resolve_targets(wiki.pk, [text]).get(text)


def resolve_targets(wiki_id: int, texts: Iterable[str]) -> dict[str, Resolved]:
    """Like `resolve_page` for many texts in two queries, four where some are unknown; pages come
    without body and vector."""
    return _resolve(wiki_id, {text: _of_address(text) for text in texts})


def resolve_links(wiki_id: int, names: Iterable[str]) -> dict[str, Resolved]:
    """The same for the names in wikilinks, headings included."""
    return _resolve(wiki_id, {name: _of_wikilink(name) for name in names})


def resolve_paths(wiki_id: int, paths: Iterable[str]) -> dict[str, Resolved]:
    """The same for addresses in Markdown links, as `page_path` returns them."""
    return _resolve(wiki_id, {path: _of_path(path) for path in paths})


def split_name(name: str) -> tuple[str, str]:
    """Divide a link's name into that of a page and its heading."""
    target, _, heading = name.partition("#")
    return target.strip(), heading.strip()


def folds_of(name: str, *, is_address: bool = False) -> list[str]:
    """Every folded form by which a link of this name may find a page."""
    attempts = _of_path(name) if is_address else _of_wikilink(name)
    return sorted({fold for attempt in attempts for fold in fold_slug(slugify(attempt.text))})


class _Attempt(NamedTuple):
    text: str
    ranks: Sequence["_Rank"]


def _of_address(text: str) -> list[_Attempt]:
    return [_Attempt(text, _ADDRESS)]


def _of_wikilink(name: str) -> list[_Attempt]:
    """A page named `C# thing` wins over the heading ` thing` of the page `C`; a title may end in
    `.md` too."""
    target, heading = split_name(name)
    attempts = [_Attempt(name, _EXACT)] if heading or name.endswith("#") else []
    attempts.append(_Attempt(target, _WIKILINK))
    if is_markdown_file(target):
        attempts += [_Attempt(text, _WIKILINK) for text in _without_folders(target)]
    return attempts


def _of_path(path: str) -> list[_Attempt]:
    """With the folders first, since two files may have one name."""
    texts = [path, *_without_folders(path)] if is_markdown_file(path) else [path]
    return [_Attempt(text, _ADDRESS) for text in texts]


def _without_folders(path: str) -> list[str]:
    whole = without_suffix(path)
    return list(dict.fromkeys([whole, whole.rpartition("/")[2]]))


def _resolve(wiki_id: int, wanted: Mapping[str, Sequence[_Attempt]]) -> dict[str, Resolved]:
    texts = {each.text for attempts in wanted.values() for each in attempts if each.text.strip()}
    if not texts:
        return {}
    known = _Known.load(wiki_id, texts)
    found = {name: resolved for name in wanted if (resolved := known.find(wanted[name]))}
    missing = {name: attempts for name, attempts in wanted.items() if name not in found}
    return {**found, **_by_folded_redirect(wiki_id, missing)}


@dataclass
class _Known:
    """The names of the pages that some texts may mean."""

    by_slug: dict[str, list[Page]] = field(default_factory=dict)
    by_title: dict[str, list[Page]] = field(default_factory=dict)
    by_alias: dict[str, list[Page]] = field(default_factory=dict)
    by_fold: dict[str, list[Page]] = field(default_factory=dict)
    by_redirect: dict[str, Redirect] = field(default_factory=dict)

    @classmethod
    def load(cls, wiki_id: int, texts: Iterable[str]) -> "_Known":
        slugs = {form for text in texts for form in (text, slugify(text))}
        titles = {title_key(text) for text in texts}
        folds = {fold for text in texts for fold in fold_slug(slugify(text))}
        is_named = Q(slug__in=slugs) | Q(title_key__in=titles) | Q(folds__overlap=list(folds))
        known = cls()
        pages = Page.objects.live().filter(is_named, wiki_id=wiki_id)
        for page in pages.defer("body", "embedding", "front_matter").order_by("id"):
            known.add(page)
        redirects = Redirect.objects.live().filter(wiki_id=wiki_id, slug__in=slugs)
        known.by_redirect = {row.slug: row for row in redirects.select_related("page")}
        return known

    def add(self, page: Page) -> None:
        self.by_slug.setdefault(page.slug, []).append(page)
        self.by_title.setdefault(page.title_key, []).append(page)
        for alias in page.aliases:
            self.by_alias.setdefault(title_key(alias), []).append(page)
        for fold in page.folds:
            self.by_fold.setdefault(fold, []).append(page)

    def find(self, attempts: Iterable[_Attempt]) -> Resolved | None:
        for text, ranks in attempts:
            for rank in ranks:
                if resolved := next(rank(self, text), None):
                    return resolved
        return None


_Rank = Callable[[_Known, str], Iterator[Resolved]]


def _means(pages: Sequence[Page] | None) -> Iterator[Resolved]:
    if pages:
        yield Resolved(pages[0], others=pages[1:])


def _slug(known: _Known, text: str) -> Iterator[Resolved]:
    yield from _means(known.by_slug.get(text))


def _slug_of_text(known: _Known, text: str) -> Iterator[Resolved]:
    yield from _means(known.by_slug.get(slugify(text)))


def _title(known: _Known, text: str) -> Iterator[Resolved]:
    yield from _means(known.by_title.get(title_key(text)))


def _alias(known: _Known, text: str) -> Iterator[Resolved]:
    yield from _means(known.by_alias.get(title_key(text)))


def _former(known: _Known, text: str) -> Iterator[Resolved]:
    for old in (text, slugify(text)):
        if old in known.by_redirect:
            yield Resolved(known.by_redirect[old].page, redirected_from=old)


def _former_title(known: _Known, text: str) -> Iterator[Resolved]:
    row = known.by_redirect.get(slugify(text))
    if row and title_key(row.title) == title_key(text):
        yield Resolved(row.page, redirected_from=row.slug)


def _folded(known: _Known, text: str) -> Iterator[Resolved]:
    folds = fold_slug(slugify(text))
    alike = {page.pk: page for fold in folds for page in known.by_fold.get(fold, [])}
    yield from _means([alike[key] for key in sorted(alike)])


_EXACT: Sequence[_Rank] = (_title, _alias, _former_title)
_ADDRESS: Sequence[_Rank] = (_slug, _slug_of_text, _title, _alias, _former, _folded)
_WIKILINK: Sequence[_Rank] = (_title, _alias, _slug, _slug_of_text, _former, _folded)


# A slug that is written otherwise than it folds.
_UNFOLDED = "[^ -~]"


def _by_folded_redirect(
    wiki_id: int, wanted: Mapping[str, Sequence[_Attempt]]
) -> dict[str, Resolved]:
    """Of names that mean nothing else: the page that had a name of the same folded form."""
    forms = {
        name: [
            fold
            for attempt in attempts
            if attempt.ranks is not _EXACT and attempt.text.strip()
            for fold in fold_slug(slugify(attempt.text))
        ]
        for name, attempts in wanted.items()
    }
    folds = {fold for each in forms.values() for fold in each}
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
        name: next((by_fold[fold] for fold in each if fold in by_fold), "")
        for name, each in forms.items()
    }
    slugs = set(filter(None, meant.values()))
    leading = rows.filter(slug__in=slugs).select_related("page") if slugs else ()
    pages = {row.slug: row.page for row in leading}
    return {
        name: Resolved(pages[slug], redirected_from=slug)
        for name, slug in meant.items()
        if slug in pages
    }
