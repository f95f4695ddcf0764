"""Services that are away, busy, loading, or refuse (the retry table; cases E15 to E23, E42 to E50, M43, M45, X14)."""

import gzip
import json
import socket
import ssl
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import trustme

from embeddings import patience
from embeddings.client import EmbeddingError, embed_documents, embed_in_bulk, embed_query
from embeddings.text import Document
from tests.embedding_fixtures import await_abandoned_calls, documents, embed_all
from tests.embedding_server import (
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

SECRET = "Passwort der Datenbank"


def has_poison(request):
    return any("Gift" in text for text in request.texts)


def failing(bad):
    """Answers well, but calls `bad` for requests with the word Gift in them."""
    return lambda request: bad(request) if has_poison(request) else any_form(request)


def first(times, bad):
    """Calls `bad` for the first requests, then answers well."""
    came = []

    def script(request):
        came.append(request)
        return bad(request) if len(came) <= times else any_form(request)

    return script


def raised_by(texts=("eins", "zwei")):
    with pytest.raises(EmbeddingError) as raised:
        list(embed_in_bulk([Document("", text) for text in texts]))
    return raised.value


def poisoned(count=20, place=7):
    texts = [f"Seite {number}" for number in range(count)]
    texts[place] = f"Gift {place}"
    return texts


def assert_only_the_poison_failed(texts):
    results = embed_all(texts)
    failed = [position for position, result in results.items() if result.error]
    assert failed == [position for position, text in enumerate(texts) if "Gift" in text]
    assert all(result.vector is not None for result in results.values() if not result.error)
    return results


# -- the retry table


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 529])
@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_what_passes_is_tried_again_with_growing_waits(use, waits, provider, status):
    use(provider, first(1, lambda request: error(status)))
    assert all(result.vector is not None for result in embed_all(["eins", "zwei"]).values())
    assert len(waits) == 1


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_what_does_not_pass_is_a_transient_error(use, waits, status):
    use("openai", lambda request: error(status))
    assert raised_by().waiting_helps
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


# -- lengths


LENGTH_WORDS = [
    (400, "the input length exceeds the context length"),
    (400, "This model's maximum context length is 512 tokens. However, you requested 700 tokens in the input."),
    (500, "input (602 tokens) is too large to process. increase the physical batch size (current batch size: 512)"),
    (422, "`inputs` must have less than 512 tokens. Given: 602"),
    (413, "Payload too large"),
]


def too_long(limit, status, message):
    def script(request):
        return error(status, message) if any(len(text) > limit for text in request.texts) else any_form(request)

    return script


@pytest.mark.parametrize(("status", "message"), LENGTH_WORDS)
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_e15_e17_e19_a_text_that_is_too_long_is_shortened(use, waits, provider, status, message):
    server = use(provider, too_long(2000, status, message), model="bge-m3")
    texts = ["kurz eins", "lang " * 1000, "kurz zwei"]
    assert all(result.vector is not None for result in embed_all(texts).values())
    assert embed_documents([Document("", texts[1])])[0] is not None
    alone = [request.texts[0] for request in server.requests if len(request.texts) == 1]
    lengths = [len(text) for text in alone if "lang" in text]
    assert lengths == [5000, 2500, 1250] * 2
    assert waits == []


def test_e15_a_query_is_shortened_too(use):
    use("ollama", too_long(2000, *LENGTH_WORDS[0]))
    assert embed_query("lang " * 1600) is not None


def test_e15_a_text_is_shortened_three_times_at_most(use):
    server = use("ollama", failing(lambda request: error(*LENGTH_WORDS[0])), model="bge-m3")
    results = assert_only_the_poison_failed(["Gift " * 1600, "gut"])
    lengths = [len(request.texts[0]) for request in server.requests if has_poison(request)]
    assert lengths == [8000, 8000, 4000, 2000, 1000]
    assert "400" in results[0].error


def test_the_words_of_the_family_survive_the_shortening(use):
    server = use("ollama", too_long(2000, *LENGTH_WORDS[0]))
    embed_documents([Document("Titel", "lang " * 1000)])
    assert all(text.startswith("title: Titel | text: lang") for text in server.texts)


def test_e17_a_physical_batch_size_does_not_make_batches_smaller(use):
    server = use("openai", too_long(2000, *LENGTH_WORDS[2]), model="bge-m3")
    embed_all(["lang " * 1000, *(f"Seite {number}" for number in range(7))])
    del server.requests[:]
    embed_all([f"Seite {number}" for number in range(8)])
    assert server.batches == [8]


# -- sizes


BATCH_WORDS = [
    (422, {"error": "batch size 50 > maximum allowed batch size 32", "error_type": "Validation"}),
    (413, {"error": "Failed to buffer the request body: length limit exceeded"}),
    (400, {"detail": "Request failed because the max allowed tokens per submitted batch is 120000."}),
    (400, {"error": {"message": "Invalid 'input': max 300000 tokens per request", "code": "max_tokens_per_request"}}),
    (400, {"error": {"message": "batch size is invalid, it should not be larger than 10.: input.contents"}}),
    (400, {"error": {"message": "Too many inputs. The max number of inputs is 20."}}),
]


@pytest.mark.parametrize(("status", "answer"), BATCH_WORDS)
@pytest.mark.parametrize("limit", [1, 3, 10, 32])
def test_e21_e22_e23_a_batch_that_is_too_large_is_split_and_the_size_remembered(use, settings, status, answer, limit):
    refuse = lambda request: Reply(status, answer)  # noqa: E731
    server = use("voyage", lambda request: refuse(request) if len(request.texts) > limit else openai(request))
    assert all(result.vector is not None for result in embed_all(documents(50)).values())
    del server.requests[:]
    assert all(result.vector is not None for result in embed_all(documents(50)).values())
    assert max(server.batches) <= limit


def test_e21_the_same_batch_is_never_repeated(use):
    server = use("voyage", lambda request: Reply(*BATCH_WORDS[2]) if len(request.texts) > 12 else openai(request))
    embed_all(documents(50))
    sent = [tuple(request.texts) for request in server.requests]
    assert len(set(sent)) == len(sent)


@pytest.mark.parametrize(("status", "answer"), BATCH_WORDS[1:3])
def test_one_text_that_is_too_large_for_any_request_does_not_make_batches_smaller(use, status, answer):
    server = use("ollama", failing(lambda request: Reply(status, answer)))
    assert_only_the_poison_failed(poisoned())
    del server.requests[:]
    embed_all(documents(8))
    assert len(server.requests) <= 2


# -- connections


@pytest.mark.parametrize("breakdown", [reset, hang_up, break_off])
def test_e18_a_text_at_which_the_connection_drops_is_isolated(use, breakdown):
    server = use("ollama", failing(lambda request: breakdown))
    assert_only_the_poison_failed(poisoned(8))
    assert len(server.requests) < 25


@pytest.mark.parametrize("breakdown", [reset, hang_up, break_off])
def test_a_connection_that_always_drops_is_the_fault_of_the_service(use, breakdown):
    use("ollama", lambda request: breakdown)
    assert raised_by().waiting_helps
    with pytest.raises(EmbeddingError) as raised:
        embed_query("eins")
    assert raised.value.waiting_helps


@pytest.mark.parametrize("breakdown", [reset, hang_up, break_off])
def test_a_connection_that_drops_once_costs_nothing(use, breakdown):
    use("ollama", first(1, lambda request: breakdown))
    assert embed_query("eins") is not None


def test_e18_a_text_that_kills_the_service_for_long_goes_last_the_next_time_and_is_found(use):
    dead = []

    def script(request):
        if has_poison(request):
            dead.append(request)
            return reset
        return reset if dead else any_form(request)

    server = use("ollama", script)
    texts = poisoned(8, 0)
    assert raised_by(texts).waiting_helps
    for _ in range(3):
        dead.clear()
        try:
            results = {result.position: result for result in embed_in_bulk([Document("", text) for text in texts])}
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
    assert away.waiting_helps
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


# -- loading


def test_s15_a_model_that_is_missing_is_being_pulled_and_the_command_is_named(use, waits):
    answer = {"error": "model 'embeddinggemma' not found"}
    server = use("ollama", lambda request: Reply(404, answer))
    loading = raised_by()
    assert loading.is_loading
    assert loading.waiting_helps
    assert "ollama pull embeddinggemma" in loading.remedy
    assert "docker compose exec embeddings ollama pull embeddinggemma" in str(loading)
    assert len(server.requests) == 1


def test_s15_a_missing_model_at_v1_of_ollama_is_being_pulled_too(use, server):
    message = 'model "embeddinggemma" not found, try pulling it first'
    use("ollama", lambda request: error(404, message), url=f"{server.url}/v1")
    assert raised_by().is_loading


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}},
        {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}},
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


def test_e42_a_cold_load_succeeds_for_the_worker_and_a_search_does_not_wait_for_it(use, hurry, monkeypatch):
    loaded = threading.Event()

    def load(server, handler):
        loaded.wait(5)
        handler._send(ollama(server.requests[0]))

    server = use("ollama", first(1, lambda request: load))
    begun = time.monotonic()
    with pytest.raises(EmbeddingError, match="did not answer within 0.4 s"):
        embed_query("eins")
    assert time.monotonic() - begun < 3
    # Nobody waits any longer, but the request stands, so that the model goes on loading; then searches work again.
    with pytest.raises(EmbeddingError):
        embed_query("eins")
    loaded.set()
    await_abandoned_calls()
    assert embed_query("eins") is not None
    assert len(server.requests) == 2


def test_e42_the_worker_waits_as_long_as_loading_takes(use, hurry, monkeypatch):
    monkeypatch.setattr(patience, "LONG", replace(patience.LONG, total=5))
    loaded = threading.Timer(0.6, lambda: server.released.set())

    def load(server, handler):
        server.released.wait(5)
        handler._send(ollama(server.requests[0]))

    server = use("ollama", first(1, lambda request: load))
    loaded.start()
    assert len(embed_all(documents(3))) == 3
    assert len(server.requests) == 1


# -- time and size


@pytest.mark.parametrize("misbehave", [hang, trickle_headers, trickle_body, flood, announce_8_gigabytes])
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_x14_an_answer_without_end_is_a_clear_error_within_the_time(use, hurry, monkeypatch, provider, misbehave):
    monkeypatch.setattr(patience, "MAX_ANSWER_BYTES", 2_000_000)
    use(provider, lambda request: misbehave)
    begun = time.monotonic()
    with pytest.raises(EmbeddingError):
        embed_query("eins")
    assert time.monotonic() - begun < 3
    begun = time.monotonic()
    assert raised_by().message
    assert time.monotonic() - begun < 5


def test_e43_after_a_timeout_sub_batches_are_of_one_text(use, hurry, monkeypatch):
    server = use("ollama", lambda request: hang if len(request.texts) > 1 else ollama(request))
    assert all(result.vector is not None for result in embed_all(documents(5)).values())
    assert server.batches == [5, 1, 1, 1, 1, 1]


def test_e43_sub_batches_of_a_slow_service_shrink_and_of_a_quick_one_grow(use, monkeypatch):
    clock = [0.0]
    pace = [0.0]

    def script(request):
        clock[0] += pace[0] * len(request.texts)
        return ollama(request)

    server = use("ollama", script)
    monkeypatch.setattr(patience, "clock", lambda: clock[0])
    monkeypatch.setattr(patience, "SUB_BATCH_SECONDS", 0.25)
    embed_all(documents(100))
    assert server.batches[:4] == [8, 16, 32, 32]
    del server.requests[:]
    pace[0] = 0.05
    monkeypatch.setattr(patience, "LONG", replace(patience.LONG, total=100))
    embed_all(documents(50))
    assert server.batches[:3] == [32, 5, 5]


def test_one_text_at_which_the_service_hangs_fails_alone_when_the_others_are_done(use, hurry):
    server = use("ollama", failing(lambda request: hang))
    texts = poisoned(6, 2)
    # Three waits of minutes would outlast the worker's task: the first call ends after two.
    assert raised_by(texts).waiting_helps
    assert len(server.requests) == 4
    assert_only_the_poison_failed(texts)
    assert has_poison(server.requests[-1])


def test_a_hanging_text_by_itself_is_judged_in_one_call(use, hurry):
    server = use("ollama", failing(lambda request: hang))
    embed_all(["gut"])
    server.requests.clear()
    results = embed_all(["Gift eins"])
    assert results[0].error


# -- rates and quotas


def test_e45_an_empty_quota_stops_at_once(use, waits):
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
        return error(429, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True))

    use("openai", first(1, script))
    embed_all(["eins"])
    assert 25 < waits[0] <= 30


@pytest.mark.parametrize("value", ["", "bald", "-5", "nan", "inf", "1e999", "Mon, 99 Foo 2026"])
def test_a_retry_after_without_sense_is_as_good_as_none(use, waits, value):
    use("openai", first(1, lambda request: error(503, Retry_After=value)))
    embed_all(["eins"])
    assert waits == [1.0]


def test_e46_a_wait_of_a_day_pauses_the_run_and_says_until_when(use, waits):
    server = use("openai", lambda request: error(429, Retry_After="86400"))
    rests = raised_by()
    assert rests.waiting_helps
    assert rests.retry_after == patience.LONGEST_REST
    until = datetime.now(UTC) + timedelta(seconds=patience.LONGEST_REST)
    assert any(f"{until + timedelta(minutes=minute):%H:%M} UTC" in rests.message for minute in (-1, 0, 1))
    assert waits == []
    assert len(server.requests) == 1


def test_e47_voyage_without_retry_after_waits_20_to_60_seconds(use, waits):
    use("voyage", first(3, lambda request: Reply(429, {"detail": "You have not yet added your payment method"})))
    embed_all(["eins"])
    assert waits == [20.0, 40.0, 60.0]


def test_e47_a_search_does_not_wait_that_long(use, waits):
    server = use("voyage", lambda request: error(429))
    with pytest.raises(EmbeddingError) as raised:
        embed_query("eins")
    assert raised.value.retry_after == 20
    assert waits == []
    assert len(server.requests) == 1


def test_m45_429_on_every_third_call_and_a_limit_of_tokens_skip_no_page(use, waits):
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


# -- addresses


def test_a_compatible_server_at_a_bare_address_is_found_once_and_remembered(use):
    def script(request):
        return (
            openai(request)
            if request.path == "/v1/embeddings"
            else Reply(404, {"error": {"message": "File Not Found"}})
        )

    server = use("ollama", script)
    embed_query("eins")
    embed_all(["zwei"])
    assert [request.path for request in server.requests] == ["/api/embed", "/v1/embeddings", "/v1/embeddings"]
    assert "keep_alive" not in server.requests[1].body


def test_an_address_that_knows_neither_form_is_a_wrong_setting_each_time(use):
    server = use("ollama", lambda request: Reply(404, raw=b"<h1>not here</h1>", headers={"Content-Type": "text/html"}))
    for _ in range(2):
        refused = raised_by()
        assert refused.permanent
        assert "COVEY_EMBEDDING_URL" in refused.remedy
    assert [request.path for request in server.requests] == ["/api/embed", "/v1/embeddings"] * 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_x14_a_redirect_is_not_followed_and_the_key_not_sent_on(use, status):
    elsewhere = EmbeddingServer()
    use("openai", lambda request: Reply(status, {}, headers={"Location": f"{elsewhere.url}/v1/embeddings"}))
    refused = raised_by()
    assert refused.permanent
    assert "redirects" in refused.message
    assert str(elsewhere.port) not in str(refused)
    assert elsewhere.requests == []
    elsewhere.stop()


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "text/plain", ""])
def test_e49_a_web_page_is_a_readable_error(use, kind):
    page = f"<!DOCTYPE html><title>Anmeldung</title>{SECRET}".encode()
    use("ollama", lambda request: Reply(200, raw=page, headers={"Content-Type": kind}))
    refused = raised_by()
    assert "sent a web page where JSON was expected" in refused.message
    assert SECRET not in str(refused)
    assert "Anmeldung" not in str(refused)


@pytest.mark.parametrize("status", [400, 403, 500, 502, 503])
def test_a_web_page_with_an_error_status_counts_by_its_status(use, status):
    use("ollama", lambda request: Reply(status, raw=b"<html>" + SECRET.encode(), headers={"Content-Type": "text/html"}))
    assert str(status) in raised_by().message


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5h://127.0.0.1:9", "kaputt://x"])
def test_e49_a_proxy_of_the_environment_does_not_capture_a_service_in_the_house(use, monkeypatch, name, proxy):
    monkeypatch.setenv(name, proxy)
    use("ollama")
    assert embed_query("eins") is not None


@pytest.mark.parametrize("proxy", ["socks5h://127.0.0.1:9", "kaputt://x"])
def test_e49_a_proxy_that_cannot_be_used_is_a_clear_error(settings, waits, monkeypatch, proxy):
    monkeypatch.setenv("ALL_PROXY", proxy)
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_API_KEY = "openai", "sk-geheim"
    settings.COVEY_EMBEDDING_URL = "https://embeddings.invalid"
    assert raised_by().message


# -- more of the wire


@pytest.mark.parametrize("form", [chunked, old_fashioned])
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_an_answer_may_come_in_pieces_or_without_a_length(use, provider, form):
    use(provider, lambda request: form)
    assert all(result.vector is not None for result in embed_all(documents(20)).values())


def test_a_byte_order_mark_before_the_answer_does_no_harm(use):
    use("openai", lambda request: Reply(raw=b"\xef\xbb\xbf" + json.dumps(openai(request).json).encode()))
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

    monkeypatch.setattr(patience, "sleep", restart)
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
    assert len(server.requests) == patience.LONG.tries


def test_what_came_before_the_service_went_away_stays_valid(use):
    server = use("ollama")
    results = embed_in_bulk(documents(50))
    before = [next(results) for _ in range(8)]
    server.script = lambda request: error(503)
    with pytest.raises(EmbeddingError):
        list(results)
    assert all(result.vector is not None for result in before)


# -- keys


def test_the_key_goes_as_a_bearer(use):
    for provider in ("voyage", "openai", "ollama"):
        server = use(provider)
        embed_query("eins")
        assert server.requests[-1].headers["authorization"] == "Bearer sk-geheim"
        assert "api-key" not in server.requests[-1].headers


def test_without_a_key_no_header_is_sent(use):
    server = use("ollama", key="")
    embed_query("eins")
    assert "authorization" not in server.requests[0].headers


def test_e41_azure_gets_its_own_header_and_the_query_last(use, server):
    use("openai", url=f"{server.url}/openai/deployments/klein/?api-version=2024-02-01", model="klein")
    embed_query("eins")
    request = server.requests[0]
    assert request.path == "/openai/deployments/klein/embeddings?api-version=2024-02-01"
    assert request.headers["api-key"] == "sk-geheim"
    assert "authorization" not in request.headers


def test_user_and_password_of_the_address_open_a_proxy(use, server):
    use("ollama", url=server.url.replace("//", "//anna:ge%40heim@"), key="")
    embed_query("eins")
    assert server.requests[0].headers["authorization"] == "Basic YW5uYTpnZUBoZWlt"


MISBEHAVIOURS = {
    "401": lambda request: error(401, f"Incorrect API key provided: sk-geheim. {SECRET}"),
    "400": lambda request: error(400, f"bad input: {request.texts} sk-geheim {SECRET}"),
    "429": lambda request: error(429, f"sk-geheim {SECRET}"),
    "500": lambda request: error(500, f"sk-geheim {SECRET}"),
    "model": lambda request: Reply(json={**openai(request).json, "model": f"sk-geheim {SECRET}"}),
    "html": lambda request: Reply(raw=f"<html>sk-geheim {SECRET}".encode()),
    "reset": lambda request: reset,
    "hang": lambda request: hang,
    "redirect": lambda request: Reply(302, {}, headers={"Location": f"http://sk-geheim/{SECRET}"}),
}


@pytest.mark.parametrize("name", MISBEHAVIOURS)
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_no_key_no_text_and_no_answer_stands_in_an_error_or_a_log(use, hurry, server, caplog, name, provider):
    caplog.set_level("DEBUG", logger="embeddings")
    url = server.url.replace("//", "//anna:passwort@") + "?token=abcdef"
    use(provider, MISBEHAVIOURS[name], url=url)
    said = []
    for call in (
        lambda: list(embed_in_bulk([Document("Titel", f"{SECRET} eins"), Document("", f"{SECRET} zwei")])),
        lambda: embed_query(SECRET),
    ):
        try:
            call()
        except EmbeddingError as failure:
            said.append(str(failure))
    assert all(f"{provider} (" in words for words in said)
    assert said or name == "model"
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("embeddings"))
    for secret in ("sk-geheim", SECRET, "passwort", "abcdef", "anna"):
        assert secret not in logged + "".join(said)
