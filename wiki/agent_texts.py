"""What agents write: cleaned like every text, and without secrets. What people write stays as they want it."""

from collections.abc import Iterable
from dataclasses import replace

from wiki.authors import Author
from wiki.front_matter import Head
from wiki.models import AuthorKind, Page
from wiki.page_fields import PageFields
from wiki.secrets import mask_secrets, removed_from


def clean_fields(
    author: Author, title: str, body: str, type: str, tags: Iterable[str], page: Page | None = None
) -> PageFields:
    """What the page says already stays, whoever put it there. Raises InvalidPage."""
    known = text_of(page)
    tags = [mask_for(author, tag, known) for tag in tags]
    return PageFields.clean(mask_for(author, title, known), mask_for(author, body, known), type, tags)


def mask_for(author: Author, text: str, known: str = "") -> str:
    return mask_secrets(text, known).text if author.kind == AuthorKind.AGENT else text


def text_of(page: Page | None) -> str:
    """All that the page says, for what is known already."""
    return "\n".join([page.title, page.body, page.front_matter, *page.tags]) if page else ""


def mask_file(head: Head, body: str, page: Page | None = None) -> tuple[Head, str, list[str]]:
    """A file without its secrets, and what they were. What its page says already stays."""
    known = text_of(page)
    texts = (head.title, body, head.extra, *(head.tags or ()))
    removed = removed_from(*texts, known=known)
    if not removed:
        return head, body, []
    title, body, extra, *tags = (mask_secrets(text, known).text for text in texts)
    return replace(head, title=title, extra=extra, tags=tags if head.tags else head.tags), body, removed
