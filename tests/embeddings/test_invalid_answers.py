"""Services that answer with something else than a good vector per text."""

import json
import logging
import math

import numpy as np
import pytest

from embeddings.client import EmbeddingError, embed_documents, embed_in_bulk, embed_query
from embeddings.hash_embedder import hash_text
from embeddings.text import Document
from tests.support.embedding_fixtures import (
    assert_only_the_poison_failed,
    documents,
    embed_all,
    failing,
    poisoned,
)
from tests.support.embedding_server import Reply, as_base64, ollama, openai, vector_of

PROVIDERS = ["builtin", "ollama", "voyage", "openai"]


def rows_with(bad):
    """A script in whose answers the row of each text with the word Gift is another."""

    def script(request):
        rows = [bad if "Gift" in text else vector_of(text) for text in request.texts]
        return (ollama if request.path.endswith("/api/embed") else openai)(request, rows)

    return script


POISONED = poisoned()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_vector_has_norm_1(use, provider):
    use(provider)
    for vector in (
        embed_query("rote Pipeline"),
        *embed_documents([Document("T", "Text")]),
        embed_all(["Text"])[0].vector,
    ):
        assert vector.dtype == np.float32
        assert vector.shape == (256,)
        assert abs(np.linalg.norm(vector) - 1) < 1e-4


@pytest.mark.parametrize("provider", PROVIDERS)
def test_texts_and_vectors_belong_together_over_many_requests(use, provider):
    use(provider)
    given = documents(120)
    results = embed_all(given)
    for position in (0, 7, 8, 49, 50, 119):
        np.testing.assert_array_equal(
            results[position].vector, embed_documents([given[position]])[0]
        )


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_zeros_everywhere_are_a_transient_failure_and_nothing_is_stored(use, waits, provider):
    use(
        provider,
        lambda request: (ollama if provider == "ollama" else openai)(
            request, [[0.0] * 768] * len(request.texts)
        ),
    )
    with pytest.raises(
        EmbeddingError, match="an empty vector, 0 everywhere, even for a single word"
    ) as raised:
        list(embed_in_bulk(documents(20)))
    assert not raised.value.permanent
    assert len(waits) > 1
    assert waits[:2] == sorted(waits[:2])


def test_zeros_under_load_pass(use, waits):
    server = use("ollama")
    server.script = lambda request: ollama(
        request, [[0.0] * 768] * len(request.texts) if len(server.requests) < 3 else None
    )
    assert all(result.vector is not None for result in embed_all(documents(6)).values())


def test_a_model_of_zeros_is_named_for_a_single_text(use):
    use("ollama", lambda request: ollama(request, [[0.0] * 1024]), model="qwen3-embedding")
    with pytest.raises(
        EmbeddingError, match=r"ollama \(qwen3-embedding\) at \S+ sent an empty vector"
    ):
        embed_query("rote Pipeline")


def test_one_text_that_the_model_answers_with_zeros_fails_alone(use):
    use("ollama", rows_with([0.0] * 768))
    assert_only_the_poison_failed(POISONED)


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    "message", ["json: unsupported value: NaN", "failed to encode response: NaN"]
)
def test_a_text_that_breaks_the_model_is_found_by_halving(use, status, message):
    server = use("ollama", failing(lambda request: Reply(status, {"error": message})))
    results = assert_only_the_poison_failed(POISONED)
    assert "NaN" in results[7].error
    assert len(server.requests) < 12


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
@pytest.mark.parametrize(
    "row", [[None] * 768, None, [], "", "xyz!", {}, 7, [[0.1] * 768], [["a"] * 768], ["0.1"] * 768]
)
def test_a_row_that_is_no_vector_fails_alone(use, provider, row):
    use(provider, rows_with(row))
    assert_only_the_poison_failed(POISONED)


@pytest.mark.parametrize(
    "row", [[math.nan] * 768, [math.inf, *[0.1] * 767], [0.1] * 767 + [-math.inf]]
)
def test_a_row_with_nan_or_infinity_fails_alone(use, row):
    use("openai", rows_with(row))
    assert_only_the_poison_failed(POISONED)


def test_a_number_too_large_for_a_float_is_infinite(use):
    def script(request):
        answer = json.dumps(openai(request).json).replace("0.01]", "1e999]")
        return Reply(raw=answer.encode())

    use("openai", script)
    with pytest.raises(EmbeddingError, match="no numbers"):
        embed_query("rote Pipeline")


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 1e30, 1e200])
def test_very_small_and_very_large_vectors_are_normalised(use, factor):
    use(
        "openai",
        lambda request: openai(request, [[value * factor for value in vector_of("a b c")]]),
    )
    np.testing.assert_allclose(embed_query("a b c"), hash_text("a b c"), atol=1e-6)


def test_a_null_entry_among_entries_with_numbers_fails_alone(use):
    def script(request):
        reply = openai(request)
        reply.json["data"] = [
            None if "Gift" in text else entry
            for text, entry in zip(request.texts, reply.json["data"], strict=True)
        ]
        return reply

    use("openai", script)
    assert_only_the_poison_failed(POISONED)


def test_a_model_that_is_no_embedding_model_is_an_error_of_the_service_not_of_each_text(use):
    use("openai", lambda request: openai(request, [[0] * 4096] * len(request.texts)))
    with pytest.raises(EmbeddingError, match="empty vector"):
        list(embed_in_bulk(documents(50)))


def test_a_vector_that_begins_with_0_is_accepted(use):
    use("ollama", lambda request: ollama(request, [[0, *[0.5] * 767]]))
    assert embed_query("rote Pipeline")[0] == 0


def test_a_vector_whose_kept_part_is_0_is_refused(use):
    use("ollama", lambda request: ollama(request, [[0.0] * 256 + [0.5] * 512]))
    with pytest.raises(EmbeddingError, match="first 256 values are 0"):
        embed_query("rote Pipeline")


@pytest.mark.parametrize("text", ["", " ", "\n", "\n\n\t ", "—", "🎉", "!?", "\u200b"])
def test_a_text_without_a_word_is_never_sent(use, text):
    server = use("openai")
    assert embed_query(text) is None
    results = embed_all(["eins", text, "zwei"])
    assert (results[1].vector, results[1].error) == (None, "")
    assert [
        vector is None for vector in embed_documents([Document("", "eins"), Document("", text)])
    ] == [False, True]
    assert server.texts == ["eins", "zwei", "eins"]


def test_nothing_is_asked_when_there_is_nothing_to_send(use):
    server = use("openai")
    assert embed_documents([]) == []
    assert list(embed_in_bulk([])) == []
    assert [result.vector for result in embed_in_bulk([Document("", "—")])] == [None]
    assert server.requests == []


def test_lone_surrogates_and_control_characters_are_replaced(use):
    server = use("ollama", model="bge-m3")
    embed_query("a\ud83d")
    embed_documents([Document("b\x00", "c\udfff")])
    assert server.texts == ["a\ufffd", "b\ufffd\nc\ufffd"]


def test_special_tokens_are_text_like_any_other(use):
    server = use("openai")
    text = "Das Ende: <|endoftext|> <|im_start|> [CLS] </s>"
    assert embed_documents([Document("", text)])[0] is not None
    assert server.texts == [text]


def test_entries_without_a_number_count_by_their_place(use):
    def script(request):
        reply = openai(request)
        for entry in reply.json["data"]:
            del entry["index"]
        return reply

    use("openai", script)
    first, second = embed_documents([Document("", "eins"), Document("", "zwei")])
    np.testing.assert_array_equal(second, embed_query("zwei"))
    assert not np.array_equal(first, second)


def test_entries_in_another_order_count_by_their_number(use):
    def script(request):
        reply = openai(request)
        reply.json["data"].reverse()
        return reply

    use("openai", script)
    first, second = embed_documents([Document("", "eins"), Document("", "zwei")])
    np.testing.assert_array_equal(first, embed_query("eins"))
    np.testing.assert_array_equal(second, embed_query("zwei"))


@pytest.mark.parametrize(
    "indexes",
    [[0, 0], [0, 2], [1, 2], [-1, 0], ["0", "1"], [0, None], [0, [1]], [True, 0], [0.5, 1]],
)
def test_doubled_or_missing_numbers_are_never_guessed(use, indexes):
    def script(request):
        reply = openai(request)
        if len(request.texts) == 2:
            for entry, index in zip(reply.json["data"], indexes, strict=True):
                entry["index"] = index
        return reply

    server = use("openai", script)
    results = embed_all(["eins", "zwei"])
    np.testing.assert_array_equal(results[0].vector, embed_query("eins"))
    np.testing.assert_array_equal(results[1].vector, embed_query("zwei"))
    assert set(server.batches[2:]) == {1}


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
@pytest.mark.parametrize(
    "change", [lambda rows: rows[:-1], lambda rows: rows[1:], lambda rows: [*rows, rows[0]]]
)
def test_another_number_of_vectors_than_texts_is_rejected_and_sent_one_by_one(
    use, provider, change
):
    def script(request):
        rows = [vector_of(text) for text in request.texts]
        rows = change(rows) if len(rows) > 1 else rows
        return (ollama if provider == "ollama" else openai)(request, rows)

    server = use(provider, script)
    results = embed_all(["eins", "zwei", "drei", "vier"])
    assert server.batches == [4, 4, 1, 1, 1, 1]
    for position, word in enumerate(["eins", "zwei", "drei", "vier"]):
        np.testing.assert_array_equal(
            results[position].vector, embed_documents([Document("", word)])[0]
        )


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"data": None},
        {"data": {}},
        {},
        {"embeddings": []},
        {"object": "list"},
        {"data": [1]},
        {"data": ["x"]},
    ],
)
@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_an_answer_without_vectors_is_a_failure(use, provider, answer):
    use(provider, lambda request: Reply(json=answer))
    with pytest.raises(EmbeddingError) as raised:
        list(embed_in_bulk(documents(3)))
    assert not raised.value.permanent
    with pytest.raises(EmbeddingError):
        embed_query("rote Pipeline")


@pytest.mark.parametrize(
    "raw",
    [b"[]", b"null", b"1", b'"x"', b"", b"{", b"[" * 100_000, b"\xff\xfe", b"1" * 5000, b"NaN"],
)
def test_an_answer_that_is_no_json_object_is_a_failure(use, raw):
    use("openai", lambda request: Reply(raw=raw))
    with pytest.raises(EmbeddingError, match="no JSON"):
        embed_query("rote Pipeline")


def test_an_error_with_status_200_is_an_error(use):
    use("openai", lambda request: Reply(json={"error": {"message": "overloaded"}}))
    with pytest.raises(EmbeddingError, match="answered 500"):
        embed_query("rote Pipeline")


DIMENSION_WORDS = [
    "This model does not support specifying dimensions.",
    'Model "x" does not support matryoshka representation',
    "litellm.UnsupportedParamsError: Setting dimensions is not supported",
]


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("message", DIMENSION_WORDS)
def test_a_refused_dimensions_is_left_out_from_then_on(use, status, message):
    refuse = lambda request: Reply(status, {"error": {"message": message}})  # noqa: E731
    server = use(
        "openai",
        lambda request: refuse(request) if "dimensions" in request.body else openai(request),
    )
    assert embed_query("eins").shape == (256,)
    embed_query("zwei")
    assert ["dimensions" in request.body for request in server.requests] == [True, False, False]


def test_voyage_without_output_dimension_is_asked_without_it(use):
    detail = {"detail": "Value 256 is not supported for argument 'output_dimension'."}
    server = use(
        "voyage",
        lambda request: (
            Reply(400, detail) if "output_dimension" in request.body else openai(request)
        ),
    )
    assert embed_query("eins").shape == (256,)
    embed_query("zwei")
    assert ["output_dimension" in request.body for request in server.requests] == [
        True,
        False,
        False,
    ]


def test_a_refused_encoding_format_is_left_out_too(use):
    detail = {
        "detail": [{"loc": ["body", "encoding_format"], "msg": "extra fields: encoding_format"}]
    }
    server = use(
        "openai",
        lambda request: (
            Reply(422, detail) if "encoding_format" in request.body else openai(request)
        ),
    )
    assert embed_query("eins") is not None
    assert len(server.requests) == 2


def test_a_service_that_blames_a_field_that_was_left_out_already_is_not_asked_for_ever(use):
    server = use("openai", lambda request: Reply(400, {"error": {"message": DIMENSION_WORDS[0]}}))
    with pytest.raises(EmbeddingError):
        embed_query("eins")
    assert len(server.requests) < 5


@pytest.mark.parametrize(
    ("model", "is_sent"),
    [("text-embedding-3-small", True), ("text-embedding-ada-002", False), ("bge-m3", False)],
)
def test_dimensions_goes_to_the_models_that_know_it_alone(use, model, is_sent):
    server = use("openai", model=model)
    embed_query("eins")
    assert ("dimensions" in server.requests[0].body) is is_sent


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
@pytest.mark.parametrize("dimensions", [256, 257, 512, 1024, 4096])
def test_more_values_than_256_are_cut_and_normalised(use, provider, dimensions):
    row = [math.sin(value + 1) for value in range(dimensions)]
    use(provider, lambda request: (ollama if provider == "ollama" else openai)(request, [row]))
    head = np.array(row[:256])
    np.testing.assert_allclose(embed_query("eins"), head / np.linalg.norm(head), atol=1e-6)


@pytest.mark.parametrize(
    ("model", "level", "words"),
    [
        ("embeddinggemma", logging.INFO, "it is made for that"),
        ("bge-m3", logging.WARNING, "it was not made for that"),
        ("something-else", logging.INFO, "is not known"),
    ],
)
def test_the_cut_is_noted_once_per_process(use, caplog, model, level, words):
    use("ollama", model=model)
    with caplog.at_level(logging.INFO, logger="embeddings"):
        for text in ("eins", "zwei", "drei"):
            embed_query(text)
    records = [record for record in caplog.records if "768 dimensions" in record.getMessage()]
    assert [record.levelno for record in records] == [level]
    assert words in records[0].getMessage()


def test_256_values_are_not_worth_a_note(use, caplog):
    use("ollama", lambda request: ollama(request, [vector_of(text, 256) for text in request.texts]))
    with caplog.at_level(logging.INFO, logger="embeddings"):
        embed_query("eins")
    assert caplog.records == []


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
@pytest.mark.parametrize("dimensions", [1, 128, 255])
def test_fewer_values_than_256_are_one_error_and_nothing_is_tried_again(
    use, waits, provider, dimensions
):
    row = [0.1] * dimensions
    server = use(
        provider,
        lambda request: (ollama if provider == "ollama" else openai)(
            request, [row] * len(request.texts)
        ),
        model="klein",
    )
    with pytest.raises(
        EmbeddingError, match=rf"\(klein\).* {dimensions} values where at least 256 are needed"
    ) as raised:
        list(embed_in_bulk(documents(50)))
    assert raised.value.permanent
    assert "at least 256 dimensions" in raised.value.remedy
    assert len(server.requests) == 1
    assert waits == []


def test_a_vector_in_base64_is_decoded(use):
    use("openai", lambda request: openai(request, [as_base64(text) for text in request.texts]))
    encoded = embed_query("rote Pipeline")
    use("openai", openai)
    np.testing.assert_allclose(encoded, embed_query("rote Pipeline"), atol=1e-6)


def test_floats_are_what_is_asked_for(use):
    server = use("openai")
    embed_query("eins")
    assert server.requests[0].body["encoding_format"] == "float"


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_texts_go_as_strings_and_no_field_is_empty(use, provider):
    server = use(provider)
    embed_query("eins")
    embed_documents([Document("", "zwei")])
    for request in server.requests:
        assert all(isinstance(text, str) for text in request.texts)
        assert None not in request.body.values()


@pytest.mark.parametrize("named", ["another-model", "nomic-embed-text:latest"])
def test_another_model_in_the_answer_is_a_warning_once(use, caplog, named):
    def script(request):
        reply = openai(request)
        reply.json["model"] = named
        return reply

    use("openai", script)
    for text in ("eins", "zwei"):
        assert embed_query(text) is not None
    assert (
        sum(
            "another model than it was asked for" in record.getMessage()
            for record in caplog.records
        )
        == 1
    )
    assert named not in caplog.text


@pytest.mark.parametrize(
    "named", ["embeddinggemma", "embeddinggemma:latest", "google/EmbeddingGemma", "", None, 7]
)
def test_the_same_model_in_other_words_is_none(use, caplog, named):
    def script(request):
        reply = openai(request)
        reply.json["model"] = named
        return reply

    use("openai", script, model="embeddinggemma")
    embed_query("eins")
    assert "another model" not in caplog.text


def test_no_model_loaded_is_loading(use):
    message = "No models loaded. Please load a model in the developer page."
    use("openai", lambda request: Reply(400, {"error": {"message": message}}))
    with pytest.raises(EmbeddingError, match="no model loaded") as raised:
        embed_query("eins")
    assert raised.value.is_loading
    assert not raised.value.permanent
