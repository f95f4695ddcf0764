"""The text that is embedded, by recipe 1 (embeddings/prompts.py): a change makes pages stale."""

import re
from dataclasses import dataclass

# NUL is refused by PostgreSQL, lone surrogates by UTF-8; control characters cannot be read.
UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")

# Characters of a text that are embedded; the rest is cut off.
MAX_CHARACTERS = 8000


@dataclass(frozen=True)
class Document:
    """A page, or an insight, which may have no title."""

    title: str
    body: str


def replace_unusable(text: str) -> str:
    """Replace control characters and lone surrogates by U+FFFD."""
    return UNUSABLE.sub("\ufffd", text)


def document_text(document: Document) -> str:
    text = f"{document.title}\n{document.body}" if document.title else document.body
    return replace_unusable(text)[:MAX_CHARACTERS]


def query_text(query: str) -> str:
    return replace_unusable(query)[:MAX_CHARACTERS]
