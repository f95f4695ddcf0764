"""The only way to a vector: embed texts by the one provider of the installation."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from django.utils.translation import gettext_lazy

from embeddings import timeouts
from embeddings.batching import BatchItem, BatchSender, BulkResult
from embeddings.circuit_breaker import Breaker
from embeddings.deadline import run_within
from embeddings.errors import EmbeddingError
from embeddings.failure_classification import CHECK_ADDRESS
from embeddings.hash_embedder import has_words, hash_text
from embeddings.prompts import Input, document_input, query_input, recipe_of
from embeddings.providers.base import Purpose
from embeddings.service import (
    Service,
    active_service,
    configured,
    configured_model,
    forget_states,
    strip_latest_tag,
)
from embeddings.text import Document, document_text, query_text
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
    return configured().provider


def active_model() -> str:
    return strip_latest_tag(configured_model())


def active_fingerprint() -> str:
    """Name what makes vectors comparable: provider:model:dimensions, and the recipe from 2 on."""
    model = active_model()
    recipe = recipe_of(model)
    return f"{active_provider()}:{model}:{DIMENSIONS}{f':r{recipe}' if recipe > 1 else ''}"


@dataclass(frozen=True)
class ProviderDescription:
    """`address` is empty for builtin and never has user or query; `is_outside`: texts leave the
    own network."""

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
    # A page that grows beyond MAX_CHARACTERS is hashed as the same text at each save.
    vector = hash_text(text)
    if vector is not None:
        vector.flags.writeable = False
    return vector


def embed_query(query: str) -> Vector | None:
    """Return a vector of norm 1; None, without a request, for a query without a word.

    Raises EmbeddingError within `timeouts.SHORT_SECONDS`, at once while the breaker is open.
    """
    if active_provider() == "builtin":
        return _hash_cached(query_text(query))
    if not has_words(query_text(query)):
        return None
    return _embed_within_limit([query_input(active_model(), query)], Purpose.QUERY)[0]


def embed_documents(documents: Sequence[Document]) -> list[Vector | None]:
    """Return one vector of norm 1 per document, in order; None for one without a word.

    For a few texts in a request: the time limit and errors are those of `embed_query`.
    """
    if active_provider() == "builtin":
        return [_hash_cached(document_text(document)) for document in documents]
    items = _batch_items(documents)
    vectors = _embed_within_limit([item.input for item in items], Purpose.DOCUMENT) if items else []
    found = {item.position: vector for item, vector in zip(items, vectors, strict=True)}
    return [found.get(position) for position in range(len(documents))]


def embed_in_bulk(documents: Sequence[Document]) -> Iterator[BulkResult]:
    """Yield one result per document, in any order, with the long time limits of the worker.

    A refused text yields an error and the rest goes on. Raises EmbeddingError when the service
    fails; results before it stay valid. The caller may stop at any result.
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
    """Forget the learned limits of services and open breakers, as in a new process."""
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
    """Stop waiting after SHORT_SECONDS; the call goes on in its thread, loads the model and sets
    the breaker."""
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
    """Log at every start that builtin is active."""
    if active_provider() == "builtin":
        logger.warning(BUILTIN_WARNING)
