"""Texts and batches that are too large, and services that are slow."""

import pytest

from embeddings.client import embed_documents, embed_query
from embeddings.text import Document
from tests.support.embedding_fixtures import (
    assert_only_the_poison_failed,
    documents,
    embed_all,
    failing,
    has_poison,
    poisoned,
)
from tests.support.embedding_server import (
    Reply,
    any_form,
    error,
    openai,
)

LENGTH_WORDS = [
    (400, "the input length exceeds the context length"),
    (
        400,
        "This model's maximum context length is 512 tokens. However, you requested 700 tokens in "
        "the input.",
    ),
    (
        500,
        "input (602 tokens) is too large to process. increase the physical batch size (current "
        "batch size: 512)",
    ),
    (422, "`inputs` must have less than 512 tokens. Given: 602"),
    (413, "Payload too large"),
]


def too_long(limit, status, message):
    def script(request):
        return (
            error(status, message)
            if any(len(text) > limit for text in request.texts)
            else any_form(request)
        )

    return script


@pytest.mark.parametrize(("status", "message"), LENGTH_WORDS)
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_a_text_that_is_too_long_is_shortened(use, waits, provider, status, message):
    server = use(provider, too_long(2000, status, message), model="bge-m3")
    texts = ["kurz eins", "lang " * 1000, "kurz zwei"]
    assert all(result.vector is not None for result in embed_all(texts).values())
    assert embed_documents([Document("", texts[1])])[0] is not None
    alone = [request.texts[0] for request in server.requests if len(request.texts) == 1]
    lengths = [len(text) for text in alone if "lang" in text]
    assert lengths == [5000, 2500, 1250] * 2
    assert waits == []


def test_a_query_that_is_too_long_is_shortened_too(use):
    use("ollama", too_long(2000, *LENGTH_WORDS[0]))
    assert embed_query("lang " * 1600) is not None


def test_a_text_is_shortened_three_times_at_most(use):
    server = use("ollama", failing(lambda request: error(*LENGTH_WORDS[0])), model="bge-m3")
    results = assert_only_the_poison_failed(["Gift " * 1600, "gut"])
    lengths = [len(request.texts[0]) for request in server.requests if has_poison(request)]
    assert lengths == [8000, 8000, 4000, 2000, 1000]
    assert "400" in results[0].error


def test_the_words_of_the_family_survive_the_shortening(use):
    server = use("ollama", too_long(2000, *LENGTH_WORDS[0]))
    embed_documents([Document("Titel", "lang " * 1000)])
    assert all(text.startswith("title: Titel | text: lang") for text in server.texts)


def test_a_physical_batch_size_does_not_make_batches_smaller(use):
    server = use("openai", too_long(2000, *LENGTH_WORDS[2]), model="bge-m3")
    embed_all(["lang " * 1000, *(f"Seite {number}" for number in range(7))])
    del server.requests[:]
    embed_all([f"Seite {number}" for number in range(8)])
    assert server.batches == [8]


BATCH_WORDS = [
    (422, {"error": "batch size 50 > maximum allowed batch size 32", "error_type": "Validation"}),
    (413, {"error": "Failed to buffer the request body: length limit exceeded"}),
    (
        400,
        {"detail": "Request failed because the max allowed tokens per submitted batch is 120000."},
    ),
    (
        400,
        {
            "error": {
                "message": "Invalid 'input': max 300000 tokens per request",
                "code": "max_tokens_per_request",
            }
        },
    ),
    (
        400,
        {
            "error": {
                "message": "batch size is invalid, it should not be larger than 10.: input.contents"
            }
        },
    ),
    (400, {"error": {"message": "Too many inputs. The max number of inputs is 20."}}),
]


@pytest.mark.parametrize(("status", "answer"), BATCH_WORDS)
@pytest.mark.parametrize("limit", [1, 3, 10, 32])
def test_a_batch_that_is_too_large_is_split_and_the_size_remembered(
    use, settings, status, answer, limit
):
    refuse = lambda request: Reply(status, answer)  # noqa: E731
    server = use(
        "voyage", lambda request: refuse(request) if len(request.texts) > limit else openai(request)
    )
    assert all(result.vector is not None for result in embed_all(documents(50)).values())
    del server.requests[:]
    assert all(result.vector is not None for result in embed_all(documents(50)).values())
    assert max(server.batches) <= limit


def test_the_same_batch_is_never_repeated(use):
    server = use(
        "voyage",
        lambda request: Reply(*BATCH_WORDS[2]) if len(request.texts) > 12 else openai(request),
    )
    embed_all(documents(50))
    sent = [tuple(request.texts) for request in server.requests]
    assert len(set(sent)) == len(sent)


@pytest.mark.parametrize(("status", "answer"), BATCH_WORDS[1:3])
def test_one_text_that_is_too_large_for_any_request_does_not_make_batches_smaller(
    use, status, answer
):
    server = use("ollama", failing(lambda request: Reply(status, answer)))
    assert_only_the_poison_failed(poisoned())
    del server.requests[:]
    embed_all(documents(8))
    assert len(server.requests) <= 2
