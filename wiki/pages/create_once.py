"""Forms that come twice, by a double click, a reload, or after going back, make one page."""

from typing import Protocol

from django.db import transaction

from wiki.db.locks import lock_wiki
from wiki.indexing.embed import embed_text
from wiki.models import Page, Wiki
from wiki.pages.change import Change
from wiki.pages.fields import PageFields
from wiki.pages.redacted_fields import clean_fields
from wiki.pages.write import insert_page


class FormMemory(Protocol):
    """Knows the page that each form has become, across the requests of one browser."""

    def page_of(self, form_key: str) -> int | None: ...

    def keep(self, form_key: str, page_id: int, revision: int) -> None: ...


class AlreadyCreated(Exception):
    """This form has made `page` before; nothing was written."""

    def __init__(self, page: Page) -> None:
        super().__init__(f"This form has become the page “{page.title}” already.")
        self.page = page


def find_created(wiki: Wiki, memory: FormMemory, form_key: str) -> Page | None:
    """The live page that this form has become."""
    page_id = memory.page_of(form_key)
    return Page.objects.live().filter(wiki=wiki, pk=page_id).first() if page_id else None


def create_page_once(
    wiki: Wiki, memory: FormMemory, form_key: str, fields: PageFields, change: Change
) -> Page:
    """`create_page` for the form of a person. Raises InvalidPage, and AlreadyCreated when the form
    comes a second time."""
    fields = clean_fields(change.author, fields)
    embedded = embed_text(fields.title, fields.body)
    with transaction.atomic():
        # Of two requests of one form the second waits here, and then sees what the first has kept.
        lock_wiki(wiki.pk)
        if made := find_created(wiki, memory, form_key):
            raise AlreadyCreated(made)
        page = insert_page(wiki, fields, embedded, change)
        memory.keep(form_key, page.pk, page.revision)
    return page
