"""Everything that can go wrong, mixed at random: a page has its own vector or none, and the run
comes to an end."""

import random
from contextlib import suppress

import numpy as np
import pytest

from embeddings.client import EmbeddingError, embed_in_bulk
from embeddings.hash_embedder import hash_text
from embeddings.text import Document
from tests.support.embedding_server import Reply, any_form, break_off, error, hang_up, reset
from tests.support.thorough import share_of


def storm(rolls):
    """A service with a limit of 11 texts that breaks at the word Gift and hiccups every fourth
    time."""
    poison = rolls.choice(
        [
            lambda request: error(400, "unsupported value: NaN"),
            lambda request: error(500, "EOF"),
            lambda request: error(422),
            lambda request: reset,
            lambda request: hang_up,
        ]
    )
    hiccups = [
        lambda request: error(429, Retry_After="3"),
        lambda request: error(503),
        lambda request: error(500),
        lambda request: reset,
        lambda request: break_off,
        lambda request: Reply(raw=b"{"),
        lambda request: changed(request, lambda rows: rows[:-1]),
        lambda request: changed(request, lambda rows: [[0.0] * 768] * len(rows)),
        lambda request: changed(request, lambda rows: [None, *rows[1:]]),
    ]

    def script(request):
        if rolls.random() < 0.25:
            return rolls.choice(hiccups)(request)
        if len(request.texts) > 11:
            return error(413, "batch size is too large")
        return (
            poison(request) if any("Gift" in text for text in request.texts) else any_form(request)
        )

    return script


def changed(request, change):
    reply = any_form(request)
    if "embeddings" in reply.json:
        reply.json["embeddings"] = change(reply.json["embeddings"])
    else:
        rows = change([entry["embedding"] for entry in reply.json["data"]])
        reply.json["data"] = [{"embedding": row} for row in rows]
    return reply


@pytest.mark.parametrize("seed", range(share_of(30)))
def test_no_page_is_skipped_and_none_gets_the_vector_of_another(use, seed):
    rolls = random.Random(seed)
    server = use(rolls.choice(["ollama", "voyage", "openai"]), storm(rolls), model="bge-m3")
    waiting = {
        f"Seite {number} {'Gift' if rolls.random() < 0.1 else 'gut'}" for number in range(50)
    }
    failed = set()
    for _ in range(60):
        texts = sorted(waiting)
        # How it ends does not matter here: whatever went wrong, the next call goes on.
        with suppress(EmbeddingError):
            for result in embed_in_bulk([Document("", text) for text in texts]):
                text = texts[result.position]
                waiting.remove(text)
                if result.error:
                    failed.add(text)
                else:
                    np.testing.assert_allclose(result.vector, hash_text(text), atol=1e-6)
        if not waiting:
            break
    assert waiting == set()
    assert {text for text in failed if "gut" in text} == set(), "a good text was blamed"
    assert len(server.requests) < 900
