"""A service over a real socket, and covey set to it, with small waits."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embeddings import batching, timeouts
from embeddings.client import BulkResult, EmbeddingError, embed_in_bulk, reset_client
from embeddings.text import Document
from tests.support.embedding_server import EmbeddingServer, Request, Script, any_form


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The waits between tries, which are noted instead of waited."""
    noted: list[float] = []
    monkeypatch.setattr(timeouts, "SHORT_SECONDS", 10)
    monkeypatch.setattr(timeouts, "LONG", replace(timeouts.LONG, total=10))
    monkeypatch.setattr(timeouts, "sleep", noted.append)
    # Sizes of sub-batches must not depend on how busy this machine is.
    monkeypatch.setattr(timeouts, "SUB_BATCH_SECONDS", 60.0)
    # Tests count requests; the check of batches has tests of its own.
    monkeypatch.setattr(batching, "check_batches", lambda client, size: None)
    reset_client()
    yield noted
    reset_client()


@pytest.fixture
def hurry(waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Time-outs made small, for services that do not answer; elsewhere a busy machine must not
    run into them."""
    monkeypatch.setattr(timeouts, "SHORT", replace(timeouts.SHORT, connect=0.3, total=0.6))
    monkeypatch.setattr(timeouts, "SHORT_SECONDS", 0.4)
    monkeypatch.setattr(timeouts, "LONG", replace(timeouts.LONG, connect=0.3, total=0.3))


@pytest.fixture
def server(waits: list[float]) -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    yield server
    server.stop()


@pytest.fixture
def use(settings: Any, server: EmbeddingServer) -> Callable[..., EmbeddingServer]:
    """Sets covey to the server: use("voyage", script, model=…, url=…, key=…)"""

    def choose(
        provider: str = "ollama",
        script: Any = None,
        *,
        model: str = "",
        url: str = "",
        key: str = "sk-geheim",
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


def has_poison(request: Request) -> bool:
    return any("Gift" in text for text in request.texts)


def failing(bad: Script) -> Script:
    """Answers well, but calls `bad` for requests with the word Gift in them."""
    return lambda request: bad(request) if has_poison(request) else any_form(request)


def first(times: int, bad: Script) -> Script:
    """Calls `bad` for the first requests, then answers well."""
    came: list[Request] = []

    def script(request: Request) -> Any:
        came.append(request)
        return bad(request) if len(came) <= times else any_form(request)

    return script


def raised_by(texts: Sequence[str] = ("eins", "zwei")) -> EmbeddingError:
    with pytest.raises(EmbeddingError) as raised:
        list(embed_in_bulk([Document("", text) for text in texts]))
    return raised.value


def poisoned(count: int = 20, place: int = 7) -> list[str]:
    texts = [f"Seite {number}" for number in range(count)]
    texts[place] = f"Gift {place}"
    return texts


def assert_only_the_poison_failed(texts: list[str]) -> dict[int, BulkResult]:
    results = embed_all(texts)
    failed = [position for position, result in results.items() if result.error]
    assert failed == [position for position, text in enumerate(texts) if "Gift" in text]
    norms = [
        np.linalg.norm(result.vector) for result in results.values() if result.vector is not None
    ]
    assert len(norms) == len(texts) - len(failed)
    np.testing.assert_allclose(norms, 1, atol=1e-4)
    return results
