"""Create, revise, append: the only way a body changes. Every change leaves a revision.

The trash (wiki/pages/trash.py), renaming (wiki/pages/rename.py) and marks (wiki/pages/status.py)
write theirs by `write_revision` too.
"""

from collections.abc import Callable, Iterable

from django.db import transaction
from django.utils import timezone

from embeddings.hash_embedder import has_words
from embeddings.text import Document, document_text
from wiki.db.locks import lock_wiki, share_wiki
from wiki.indexing.embed import Embedded, embed_page, embed_text, set_vector
from wiki.markdown import close_blocks
from wiki.models import MAX_SUMMARY, Page, Revision, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage, PageFields
from wiki.pages.links import page_folds, resolve_links_again, store_links
from wiki.pages.protection_guard import keep_out
from wiki.pages.redacted_fields import clean_fields, mask_for
from wiki.pages.redirects import free_slug
from wiki.text.cleaning import clean_line, clean_text, hash_page_text, stands_in
from wiki.text.slugs import slugify, title_key


class EditConflict(Exception):
    """The page is no longer what the editor saw. `page` is its present state; nothing was
    written."""

    def __init__(self, page: Page) -> None:
        super().__init__(
            f"“{page.title}” was changed in the meantime; its current revision is {page.revision}."
        )
        self.page = page


class SlugTaken(Exception):
    """Another live page has this address. `page` is that page; nothing was written."""

    def __init__(self, page: Page) -> None:
        super().__init__(f"The address “{page.slug}” belongs to the page “{page.title}”.")
        self.page = page


class PageGone(Exception):
    """The page was trashed or removed in the meantime; nothing was written."""


class PageMerged(PageGone):
    """The page went into another one, whose name the message says; nothing was written."""


def create_page(
    wiki: Wiki,
    *,
    title: str,
    body: str,
    author: Author,
    type: str = "",
    tags: Iterable[str] = (),
    slug: str = "",
    summary: str = "",
    kind: RevisionKind = RevisionKind.CREATE,
    front_matter: str = "",
) -> Page:
    """Makes a page with its first revision, links and vector.

    Without a slug the page gets a free one made from its title. Raises InvalidPage, and SlugTaken
    for a given slug.
    """
    fields, summary = clean_fields(author, title, body, type, tags), mask_for(author, summary)
    embedded = embed_text(fields.title, fields.body)
    with transaction.atomic():
        lock_wiki(wiki.pk)
        page = insert_page(
            wiki,
            fields,
            embedded,
            author,
            slug=slug,
            summary=summary,
            kind=kind,
            front_matter=front_matter,
        )
    return page


def insert_page(
    wiki: Wiki,
    fields: PageFields,
    embedded: Embedded | None,
    author: Author,
    *,
    slug: str = "",
    summary: str = "",
    kind: RevisionKind = RevisionKind.CREATE,
    front_matter: str = "",
    is_named: bool = True,
) -> Page:
    """The part of `create_page` that runs under the wiki's lock, inside the caller's
    transaction."""
    if slug and (taken := Page.objects.live().filter(wiki=wiki, slug=slug).first()):
        raise SlugTaken(taken)
    free = slug or free_slug(wiki.pk, slugify(fields.title), is_named=is_named)
    page = Page(wiki=wiki, slug=free, front_matter=front_matter)
    write_revision(page, fields, embedded, author, kind, summary)
    resolve_links_again(wiki.pk, page.folds)
    return page


def revise_page(
    page: Page,
    base_revision: int,
    *,
    title: str,
    body: str,
    author: Author,
    type: str | None = None,
    tags: Iterable[str] | None = None,
    summary: str = "",
    kind: RevisionKind = RevisionKind.EDIT,
    front_matter: str | None = None,
) -> Page:
    """Gives the page new content. Saving what stands there already changes nothing and makes no
    revision.

    `type` and `tags` left None stay as they are. Raises InvalidPage, PageGone, and EditConflict
    when the page is no longer at `base_revision`.
    """
    type, tags = page.type if type is None else type, page.tags if tags is None else tags
    fields, summary = clean_fields(author, title, body, type, tags, page), mask_for(author, summary)
    embedded = embed_text(fields.title, fields.body)
    with transaction.atomic():
        current = lock_page(page, with_wiki=fields.title != page.title)
        if current.revision != base_revision:
            raise EditConflict(current)
        if front_matter is not None and front_matter != current.front_matter:
            keep_out(current, author, kind)
            current.front_matter = front_matter
            current.save(update_fields=["front_matter"])
        if fields == fields_of(current):
            return current
        old_folds = current.folds
        write_revision(current, fields, embedded, author, kind, summary)
        if current.folds != old_folds:
            resolve_links_again(current.wiki_id, {*old_folds, *current.folds})
    return current


def append_text(
    page: Page,
    text: str,
    *,
    author: Author,
    summary: str = "",
    kind: RevisionKind = RevisionKind.APPEND,
    draw: Callable[[str], str] = str,
) -> Page:
    """Adds a paragraph at the end of the page, unless the text stands there already.

    `draw` makes the Markdown of the addition from the text. Raises InvalidPage and PageGone. Never
    a conflict: whoever wrote in between keeps every word.
    """
    text, summary = mask_for(author, clean_text(text).strip()), mask_for(author, summary)
    if not has_words(text):
        raise InvalidPage({"text": "There is no word in this text."})
    drawn = draw(text)
    for attempt in range(APPEND_ATTEMPTS):
        embedded = embed_text(page.title, join_paragraphs(page.body, drawn))
        with transaction.atomic():
            current = lock_page(page)
            # Somebody else wrote while the text was embedded. Their page is embedded with the
            # addition once more, since a page without a vector is invisible to recall and to
            # filing; in the end it goes in without.
            if attempt == APPEND_ATTEMPTS - 1 or current.text_hash == page.text_hash:
                appended = append_locked(current, text, drawn, embedded, author, kind, summary)
                break
        page = current
    embed_page(appended)
    return appended


APPEND_ATTEMPTS = 5


def append_locked(
    page: Page,
    text: str,
    drawn: str,
    embedded: Embedded | None,
    author: Author,
    kind: RevisionKind,
    summary: str,
) -> Page:
    """The part of `append_text` that runs with the page row locked, inside the caller's
    transaction."""
    return (
        page
        if stands_in(text, page.body)
        else add_locked(page, drawn, embedded, author, kind, summary)
    )


def add_locked(
    page: Page,
    drawn: str,
    embedded: Embedded | None,
    author: Author,
    kind: RevisionKind,
    summary: str,
) -> Page:
    """Adds a paragraph whatever stands there already. Raises InvalidPage."""
    fields = PageFields.clean(page.title, join_paragraphs(page.body, drawn), page.type, page.tags)
    write_revision(page, fields, embedded, author, kind, summary)
    return page


def join_paragraphs(body: str, addition: str) -> str:
    return f"{close_blocks(body.rstrip())}\n\n{addition}" if body.strip() else addition


def lock_page(page: Page, *, with_wiki: bool = False) -> Page:
    """The live page as it stands now, its row locked until the transaction ends. Raises
    PageGone."""
    (lock_wiki if with_wiki else share_wiki)(page.wiki_id)
    # Pages that link to each other may be saved at once: a key lock would make them wait for each
    # other.
    current = Page.objects.live().select_for_update(no_key=True).filter(pk=page.pk).first()
    if current is None:
        raise PageGone(f"“{page.title}” is in the trash.")
    return current


def fields_of(page: Page | Revision) -> PageFields:
    return PageFields(page.title, page.body, page.type, page.tags)


def write_revision(
    page: Page,
    fields: PageFields,
    embedded: Embedded | None,
    author: Author,
    kind: RevisionKind,
    summary: str,
    merged_from: Revision | None = None,
) -> Revision:
    """Gives the page, its row locked, the fields and a revision that says so, with the page's
    `updated_at`. Raises PageProtected."""
    keep_out(page, author, kind)
    now = timezone.now()
    page.title, page.body, page.type, page.tags = (
        fields.title,
        fields.body,
        fields.type,
        fields.tags,
    )
    page.title_key, page.folds = title_key(page.title), page_folds(page.slug, page.title)
    text_hash = hash_page_text(page.title, page.body)
    # Of an unchanged text the vector it has is as good as a new one.
    if embedded or page.is_trashed or text_hash != page.text_hash:
        page.text_hash = text_hash
        set_vector(page, embedded)
    page.has_words = has_words(document_text(Document(page.title, page.body)))
    page.revision += 1
    page.updated_at = now
    page.save()
    revision = Revision.objects.create(
        page=page,
        number=page.revision,
        slug=page.slug,
        title=page.title,
        body=page.body,
        type=page.type,
        tags=page.tags,
        kind=kind,
        summary=clean_line(summary)[:MAX_SUMMARY],
        author_kind=author.kind,
        author_name=author.name,
        user=author.user,
        agent=author.agent,
        token=author.token,
        merged_from=merged_from,
        standing=page.standing,
        replaced_by_id=page.replaced_by_id,
        created_at=now,
    )
    store_links(page)
    if author.leave:
        author.leave(revision)
    return revision
