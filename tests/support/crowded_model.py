"""A model in which all similarities lie between about 0.75 and 0.95, as in those of the E5 family:
words count for a fifth of the angle, and each text has something of its own."""

import zlib
from typing import Any

import numpy as np
import pytest

from embeddings.hash_embedder import hash_text
from embeddings.vectors import DIMENSIONS, Vector
from tests.support.embedding_server import EmbeddingServer, Reply, Request
from wiki.indexing.calibration import calibrate, forget_known, request_calibration

# Shares of the squared length.
COMMON, WORDS, OWN = 0.75, 0.20, 0.05


def _direction(seed: int) -> Vector:
    numbers = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return numbers / np.linalg.norm(numbers)


def crowded_vector(text: str, words: float = WORDS) -> list[float]:
    found = hash_text(text)
    assert found is not None
    own = _direction(zlib.crc32(text.encode()))
    rest = COMMON + WORDS - words
    return (rest**0.5 * _direction(1) + words**0.5 * found + OWN**0.5 * own).tolist()


def answer_crowded(request: Request, words: float = WORDS) -> Reply:
    rows = [crowded_vector(text, words) for text in request.texts]
    return Reply(json={"model": request.body["model"], "embeddings": rows})


@pytest.fixture(autouse=True)
def _as_in_a_new_process() -> Any:
    """Rows of other tests are not known by heart."""
    forget_known()
    yield
    forget_known()


@pytest.fixture
def crowded(db: None, use: Any) -> EmbeddingServer:
    """covey set to such a model, which is calibrated."""
    server = use("ollama", answer_crowded)
    request_calibration()
    calibrate()
    return server
