"""All changes of vectors: when a page is saved, and in the run over stale pages."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from embeddings.client import (
    BulkResult,
    EmbeddingError,
    active_fingerprint,
    embed_documents,
    embed_in_bulk,
)
from embeddings.text import Document
from embeddings.vectors import Vector
from wiki.db.locks import lock_wiki
from wiki.models import AskedAs, EmbeddingState, Page
from wiki.text.cleaning import hash_page_text

logger = logging.getLogger(__name__)

# Pages per batch of the run: what a kill can cost at most.
BATCH_SIZE = 50

_NO_VECTOR = {"embed_model": "", "embedding": None}
_NO_FAILURE = {"embed_error": "", "failed_model": ""}


@dataclass(frozen=True)
class Embedded:
    """The vector of one text by one model; None for a text without a word."""

    text_hash: str
    fingerprint: str
    vector: Vector | None


@dataclass(frozen=True)
class Outcome:
    """What became of a page or question in the run: an `error`, or a vector. Not stored if its text
    has changed since it was sent."""

    row: Page | AskedAs
    error: str
    is_stored: bool


def embed_text(title: str, body: str) -> Embedded | None:
    return embed_texts([Document(title, body)])[0]


def embed_texts(documents: Sequence[Document]) -> list[Embedded | None]:
    """Embed texts, never inside a transaction; None for each while the provider is down."""
    fingerprint = active_fingerprint()
    try:
        vectors = embed_documents(documents)
    except EmbeddingError as error:
        logger.warning("%s texts wait for their vectors: %s", len(documents), error)
        return [None] * len(documents)
    return [
        Embedded(hash_page_text(document.title, document.body), fingerprint, vector)
        for document, vector in zip(documents, vectors, strict=True)
    ]


def provider_answers() -> bool:
    """Whether the provider embeds a harmless text."""
    return embed_text("", "covey") is not None


def set_vector(page: Page, embedded: Embedded | None) -> None:
    """Set the vector if it is of the page's present text, else clear the old one."""
    fields = vector_fields(embedded if embedded and embedded.text_hash == page.text_hash else None)
    for name, value in {**fields, **_NO_FAILURE}.items():
        setattr(page, name, value)
    page.embedded_at = timezone.now() if page.embed_model else None


def vector_fields(embedded: Embedded | None) -> dict[str, object]:
    """Return the columns of a vector or of none."""
    if embedded is None or embedded.vector is None:
        return dict(_NO_VECTOR)
    return {"embed_model": embedded.fingerprint, "embedding": embedded.vector}


def embed_page(page: Page) -> None:
    """Embed one saved page if it is stale."""
    if page.embedding_state(active_fingerprint()) != EmbeddingState.STALE:
        return
    if embedded := embed_text(page.title, page.body):
        store_vector(page, embedded.vector)


def embed_batch(until: Callable[[], bool] = lambda: False) -> Iterator[Outcome]:
    """Embed the next BATCH_SIZE stale pages, last changed first; yield each as it is stored.

    A refused page keeps the error and the rest goes on. Stops early once `until()` is true. Raises
    EmbeddingError when the provider fails.
    """
    pages = list(stale_pages().order_by("-updated_at", "-id").defer("embedding")[:BATCH_SIZE])
    for result in embed_in_bulk([Document(page.title, page.body) for page in pages]):
        page = pages[result.position]
        error = _error_of(result)
        yield Outcome(page, error, store_vector(page, result.vector, error))
        if until():
            return


def _error_of(result: BulkResult) -> str:
    """Say why there is no vector; "" if there is one."""
    if result.vector is not None:
        return ""
    return result.error or "The model gives this text no direction."


def store_vector(page: Page, vector: Vector | None, error: str = "") -> bool:
    """Store a page's vector, or the reason why it has none, unless its text has changed since.

    Returns whether it was stored.
    """
    unchanged = Page.objects.live().filter(pk=page.pk, text_hash=page.text_hash)
    embedded_at = None if vector is None else timezone.now()
    return bool(unchanged.update(embedded_at=embedded_at, **_result_fields(vector, error)))


def _result_fields(vector: Vector | None, error: str) -> dict[str, object]:
    """Return the columns of a vector or failure of the active model."""
    fingerprint = active_fingerprint()
    if vector is None:
        return {**_NO_VECTOR, "embed_error": error, "failed_model": fingerprint}
    return {"embed_model": fingerprint, "embedding": vector, **_NO_FAILURE}


def stale_pages() -> QuerySet[Page]:
    return Page.objects.stale(active_fingerprint())


def mark_stale(pages: QuerySet[Page]) -> int:
    """Clear vectors and errors, so that the next run embeds these pages again.

    Each wiki is locked, to prevent a deadlock with a transaction over two of its pages.
    """
    count = 0
    for wiki_id in pages.order_by("wiki_id").values_list("wiki_id", flat=True).distinct():
        with transaction.atomic():
            lock_wiki(wiki_id)
            mine = pages.filter(wiki=wiki_id)
            count += mine.update(embedded_at=None, **_NO_VECTOR, **_NO_FAILURE)
    return count


def embed_questions(until: Callable[[], bool] = lambda: False) -> Iterator[Outcome]:
    """Do `embed_batch` for the questions of pages."""
    questions = list(
        stale_questions().order_by("-id").defer("embedding", "lexemes", "weights")[:BATCH_SIZE]
    )
    for result in embed_in_bulk([Document("", question.text) for question in questions]):
        question = questions[result.position]
        error = _error_of(result)
        same = AskedAs.objects.filter(pk=question.pk)
        yield Outcome(question, error, bool(same.update(**_result_fields(result.vector, error))))
        if until():
            return


def stale_questions() -> QuerySet[AskedAs]:
    return AskedAs.objects.stale(active_fingerprint())


def mark_questions_stale(questions: QuerySet[AskedAs]) -> int:
    return questions.update(**_NO_VECTOR, **_NO_FAILURE)
