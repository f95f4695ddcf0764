"""Secrets are removed from the texts of agents; people may keep theirs."""

from wiki.models import AuthorKind, Page
from wiki.pages.author import Author
from wiki.pages.fields import PageFields
from wiki.redaction import mask_secrets


def clean_fields(author: Author, fields: PageFields, page: Page | None = None) -> PageFields:
    """Redact and clean. Secrets that the page has already stay. Raises InvalidPage."""
    known = text_of(page)

    def mask(text: str) -> str:
        return mask_for(author, text, known)

    return PageFields.clean(
        mask(fields.title),
        mask(fields.body),
        fields.type,
        [mask(tag) for tag in fields.tags],
        [mask(alias) for alias in fields.aliases],
    )


def mask_for(author: Author, text: str, known: str = "") -> str:
    return mask_secrets(text, known).text if author.kind == AuthorKind.AGENT else text


def text_of(page: Page | None) -> str:
    return (
        "\n".join([page.title, page.body, page.front_matter, *page.tags, *page.aliases])
        if page
        else ""
    )
