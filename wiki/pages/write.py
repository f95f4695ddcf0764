"""Create, revise, append: the only way a body changes. Every change leaves a revision.

`create_page`, `revise_page` and `append_text` are called without a lock: they redact, clean, embed
and lock. `insert_page` and `write_revision` are called under the lock, with clean fields and their
vector; the network is never asked while a wiki is locked.
"""

from collections.abc import Callable
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from embeddings.hash_embedder import has_words
from embeddings.text import Document, document_text
from wiki.db.locks import lock_wiki, share_wiki
from wiki.indexing.embed import Embedded, embed_page, embed_text, set_vector
from wiki.indexing.words import keep_words
from wiki.markdown import close_blocks
from wiki.models import MAX_SUMMARY, Page, Revision, Wiki
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage, PageFields
from wiki.pages.links import LINKS_RECIPE, page_folds, resolve_links_again, store_links
from wiki.pages.protection_guard import check_protection
from wiki.pages.redacted_fields import clean_fields, mask_for
from wiki.pages.redirects import free_slug, leave_names, names_of
from wiki.text.cleaning import clean_line, clean_text, hash_page_text, stands_in
from wiki.text.slugs import slugify, title_key

# Each costs a request to the provider; the last one goes in without a vector.
APPEND_ATTEMPTS = 5

# A person has accepted a suggestion: it is settled with its revision, in the transaction of the
# revision, and may change a protected page. An exception undoes both.
Acceptance = Callable[[Revision], None]


class EditConflict(Exception):
    """The page has changed. `page` is its present state; nothing was written."""

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
    """The page was merged into another one, named in the message; nothing was written."""


def create_page(
    wiki: Wiki, fields: PageFields, change: Change, *, slug: str = "", front_matter: str = ""
) -> Page:
    """Make a page with its first revision, links and vector.

    Without a slug the page gets a free one made from its title. Raises InvalidPage, and SlugTaken
    for a given slug.
    """
    fields, change = clean_fields(change.author, fields), redact_summary(change)
    embedded = embed_text(fields.title, fields.body)
    with transaction.atomic():
        lock_wiki(wiki.pk)
        return insert_page(wiki, fields, embedded, change, slug=slug, front_matter=front_matter)


def revise_page(
    page: Page,
    base_revision: int,
    fields: PageFields,
    change: Change,
    *,
    front_matter: str | None = None,
    accept: Acceptance | None = None,
) -> Page:
    """Give the page new content. The same content again changes nothing and makes no revision.

    Raises InvalidPage, PageGone, PageProtected, and EditConflict when the page is no longer at
    `base_revision`.
    """
    fields, change = clean_fields(change.author, fields, page), redact_summary(change)
    embedded = embed_text(fields.title, fields.body)
    with transaction.atomic():
        is_renamed = (fields.title, fields.aliases) != (page.title, page.aliases)
        current = lock_page(page, with_wiki=is_renamed)
        if current.revision != base_revision:
            raise EditConflict(current)
        if front_matter is not None and front_matter != current.front_matter:
            check_protection(current, change)
            current.front_matter = front_matter
            current.save(update_fields=["front_matter"])
        if fields == fields_of(current):
            return current
        write_revision(current, fields, embedded, change, accept=accept)
    return current


def append_text(
    page: Page,
    text: str,
    change: Change,
    *,
    draw: Callable[[str], str] = str,
    accept: Acceptance | None = None,
) -> Page:
    """Add a paragraph at the end of the page, unless the text stands there already.

    `draw` makes the Markdown of the addition from the text. Raises InvalidPage, PageGone and
    PageProtected; never a conflict, since an addition keeps every word of others.
    """
    text, change = mask_for(change.author, clean_text(text).strip()), redact_summary(change)
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
                if not stands_in(text, current.body):
                    fields = with_paragraph(current, drawn)
                    write_revision(current, fields, embedded, change, accept=accept)
                break
        page = current
    embed_page(current)
    return current


def insert_page(
    wiki: Wiki,
    fields: PageFields,
    embedded: Embedded | None,
    change: Change,
    *,
    slug: str = "",
    front_matter: str = "",
    is_named: bool = True,
) -> Page:
    """Make a page under the wiki's lock. Raises SlugTaken for a given slug."""
    if slug and (taken := Page.objects.live().filter(wiki=wiki, slug=slug).first()):
        raise SlugTaken(taken)
    free = slug or free_slug(wiki.pk, slugify(fields.title), is_named=is_named)
    page = Page(wiki=wiki, slug=free, front_matter=front_matter)
    write_revision(page, fields, embedded, change)
    resolve_links_again(wiki.pk, page.folds)
    return page


def with_paragraph(page: Page, drawn: str) -> PageFields:
    """The page with one more paragraph. Raises InvalidPage."""
    return with_body(page, join_paragraphs(page.body, drawn))


def with_body(page: Page, body: str) -> PageFields:
    """The page with another text. Raises InvalidPage."""
    return PageFields.clean(**vars(replace(fields_of(page), body=body)))


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
    return PageFields(page.title, page.body, page.type, page.tags, page.aliases)


def redact_summary(change: Change) -> Change:
    return replace(change, summary=mask_for(change.author, change.summary))


def write_revision(
    page: Page,
    fields: PageFields,
    embedded: Embedded | None,
    change: Change,
    *,
    slug: str = "",
    merged_from: Revision | None = None,
    accept: Acceptance | None = None,
) -> Revision:
    """Change a page, its row locked, and its wiki too if it gets other names; add the revision.
    Names that it loses lead on to it. Raises PageProtected."""
    if accept is None:
        check_protection(page, change)
    now, author = timezone.now(), change.author
    before = (page.title, page.body, page.tags, page.aliases) if page.pk else None
    former_slug, former_names, former_folds = page.slug, names_of(page), page.folds
    page.slug = slug or page.slug
    page.title, page.body = fields.title, fields.body
    page.type, page.tags, page.aliases = fields.type, fields.tags, fields.aliases
    page.title_key = title_key(page.title)
    page.folds = page_folds(page.slug, [page.title, *page.aliases])
    text_hash = hash_page_text(page.title, page.body)
    # Of an unchanged text the vector it has is as good as a new one.
    if embedded or page.is_trashed or text_hash != page.text_hash:
        page.text_hash = text_hash
        set_vector(page, embedded)
    page.has_words = has_words(document_text(Document(page.title, page.body)))
    page.links_recipe = LINKS_RECIPE
    page.revision += 1
    page.updated_at = now
    page.save()
    keep_words(page, before)
    revision = Revision.objects.create(
        page=page,
        number=page.revision,
        slug=page.slug,
        title=page.title,
        body=page.body,
        type=page.type,
        tags=page.tags,
        aliases=page.aliases,
        kind=change.kind,
        summary=clean_line(change.summary)[:MAX_SUMMARY],
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
    is_renamed = before is not None and names_of(page) != former_names
    if is_renamed:
        leave_names(page, former_slug, former_names, since=now)
    store_links(page)
    if is_renamed:
        resolve_links_again(page.wiki_id, {*former_folds, *page.folds})
    if accept:
        accept(revision)
    return revision
