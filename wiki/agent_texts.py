"""What agents write: cleaned like every text, and without secrets. What people write stays as they want it."""

from collections.abc import Iterable
from dataclasses import replace

from wiki.authors import Author
from wiki.front_matter import Head
from wiki.models import AuthorKind
from wiki.page_fields import PageFields
from wiki.secrets import mask_secrets, removed_from


def clean_fields(author: Author, title: str, body: str, type: str, tags: Iterable[str]) -> PageFields:
    """Raises InvalidPage."""
    tags = [mask_for(author, tag) for tag in tags]
    return PageFields.clean(mask_for(author, title), mask_for(author, body), type, tags)


def mask_for(author: Author, text: str) -> str:
    return mask_secrets(text).text if author.kind == AuthorKind.AGENT else text


def mask_file(head: Head, body: str) -> tuple[Head, str, list[str]]:
    """A file without its secrets, and what they were."""
    texts = (head.title, body, head.extra, *(head.tags or ()))
    removed = removed_from(*texts)
    if not removed:
        return head, body, []
    title, body, extra, *tags = (mask_secrets(text).text for text in texts)
    return replace(head, title=title, extra=extra, tags=tags if head.tags else head.tags), body, removed
