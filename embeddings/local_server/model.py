"""One model in this process, for many callers."""

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from embeddings.local_server.models import DEFAULT, LocalModel
from embeddings.text import replace_unusable


class ModelClosed(Exception):
    """The model was closed before the text was embedded."""


class SemanticModel:
    """Thread-safe: one thread computes, and callers take turns slice by slice."""

    def __init__(self, local: LocalModel = DEFAULT) -> None:
        """Load the model in about a second. Raises MissingPackage."""
        self.local = local
        self._encoder = local.load()
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._executor.submit(self._encoder.encode, ["warm"]).result()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector of full length per text. Raises ModelClosed."""
        vectors = np.empty((len(texts), self.local.dimensions), dtype=np.float32)
        done, most = 0, self.local.max_characters
        for part in self._slices([replace_unusable(text)[:most] for text in texts]):
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

    def _slices(self, texts: Sequence[str]) -> Iterator[list[str]]:
        part: list[str] = []
        characters = 0
        for text in texts:
            is_full = characters + len(text) > self.local.slice_characters
            if part and (is_full or len(part) == self.local.slice_texts):
                yield part
                part, characters = [], 0
            part.append(text)
            characters += len(text)
        if part:
            yield part
