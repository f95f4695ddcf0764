"""Links by a page's old name, rewritten to say the new one. Those that are not lead there by the
redirect."""

import logging
import re
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from django.db import transaction
from django.utils.translation import gettext

from embeddings.text import Document
from wiki.db.locks import lock_wiki
from wiki.indexing.embed import Embedded, embed_texts
from wiki.markdown import PlacedLink, WikiLink, place_wikilinks
from wiki.models import Link, Page, Revision, RevisionKind
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage, PageFields
from wiki.pages.links import resolve_page
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
    names = _old_names(page, before)
    said = Link.objects.live().filter(resolved_page=page, target_text__in=names)
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


def _old_names(page: Page, before: Revision) -> list[str]:
    """Return the texts of links to this page that are no spelling of its present name."""
    said = (
        Link.objects.filter(resolved_page=page)
        .order_by()
        .values_list("target_text", flat=True)
        .distinct()
    )
    present = {page.slug}, {page.title_key}
    old = {before.slug, slugify(before.title)}, {title_key(before.title)}
    return [
        text
        for text in said
        if not _says(text, *present) and (_says(text, *old) or not _folds_to(page, text))
    ]


def _says(text: str, slugs: Collection[str], titles: Collection[str]) -> bool:
    return slugify(text) in slugs or title_key(text) in titles


def _folds_to(page: Page, text: str) -> bool:
    return not set(page.folds).isdisjoint(fold_slug(slugify(text)))


class _Rewriting:
    def __init__(self, page: Page, names: Collection[str], old_title: str, author: Author) -> None:
        self.names, self.targets = set(names), [*_targets(page)]
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
        if body == page.body:
            return None
        try:
            return with_body(page, body)
        except InvalidPage:
            logger.info("Page %s has no room for a longer link; it keeps the old name.", page.pk)
            return None

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
        return f"[[{self.name}{label}{_TARGET.sub('', source[2:], count=1)}"


_TARGET = re.compile(r".*?(?=#|\\?\||\]\])")


def _targets(page: Page) -> Iterator[Target]:
    """From the best: the title, unless the words mean another page; else the address, with the
    title or bare."""
    named = resolve_page(page.wiki, page.title)
    if named and named.page.pk == page.pk:
        yield Target(page.title)
    yield Target(page.slug, page.title)
    yield Target(page.slug)


def rename_links(body: str, names: Collection[str], targets: Iterable[Target]) -> str:
    """Lead every link by one of the names to the first target that can stand in all of them. A
    title may contain characters that end a link or begin code; the parser decides whether the text
    still has the same links."""
    links = place_wikilinks(body)
    if not any(placed.link.target in names for placed in links):
        return body
    for target in targets:
        wanted = [
            target.renamed(placed.link) if placed.link.target in names else placed.link
            for placed in links
        ]
        renamed = _put(body, links, names, target)
        if [placed.link for placed in place_wikilinks(renamed)] == wanted:
            return renamed
    return body


def _put(body: str, links: Iterable[PlacedLink], names: Collection[str], target: Target) -> str:
    parts, end = [], 0
    for placed in links:
        if placed.link.target in names:
            parts += [
                body[end : placed.start],
                target.draw(body[placed.start : placed.end], placed.link),
            ]
            end = placed.end
    return "".join([*parts, body[end:]])
