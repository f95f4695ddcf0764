"""Text in, vectors out, by the provider that the installation chose (S1). There is no other way to
a vector."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from django.conf import settings
from django.utils.translation import gettext_lazy

from embeddings import prompts, timeouts
from embeddings.batching import BatchItem, BatchSender, BulkResult
from embeddings.circuit_breaker import Breaker
from embeddings.errors import EmbeddingError
from embeddings.failure_classification import CHECK_ADDRESS
from embeddings.hash_embedder import has_words, hash_text
from embeddings.prompts import Input, document_input, query_input
from embeddings.providers.dialect import Purpose
from embeddings.service import (
    Service,
    active_service,
    configured_model,
    forget_states,
    strip_latest_tag,
)
from embeddings.text import Document, document_text, query_text
from embeddings.timeout import run_within
from embeddings.vectors import DIMENSIONS, Vector

logger = logging.getLogger(__name__)

__all__ = [
    "BUILTIN_WARNING",
    "BulkResult",
    "EmbeddingError",
    "ProviderDescription",
    "active_fingerprint",
    "active_model",
    "active_provider",
    "describe_provider",
    "embed_documents",
    "embed_in_bulk",
    "embed_query",
    "reset_client",
    "warn_about_builtin",
]

_breaker = Breaker()


def active_provider() -> str:
    return str(settings.COVEY_EMBEDDING_PROVIDER)


def active_model() -> str:
    return strip_latest_tag(configured_model())


def active_fingerprint() -> str:
    """Which vectors can be compared with each other: provider, model, dimensions, and the input
    recipe from 2 on."""
    recipe = f":r{prompts.RECIPE}" if prompts.RECIPE > 1 else ""
    return f"{active_provider()}:{active_model()}:{DIMENSIONS}{recipe}"


@dataclass(frozen=True)
class ProviderDescription:
    """For people. `address` is empty for builtin and carries neither user nor query; `is_outside`:
    texts leave."""

    provider: str
    model: str
    fingerprint: str
    address: str
    is_outside: bool


def describe_provider() -> ProviderDescription:
    who = active_provider(), active_model(), active_fingerprint()
    if active_provider() == "builtin":
        return ProviderDescription(*who, "", False)
    service = active_service()
    return ProviderDescription(*who, service.endpoint.address, service.is_outside)


@lru_cache(maxsize=256)
def _hash_cached(text: str) -> Vector | None:
    """Of a page that grows beyond what is read of it the text is the same each time."""
    vector = hash_text(text)
    if vector is not None:
        vector.flags.writeable = False
    return vector


def embed_query(query: str) -> Vector | None:
    """The query's vector of norm 1; None for a query without a word, which is not sent.

    Somebody waits: raises EmbeddingError after `patience.SHORT_SECONDS` at the latest, and at once
    while the service is known to be away.
    """
    if active_provider() == "builtin":
        return _hash_cached(query_text(query))
    if not has_words(query_text(query)):
        return None
    return _embed_within_limit([query_input(active_model(), query)], Purpose.QUERY)[0]


def embed_documents(documents: Sequence[Document]) -> list[Vector | None]:
    """One vector of norm 1 per document, in order; None for a document without a word, which is not
    sent.

    For a few texts that somebody saves; waits as short as `embed_query` and raises EmbeddingError
    like it.
    """
    if active_provider() == "builtin":
        return [_hash_cached(document_text(document)) for document in documents]
    items = _batch_items(documents)
    vectors = _embed_within_limit([item.input for item in items], Purpose.DOCUMENT) if items else []
    found = {item.position: vector for item, vector in zip(items, vectors, strict=True)}
    return [found.get(position) for position in range(len(documents))]


def embed_in_bulk(documents: Sequence[Document]) -> Iterator[BulkResult]:
    """For the worker: one result per document, as they come and not in order, so that each can be
    saved at once.

    A text that the service refuses has an error, and the rest goes on. Raises EmbeddingError when
    the service as a whole is at fault; what came before stays valid. The caller may stop at any
    result.
    """
    if active_provider() == "builtin":
        for position, document in enumerate(documents):
            yield BulkResult(position, hash_text(document_text(document)))
        return
    items = _batch_items(documents)
    sent = {item.position for item in items}
    yield from (
        BulkResult(position, None) for position in range(len(documents)) if position not in sent
    )
    service, begun = active_service(), timeouts.clock()
    try:
        for result in BatchSender(service, Purpose.DOCUMENT, timeouts.LONG).send(items):
            _breaker.close(service)
            yield result
    except EmbeddingError as error:
        _breaker.open(service, error, begun)
        raise


def reset_client() -> None:
    """As in a new process: which sizes and fields the service takes, and that it is away."""
    forget_states()
    _breaker.forget()


def _batch_items(documents: Sequence[Document]) -> list[BatchItem]:
    model = active_model()
    return [
        BatchItem(position, document_input(model, document))
        for position, document in enumerate(documents)
        if has_words(document_text(document))
    ]


def _embed_within_limit(inputs: Sequence[Input], purpose: Purpose) -> list[Vector | None]:
    """When the time is over, the call goes on by itself: it loads the model and tells the breaker
    what came of it."""
    service = active_service()
    _breaker.raise_if_open(service)
    begun = timeouts.clock()
    try:
        return run_within(timeouts.SHORT_SECONDS, partial(_embed_now, service, inputs, purpose))
    except TimeoutError:
        error = EmbeddingError(
            f"{service.name} did not answer within {timeouts.SHORT_SECONDS:g} s. Waiting helps.",
            permanent=False,
            remedy=CHECK_ADDRESS,
        )
        _breaker.open(service, error, begun)
        raise error from None


def _embed_now(service: Service, inputs: Sequence[Input], purpose: Purpose) -> list[Vector | None]:
    sender, begun = BatchSender(service, purpose, timeouts.SHORT), timeouts.clock()
    vectors: list[Vector | None] = [None] * len(inputs)
    try:
        for result in sender.send(
            [BatchItem(position, input) for position, input in enumerate(inputs)]
        ):
            if result.error:
                raise EmbeddingError(result.error, permanent=True, is_about_text=True)
            vectors[result.position] = result.vector
    except EmbeddingError as error:
        if not error.is_about_text:
            _breaker.open(service, error, begun)
        raise
    _breaker.close(service)
    return vectors


BUILTIN_WARNING = gettext_lazy(
    "The builtin embedding is active: it only sees words that two texts share, not their meaning. "
    "It is insufficient for real operation."
)


def warn_about_builtin() -> None:
    """S3: every start says so while builtin is active."""
    if active_provider() == "builtin":
        logger.warning(BUILTIN_WARNING)
