"""What agents write: cleaned like every text, and without secrets. What people write stays as they
want it."""

from collections.abc import Iterable

from wiki.models import AuthorKind, Page
from wiki.pages.author import Author
from wiki.pages.fields import PageFields
from wiki.redaction import mask_secrets


def clean_fields(
    author: Author, title: str, body: str, type: str, tags: Iterable[str], page: Page | None = None
) -> PageFields:
    """What the page says already stays, whoever put it there. Raises InvalidPage."""
    known = text_of(page)
    tags = [mask_for(author, tag, known) for tag in tags]
    return PageFields.clean(
        mask_for(author, title, known), mask_for(author, body, known), type, tags
    )


def mask_for(author: Author, text: str, known: str = "") -> str:
    return mask_secrets(text, known).text if author.kind == AuthorKind.AGENT else text


def text_of(page: Page | None) -> str:
    """All that the page says, for what is known already."""
    return "\n".join([page.title, page.body, page.front_matter, *page.tags]) if page else ""
