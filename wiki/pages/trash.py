"""Into the trash and back: the text and the history stay."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from wiki.db.locks import lock_wiki
from wiki.indexing.embed import embed_text
from wiki.models import Page, RevisionKind
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.links import resolve_links_again
from wiki.pages.redirects import (
    every_fold,
    free_slug,
    redirect_to_successor,
    take_redirects_back,
)
from wiki.pages.successor import check_successor
from wiki.pages.write import (
    Acceptance,
    EditConflict,
    PageMerged,
    SlugTaken,
    fields_of,
    lock_page,
    write_revision,
)


def trash_page(
    page: Page,
    *,
    author: Author,
    base_revision: int | None = None,
    successor: Page | None = None,
    summary: str = "",
    kind: RevisionKind = RevisionKind.TRASH,
    accept: Acceptance | None = None,
) -> Page:
    """Take the page out of every list; text and history stay. With a successor its addresses lead
    there until it comes back. Raises EditConflict, PageGone, and InvalidPage for an impossible
    successor."""
    with transaction.atomic():
        current = lock_page(page, with_wiki=True)
        if base_revision is not None and current.revision != base_revision:
            raise EditConflict(current)
        sent_on: set[str] = set()
        if successor:
            check_successor(current, successor)
            summary = gettext("readers are sent on to “{title}”").format(title=successor.title)
        current.trashed_at = timezone.now()
        change = Change(author, kind, summary)
        write_revision(current, fields_of(current), None, change, accept=accept)
        if successor:
            sent_on = redirect_to_successor(current, successor)
        resolve_links_again(current.wiki_id, {*every_fold(current), *sent_on})
    return current


def restore_page(
    page: Page,
    *,
    author: Author,
    new_address: bool = False,
    summary: str = "",
    kind: RevisionKind = RevisionKind.RESTORE,
    accept: Acceptance | None = None,
) -> Page:
    """Bring a page back from the trash. With `new_address` a page whose address is taken gets a
    numbered one. Raises PageMerged, and SlugTaken without `new_address`."""
    embedded = embed_text(page.title, page.body)
    with transaction.atomic():
        lock_wiki(page.wiki_id)
        current = Page.objects.select_for_update(no_key=True).get(pk=page.pk)
        if not current.is_trashed:
            return current
        if into := current.merged_into:
            raise PageMerged(
                gettext("“{title}” was merged into “{other}”. Undo that merge instead.").format(
                    title=current.title, other=into.title
                )
            )
        taken = Page.objects.live().filter(wiki=current.wiki_id, slug=current.slug).first()
        if taken and not new_address:
            raise SlugTaken(taken)
        taken_back = take_redirects_back(current)
        if taken:
            current.slug = free_slug(current.wiki_id, current.slug)
        current.trashed_at = None
        change = Change(author, kind, summary)
        write_revision(current, fields_of(current), embedded, change, accept=accept)
        resolve_links_again(current.wiki_id, {*every_fold(current), *taken_back})
    return current
