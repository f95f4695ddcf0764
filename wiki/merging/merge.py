"""Two pages become one, and two again. Nothing is deleted: the one that goes in keeps its row and
its history."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from wiki.comparison.stemming import find_language
from wiki.db.locks import lock_wiki
from wiki.history.revert import reverse_step
from wiki.indexing.embed import embed_text
from wiki.merging.combine_texts import unite_texts
from wiki.models import (
    AuthorKind,
    Insight,
    Merge,
    MergeProposal,
    Page,
    ProposalState,
    Redirect,
    RevisionKind,
)
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import PageFields
from wiki.pages.links import resolve_links_again
from wiki.pages.redirects import (
    every_fold,
    fold_slugs,
    free_slug,
    names_of,
    redirect_to_successor,
)
from wiki.pages.status import change_successor
from wiki.pages.write import SlugTaken, fields_of, write_revision
from wiki.recall.questions import give_back_questions, move_questions


class MergeRefused(Exception):
    """The pages cannot be merged, or not any more: the message says why. Nothing was written."""


class UndoConflict(Exception):
    """The merged text was edited since. `page` is the survivor at present; a person has to write
    its text without the other page."""

    def __init__(self, page: Page) -> None:
        super().__init__(gettext("The text that the merge brought was changed since."))
        self.page = page


def unite(survivor: Page, source: Page, body: str | None = None) -> PageFields:
    """The survivor's fields after the merge, with `body` as the text where a person wrote it.

    Raises InvalidPage where one page cannot hold both.
    """
    if body is None:
        language = survivor.wiki.language or find_language(survivor.body, source.body) or "en"
        day = timezone.localdate()
        body = unite_texts(
            survivor.body, source.body, source.title, day, language=language, title=survivor.title
        )
    return PageFields.clean(
        survivor.title,
        body,
        survivor.type or source.type,
        [*survivor.tags, *source.tags],
        [*survivor.aliases, *source.aliases],
    )


def choose_survivor(first: Page, second: Page) -> tuple[Page, Page]:
    """Return survivor and source: a page by people survives, then the more linked, the longer, the
    older one."""

    def weight(page: Page) -> tuple[bool, int, int, int]:
        links = page.incoming_links.exclude(from_page=page).values("from_page").distinct().count()
        return wrote_people(page), links, len(page.body), -page.pk

    survivor, source = sorted((first, second), key=weight, reverse=True)
    return survivor, source


def wrote_people(page: Page) -> bool:
    """Whether a person wrote on the page, not only an agent, an import or the maintenance."""
    return page.revisions.filter(author_kind=AuthorKind.PERSON).exclude(kind__in=_NO_WORDS).exists()


_NO_WORDS = (
    RevisionKind.IMPORT,
    RevisionKind.LINKS,
    RevisionKind.MARK,
    RevisionKind.TRASH,
    RevisionKind.RESTORE,
    RevisionKind.PROTECT,
    RevisionKind.UNPROTECT,
)


def merge_pages(
    survivor: Page,
    source: Page,
    *,
    author: Author,
    fields: PageFields | None = None,
    similarity: float | None = None,
    is_automatic: bool = False,
) -> Merge:
    """Merge the source into the survivor: text, tags, links and addresses.

    Both pages must be as the caller read them. `fields` is the survivor's edited content. Raises
    MergeRefused and InvalidPage.
    """
    if survivor.pk == source.pk or survivor.wiki_id != source.wiki_id:
        raise MergeRefused(gettext("Only two pages of one wiki can be merged."))
    united = fields or unite(survivor, source)
    embedded = embed_text(united.title, united.body)
    with transaction.atomic():
        lock_wiki(survivor.wiki_id)
        kept, gone = _lock_both(survivor, source)
        before = gone.revisions.get(number=gone.revision)
        is_passed_on = gone.is_protected and not kept.is_protected
        kept.is_protected |= gone.is_protected
        summary = gettext("“{title}” merged in").format(title=gone.title)
        change = Change(author, RevisionKind.MERGE, summary)
        merged = write_revision(kept, united, embedded, change, merged_from=before)
        gone.trashed_at, gone.merged_into = timezone.now(), kept
        summary = gettext("merged into “{title}”").format(title=kept.title)
        change = Change(author, RevisionKind.MERGE, summary)
        left = write_revision(gone, fields_of(gone), None, change)
        moved = _move_belongings(gone, kept)
        moved["protected"] = [kept.pk] if is_passed_on else []
        resolve_links_again(kept.wiki_id, {*gone.folds, *fold_slugs(moved["redirects"])})
        _settle_proposals(kept, gone)
        return Merge.objects.create(
            wiki_id=kept.wiki_id,
            survivor=kept,
            source=gone,
            survivor_revision=merged,
            source_revision=left,
            moved=moved,
            similarity=similarity,
            fingerprint=source.embed_model,
            is_automatic=is_automatic,
            author_kind=author.kind,
            author_name=author.name,
        )


def _lock_both(survivor: Page, source: Page) -> tuple[Page, Page]:
    ids = [survivor.pk, source.pk]
    locked = {
        page.pk: page
        for page in Page.objects.live()
        .select_for_update(no_key=True, of=("self",))
        .filter(pk__in=ids)
        .order_by("pk")
    }
    for page in (survivor, source):
        if page.pk not in locked:
            raise MergeRefused(
                gettext("“{title}” is not in the wiki any more.").format(title=page.title)
            )
        if fields_of(locked[page.pk]) != fields_of(page):
            raise MergeRefused(
                gettext("“{title}” has changed since. Look at both again.").format(title=page.title)
            )
    return locked[survivor.pk], locked[source.pk]


def _move_belongings(source: Page, survivor: Page) -> dict[str, list[Any]]:
    """Move former addresses, insights, successions and questions of the source; return their former
    values."""
    rows = Redirect.objects.filter(page=source).exclude(slug__in=names_of(source))
    moved: dict[str, list[Any]] = {
        "redirects": list(rows.values_list("slug", flat=True)),
        "insights": list(source.insights.values_list("pk", flat=True)),
        "replaces": list(source.replaces.exclude(pk=survivor.pk).values_list("pk", flat=True)),
        "asked_as": move_questions(source, survivor),
    }
    redirect_to_successor(source, survivor)
    Insight.objects.filter(pk__in=moved["insights"]).update(page=survivor)
    change_successor(moved["replaces"], survivor)
    return moved


def _settle_proposals(survivor: Page, source: Page) -> None:
    """The pair is decided; whatever else was proposed with the source is about a page that is
    gone."""
    now = timezone.now()
    waiting = MergeProposal.objects.filter(
        state__in=(ProposalState.OPEN, ProposalState.LATER)
    ).of_page(source)
    pair = sorted((survivor.pk, source.pk))
    waiting.filter(first=pair[0], second=pair[1]).update(state=ProposalState.MERGED, decided_at=now)
    waiting.exclude(first=pair[0], second=pair[1]).update(
        state=ProposalState.WITHDRAWN, decided_at=now
    )


def undo_merge(
    merge: Merge, *, author: Author, fields: PageFields | None = None, new_address: bool = False
) -> tuple[Page, Page]:
    """Restore both pages: ids, addresses, texts, links, insights. Return survivor and source.

    Later text of the survivor stays; `fields` is its content where that cannot be told apart. The
    pair is not merged automatically again until one of the texts changes. Raises UndoConflict,
    SlugTaken (unless `new_address`), PageGone and MergeRefused.
    """
    survivor, source = Page.objects.get(pk=merge.survivor_id), Page.objects.get(pk=merge.source_id)
    rest = fields or _without(merge, survivor)
    embedded_rest = embed_text(rest.title, rest.body) if rest else None
    embedded = embed_text(source.title, source.body)
    with transaction.atomic():
        lock_wiki(merge.wiki_id)
        current = Merge.objects.select_for_update().get(pk=merge.pk)
        pages = Page.objects.select_for_update(no_key=True, of=("self",)).filter(
            pk__in=[survivor.pk, source.pk]
        )
        locked = {page.pk: page for page in pages.order_by("pk")}
        kept, back = locked[survivor.pk], locked[source.pk]
        if current.undone_at or back.merged_into_id is None:
            raise MergeRefused(gettext("This merge is undone already."))
        if kept.revision != survivor.revision:
            raise MergeRefused(
                gettext("“{title}” has changed since. Look at both again.").format(title=kept.title)
            )
        _give_address_back(merge, back, new_address=new_address)
        change = Change(author, RevisionKind.UNDO, gettext("merge undone"))
        back.trashed_at, back.merged_into = None, None
        write_revision(back, fields_of(back), embedded, change)
        if rest and rest != fields_of(kept):
            write_revision(kept, rest, embedded_rest, change)
        _give_belongings_back(merge, back)
        resolve_links_again(
            merge.wiki_id,
            {*every_fold(back), *every_fold(kept), *fold_slugs(merge.moved["redirects"])},
        )
        current.undone_at = timezone.now()
        current.save(update_fields=["undone_at"])
        remember_no(kept, back, similarity=merge.similarity)
    return kept, back


def _without(merge: Merge, survivor: Page) -> PageFields | None:
    """The survivor's fields without the source; None while the survivor itself is off the wiki."""
    if survivor.is_trashed:
        return None
    after = fields_of(merge.survivor_revision)
    before = fields_of(survivor.revisions.get(number=merge.survivor_revision.number - 1))
    present = fields_of(survivor)
    if present == after:
        return before
    reversed_ = reverse_step(before, after, present)
    if reversed_ is None:
        raise UndoConflict(survivor)
    return reversed_


def _give_address_back(merge: Merge, page: Page, *, new_address: bool) -> None:
    Redirect.objects.filter(wiki=merge.wiki_id, slug__in=names_of(page)).delete()
    taken = Page.objects.live().filter(wiki=merge.wiki_id, slug=page.slug).first()
    if taken and not new_address:
        raise SlugTaken(taken)
    if taken:
        page.slug = free_slug(merge.wiki_id, page.slug)


def _give_belongings_back(merge: Merge, page: Page) -> None:
    for slug in merge.moved["redirects"]:
        Redirect.objects.update_or_create(wiki_id=merge.wiki_id, slug=slug, defaults={"page": page})
    Insight.objects.filter(pk__in=merge.moved["insights"]).update(page=page)
    change_successor(merge.moved["replaces"], page)
    # Who protected it anew since meant it so.
    since = merge.survivor.revisions.filter(number__gt=merge.survivor_revision.number)
    anew = since.filter(kind=RevisionKind.PROTECT).values("page")
    Page.objects.filter(pk__in=merge.moved.get("protected", [])).exclude(pk__in=anew).update(
        is_protected=False
    )
    # Merges from before there were questions know of none.
    give_back_questions(page, merge.moved.get("asked_as", []))


def remember_no(
    first: Page, second: Page, *, similarity: float | None = None, user: Any = None
) -> MergeProposal:
    """That these two are not the same, as they read now: over a switch of the model too, until a
    text changes."""
    first, second = in_order(first, second)
    decision = {
        "wiki_id": first.wiki_id,
        "first_hash": first.text_hash,
        "second_hash": second.text_hash,
        "state": ProposalState.DISMISSED,
        "decided_at": timezone.now(),
        "decided_by": user,
    }
    proposal, is_new = MergeProposal.objects.update_or_create(
        first=first,
        second=second,
        defaults=decision,
        create_defaults={**decision, "similarity": similarity},
    )
    return proposal


def in_order(first: Page, second: Page) -> tuple[Page, Page]:
    """As a pair is written down: the smaller id first."""
    return (first, second) if first.pk < second.pk else (second, first)


def find_merges(page: Page) -> Sequence[Merge]:
    """The merges that went into a page and still hold, the last first."""
    return list(
        page.merges.filter(undone_at=None)
        .select_related("source")
        .defer("source__body", "source__embedding")
    )
