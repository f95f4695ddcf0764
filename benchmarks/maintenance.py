"""What a maintenance run costs: over all pages, and after some of them have changed.

    .venv/bin/python -m benchmarks.maintenance [--pages 100000] [--changed 100]

The floor is reading all vectors of the wiki once. Works in a wiki of its own and removes it at the
end; only looks, so that nothing is merged while the time is taken.
"""

import argparse
import os
import random
import resource
import time
from collections.abc import Callable
from datetime import UTC, datetime

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

import numpy as np  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.page_rows import insert_rows, make_rows  # noqa: E402
from embeddings.client import active_fingerprint  # noqa: E402
from embeddings.vectors import DIMENSIONS  # noqa: E402
from wiki.merging.maintenance import maintain  # noqa: E402
from wiki.models import MaintenanceRun, Page, Wiki  # noqa: E402
from wiki.search.all_pairs import read_vectors  # noqa: E402

BATCH = 2_000
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def fill(wiki: Wiki, count: int) -> None:
    """Pages with vectors at random, of which one in a thousand pairs of neighbours is nearly the
    same."""
    chance = np.random.default_rng(1)
    for start in range(0, count, BATCH):
        rows = make_rows(
            wiki, [f"Text of page {number}" for number in range(start, min(start + BATCH, count))]
        )
        vectors = chance.normal(size=(len(rows), DIMENSIONS))
        vectors[1::1000] = vectors[::1000][: len(vectors[1::1000])] + chance.normal(
            0, 0.1, (1, DIMENSIONS)
        )
        for place, page in enumerate(rows):
            page.slug, page.title = f"seite-{start + place}", f"Seite {start + place}"
            page.title_key = page.title.lower()
            page.embed_model, page.embedded_at = active_fingerprint(), timezone.now()
            page.embedding = vectors[place] / np.linalg.norm(vectors[place])
        insert_rows(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--changed", type=int, default=100)
    arguments = parser.parse_args()
    wiki = Wiki.objects.create(slug=f"benchmark-{os.getpid()}", name="Benchmark")
    pages = Page.objects.filter(wiki=wiki)
    try:
        fill(wiki, arguments.pages)
        floor = seconds(lambda: read_vectors(pages))
        whole = seconds(lambda: maintain([wiki], is_dry=True))
        started = timezone.now()
        MaintenanceRun.objects.create(
            wiki=wiki,
            fingerprint=active_fingerprint(),
            is_full=True,
            started_at=started,
            finished_at=started,
        )
        Page.objects.filter(wiki=wiki).update(updated_at=LONG_AGO)
        Page.objects.filter(wiki=wiki).update(embedded_at=LONG_AGO)
        ids = list(pages.values_list("pk", flat=True))
        changed = random.Random(2).sample(ids, min(arguments.changed, len(ids)))
        pages.filter(pk__in=changed).update(embedded_at=timezone.now())
        part = seconds(lambda: maintain([wiki], is_dry=True))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{arguments.pages} pages; reading their vectors takes {floor:.2f} s")
        print(f"all of them: {whole:.1f} s, {whole / floor:.0f} times that")
        print(f"after {arguments.changed} changed: {part:.2f} s, {part / floor:.1f} times that")
        print(f"memory at most {memory:.0f} MB")
    finally:
        MaintenanceRun.objects.filter(wiki=wiki).delete()
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM wiki_page WHERE wiki_id = %s", [wiki.pk])
        wiki.delete()


if __name__ == "__main__":
    main()
