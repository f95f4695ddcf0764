"""The only way a vector changes: when a page is saved, and in the run that embeds stale pages."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from embeddings.client import EmbeddingError, active_fingerprint, embed_documents, embed_in_bulk
from embeddings.text import Document
from embeddings.vectors import Vector
from wiki.db.locks import lock_wiki
from wiki.models import AskedAs, EmbeddingState, Page
from wiki.text.cleaning import hash_page_text

logger = logging.getLogger(__name__)

# S14: the stock is embedded in packets of 50 pages.
BATCH_SIZE = 50


@dataclass(frozen=True)
class Embedded:
    """The vector of one text by one model; None for a text without a direction (no word in it)."""

    text_hash: str
    fingerprint: str
    vector: Vector | None


def embed_text(title: str, body: str) -> Embedded | None:
    """`embed_texts` for one text."""
    return embed_texts([Document(title, body)])[0]


def embed_texts(documents: Sequence[Document]) -> list[Embedded | None]:
    """Asks the provider, so never inside a transaction. None when it is away: what is saved is
    embedded later."""
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
    """Whether a text that no provider refuses gets its vector."""
    return embed_text("", "covey") is not None


def set_vector(page: Page, embedded: Embedded | None) -> None:
    """Gives the page the vector if it belongs to the page's present text, else takes the old one
    away."""
    fits = (
        embedded is not None
        and embedded.text_hash == page.text_hash
        and embedded.vector is not None
    )
    page.embed_model = embedded.fingerprint if fits and embedded else ""
    page.embedding = embedded.vector if fits and embedded else None
    page.embedded_at = timezone.now() if fits else None
    page.embed_error = ""


def vector_fields(embedded: Embedded | None) -> dict[str, object]:
    """Of a text that never changes: what its row says while it is new."""
    if embedded is None or embedded.vector is None:
        return {"embed_model": "", "embedding": None}
    return {"embed_model": embedded.fingerprint, "embedding": embedded.vector}


def embed_page(page: Page) -> None:
    """Embeds one saved page whose text has no vector yet. Also for pages whose text changed while
    it was embedded."""
    if page.embedding_state(active_fingerprint()) != EmbeddingState.STALE:
        return
    if embedded := embed_text(page.title, page.body):
        store_vector(page, embedded.vector)


def embed_batch(until: Callable[[], bool] = lambda: False) -> Iterator[Page]:
    """Embeds the next packet of stale pages, newest changes first, and gives each as soon as it is
    stored.

    A page whose text the model cannot take is marked with its error, and the rest goes on. Stops
    early once `until` says so. Raises EmbeddingError when the provider as a whole does not answer.
    """
    pages = list(stale_pages().order_by("-updated_at", "-id").defer("embedding")[:BATCH_SIZE])
    for result in embed_in_bulk([Document(page.title, page.body) for page in pages]):
        page = pages[result.position]
        store_vector(page, result.vector, result.error)
        yield page
        if until():
            return


_NO_DIRECTION = "The model gives this text no direction."


def store_vector(page: Page, vector: Vector | None, error: str = "") -> None:
    """Gives the saved page its vector, or the reason why it has none.

    Only where the text is still the one that was embedded: an edit in the meantime wins and stays
    stale.
    """
    unchanged = Page.objects.live().filter(pk=page.pk, text_hash=page.text_hash)
    if vector is None:
        why = error or _NO_DIRECTION
        unchanged.update(embed_model="", embedding=None, embedded_at=None, embed_error=why)
    else:
        model = active_fingerprint()
        unchanged.update(
            embed_model=model, embedding=vector, embedded_at=timezone.now(), embed_error=""
        )


def stale_pages() -> QuerySet[Page]:
    return Page.objects.stale(active_fingerprint())


def mark_stale(pages: QuerySet[Page]) -> int:
    """Takes vectors and failures away, so that the next run embeds these pages anew.

    Wiki by wiki, each locked: who holds two of its pages would wait for this, and this for them.
    """
    count = 0
    for wiki_id in pages.order_by("wiki_id").values_list("wiki_id", flat=True).distinct():
        with transaction.atomic():
            lock_wiki(wiki_id)
            mine = pages.filter(wiki=wiki_id)
            count += mine.update(embed_model="", embedding=None, embedded_at=None, embed_error="")
    return count


def embed_questions(until: Callable[[], bool] = lambda: False) -> Iterator[AskedAs]:
    """`embed_batch` for what pages are also asked as."""
    questions = list(stale_questions().order_by("-id").defer("embedding", "search")[:BATCH_SIZE])
    for result in embed_in_bulk([Document("", question.text) for question in questions]):
        question = questions[result.position]
        found = result.vector is not None
        AskedAs.objects.filter(pk=question.pk).update(
            embed_model=active_fingerprint() if found else "",
            embedding=result.vector,
            embed_error="" if found else result.error or _NO_DIRECTION,
        )
        yield question
        if until():
            return


def stale_questions() -> QuerySet[AskedAs]:
    return AskedAs.objects.stale(active_fingerprint())


def mark_questions_stale() -> int:
    return AskedAs.objects.update(embed_model="", embedding=None, embed_error="")
