"""Requests and answers of the semantic service: Ollama's below /api, OpenAI's below /v1."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from embeddings.local_server.models import LocalModel

Json: TypeAlias = dict[str, Any]
Vectors: TypeAlias = NDArray[np.float32]

MAX_TEXTS = 2048


class RequestError(Exception):
    """A request without vectors; `code` is OpenAI's error code."""

    def __init__(self, status: int, message: str, code: str = "invalid_request") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass(frozen=True)
class EmbedRequest:
    texts: list[str]
    dimensions: int
    is_base64: bool = False


@dataclass(frozen=True)
class Dialect:
    read: Callable[[LocalModel, Json], EmbedRequest]
    answer: Callable[[LocalModel, EmbedRequest, Vectors], Json]
    list_models: Callable[[LocalModel], Json]
    describe_error: Callable[[RequestError], Json]


def _require_model(local: LocalModel, requested: object, error: RequestError) -> None:
    if requested not in (local.name, f"{local.name}:latest"):
        raise error


def _texts(value: object) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RequestError(400, "invalid input type: `input` is a string or a list of strings")
    if len(texts) > MAX_TEXTS:
        raise RequestError(400, f"too many inputs: {len(texts)}, at most {MAX_TEXTS} in a request")
    return texts


def _dimensions(local: LocalModel, value: object) -> int:
    if value is None:
        return local.dimensions
    if type(value) is not int or not 1 <= value <= local.dimensions:
        raise RequestError(400, f"`dimensions` is a whole number from 1 to {local.dimensions}")
    return value


def _cut(vectors: Vectors, dimensions: int) -> Vectors:
    if dimensions == vectors.shape[1]:
        return vectors
    head = vectors[:, :dimensions]
    return head / np.linalg.norm(head, axis=1, keepdims=True)


def _numbers(vectors: Vectors) -> list[list[float]]:
    # Nine decimals say all that a float32 of this size holds, in half the bytes.
    return vectors.astype(np.float64).round(9).tolist()


def _count_words(texts: Sequence[str]) -> int:
    """Approximate the tokens, which only the model counts."""
    return sum(len(text.split()) for text in texts)


def _read_ollama(local: LocalModel, body: Json) -> EmbedRequest:
    requested = body.get("model", "")
    _require_model(local, requested, RequestError(404, f"model '{requested}' not found"))
    # Clients send one empty string to load a model.
    texts = _texts(body.get("input", [])) if body.get("input") != "" else []
    if body.get("truncate") is False and any(len(text) > local.max_characters for text in texts):
        raise RequestError(400, "the input length exceeds the context length")
    return EmbedRequest(texts, _dimensions(local, body.get("dimensions")))


def _answer_ollama(local: LocalModel, request: EmbedRequest, vectors: Vectors) -> Json:
    return {
        "model": local.name,
        "embeddings": _numbers(_cut(vectors, request.dimensions)),
        "prompt_eval_count": _count_words(request.texts),
    }


def _error_ollama(error: RequestError) -> Json:
    return {"error": error.message}


def _read_openai(local: LocalModel, body: Json) -> EmbedRequest:
    requested = body.get("model", "")
    _require_model(
        local,
        requested,
        RequestError(404, f"The model '{requested}' does not exist", "model_not_found"),
    )
    if "input" not in body:
        raise RequestError(400, "`input` is missing")
    encoding = body.get("encoding_format", "float")
    if encoding not in ("float", "base64"):
        raise RequestError(400, "`encoding_format` is float or base64")
    return EmbedRequest(
        _texts(body["input"]), _dimensions(local, body.get("dimensions")), encoding == "base64"
    )


def _answer_openai(local: LocalModel, request: EmbedRequest, vectors: Vectors) -> Json:
    cut = _cut(vectors, request.dimensions)
    values: Sequence[object] = (
        [base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in cut]
        if request.is_base64
        else _numbers(cut)
    )
    words = _count_words(request.texts)
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": value}
            for index, value in enumerate(values)
        ],
        "model": local.name,
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def _error_openai(error: RequestError) -> Json:
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    return {"error": {"message": error.message, "type": kind, "param": None, "code": error.code}}


def _list_ollama(local: LocalModel) -> Json:
    name = f"{local.name}:latest"
    return {"models": [{"name": name, "model": name, "details": local.details}]}


def _list_openai(local: LocalModel) -> Json:
    entry = {"id": local.name, "object": "model", "created": 0, "owned_by": local.owner}
    return {"object": "list", "data": [entry]}


OLLAMA = Dialect(_read_ollama, _answer_ollama, _list_ollama, _error_ollama)
OPENAI = Dialect(_read_openai, _answer_openai, _list_openai, _error_openai)
