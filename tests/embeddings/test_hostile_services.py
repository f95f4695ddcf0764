"""An embedding service, or whoever answers in its place, that means harm: a clear error in time."""

import json
import time

import pytest

from embeddings import timeouts
from embeddings.client import EmbeddingError, embed_query
from embeddings.failure_classification import fault_of_status, read_retry_after
from tests.support.embedding_server import EmbeddingServer, Reply

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def send_for_ever(beginning, part):
    def misbehave(server, handler):
        handler.close_connection = True
        handler.wfile.write(beginning)
        while not server.released.wait(0.001):
            handler.wfile.write(part)

    return misbehave


ENDLESS = {
    "early hints": send_for_ever(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    "leave to go on": send_for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "headers": send_for_ever(OK, b"X-More: 1\r\n"),
    "one header": send_for_ever(OK + b"X-Long: ", b"a" * 4_096),
    "blank lines": send_for_ever(b"", b"\r\n"),
    "small chunks": send_for_ever(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a chunk's extension": send_for_ever(OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a"),
    "the length of a chunk": send_for_ever(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "trailers": send_for_ever(
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"X-More: 1\r\n"
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_an_error_within_the_time(use, hurry, monkeypatch, name):
    monkeypatch.setattr(timeouts, "MAX_ANSWER_BYTES", 2_000_000)
    use("openai", lambda request: ENDLESS[name])
    begun = time.monotonic()
    with pytest.raises(EmbeddingError) as refusal:
        embed_query("eins")
    assert time.monotonic() - begun < 5
    assert "X-More" not in str(refusal.value)


@pytest.mark.parametrize(
    "word", ["exceeds ", "model ", "maximum ", "batch ", "request ", "input ", "limit "]
)
@pytest.mark.parametrize("status", [400, 404, 413, 429, 500, 503])
def test_an_error_of_megabytes_takes_no_time(status, word):
    begun = time.process_time()
    fault_of_status(status, {}, {"error": {"message": word * 1_000_000}}, {"input": ["eins"]})
    fault_of_status(status, {}, {"detail": [{"msg": word * 10_000}] * 1_000}, {"input": ["eins"]})
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("levels", [500, 900])
def test_an_error_within_errors_is_an_error(use, levels):
    deep = json.loads('{"error":' * levels + '"x"' + "}" * levels)
    use("openai", lambda request: Reply(400, deep))
    with pytest.raises(EmbeddingError):
        embed_query("eins")


@pytest.mark.parametrize(
    "value",
    [
        "Mon, 01 Jan 2024 00:00:00 +99999999999999",
        "Mon, 99999999999999999999 Jan 2024 00:00:00 GMT",
        "Mon, 01 Jan 9999 00:00:00 -9999",
        "1e309",
        "-1e309",
        ",,,",
        "a" * 100_000,
    ],
)
def test_a_retry_after_of_no_time_is_as_good_as_none(value):
    assert read_retry_after({"retry-after": value}) is None


@pytest.mark.parametrize("status", [200, 201, 300, 303, 307, 401])
def test_no_header_of_an_answer_leads_the_key_elsewhere(use, status):
    elsewhere = EmbeddingServer()
    where = elsewhere.url
    headers = {
        "Location": where,
        "Refresh": f"0; url={where}",
        "Content-Location": where,
        "Alt-Svc": f'h1="{where}"',
    }
    use("openai", lambda request: Reply(status, {"error": "x"}, headers=headers))
    try:
        for _ in range(2):
            with pytest.raises(EmbeddingError) as refusal:
                embed_query("eins")
            assert where not in str(refusal.value)
        assert elsewhere.requests == []
    finally:
        elsewhere.stop()
