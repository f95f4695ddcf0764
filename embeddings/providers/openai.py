from collections.abc import Sequence
from typing import Any

from embeddings.providers.base import Dialect, Purpose, order_rows
from embeddings.vectors import DIMENSIONS


class OpenAIDialect(Dialect):
    """`/v1/embeddings` of OpenAI, Azure and compatible servers."""

    start_batch = 50
    max_batch = 128
    rate_wait = 1.0

    def body(self, model: str, texts: Sequence[str], purpose: Purpose) -> dict[str, Any]:
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        if "text-embedding-3" in model:
            body["dimensions"] = DIMENSIONS
        return body

    def rows(self, answer: dict[str, Any], count: int) -> list[object]:
        return order_rows(answer.get("data"), count)
