"""Links by a page's old name, rewritten to say the new one. Those that are not lead there by the
redirect."""

import logging
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from embeddings.text import Document
from wiki.db.locks import lock_wiki
from wiki.indexing.embed import Embedded, embed_texts
from wiki.markdown import PlacedLink, WikiLink, place_wikilinks, rewrite_addresses
from wiki.models import Link, Page, Revision, RevisionKind
from wiki.names.addresses import page_in, page_path, with_slug, without_suffix
from wiki.names.resolve import resolve_links, split_name
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage, PageFields
from wiki.pages.redirects import drop_unused
from wiki.pages.write import PageGone, fields_of, lock_page, with_body, write_revision
from wiki.text.slugs import fold_slug, slugify, title_key

logger = logging.getLogger(__name__)

# So many pages are rewritten, and embedded by one call, while somebody waits for the answer.
AT_ONCE = 20
# After so long a task lets others have the worker.
TASK_SECONDS = 60.0
# How often a page is rewritten anew because somebody else saved it meanwhile.
ATTEMPTS = 5


@dataclass(frozen=True)
class Rewritten:
    """How many pages say the new name now, and whether any are left behind the page with
    `last_id`."""

    pages: int = 0
    last_id: int = 0
    is_more: bool = False


def rewrite_links(renamed: Revision, after: int = 0, limit: int = AT_ONCE) -> Rewritten:
    """Rewrite links by the names that this rename, or its undoing, took from its page. Adds one
    revision a page, by the author of the rename. May run twice."""
    page = Page.objects.live().select_related("wiki").filter(pk=renamed.page_id).first()
    before = Revision.objects.filter(page=renamed.page_id, number=renamed.number - 1).first()
    if page is None or before is None:
        return Rewritten()
    names = _find_old_names(page, before)
    said = Link.objects.live().filter(names.condition, resolved_page=page)
    rows = (
        said.filter(from_page__gt=after)
        .order_by("from_page")
        .values_list("from_page", flat=True)
        .distinct()
    )
    ids = list(rows[: limit + 1])
    linking = Page.objects.live().filter(pk__in=ids[:limit]).defer("embedding")
    count = _Rewriting(page, names, before.title, Author.of_revision(renamed)).rewrite(linking)
    is_more = len(ids) > limit
    if not is_more and renamed.kind == RevisionKind.UNDO:
        with transaction.atomic():
            lock_wiki(page.wiki_id)
            drop_unused(page, renamed.created_at)
    return Rewritten(count, ids[limit - 1] if is_more else 0, is_more)


def rewrite_for_a_while(renamed: Revision, after: int) -> Rewritten:
    """`rewrite_links` as far as one task comes."""
    deadline = time.monotonic() + TASK_SECONDS
    rewritten = rewrite_links(renamed, after)
    while rewritten.is_more and time.monotonic() < deadline:
        rewritten = rewrite_links(renamed, rewritten.last_id)
    return rewritten


def count_linking_pages(page: Page) -> int:
    """Pages that would say the old name after a rename, the page itself among them."""
    return Page.objects.live().filter(pk__in=page.incoming_links.values("from_page")).count()


@dataclass(frozen=True)
class OldNames:
    """What links to a page say that is no spelling of its present name. `whole` are names with a
    `#` in them; of the others what stands behind that is a heading."""

    links: Collection[str]
    paths: Collection[str] = ()
    whole: Collection[str] = ()

    @property
    def condition(self) -> Q:
        return Q(target_text__in=self.links, is_address=False) | Q(
            target_text__in=self.paths, is_address=True
        )


def _find_old_names(page: Page, before: Revision) -> OldNames:
    rows = Link.objects.filter(resolved_page=page).order_by()
    said = [*rows.values_list("target_text", "is_address").distinct()]
    former = {title_key(name) for name in (before.title, *before.aliases)}
    whole = {text for text, _ in said if "#" in text and title_key(text) in former}
    old = {
        (text, is_address)
        for text, is_address in said
        if _is_old(page, before, _page_in(text, is_address, whole))
    }
    return OldNames(
        {text for text, is_address in old if not is_address},
        {text for text, is_address in old if is_address},
        whole,
    )


def _page_in(text: str, is_address: bool, whole: Collection[str]) -> str:
    if is_address:
        return page_in(text)
    return text if text in whole else without_suffix(split_name(text)[0])


def _is_old(page: Page, before: Revision, text: str) -> bool:
    if _says(text, {page.slug}, {page.title_key, *map(title_key, page.aliases)}):
        return False
    slugs = {before.slug, slugify(before.title)}
    return _says(text, slugs, {title_key(before.title)}) or not _folds_to(page, text)


def _says(text: str, slugs: Collection[str], titles: Collection[str]) -> bool:
    return slugify(text) in slugs or title_key(text) in titles


def _folds_to(page: Page, text: str) -> bool:
    return not set(page.folds).isdisjoint(fold_slug(slugify(text)))


class _Rewriting:
    def __init__(self, page: Page, names: OldNames, old_title: str, author: Author) -> None:
        self.page, self.names, self.targets = page, names, [*_targets(page)]
        summary = gettext("link to {old} → {new}").format(old=old_title, new=page.title)
        self.change = Change(author, RevisionKind.LINKS, summary)

    def rewrite(self, pages: Iterable[Page]) -> int:
        """Return how many pages were changed."""
        planned = [(page, fields) for page in pages if (fields := self._plan(page))]
        vectors = (
            embed_texts([Document(fields.title, fields.body) for _, fields in planned])
            if planned
            else []
        )
        return sum(self._save(*plan, vector) for plan, vector in zip(planned, vectors, strict=True))

    def _plan(self, page: Page) -> PageFields | None:
        body = rename_links(page.body, self.names, self.targets)
        body = rewrite_addresses(body, self._lead)
        if body == page.body:
            return None
        try:
            return with_body(page, body)
        except InvalidPage:
            logger.info("Page %s has no room for a longer link; it keeps the old name.", page.pk)
            return None

    def _lead(self, href: str) -> str:
        is_old = page_path(href, self.page.wiki.slug) in self.names.paths
        return with_slug(href, self.page.slug) if is_old else ""

    def _save(self, page: Page, fields: PageFields | None, vector: Embedded | None) -> bool:
        for _ in range(ATTEMPTS):
            if fields is None:
                return False
            try:
                with transaction.atomic():
                    current = lock_page(page)
                    if current.revision == page.revision:
                        fields = replace(fields_of(current), body=fields.body)
                        write_revision(current, fields, vector, self.change)
                        return True
            except PageGone:
                return False
            page, fields = current, self._plan(current)
            vector = embed_texts([Document(fields.title, fields.body)])[0] if fields else None
        logger.warning(
            "Page %s is saved too often to rewrite its links; it keeps the old name.", page.pk
        )
        return False


@dataclass(frozen=True)
class Target:
    """The target of a link to a page; `label` goes to a link without label and heading."""

    name: str
    label: str = ""

    def renamed(self, link: WikiLink) -> WikiLink:
        label = link.label if link.label or link.heading else self.label
        return WikiLink(self.name, link.heading, label)

    def draw(self, source: str, link: WikiLink) -> str:
        """The link's source with another target; heading and words stay as they were written."""
        label = f"|{self.label}" if self.label and not (link.label or link.heading) else ""
        former = _TARGET if link.heading else _NAME
        return f"[[{self.name}{label}{former.sub('', source[2:], count=1)}"


_TARGET = re.compile(r".*?(?=#|\\?\||\]\])")
_NAME = re.compile(r".*?(?=\\?\||\]\])")


def _targets(page: Page) -> Iterator[Target]:
    """From the best: the title, unless the words mean another page; else the address, with the
    title or bare."""
    named = resolve_links(page.wiki_id, [page.title]).get(page.title)
    if named and [each.pk for each in named.pages] == [page.pk]:
        yield Target(page.title)
    yield Target(page.slug, page.title)
    yield Target(page.slug)


def rename_links(body: str, names: OldNames, targets: Iterable[Target]) -> str:
    """Lead every link by one of the names to the first target that can stand in all of them. A
    title may contain characters that end a link or begin code; the parser decides whether the text
    still has the same links."""
    placed_links = place_wikilinks(body)
    old = {place: link for place in placed_links if (link := _old_link(place.link, names))}
    for target in targets if old else ():
        wanted = [
            target.renamed(old[place]) if place in old else place.link for place in placed_links
        ]
        renamed = _put(body, old, target)
        if [placed.link for placed in place_wikilinks(renamed)] == wanted:
            return renamed
    return body


def _old_link(link: WikiLink, names: OldNames) -> WikiLink | None:
    """A link by one of the names; without heading where that is a part of the name."""
    if not link.target or link.name not in names.links:
        return None
    return replace(link, heading="") if link.name in names.whole else link


def _put(body: str, old: Mapping[PlacedLink, WikiLink], target: Target) -> str:
    parts, end = [], 0
    for placed, link in old.items():
        parts += [body[end : placed.start], target.draw(body[placed.start : placed.end], link)]
        end = placed.end
    return "".join([*parts, body[end:]])
