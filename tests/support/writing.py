"""The rules that write pages, called with the fields of page and change by name."""

from typing import Any

from wiki.models import Page, RevisionKind, Suggestion, Wiki
from wiki.pages import write
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import PageFields
from wiki.suggestions import propose


def create_page(
    wiki: Wiki,
    *,
    title: str,
    body: str,
    author: Author,
    type: str = "",
    tags: Any = (),
    aliases: Any = (),
    summary: str = "",
    kind: RevisionKind = RevisionKind.CREATE,
    **more: Any,
) -> Page:
    fields = PageFields(title, body, type, list(tags), list(aliases))
    return write.create_page(wiki, fields, Change(author, kind, summary), **more)


def revise_page(
    page: Page, base_revision: int, *, front_matter: str | None = None, **content: Any
) -> Page:
    return write.revise_page(
        page, base_revision, *_edit(page, **content), front_matter=front_matter
    )


def revise_or_suggest(page: Page, base_revision: int, **content: Any) -> Page | Suggestion:
    return propose.revise_or_suggest(page, base_revision, *_edit(page, **content))


def _edit(
    page: Page,
    *,
    title: str,
    body: str,
    author: Author,
    type: str | None = None,
    tags: Any = None,
    aliases: Any = None,
    summary: str = "",
    kind: RevisionKind = RevisionKind.EDIT,
) -> tuple[PageFields, Change]:
    fields = PageFields(
        title,
        body,
        page.type if type is None else type,
        list(page.tags if tags is None else tags),
        list(page.aliases if aliases is None else aliases),
    )
    return fields, Change(author, kind, summary)


def append_text(
    page: Page,
    text: str,
    *,
    author: Author,
    summary: str = "",
    kind: RevisionKind = RevisionKind.APPEND,
    **more: Any,
) -> Page:
    return write.append_text(page, text, Change(author, kind, summary), **more)


def append_or_suggest(
    page: Page, text: str, *, author: Author, summary: str = ""
) -> Page | Suggestion:
    return propose.append_or_suggest(page, text, Change(author, RevisionKind.APPEND, summary))
