"""What passes is tried again, what cannot pass stops: retry table, loading, rates, quotas."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from embeddings import timeouts
from embeddings.client import EmbeddingError, embed_query
from embeddings.text import Document
from tests.support.embedding_fixtures import (
    assert_only_the_poison_failed,
    await_abandoned_calls,
    documents,
    embed_all,
    failing,
    first,
    poisoned,
    raised_by,
)
from tests.support.embedding_server import (
    Reply,
    error,
    ollama,
    openai,
)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 529])
@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_what_passes_is_tried_again_with_growing_waits(use, waits, provider, status):
    use(provider, first(1, lambda request: error(status)))
    assert all(result.vector is not None for result in embed_all(["eins", "zwei"]).values())
    assert len(waits) == 1


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_what_does_not_pass_is_a_transient_error(use, waits, status):
    use("openai", lambda request: error(status))
    assert not raised_by().permanent
    assert waits
    assert waits[:1] <= waits[-1:]


@pytest.mark.parametrize("status", [401, 402, 403, 404, 405, 406, 410, 501])
@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_what_cannot_pass_stops_at_once(use, waits, provider, status):
    server = use(provider, lambda request: error(status))
    refused = raised_by()
    assert refused.permanent
    assert str(status) in refused.message
    assert refused.remedy
    assert waits == []
    # A bare address of ollama may belong to a compatible server.
    assert len(server.requests) == (2 if provider == "ollama" and status == 404 else 1)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_batch_is_halved_down_to_the_text_at_fault(use, waits, status):
    server = use("openai", failing(lambda request: error(status, "invalid input")))
    results = assert_only_the_poison_failed(poisoned())
    assert str(status) in results[7].error
    assert "is well otherwise" in results[7].error
    assert len(server.requests) < 15
    assert waits == []


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_service_that_refuses_every_text_is_at_fault_itself(use, status):
    use("openai", lambda request: error(status, "this model does not support embeddings"))
    refused = raised_by()
    assert refused.permanent
    assert "even for a single word" in refused.message


def test_several_poisonous_texts_are_all_found(use):
    use("ollama", failing(lambda request: error(400)))
    texts = [f"Gift {number}" if number % 5 == 0 else f"Seite {number}" for number in range(50)]
    assert_only_the_poison_failed(texts)


def test_a_500_that_stays_with_one_text_isolates_it(use):
    use("ollama", failing(lambda request: error(500, "do embedding request: EOF")))
    assert_only_the_poison_failed(poisoned())


def test_a_model_that_is_missing_is_being_pulled_and_the_command_is_named(use, waits):
    answer = {"error": "model 'embeddinggemma' not found"}
    server = use("ollama", lambda request: Reply(404, answer))
    loading = raised_by()
    assert loading.is_loading
    assert not loading.permanent
    assert "ollama pull embeddinggemma" in loading.remedy
    assert "docker compose exec embeddings ollama pull embeddinggemma" in str(loading)
    assert len(server.requests) == 1


def test_a_missing_model_at_v1_of_ollama_is_being_pulled_too(use, server):
    message = 'model "embeddinggemma" not found, try pulling it first'
    use("ollama", lambda request: error(404, message), url=f"{server.url}/v1")
    assert raised_by().is_loading


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}},
        {
            "error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist.",
            }
        },
        {"detail": "Model x not found"},
    ],
)
def test_a_missing_model_elsewhere_is_a_wrong_setting(use, answer):
    use("openai", lambda request: Reply(404, answer), model="x")
    refused = raised_by()
    assert refused.permanent
    assert "COVEY_EMBEDDING_MODEL" in refused.remedy


def test_503_is_loading(use):
    use("openai", lambda request: error(503, "Loading model"))
    assert raised_by().is_loading


def test_a_cold_load_succeeds_for_the_worker_and_a_search_does_not_wait_for_it(
    use, hurry, monkeypatch
):
    loaded = threading.Event()

    def load(server, handler):
        loaded.wait(5)
        handler._send(ollama(server.requests[0]))

    server = use("ollama", first(1, lambda request: load))
    begun = time.monotonic()
    with pytest.raises(EmbeddingError, match="did not answer within 0.4 s"):
        embed_query("eins")
    assert time.monotonic() - begun < 3
    # Nobody waits any longer, but the request stands, so that the model goes on loading; then
    # searches work again.
    with pytest.raises(EmbeddingError):
        embed_query("eins")
    loaded.set()
    await_abandoned_calls()
    assert embed_query("eins") is not None
    assert len(server.requests) == 2


def test_the_worker_waits_as_long_as_loading_takes(use, hurry, monkeypatch):
    monkeypatch.setattr(timeouts, "LONG", replace(timeouts.LONG, total=5))
    loaded = threading.Timer(0.6, lambda: server.released.set())

    def load(server, handler):
        server.released.wait(5)
        handler._send(ollama(server.requests[0]))

    server = use("ollama", first(1, lambda request: load))
    loaded.start()
    assert len(embed_all(documents(3))) == 3
    assert len(server.requests) == 1


def test_an_empty_quota_stops_at_once(use, waits):
    answer = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server = use("openai", lambda request: Reply(429, answer, headers={"Retry-After": "1"}))
    refused = raised_by()
    assert refused.permanent
    assert "insufficient_quota" in refused.message
    assert len(server.requests) == 1
    assert waits == []


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_retry_after_is_honoured(use, waits, provider):
    use(provider, first(1, lambda request: error(429, Retry_After="17")))
    embed_all(["eins"])
    assert waits == [17.0]


def test_retry_after_may_be_a_date(use, waits):
    def script(request):
        return error(
            429, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
        )

    use("openai", first(1, script))
    embed_all(["eins"])
    assert 25 < waits[0] <= 30


@pytest.mark.parametrize("value", ["", "bald", "-5", "nan", "inf", "1e999", "Mon, 99 Foo 2026"])
def test_a_retry_after_without_sense_is_as_good_as_none(use, waits, value):
    use("openai", first(1, lambda request: error(503, Retry_After=value)))
    embed_all(["eins"])
    assert waits == [1.0]


def test_a_wait_of_a_day_pauses_the_run_and_says_until_when(use, waits):
    server = use("openai", lambda request: error(429, Retry_After="86400"))
    rests = raised_by()
    assert not rests.permanent
    assert rests.retry_after == timeouts.LONGEST_REST
    until = datetime.now(UTC) + timedelta(seconds=timeouts.LONGEST_REST)
    assert any(
        f"{until + timedelta(minutes=minute):%H:%M} UTC" in rests.message for minute in (-1, 0, 1)
    )
    assert waits == []
    assert len(server.requests) == 1


def test_voyage_without_retry_after_waits_20_to_60_seconds(use, waits):
    use(
        "voyage",
        first(
            3, lambda request: Reply(429, {"detail": "You have not yet added your payment method"})
        ),
    )
    embed_all(["eins"])
    assert waits == [20.0, 40.0, 60.0]


def test_a_search_does_not_wait_that_long(use, waits):
    server = use("voyage", lambda request: error(429))
    with pytest.raises(EmbeddingError) as raised:
        embed_query("eins")
    assert raised.value.retry_after == 20
    assert waits == []
    assert len(server.requests) == 1


def test_a_429_on_every_third_call_and_a_limit_of_tokens_skip_no_page(use, waits):
    came = []

    def script(request):
        came.append(request)
        if len(came) % 3 == 0:
            return error(429, Retry_After="2")
        if sum(len(text) for text in request.texts) > 120_000:
            return Reply(400, {"detail": "The max allowed tokens per submitted batch is 120000."})
        return openai(request)

    use("voyage", script)
    results = embed_all([Document("", f"{number} " + "wort " * 1500) for number in range(50)])
    assert all(result.vector is not None for result in results.values())
    assert set(waits) == {2.0}
