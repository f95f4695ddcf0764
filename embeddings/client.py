"""Text in, vectors out, by the provider that the installation chose (S1). There is no other way to a vector."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from embeddings.hashing import hash_text
from embeddings.text import Document, document_text, query_text
from embeddings.vectors import DIMENSIONS, Vector

logger = logging.getLogger(__name__)


class EmbeddingError(Exception):
    """The provider gave no vector. `permanent` says that waiting does not help."""

    def __init__(self, message: str, *, permanent: bool, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.permanent, self.remedy, self.retry_after = permanent, remedy, retry_after


def active_model() -> str:
    return "hash"


def active_fingerprint() -> str:
    """Which vectors can be compared with each other: provider, model, dimensions."""
    return f"{settings.COVEY_EMBEDDING_PROVIDER}:{active_model()}:{DIMENSIONS}"


def embed_documents(documents: Sequence[Document]) -> list[Vector | None]:
    """One vector of norm 1 per document, in order; None for a document without a word."""
    return [hash_text(document_text(document)) for document in documents]


@dataclass(frozen=True)
class BulkResult:
    """What became of one document of a bulk: its vector, or the error that isolates it."""

    position: int
    vector: Vector | None
    error: str = ""


def embed_in_bulk(documents: Sequence[Document]) -> Iterator[BulkResult]:
    """A result for every document as soon as there is one, in any order."""
    for position, document in enumerate(documents):
        yield BulkResult(position, hash_text(document_text(document)))


def embed_query(query: str) -> Vector | None:
    """The query's vector of norm 1; None for a query without a word."""
    return hash_text(query_text(query))


BUILTIN_WARNING = (
    "The builtin embedding is active: it only sees words that two texts share, not their meaning. "
    "It is insufficient for real operation."
)


def warn_about_builtin() -> None:
    """S3: every start says so while builtin is active."""
    if settings.COVEY_EMBEDDING_PROVIDER == "builtin":
        logger.warning(BUILTIN_WARNING)


@dataclass(frozen=True)
class Provider:
    name: str
    model: str
    address: str
    is_outside: bool


def describe_provider() -> Provider:
    return Provider(settings.COVEY_EMBEDDING_PROVIDER, active_model(), "", False)
