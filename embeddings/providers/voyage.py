from collections.abc import Sequence
from typing import Any

from embeddings.providers.base import Dialect, Purpose, order_rows
from embeddings.vectors import DIMENSIONS


class VoyageDialect(Dialect):
    start_batch = 50
    max_batch = 128
    # Without a payment method Voyage answers three requests a minute.
    rate_wait = 20.0

    def body(self, model: str, texts: Sequence[str], purpose: Purpose) -> dict[str, Any]:
        return {
            "model": model,
            "input": list(texts),
            "input_type": purpose.value,
            "output_dimension": DIMENSIONS,
            "truncation": True,
        }

    def rows(self, answer: dict[str, Any], count: int) -> list[object]:
        return order_rows(answer.get("data"), count)
