"""How the semantic service reads requests and words answers: Ollama's form below /api, OpenAI's
below /v1."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from embeddings.local_server.model import DIMENSIONS, NAME
from embeddings.text import MAX_CHARACTERS

Json: TypeAlias = dict[str, Any]
Vectors: TypeAlias = NDArray[np.float32]

MAX_TEXTS = 2048


class Refusal(Exception):
    """A request that gets no vectors; `code` is OpenAI's word for the reason."""

    def __init__(self, status: int, message: str, code: str = "invalid_request") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass(frozen=True)
class Question:
    texts: list[str]
    dimensions: int = DIMENSIONS
    is_base64: bool = False


@dataclass(frozen=True)
class Dialect:
    read: Callable[[Json], Question]
    answer: Callable[[Question, Vectors], Json]
    refuse: Callable[[Refusal], Json]


def _require_model(asked: object, refusal: Refusal) -> None:
    if asked not in (NAME, f"{NAME}:latest"):
        raise refusal


def _texts(value: object) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refusal(400, "invalid input type: `input` is a string or a list of strings")
    if len(texts) > MAX_TEXTS:
        raise Refusal(400, f"too many inputs: {len(texts)}, at most {MAX_TEXTS} in a request")
    return texts


def _dimensions(value: object) -> int:
    """Fewer values on demand; this model was not trained for it, and is somewhat weaker then."""
    if value is None:
        return DIMENSIONS
    if type(value) is not int or not 1 <= value <= DIMENSIONS:
        raise Refusal(400, f"`dimensions` is a whole number from 1 to {DIMENSIONS}")
    return value


def _cut(vectors: Vectors, dimensions: int) -> Vectors:
    head = vectors[:, :dimensions]
    return head if dimensions == DIMENSIONS else head / np.linalg.norm(head, axis=1, keepdims=True)


def _numbers(vectors: Vectors) -> list[list[float]]:
    # Nine decimals say all that a float32 of this size holds, in half the bytes.
    return vectors.astype(np.float64).round(9).tolist()


def _count_words(texts: Sequence[str]) -> int:
    """In the place of tokens, which only the model counts; nobody is billed by it."""
    return sum(len(text.split()) for text in texts)


def _read_ollama(body: Json) -> Question:
    asked = body.get("model", "")
    _require_model(asked, Refusal(404, f"model '{asked}' not found"))
    # One empty string asks for nothing: it is how clients have a model loaded.
    texts = _texts(body.get("input", [])) if body.get("input") != "" else []
    if body.get("truncate") is False and any(len(text) > MAX_CHARACTERS for text in texts):
        raise Refusal(400, "the input length exceeds the context length")
    return Question(texts, _dimensions(body.get("dimensions")))


def _answer_ollama(question: Question, vectors: Vectors) -> Json:
    return {
        "model": NAME,
        "embeddings": _numbers(_cut(vectors, question.dimensions)),
        "prompt_eval_count": _count_words(question.texts),
    }


def _refuse_ollama(refusal: Refusal) -> Json:
    return {"error": refusal.message}


def _read_openai(body: Json) -> Question:
    asked = body.get("model", "")
    _require_model(asked, Refusal(404, f"The model '{asked}' does not exist", "model_not_found"))
    if "input" not in body:
        raise Refusal(400, "`input` is missing")
    encoding = body.get("encoding_format", "float")
    if encoding not in ("float", "base64"):
        raise Refusal(400, "`encoding_format` is float or base64")
    return Question(
        _texts(body["input"]), _dimensions(body.get("dimensions")), encoding == "base64"
    )


def _answer_openai(question: Question, vectors: Vectors) -> Json:
    cut = _cut(vectors, question.dimensions)
    values: Sequence[object] = (
        [base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in cut]
        if question.is_base64
        else _numbers(cut)
    )
    words = _count_words(question.texts)
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": value}
            for index, value in enumerate(values)
        ],
        "model": NAME,
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def _refuse_openai(refusal: Refusal) -> Json:
    kind = "server_error" if refusal.status >= 500 else "invalid_request_error"
    return {
        "error": {"message": refusal.message, "type": kind, "param": None, "code": refusal.code}
    }


OLLAMA = Dialect(_read_ollama, _answer_ollama, _refuse_ollama)
OPENAI = Dialect(_read_openai, _answer_openai, _refuse_openai)

TAGS: Json = {
    "models": [
        {
            "name": f"{NAME}:latest",
            "model": f"{NAME}:latest",
            "details": {
                "format": "numpy",
                "family": "use",
                "parameter_size": "68M",
                "quantization_level": "6-bit",
            },
        }
    ]
}
MODELS: Json = {
    "object": "list",
    "data": [{"id": NAME, "object": "model", "created": 0, "owned_by": "google"}],
}
