"""What a recall costs through the rule, beside the floor: one round trip to the database.

    .venv/bin/python -m benchmarks.recall_rule [--pages 10000]

Works in a wiki of its own and removes it at the end.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from django.db import connection  # noqa: E402

from benchmarks.hash_embedder import make_pages  # noqa: E402
from benchmarks.page_rows import insert_rows, make_rows  # noqa: E402
from embeddings.client import active_fingerprint, embed_documents  # noqa: E402
from embeddings.text import Document  # noqa: E402
from wiki.models import Page, Wiki  # noqa: E402
from wiki.search.retrieval import Mode, RecallRequest, retrieve  # noqa: E402

QUERIES = 50


def fill(wiki: Wiki, count: int) -> list[str]:
    texts = [text for _ in range(-(-count // 2000)) for text in make_pages()][:count]
    rows = make_rows(wiki, texts)
    vectors = embed_documents([Document(page.title, page.body) for page in rows])
    for page, vector in zip(rows, vectors, strict=True):
        page.embed_model, page.embedding = active_fingerprint(), vector
    insert_rows(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return texts


def milliseconds(work: Callable[[str], object], queries: list[str]) -> float:
    """The median of one call."""
    times = []
    for query in queries:
        started = time.perf_counter()
        work(query)
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def ask_nothing(query: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    count = parser.parse_args().pages
    wiki = Wiki.objects.create(slug=f"benchmark-{os.getpid()}", name="Benchmark")
    try:
        texts = fill(wiki, count)
        chance = random.Random(1)
        queries = [" ".join(chance.choice(texts).split()[:8]) for _ in range(QUERIES)]
        floor = milliseconds(ask_nothing, queries)
        print(f"{count} pages; a round trip takes {floor:.2f} ms")
        for mode in Mode:
            time_taken = milliseconds(
                lambda query, mode=mode: retrieve(RecallRequest(wiki, query, mode=mode)),  # type: ignore[misc]
                queries,
            )
            print(f"recall {mode.value}: {time_taken:.1f} ms, {time_taken / floor:.0f} round trips")
    finally:
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()


if __name__ == "__main__":
    main()
