"""The text that is embedded (spec 4.2). This rule is recipe 1; changing it changes the
fingerprint."""

import re
from dataclasses import dataclass

# What PostgreSQL (NUL), UTF-8 (lone surrogates) or a reader (control characters) cannot take.
UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")

MAX_CHARACTERS = 8000


@dataclass(frozen=True)
class Document:
    """A page or an insight as the embedding sees it; an insight may come without a title."""

    title: str
    body: str


def replace_unusable(text: str) -> str:
    """The text with every control character and lone surrogate replaced by U+FFFD."""
    return UNUSABLE.sub("\ufffd", text)


def document_text(document: Document) -> str:
    text = f"{document.title}\n{document.body}" if document.title else document.body
    return replace_unusable(text)[:MAX_CHARACTERS]


def query_text(query: str) -> str:
    return replace_unusable(query)[:MAX_CHARACTERS]
