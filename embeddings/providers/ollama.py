from collections.abc import Sequence
from typing import Any

from embeddings.providers.base import Dialect, MisshapenAnswer, Purpose


class OllamaDialect(Dialect):
    """`/api/embed`, without its `dimensions`, ignored above the native size."""

    start_batch = 8
    max_batch = 32
    rate_wait = 1.0

    def body(self, model: str, texts: Sequence[str], purpose: Purpose) -> dict[str, Any]:
        # Without keep_alive the model is unloaded after five idle minutes.
        return {"model": model, "input": list(texts), "truncate": True, "keep_alive": "24h"}

    def rows(self, answer: dict[str, Any], count: int) -> list[object]:
        rows = answer.get("embeddings")
        if not isinstance(rows, list):
            raise MisshapenAnswer("no list of vectors")
        if len(rows) != count:
            raise MisshapenAnswer(f"{len(rows)} vectors for {count} texts")
        return rows
