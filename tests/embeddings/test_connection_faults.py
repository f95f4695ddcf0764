"""Faults of the wire: drops, hangs, trickles, floods, certificates."""

import gzip
import json
import socket
import ssl
import time
from dataclasses import replace

import pytest
import trustme

from embeddings import timeouts
from embeddings.client import EmbeddingError, embed_in_bulk, embed_query
from embeddings.text import Document
from tests.support.embedding_fixtures import (
    assert_only_the_poison_failed,
    documents,
    embed_all,
    failing,
    first,
    has_poison,
    poisoned,
    raised_by,
)
from tests.support.embedding_server import (
    EmbeddingServer,
    Reply,
    announce_8_gigabytes,
    any_form,
    break_off,
    chunked,
    error,
    flood,
    hang,
    hang_up,
    no_http,
    old_fashioned,
    ollama,
    openai,
    reset,
    trickle_body,
    trickle_headers,
)


@pytest.mark.parametrize("breakdown", [reset, hang_up, break_off])
def test_a_text_at_which_the_connection_drops_is_isolated(use, breakdown):
    server = use("ollama", failing(lambda request: breakdown))
    assert_only_the_poison_failed(poisoned(8))
    assert len(server.requests) < 25


@pytest.mark.parametrize("breakdown", [reset, hang_up, break_off])
def test_a_connection_that_always_drops_is_the_fault_of_the_service(use, breakdown):
    use("ollama", lambda request: breakdown)
    assert not raised_by().permanent
    with pytest.raises(EmbeddingError) as raised:
        embed_query("eins")
    assert not raised.value.permanent


@pytest.mark.parametrize("breakdown", [reset, hang_up, break_off])
def test_a_connection_that_drops_once_costs_nothing(use, breakdown):
    use("ollama", first(1, lambda request: breakdown))
    assert embed_query("eins") is not None


def test_a_text_that_kills_the_service_for_long_goes_last_the_next_time_and_is_found(use):
    dead = []

    def script(request):
        if has_poison(request):
            dead.append(request)
            return reset
        return reset if dead else any_form(request)

    server = use("ollama", script)
    texts = poisoned(8, 0)
    assert not raised_by(texts).permanent
    for _ in range(3):
        dead.clear()
        try:
            results = {
                result.position: result
                for result in embed_in_bulk([Document("", text) for text in texts])
            }
        except EmbeddingError:
            continue
        break
    assert [position for position, result in results.items() if result.error] == [0]
    assert len(results) == 8
    assert has_poison(server.requests[-1])


def test_nobody_listening_is_loading_and_said_with_the_address(settings, waits):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_API_KEY = "ollama", "sk-geheim"
        settings.COVEY_EMBEDDING_URL = f"http://127.0.0.1:{free.getsockname()[1]}"
        away = raised_by()
    assert away.is_loading
    assert not away.permanent
    assert "refuses connections" in away.message
    assert settings.COVEY_EMBEDDING_URL in away.message
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    "host", ["gibt-es-nicht.invalid", "a" * 70 + ".invalid", "xn--zzzz.invalid", "..", "1.2.3.999"]
)
def test_a_host_that_does_not_exist_is_a_clear_error(settings, waits, host):
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_URL = "ollama", f"http://{host}:9"
    with pytest.raises(EmbeddingError):
        embed_query("eins")
    raised_by()


def test_https_spoken_to_plain_http_is_a_clear_error(use, server):
    use("ollama", url=server.url.replace("http:", "https:"))
    refused = raised_by()
    assert refused.permanent
    assert "http:// or https://" in refused.remedy


@pytest.mark.parametrize(
    "misbehave", [hang, trickle_headers, trickle_body, flood, announce_8_gigabytes]
)
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_an_answer_without_end_is_a_clear_error_within_the_time(
    use, hurry, monkeypatch, provider, misbehave
):
    monkeypatch.setattr(timeouts, "MAX_ANSWER_BYTES", 2_000_000)
    use(provider, lambda request: misbehave)
    begun = time.monotonic()
    with pytest.raises(EmbeddingError):
        embed_query("eins")
    assert time.monotonic() - begun < 3
    begun = time.monotonic()
    assert raised_by().message
    assert time.monotonic() - begun < 5


def test_after_a_timeout_sub_batches_are_of_one_text(use, hurry, monkeypatch):
    server = use("ollama", lambda request: hang if len(request.texts) > 1 else ollama(request))
    assert all(result.vector is not None for result in embed_all(documents(5)).values())
    assert server.batches == [5, 1, 1, 1, 1, 1]


def test_sub_batches_of_a_slow_service_shrink_and_of_a_quick_one_grow(use, monkeypatch):
    clock = [0.0]
    pace = [0.0]

    def script(request):
        clock[0] += pace[0] * len(request.texts)
        return ollama(request)

    server = use("ollama", script)
    monkeypatch.setattr(timeouts, "clock", lambda: clock[0])
    monkeypatch.setattr(timeouts, "SUB_BATCH_SECONDS", 0.25)
    embed_all(documents(100))
    assert server.batches[:4] == [8, 16, 32, 32]
    del server.requests[:]
    pace[0] = 0.05
    monkeypatch.setattr(timeouts, "LONG", replace(timeouts.LONG, total=100))
    embed_all(documents(50))
    assert server.batches[:3] == [32, 5, 5]


def test_one_text_at_which_the_service_hangs_fails_alone_when_the_others_are_done(use, hurry):
    server = use("ollama", failing(lambda request: hang))
    texts = poisoned(6, 2)
    # Three waits of minutes would outlast the worker's task: the first call ends after two.
    assert not raised_by(texts).permanent
    assert len(server.requests) == 4
    assert_only_the_poison_failed(texts)
    assert has_poison(server.requests[-1])


def test_a_hanging_text_by_itself_is_judged_in_one_call(use, hurry):
    server = use("ollama", failing(lambda request: hang))
    embed_all(["gut"])
    server.requests.clear()
    results = embed_all(["Gift eins"])
    assert results[0].error


@pytest.mark.parametrize("form", [chunked, old_fashioned])
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_an_answer_may_come_in_pieces_or_without_a_length(use, provider, form):
    use(provider, lambda request: form)
    assert all(result.vector is not None for result in embed_all(documents(20)).values())


def test_a_byte_order_mark_before_the_answer_does_no_harm(use):
    use(
        "openai",
        lambda request: Reply(raw=b"\xef\xbb\xbf" + json.dumps(openai(request).json).encode()),
    )
    assert embed_query("eins") is not None


def test_an_answer_that_is_compressed_against_the_request_is_not_unpacked(use):
    bomb = gzip.compress(b" " * 50_000_000)
    headers = {"Content-Encoding": "gzip"}
    server = use("openai", lambda request: Reply(raw=bomb, headers=headers))
    with pytest.raises(EmbeddingError, match="no JSON"):
        embed_query("eins")
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_what_speaks_no_http_is_a_clear_error(use):
    use("ollama", lambda request: no_http)
    assert raised_by().message


@pytest.mark.parametrize("status", [100, 199, 204, 205, 299, 304, 418, 451, 599, 999])
def test_an_odd_status_is_a_clear_error(use, hurry, status):
    use("openai", lambda request: Reply(status, {}))
    assert raised_by().message
    with pytest.raises(EmbeddingError):
        embed_query("eins")


def test_a_service_that_restarts_between_two_sub_batches_costs_nothing(use, server, monkeypatch):
    use("ollama")
    results = embed_in_bulk(documents(20))
    first_results = [next(results) for _ in range(8)]
    server.stop()
    started = []

    def restart(seconds):
        if not started:
            started.append(EmbeddingServer(port=server.port))

    monkeypatch.setattr(timeouts, "sleep", restart)
    assert len(first_results) + len(list(results)) == 20
    started[0].stop()


def test_a_connection_that_the_service_closed_meanwhile_is_opened_again(use):
    def once(server, handler):
        handler.close_connection = True
        handler._send(ollama(server.requests[-1]))

    use("ollama", lambda request: once)
    for _ in range(5):
        assert embed_query("eins") is not None


def test_a_certificate_that_nobody_trusts_is_a_clear_error(use):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    server = EmbeddingServer(tls=context)
    use("openai", url=server.url)
    refused = raised_by()
    assert refused.permanent
    assert "certificate" in refused.message
    assert server.requests == []
    server.stop()


def test_a_service_that_is_down_is_down_for_each_of_many_texts_at_once(use, waits):
    server = use("ollama", lambda request: error(503))
    raised_by([f"Seite {number}" for number in range(50)])
    assert len(server.requests) == timeouts.LONG.tries


def test_what_came_before_the_service_went_away_stays_valid(use):
    server = use("ollama")
    results = embed_in_bulk(documents(50))
    before = [next(results) for _ in range(8)]
    server.script = lambda request: error(503)
    with pytest.raises(EmbeddingError):
        list(results)
    assert all(result.vector is not None for result in before)
