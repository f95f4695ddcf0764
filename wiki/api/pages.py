"""Pages: list, read, write, append, trash, restore, confirm, mark, history, neighbours."""

import base64
import binascii
import json
from typing import Annotated

from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Path, Query, Router

from wiki.api.access import Refused, token_of, wiki_of
from wiki.api.answers import note_secrets, standing_answer, written
from wiki.api.openapi import problems
from wiki.api.request_schemas import (
    AppendRequest,
    PageListQuery,
    PageRequest,
    ReadSlug,
    StandingRequest,
    WrittenSlug,
)
from wiki.api.response_schemas import (
    SUGGESTED,
    NeighbourList,
    PageAnswer,
    PageList,
    PageRead,
    PageWritten,
    RevisionList,
    RevisionText,
)
from wiki.api.suggestions import suggested
from wiki.models import Page, Revision, RevisionKind, Suggestion, Wiki
from wiki.names.resolve import Resolved, resolve_page
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage, PageFields, clean_type, fold_tags
from wiki.pages.links import find_at_address, find_namesake, find_trashed
from wiki.pages.page_urls import page_url
from wiki.pages.redacted_fields import mask_for
from wiki.pages.status import confirm_page, mark_outdated, mark_replaced
from wiki.pages.write import create_page
from wiki.search.did_you_mean import say_choice, say_no_page
from wiki.search.retrieval import LIMIT, MAX_LIMIT, neighbours
from wiki.suggestions.propose import (
    append_or_suggest,
    restore_or_suggest,
    revise_or_suggest,
    trash_or_suggest,
)
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.slugs import slugify

router = Router(tags=["pages"])

PAGES_AT_ONCE = 100

BaseRevision = Annotated[
    int | None, Query(description="Refuse with 409 unless this is the page's last revision.")
]
Number = Annotated[int, Path(description="As the page's history lists it.")]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many pages at most.")]


@router.get("", summary="Pages by title, 100 at a time", response={200: PageList, **problems(422)})
def list_pages(request: HttpRequest, query: Query[PageListQuery]) -> HttpResponse:
    wiki = wiki_of(request, token_of(request))
    pages = Page.objects.live().filter(wiki=wiki)
    if query.type.strip():
        pages = pages.filter(type=clean_type(query.type))
    if tags := fold_tags([query.tag]):
        pages = pages.filter(tags__contains=tags)
    if words := clean_line(query.q):
        pages = pages.filter(title__icontains=words)
    pages = pages.annotate(sorting=Lower("title"))
    if query.cursor:
        title, id = _read_cursor(query.cursor)
        # Lowered by the database on both sides, so that both mean the same order.
        after = Lower(Value(title))
        pages = pages.filter(Q(sorting__gt=after) | Q(sorting=after, id__gt=id))
    rows = list(pages.order_by("sorting", "id").defer("body", "embedding")[: PAGES_AT_ONCE + 1])
    more = len(rows) > PAGES_AT_ONCE
    shown = rows[:PAGES_AT_ONCE]
    return JsonResponse(
        {"pages": [_row(page) for page in shown], "next": _cursor(shown[-1]) if more else None}
    )


@router.get("/{slug}", summary="One page with its text", response={200: PageRead, **problems(409)})
def read_page(request: HttpRequest, slug: ReadSlug) -> HttpResponse:
    resolved = _find(wiki_of(request, token_of(request)), slug)
    answer, asked = page_answer(resolved), clean_text(slug)
    if not resolved.redirected_from and resolved.page.slug not in (asked, slugify(asked)):
        answer["resolved_from"] = asked
    return JsonResponse(answer)


WRITTEN = {200: PageWritten, 201: PageWritten, **SUGGESTED, **problems(403, 409, 428)}


@router.put("/{slug}", summary="Create a page, or give it a new text", response=WRITTEN)
def write_page(request: HttpRequest, slug: WrittenSlug, data: PageRequest) -> HttpResponse:
    token = token_of(request, writing=True)
    wiki, author = wiki_of(request, token), Author.of_token(token)
    page = find_at_address(wiki, slug)
    note_secrets(
        request,
        slug,
        data.title,
        data.body,
        data.summary or "",
        *(data.tags or ()),
        *(data.aliases or ()),
        page=page,
    )
    if page is None:
        address = slugify(mask_for(author, clean_text(slug)))
        fields = PageFields(
            data.title, data.body, data.type or "", data.tags or [], data.aliases or []
        )
        # What is wrong with the content is said first.
        if namesake := find_namesake(wiki, PageFields.clean(**vars(fields)).title):
            raise Refused(409, _say_namesake(namesake), slug=namesake.slug)
        change = Change(author, RevisionKind.CREATE, data.summary or "")
        page = create_page(wiki, fields, change, slug=address)
        return written(request, page_answer(Resolved(page)), status=201)
    if data.base_revision is None:
        sentence = (
            f"“{page.title}” exists. Read it, keep what others wrote there, and send the revision "
            f"that you have read "
            "as base_revision."
        )
        raise Refused(428, sentence, revision=page.revision, slug=page.slug)
    type = page.type if data.type is None else data.type
    tags = page.tags if data.tags is None else data.tags
    aliases = page.aliases if data.aliases is None else data.aliases
    fields = PageFields(data.title, data.body, type, tags, aliases)
    change = Change(author, summary=data.summary or "")
    return _changed(request, revise_or_suggest(page, data.base_revision, fields, change))


APPENDED = {200: PageWritten, **SUGGESTED, **problems(403, 409)}


@router.post("/{slug}/append", summary="Add a paragraph at the end", response=APPENDED)
def append(request: HttpRequest, slug: WrittenSlug, data: AppendRequest) -> HttpResponse:
    token = token_of(request, writing=True)
    page = _written(wiki_of(request, token), slug)
    note_secrets(request, data.text, data.summary or "")
    change = Change(Author.of_token(token), RevisionKind.APPEND, data.summary or "")
    return _changed(request, append_or_suggest(page, data.text, change))


DELETED = {204: None, **SUGGESTED, **problems(403, 409, 422)}


@router.delete("/{slug}", summary="Move a page to the trash", response=DELETED)
def delete(
    request: HttpRequest, slug: WrittenSlug, base_revision: BaseRevision = None
) -> HttpResponse:
    token = token_of(request, writing=True)
    page = _written(wiki_of(request, token), slug)
    changed = trash_or_suggest(page, author=Author.of_token(token), base_revision=base_revision)
    return (
        _changed(request, changed) if isinstance(changed, Suggestion) else HttpResponse(status=204)
    )


RESTORED = {200: PageAnswer, **SUGGESTED, **problems(403, 409)}


@router.post("/{slug}/restore", summary="Bring a page back from the trash", response=RESTORED)
def restore(request: HttpRequest, slug: WrittenSlug) -> HttpResponse:
    token = token_of(request, writing=True)
    wiki = wiki_of(request, token)
    page = find_trashed(wiki, slug)
    if page is None:
        return JsonResponse(page_answer(Resolved(_written(wiki, slug))))
    return _changed(request, restore_or_suggest(page, author=Author.of_token(token)))


CONFIRMED = {200: PageAnswer, **problems(403, 409)}


@router.post("/{slug}/confirm", summary="Say that what a page says still holds", response=CONFIRMED)
def confirm(request: HttpRequest, slug: WrittenSlug) -> HttpResponse:
    token = token_of(request, writing=True)
    page = _written(wiki_of(request, token), slug)
    confirm_page(page, author=Author.of_token(token))
    return JsonResponse(page_answer(Resolved(page)))


MARKED = {200: PageAnswer, **problems(403, 409, 422)}


@router.post("/{slug}/mark", summary="Say that what a page says holds no longer", response=MARKED)
def mark_standing(request: HttpRequest, slug: WrittenSlug, data: StandingRequest) -> HttpResponse:
    token = token_of(request, writing=True)
    wiki = wiki_of(request, token)
    page, author = _written(wiki, slug), Author.of_token(token)
    if data.standing == "outdated":
        return JsonResponse(page_answer(Resolved(mark_outdated(page, author=author))))
    successor = find_at_address(wiki, data.replaced_by or "")
    if successor is None:
        raise InvalidPage(
            {"replaced_by": "There is no such page in this wiki. Name the page that holds now."}
        )
    try:
        return JsonResponse(page_answer(Resolved(mark_replaced(page, successor, author=author))))
    except InvalidPage as error:
        raise InvalidPage({"replaced_by": str(error)}) from error


@router.get(
    "/{slug}/revisions",
    summary="A page's history, newest first",
    response={200: RevisionList, **problems(409)},
)
def list_revisions(request: HttpRequest, slug: ReadSlug) -> HttpResponse:
    page = _find(wiki_of(request, token_of(request)), slug).page
    revisions = page.revisions.defer("body")
    return JsonResponse({"revisions": [_revision_row(revision) for revision in revisions]})


@router.get(
    "/{slug}/revisions/{number}",
    summary="An earlier text",
    response={200: RevisionText, **problems(409, 422)},
)
def read_revision(request: HttpRequest, slug: ReadSlug, number: Number) -> HttpResponse:
    page = _find(wiki_of(request, token_of(request)), slug).page
    revision = page.revisions.filter(number=number).first()
    if revision is None:
        raise Refused(
            404, f"“{page.title}” has no revision {number}; its last one is {page.revision}."
        )
    return JsonResponse({**_revision_row(revision), "title": revision.title, "body": revision.body})


@router.get(
    "/{slug}/neighbours",
    summary="The pages nearest to a page",
    response={200: NeighbourList, **problems(409, 422)},
)
def list_neighbours(request: HttpRequest, slug: ReadSlug, limit: Limit = LIMIT) -> HttpResponse:
    page = _find(wiki_of(request, token_of(request)), slug).page
    near = neighbours(page, limit)
    rows = [
        {"slug": hit.page.slug, "title": hit.page.title, "similarity": hit.similarity}
        for hit in near
    ]
    return JsonResponse({"pages": rows})


def _changed(request: HttpRequest, changed: Page | Suggestion) -> HttpResponse:
    if isinstance(changed, Suggestion):
        return suggested(request, changed)
    return written(request, page_answer(Resolved(changed)))


def page_answer(resolved: Resolved) -> dict[str, object]:
    page = resolved.page
    confirmed = page.confirmations.first()
    sources = Page.objects.live().linking_to(page).order_by("title").values_list("slug", "title")
    answer = {
        **_row(page),
        "aliases": page.aliases,
        "body": page.body,
        "revision": page.revision,
        "protected": page.is_protected,
        "changed_by": _author(Revision.objects.latest_of(page)),
        "embed_model": page.embed_model,
        **standing_answer(page),
        "confirmed_at": confirmed.confirmed_at.isoformat() if confirmed else None,
        "asked_as": list(page.asked_as.values_list("text", flat=True)),
        "created_at": page.created_at.isoformat(),
        "url": page_url(page),
        "backlinks": [{"slug": slug, "title": title} for slug, title in sources],
    }
    return (
        {**answer, "redirected_from": resolved.redirected_from}
        if resolved.redirected_from
        else answer
    )


def _row(page: Page) -> dict[str, object]:
    return {
        "slug": page.slug,
        "title": page.title,
        "type": page.type,
        "tags": page.tags,
        "updated_at": page.updated_at.isoformat(),
    }


def _revision_row(revision: Revision) -> dict[str, object]:
    return {
        "number": revision.number,
        "kind": revision.kind,
        "author": _author(revision),
        "summary": revision.summary,
        "created_at": revision.created_at.isoformat(),
    }


def _author(revision: Revision) -> dict[str, str]:
    return {"kind": revision.author_kind, "name": revision.author_name}


def _find(wiki: Wiki, slug: str) -> Resolved:
    resolved = resolve_page(wiki, slug)
    if resolved is None:
        raise Refused(404, say_no_page(wiki, slug))
    if resolved.is_ambiguous:
        raise Refused(409, say_choice(slug, resolved.pages))
    return resolved


def _say_namesake(page: Page) -> str:
    return (
        f"The page “{page.title}” is called so already; its address is “{page.slug}”. Read it and "
        f"PUT there, add to it by POST /pages/{page.slug}/append, or give yours a title of its own."
    )


def _written(wiki: Wiki, slug: str) -> Page:
    page = find_at_address(wiki, slug)
    if page is None:
        raise Refused(404, say_no_page(wiki, slug))
    return page


def _cursor(page: Page) -> str:
    return base64.urlsafe_b64encode(json.dumps([page.title, page.pk]).encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[str, int]:
    try:
        title, id = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if isinstance(title, str) and isinstance(id, int):
            return clean_text(title), id
    except (binascii.Error, UnicodeDecodeError, ValueError, TypeError, RecursionError):
        pass
    raise Refused(
        422, "This cursor is none that covey gave out.", {"cursor": "Use the value of “next”."}
    )
