from dataclasses import replace

from wiki.files.front_matter import Head
from wiki.models import Page
from wiki.pages.redacted_fields import text_of
from wiki.redaction import mask_secrets, removed_from


def mask_file(head: Head, body: str, page: Page | None = None) -> tuple[Head, str, list[str]]:
    """Return a file without its secrets, and the secrets. Those that its page has already stay."""
    known = text_of(page)
    texts = (head.title, body, head.extra, *(head.tags or ()), *(head.aliases or ()))
    removed = removed_from(*texts, known=known)
    if not removed:
        return head, body, []
    title, body, extra, *names = (mask_secrets(text, known).text for text in texts)
    tags, aliases = names[: len(head.tags or ())], names[len(head.tags or ()) :]
    return (
        replace(
            head, title=title, extra=extra, tags=tags or head.tags, aliases=aliases or head.aliases
        ),
        body,
        removed,
    )
