"""Services whose batches lie: other vectors than single calls, or numbers that do not fit."""

import numpy as np
import pytest

from embeddings import batching
from embeddings.batch_check import check_batches
from embeddings.client import embed_documents, embed_query, reset_client
from embeddings.text import Document
from tests.support.embedding_fixtures import documents, embed_all
from tests.support.embedding_server import any_form, error, ollama, openai, vector_of

PROVIDERS = ("ollama", "voyage", "openai")
LIES = {
    "reversed": lambda rows: rows[::-1],
    "moved on by one": lambda rows: [*rows[1:], rows[0]],
    "the first for all": lambda rows: [rows[0]] * len(rows),
    "mixed with the others": lambda rows: [
        list(row + 0.3 * np.mean(rows, axis=0)) for row in np.array(rows)
    ],
    "nothing for some": lambda rows: [rows[0], [0.0] * len(rows[0]), *rows[2:]],
}


@pytest.fixture(autouse=True)
def checks(waits, monkeypatch):
    monkeypatch.setattr(batching, "check_batches", check_batches)


def lying(lie):
    """A service in whose batches, of two texts and more, the vectors are changed."""

    def script(request):
        rows = [vector_of(text) for text in request.texts]
        rows = lie(rows) if len(rows) > 1 else rows
        return (ollama if request.path.endswith("/api/embed") else openai)(request, rows)

    return script


def sorted_by_length(request):
    texts = sorted(request.texts, key=len, reverse=True)
    rows = [vector_of(text) for text in texts]
    return (ollama if request.path.endswith("/api/embed") else openai)(request, rows)


def assert_vectors_are_those_of_single_calls(texts):
    found = embed_all(texts)
    reset_client()
    for position, document in enumerate(texts):
        [alone] = embed_documents([document])
        np.testing.assert_allclose(found[position].vector, alone, atol=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("lie", [*(lying(lie) for lie in LIES.values()), sorted_by_length])
def test_a_service_whose_batches_lie_is_asked_for_one_text_at_a_time(use, caplog, provider, lie):
    server = use(provider, lie)
    texts = documents(60)
    embed_all(texts)
    learned = [size for size in server.batches if size > 1]
    assert len(learned) == 1, "before the first text of the run, and once"
    assert len(server.batches) == 60 + 2
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert ["one text at a time" in warning for warning in warnings] == [True]
    assert "sk-geheim" not in caplog.text
    server.requests.clear()
    embed_all(texts)
    assert set(server.batches) == {1}
    assert_vectors_are_those_of_single_calls(texts[:5])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_honest_batches_are_checked_once_for_each_size(use, caplog, provider):
    server = use(provider)
    embed_all(documents(200))
    checked = sizes_of_checks(server)
    assert checked.count(1) == len(checked) / 2 == len(set(checked)) - 1
    assert {8, 16, 32} <= set(checked)
    server.requests.clear()
    embed_all(documents(200))
    assert sizes_of_checks(server)[2:] == []
    assert "one text at a time" not in caplog.text


def sizes_of_checks(server):
    requests = [request.texts for request in server.requests]
    return [len(texts) for texts in requests if any(text.endswith(" Ja.") for text in texts)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_single_text_needs_no_check(use, provider):
    server = use(provider)
    embed_query("eins")
    embed_documents([Document("", "zwei")])
    embed_all(["drei"])
    assert server.batches == [1, 1, 1]


def test_the_vectors_of_an_insight_and_its_page_are_checked_too(use):
    use("openai", lying(LIES["reversed"]))
    first, second = embed_documents([Document("", "eins"), Document("", "zwei")])
    np.testing.assert_array_equal(first, embed_query("eins"))
    np.testing.assert_array_equal(second, embed_query("zwei"))


def test_batches_that_lie_from_a_size_on_are_noticed_when_they_grow(use, caplog):
    """An Ollama begins with eight texts and goes to 32."""
    lie = lying(LIES["mixed with the others"])
    use("ollama", lambda request: lie(request) if len(request.texts) > 8 else any_form(request))
    texts = documents(60)
    found = embed_all(texts)
    for position in (0, 30, 59):
        np.testing.assert_allclose(
            found[position].vector, embed_documents([texts[position]])[0], atol=1e-6
        )
    assert "one text at a time" in caplog.text


@pytest.mark.parametrize("away", [error(401, "no such key"), error(404, "model 'x' not found")])
def test_a_service_that_refuses_is_not_asked_twice(use, away):
    server = use("voyage", lambda request: away)
    with pytest.raises(Exception, match="key|model"):
        embed_all(documents(8))
    assert server.batches == [1]


def test_a_batch_that_is_too_large_for_the_service_is_made_smaller_by_the_check(use):
    def script(request):
        if len(request.texts) > 10:
            return error(422, "batch size 50 > maximum allowed batch size 10")
        return any_form(request)

    server = use("openai", script)
    assert all(result.vector is not None for result in embed_all(documents(50)).values())
    assert sum(size > 10 for size in server.batches) == 1


def numbered(number):
    """A service that numbers its vectors like this."""

    def script(request):
        reply = openai(request)
        for place, entry in enumerate(reply.json["data"]):
            entry["index"] = number(place, len(request.texts))
        return reply

    return script


NUMBERS = {
    "doubled": lambda place, count: place // 2,
    "all 0": lambda place, count: 0,
    "from 1": lambda place, count: place + 1,
    "as text": lambda place, count: str(place),
    "by chunks of 16": lambda place, count: place % 16,
}


@pytest.mark.parametrize("provider", ["voyage", "openai"])
@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_wrong_numbers_are_learned_once_and_the_places_proved(use, provider, number):
    server = use(provider, numbered(number))
    texts = documents(725)
    found = embed_all(texts)
    # Two for each size from 8 to 128, the first size once more, and those of the pages.
    assert len(server.requests) < 30
    assert sum(size == 1 for size in server.batches) <= 6
    server.script = openai
    for position in (0, 1, 400, 724):
        np.testing.assert_array_equal(found[position].vector, embed_documents([texts[position]])[0])


@pytest.mark.parametrize("provider", ["voyage", "openai"])
def test_wrong_numbers_in_a_wrong_order_are_not_believed(use, provider):
    def script(request):
        reply = numbered(NUMBERS["all 0"])(request)
        reply.json["data"].reverse()
        return reply

    server = use(provider, script)
    texts = documents(100)
    found = embed_all(texts)
    assert sum(size > 1 for size in server.batches) == 2
    assert len(server.batches) <= 100 + 4
    np.testing.assert_array_equal(found[1].vector, embed_documents([texts[1]])[0])


@pytest.mark.parametrize("provider", ["voyage", "openai"])
def test_wrong_numbers_that_begin_later_are_learned_once_too(use, provider):
    server = use(provider)
    embed_all(documents(50))
    server.requests.clear()
    server.script = numbered(NUMBERS["doubled"])
    found = embed_all(documents(50, "Neu"))
    assert len(server.requests) <= 6
    np.testing.assert_array_equal(found[7].vector, embed_documents([documents(8, "Neu")[7]])[0])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_service_that_drops_inputs_is_given_smaller_batches(use, provider):
    server = use(provider, lying(lambda rows: rows[:-1]))
    embed_all(documents(50))
    embed_all(documents(50))
    server.requests.clear()
    embed_all(documents(50))
    assert set(server.batches) == {1}
