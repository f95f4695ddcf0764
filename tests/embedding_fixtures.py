"""A service over a real socket, and covey set to it, with small waits."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from embeddings import patience
from embeddings.client import BulkResult, embed_in_bulk, forget_what_was_learned
from embeddings.text import Document
from tests.embedding_server import EmbeddingServer


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The waits between tries, which are noted instead of waited."""
    noted: list[float] = []
    monkeypatch.setattr(patience, "SHORT_SECONDS", 10)
    monkeypatch.setattr(patience, "LONG", replace(patience.LONG, total=10))
    monkeypatch.setattr(patience, "sleep", noted.append)
    # Sizes of sub-batches must not depend on how busy this machine is.
    monkeypatch.setattr(patience, "SUB_BATCH_SECONDS", 60.0)
    forget_what_was_learned()
    yield noted
    forget_what_was_learned()


@pytest.fixture
def hurry(waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Time-outs made small, for services that do not answer; elsewhere a busy machine must not run into them."""
    monkeypatch.setattr(patience, "SHORT", replace(patience.SHORT, connect=0.3, total=0.6))
    monkeypatch.setattr(patience, "SHORT_SECONDS", 0.4)
    monkeypatch.setattr(patience, "LONG", replace(patience.LONG, connect=0.3, total=0.3))


@pytest.fixture
def server(waits: list[float]) -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    yield server
    server.stop()


@pytest.fixture
def use(settings: Any, server: EmbeddingServer) -> Callable[..., EmbeddingServer]:
    """Sets covey to the server: use("voyage", script, model=…, url=…, key=…)"""

    def choose(
        provider: str = "ollama", script: Any = None, *, model: str = "", url: str = "", key: str = "sk-geheim"
    ) -> EmbeddingServer:
        settings.COVEY_EMBEDDING_PROVIDER = provider
        settings.COVEY_EMBEDDING_MODEL = model
        settings.COVEY_EMBEDDING_URL = url or server.url
        settings.COVEY_EMBEDDING_API_KEY = key
        server.script = script or server.script
        return server

    return choose


def await_abandoned_calls() -> None:
    """Until every call that somebody gave up waiting for has ended by itself."""
    for thread in threading.enumerate():
        if thread.name == "embedding":
            thread.join(5)


def documents(count: int, word: str = "Seite") -> list[Document]:
    return [Document("", f"{word} {number}") for number in range(count)]


def embed_all(texts: list[str] | list[Document]) -> dict[int, BulkResult]:
    """The results of a bulk call by position; each position exactly once."""
    given = [text if isinstance(text, Document) else Document("", text) for text in texts]
    results = list(embed_in_bulk(given))
    found = {result.position: result for result in results}
    assert len(results) == len(found) == len(given)
    return found
