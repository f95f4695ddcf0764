"""What `GET /recall?index=none` costs an agent over HTTP, beside the floor: the same query by hand,
with psycopg and the HashEmbedder in one process.

    .venv/bin/python -m benchmarks.recall_http [--pages 10000] [--port 8618]

The web server is gunicorn as `up` starts it. Both are asked in turns, so that other work on the
machine hits both; then four clients at once, for the mode `vector`, which does what the query by
hand does, and for `hybrid`. Works in a wiki of its own and removes it at the end.
"""

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlencode

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

import psycopg  # noqa: E402
from django.db import connection  # noqa: E402
from pgvector.psycopg import register_vector  # noqa: E402

from benchmarks.recall_rule import fill  # noqa: E402
from embeddings.client import active_fingerprint  # noqa: E402
from embeddings.hash_embedder import hash_text  # noqa: E402
from wiki.agents.api_tokens import create_token  # noqa: E402
from wiki.models import Agent, ApiToken, Page, Wiki  # noqa: E402
from wiki.search.hit import Mode  # noqa: E402

ROUNDS, CLIENTS, ASKED = 300, 4, 150
LIMIT = 5
BY_HAND = """
    SELECT slug, title, type, tags, body, updated_at, 1 - (embedding <=> %(vector)s) FROM wiki_page
    WHERE wiki_id = %(wiki)s AND trashed_at IS NULL AND embed_model = %(model)s
    ORDER BY embedding <=> %(vector)s, id LIMIT %(limit)s
"""
Ask = Callable[[str], object]


@contextmanager
def web_server(port: int) -> Iterator[None]:
    command = [sys.executable, "-m", "gunicorn", "--config", "python:covey.gunicorn_settings"]
    process = subprocess.Popen([*command, "--bind", f"127.0.0.1:{port}"])
    try:
        while not _answers(port):
            assert process.poll() is None, "the web server ended"
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        asking = http.client.HTTPConnection("127.0.0.1", port)
        asking.request("GET", "/readyz")
        return asking.getresponse().status == 200
    except OSError:
        return False


def by_http(port: int, token: str, mode: Mode) -> Ask:
    """Over one connection that stays open, as a client library does it."""
    line, headers = (
        http.client.HTTPConnection("127.0.0.1", port),
        {"Authorization": f"Bearer {token}"},
    )

    def ask(query: str) -> object:
        asked = urlencode({"q": query, "mode": mode.value, "index": "none"})
        line.request("GET", f"/api/v1/recall?{asked}", headers=headers)
        answer = line.getresponse()
        content = json.loads(answer.read())
        assert (answer.status, len(content["pages"])) == (200, LIMIT)
        return content

    return ask


def by_hand(wiki: Wiki) -> Ask:
    line = psycopg.connect(
        **{**connection.get_connection_params(), "cursor_factory": None}, autocommit=True
    )
    register_vector(line)

    def ask(query: str) -> object:
        vector = hash_text(query)
        given = {"vector": vector, "wiki": wiki.pk, "model": active_fingerprint(), "limit": LIMIT}
        rows = line.execute(BY_HAND, given).fetchall()
        assert len(rows) == LIMIT
        return rows

    return ask


def milliseconds(ask: Ask, query: str) -> float:
    started = time.perf_counter()
    ask(query)
    return (time.perf_counter() - started) * 1000


def in_turns(asks: list[Ask], queries: list[str]) -> list[list[float]]:
    """Milliseconds of each of the ways, query by query."""
    for ask in asks:
        for query in queries[:30]:
            ask(query)
    rows = [[milliseconds(ask, query) for ask in asks] for query in queries]
    return [list(column) for column in zip(*rows, strict=True)]


def at_once(make: Callable[[], Ask], queries: list[str]) -> list[float]:
    def work(start: int) -> list[float]:
        ask = make()
        ask(queries[start])
        return [milliseconds(ask, queries[(start + step) % len(queries)]) for step in range(ASKED)]

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [taken for part in pool.map(work, range(0, CLIENTS * 37, 37)) for taken in part]


def describe(taken: list[float]) -> str:
    return (
        f"median {statistics.median(taken):.1f} ms, p95 "
        f"{statistics.quantiles(taken, n=20)[-1]:.1f} ms"
    )


def compare(ask_http: Callable[[], Ask], wiki: Wiki, mode: Mode, queries: list[str]) -> None:
    one = in_turns([ask_http(), by_hand(wiki)], queries)
    many = [at_once(ask_http, queries), at_once(lambda: by_hand(wiki), queries)]
    for clients, (over_http, floor) in {1: one, CLIENTS: many}.items():
        ratio = statistics.median(over_http) / statistics.median(floor)
        print(f"{mode}, {clients} at once, by hand: {describe(floor)}")
        print(f"{mode}, {clients} at once, over HTTP: {describe(over_http)}; {ratio:.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--port", type=int, default=8618)
    arguments = parser.parse_args()
    name = f"benchmark-{os.getpid()}"
    wiki = Wiki.objects.create(slug=name, name="Benchmark")
    agent = Agent.objects.create(name=name, home_wiki=wiki)
    try:
        texts = fill(wiki, arguments.pages)
        chance = random.Random(1)
        queries = [" ".join(chance.choice(texts).split()[:8]) for _ in range(ROUNDS)]
        token = create_token(agent, wiki)[1]
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        with web_server(arguments.port):
            print(f"{arguments.pages} pages")
            for mode in (Mode.VECTOR, Mode.HYBRID):
                compare(partial(by_http, arguments.port, token, mode), wiki, mode, queries)
    finally:
        ApiToken.objects.filter(agent=agent).delete()
        Page.objects.filter(wiki=wiki).delete()
        agent.delete()
        wiki.delete()


if __name__ == "__main__":
    main()
