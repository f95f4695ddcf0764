"""What a full re-embed costs on top of its provider: pages a second of the run, beside bare calls
with the same texts.

    .venv/bin/python manage.py serve_embeddings &
    export COVEY_EMBEDDING_PROVIDER=ollama COVEY_EMBEDDING_URL=http://127.0.0.1:8495
    COVEY_EMBEDDING_MODEL=use-multilingual-3 .venv/bin/python -m benchmarks.reindex

Both are measured in turns, so that other work on the machine hits both. While the run works,
searches are asked from another thread: their p95 is what a person waits. Works in a wiki of its own
and removes it at the end; no other page may be stale.
"""

import argparse
import os
import statistics
import time
from threading import Event, Thread

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

import httpx  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from benchmarks.hash_embedder import make_pages  # noqa: E402
from benchmarks.page_rows import insert_rows, make_rows  # noqa: E402
from embeddings.client import active_model  # noqa: E402
from wiki.indexing.embed import mark_stale, stale_pages  # noqa: E402
from wiki.indexing.reindex import resume, work_off  # noqa: E402
from wiki.models import Page, Wiki  # noqa: E402
from wiki.search.retrieval import Mode, RecallRequest, retrieve  # noqa: E402

BATCH, ROUNDS = 8, 3


def fill(wiki: Wiki, count: int) -> list[str]:
    texts = make_pages()[:count]
    insert_rows(make_rows(wiki, texts))
    return [f"Seite {number}\n{text}" for number, text in enumerate(texts)]


def time_bare_calls(texts: list[str]) -> float:
    """Seconds for all texts in batches, one after another over one connection."""
    started = time.perf_counter()
    with httpx.Client(base_url=settings.COVEY_EMBEDDING_URL, timeout=60, trust_env=False) as client:
        for start in range(0, len(texts), BATCH):
            body = {"model": active_model(), "input": texts[start : start + BATCH]}
            client.post("/api/embed", json=body).raise_for_status()
    return time.perf_counter() - started


def time_run(wiki: Wiki) -> float:
    mark_stale(Page.objects.filter(wiki=wiki))
    resume()
    started = time.perf_counter()
    while work_off():
        pass
    assert not stale_pages().exists(), "the run did not finish"
    return time.perf_counter() - started


def search_until(is_over: Event, wiki: Wiki, waits: list[float]) -> None:
    while not is_over.wait(0.2):
        started = time.perf_counter()
        retrieve(RecallRequest(wiki, "Seite mit Rechnung", mode=Mode.HYBRID))
        waits.append(time.perf_counter() - started)
    connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=300)
    count = parser.parse_args().pages
    wiki = Wiki.objects.create(slug=f"benchmark-{os.getpid()}", name="Benchmark")
    try:
        texts = fill(wiki, count)
        time_bare_calls(texts[:BATCH])
        ratios = []
        for _ in range(ROUNDS):
            bare, run = time_bare_calls(texts), time_run(wiki)
            ratios.append(bare / run)
            print(
                f"bare calls {count / bare:.0f} pages a second, the run {count / run:.0f}: ratio "
                f"{bare / run:.2f}"
            )
        print(f"ratio {statistics.median(ratios):.2f} (median of {ROUNDS})")
        over = Event()
        waits: list[float] = []
        searcher = Thread(target=search_until, args=(over, wiki, waits))
        searcher.start()
        time_run(wiki)
        over.set()
        searcher.join()
        if len(waits) > 1:
            median, p95 = statistics.median(waits), statistics.quantiles(waits, n=20)[-1]
            print(
                f"{len(waits)} searches during a run: median {median * 1000:.0f} ms, p95 "
                f"{p95 * 1000:.0f} ms"
            )
    finally:
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()


if __name__ == "__main__":
    main()
