"""While a service is known to be away, nobody waits for it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from embeddings import timeouts
from embeddings.client import EmbeddingError, embed_documents, embed_in_bulk, embed_query
from embeddings.text import Document
from tests.support.embedding_fixtures import await_abandoned_calls, documents, embed_all
from tests.support.embedding_server import EmbeddingServer, any_form, error, hang, ollama


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests move: clock(seconds)"""
    ahead = [0.0]
    monkeypatch.setattr(timeouts, "clock", lambda: time.monotonic() + ahead[0])
    return lambda seconds: ahead.__setitem__(0, ahead[0] + seconds)


def fails(call=lambda: embed_query("eins")):
    with pytest.raises(EmbeddingError) as raised:
        call()
    return raised.value


FAILURES = {
    "hanging": lambda request: hang,
    "busy": lambda request: error(503),
    "rate": lambda request: error(429, Retry_After="30"),
    "key": lambda request: error(401),
}


@pytest.mark.parametrize("name", FAILURES)
def test_after_a_failure_the_next_are_told_at_once(use, hurry, name):
    server = use("ollama", FAILURES[name])
    told = fails()
    asked = len(server.requests)
    for call in (lambda: embed_query("zwei"), lambda: embed_documents([Document("", "drei")])):
        again = fails(call)
        assert (again.message, again.permanent, again.remedy) == (
            told.message,
            told.permanent,
            told.remedy,
        )
        assert (again.retry_after, again.is_loading) == (told.retry_after, told.is_loading)
        assert again is not told
    assert len(server.requests) == asked


def test_a_text_without_a_word_needs_no_service(use):
    use("ollama", FAILURES["busy"])
    fails()
    assert embed_query("—") is None
    assert embed_documents([Document("", "—")]) == [None]


def test_after_a_rest_one_tries_again_and_the_others_are_still_told(use, hurry, clock):
    server = use("ollama", FAILURES["hanging"])
    fails()
    clock(timeouts.BREAKER_SECONDS - 1)
    fails()
    assert len(server.requests) == 1
    clock(1)
    probe = threading.Thread(target=fails)
    probe.start()
    while len(server.requests) < 2:
        assert probe.is_alive()
    fails()
    assert len(server.requests) == 2
    probe.join()


@pytest.mark.parametrize(
    "success",
    [lambda: embed_query("eins"), lambda: embed_documents([Document("", "eins")])],
)
def test_a_success_after_the_rest_ends_it(use, clock, success):
    server = use("ollama", FAILURES["busy"])
    fails()
    server.script = any_form
    fails()
    clock(timeouts.BREAKER_SECONDS)
    success()
    assert embed_query("zwei") is not None


def test_bulk_calls_always_ask_and_their_success_ends_it_for_all(use):
    server = use("ollama", FAILURES["busy"])
    fails()
    server.script = any_form
    assert embed_all(["eins"])[0].vector is not None
    assert embed_query("zwei") is not None


def test_the_first_result_of_a_bulk_call_ends_it_not_the_last(use):
    server = use("ollama", FAILURES["busy"])
    fails()
    server.script = any_form
    next(embed_in_bulk(documents(50)))
    assert embed_query("zwei") is not None


def test_a_failed_bulk_call_spares_searches_their_waiting(use):
    server = use("ollama", FAILURES["busy"])
    fails(lambda: embed_all(["eins"]))
    asked = len(server.requests)
    fails()
    assert len(server.requests) == asked


def test_a_text_that_is_refused_is_no_reason_to_spare_the_service(use):
    use("ollama", lambda request: error(400) if "Gift" in request.texts[0] else ollama(request))
    refused = fails(lambda: embed_query("Gift"))
    assert refused.is_about_text
    assert refused.permanent
    assert embed_query("eins") is not None


def test_a_call_that_hung_says_nothing_of_a_service_that_was_well_since(use, hurry, clock):
    server = use("ollama", FAILURES["hanging"])
    fails()
    server.script = any_form
    clock(timeouts.BREAKER_SECONDS)
    assert embed_query("eins") is not None
    await_abandoned_calls()
    assert embed_query("zwei") is not None


def test_another_service_is_not_spared_for_this_one(use):
    use("ollama", FAILURES["busy"])
    fails()
    other = EmbeddingServer()
    use("ollama", url=other.url)
    assert embed_query("eins") is not None
    other.stop()


def test_many_who_wait_at_once_all_hear_within_the_time(use, hurry):
    use("ollama", FAILURES["hanging"])
    begun = time.monotonic()
    with ThreadPoolExecutor(16) as threads:
        assert len([failure.message for failure in threads.map(lambda _: fails(), range(16))]) == 16
    assert time.monotonic() - begun < 3


def test_many_threads_at_once_get_their_own_vectors(use):
    use("ollama")
    words = [f"wort{number}" for number in range(60)]
    with ThreadPoolExecutor(12) as threads:
        vectors = list(threads.map(embed_query, words))
    assert all(
        (vector == embed_query(word)).all() for vector, word in zip(vectors, words, strict=True)
    )
