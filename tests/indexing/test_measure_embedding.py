"""`manage.py measure_embedding`: what this installation's embedding costs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from threading import Event
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from embeddings import timeouts
from embeddings.client import EmbeddingError, reset_client
from embeddings.measurement import LENGTHS, STEPS, Measurement, Speed, measure
from tests.support.embedding_server import EmbeddingServer, Reply, error, ollama
from wiki.indexing.counts import embedded_lengths
from wiki.pages.trash import trash_page


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A service that covey is set to, over a real socket; waits between tries are not waited."""
    made = EmbeddingServer()
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_URL = "ollama", made.url
    monkeypatch.setattr(timeouts, "SHORT_SECONDS", 0.2)
    monkeypatch.setattr(timeouts, "LONG", replace(timeouts.LONG, tries=2))
    monkeypatch.setattr(timeouts, "sleep", lambda seconds: None)
    reset_client()
    yield made
    made.stop()
    reset_client()


def run(*words: str) -> str:
    out = StringIO()
    call_command("measure_embedding", *words, stdout=out)
    return out.getvalue()


def test_it_measures_queries_and_pages_of_each_length_within_its_time(server):
    steps = []
    measurement = measure(0.2, lambda: steps.append(1))
    assert len(steps) == STEPS
    assert measurement.waits
    assert min(measurement.waits) <= measurement.median <= measurement.p95 <= max(measurement.waits)
    assert [(speed.name, speed.characters) for speed in measurement.speeds] == list(LENGTHS.items())
    assert all(speed.seconds > 0 and speed.batch in (1, 8, 32) for speed in measurement.speeds)


def test_it_sends_texts_of_those_lengths_and_none_twice(server):
    measure(0.01, lambda: None)
    bodies = [text.split("text: ")[1] for text in server.texts if "text: " in text]
    assert set(LENGTHS.values()) <= {len(text) for text in bodies}
    assert len(set(server.texts)) == len(server.texts)


@pytest.mark.django_db
def test_the_command_says_what_it_means(server):
    output = run("--seconds", "0.1")
    number = r"[\d,.]+"
    assert output.startswith(f"ollama:embeddinggemma:256 {server.url}/api/embed\nquery    median ")
    assert re.search(
        rf"^typical  {number} pages a second, of 1500 characters, \d+ at once$",
        output,
        re.MULTILINE,
    )
    assert "This installation: 0 pages with 0 characters take less than a second." in output
    last = output.splitlines()[-1]
    assert re.fullmatch(
        rf"1,000 pages take (about {number} \w+|less than a second); a search waits {number} ms\.",
        last,
    )


@pytest.mark.django_db
def test_builtin_needs_no_service():
    output = run("--seconds", "0.1")
    assert output.startswith("builtin:hash:256\n")
    assert "1,000 pages take" in output


@pytest.mark.django_db
def test_the_stock_is_what_the_provider_would_get(write, author):
    write("Kurz", "abc")
    write("Lang", "wort " * 2000)
    trash_page(write("Weg", "abc"), author=author)
    assert sorted(embedded_lengths()) == [len("Kurz\nabc"), 8000]


def test_pages_between_the_measured_lengths_are_estimated_between_them():
    speeds = [
        Speed("short", 200, 8, 0.1),
        Speed("typical", 1500, 8, 1.0),
        Speed("long", 8000, 1, 8.0),
    ]
    measurement = Measurement([0.1], speeds)
    assert measurement.estimate([]) == 0
    assert measurement.estimate([1500, 1500]) == 2
    assert measurement.estimate([4750]) == 4.5
    assert measurement.estimate([10, 8000]) == pytest.approx(8.1)


def test_a_larger_packet_than_the_time_allows_is_not_sent(server):
    slow = Event()

    def one_by_one(request):
        slow.wait(0.03 * len(request.texts))
        return ollama(request)

    server.script = one_by_one
    measurement = measure(0.1, lambda: None)
    assert max(server.batches) == 1
    assert {speed.batch for speed in measurement.speeds} == {1}


@pytest.mark.django_db
def test_a_service_too_slow_for_a_search_is_measured_all_the_same(server):
    slow = Event()

    def script(request):
        slow.wait(0.5 if "query: " in request.texts[0] else 0)
        return ollama(request)

    server.script = script
    output = run("--seconds", "0.05")
    assert "query    " not in output
    assert "a search does not wait for an answer as slow as this and goes by words alone." in output


@pytest.mark.django_db
@pytest.mark.parametrize(
    "reply",
    [
        error(401, "invalid key"),
        Reply(404, {"error": "model 'embeddinggemma' not found"}),
        error(503),
    ],
)
def test_a_service_that_does_not_serve_is_said_in_one_line(server, reply):
    server.script = lambda request: reply
    with pytest.raises(CommandError) as raised:
        run("--seconds", "0.05")
    assert str(raised.value).startswith("ollama (embeddinggemma) at http://127.0.0.1:")
    assert "\n" not in str(raised.value)


def test_a_permanent_fault_of_a_query_is_not_taken_for_slowness(server):
    server.script = lambda request: error(401) if "query: " in request.texts[0] else ollama(request)
    with pytest.raises(EmbeddingError):
        measure(0.05, lambda: None)


@pytest.mark.django_db
def test_a_service_that_refuses_a_length_is_said(server):
    server.script = lambda request: error(400) if len(request.texts[0]) > 1000 else ollama(request)
    with pytest.raises(CommandError, match="A text of 1500 characters got no vector"):
        run("--seconds", "0.05")


@pytest.mark.django_db
@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "86401"])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(CommandError, match="--seconds is a number above 0"):
        run(f"--seconds={seconds}")
