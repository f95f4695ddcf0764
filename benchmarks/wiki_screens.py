"""What health, map and index cost at a given size, beside the floor: reading the title of every
page of the wiki.

    .venv/bin/python -m benchmarks.wiki_screens [--pages 10000]

Each page links to four others and every third to one that does not exist; one is a hub that all
link to. Works in a wiki of its own and removes it at the end.
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

from django.core.cache import cache  # noqa: E402
from django.db import connection  # noqa: E402

from benchmarks.recall_rule import fill  # noqa: E402
from wiki.graph import find_neighbourhood, find_wiki_graph  # noqa: E402
from wiki.lint import count_findings, find_duplicates, find_same_titles, find_wanted, show_wanted  # noqa: E402
from wiki.models import Link, Page, Wiki  # noqa: E402
from wiki.pages.links import page_folds  # noqa: E402
from wiki.pages.listing import Order, arrange, tags_by_letter  # noqa: E402

ROUNDS = 5


def link_pages(wiki: Wiki) -> Page:
    """Returns the hub."""
    pages = list(Page.objects.filter(wiki=wiki).only("slug", "title").order_by("pk"))
    for number, page in enumerate(pages):
        page.folds, page.tags = page_folds(page.slug, page.title), [f"tag {number % 500}"]
    Page.objects.bulk_update(pages, ["folds", "tags"], batch_size=1000)
    chance = random.Random(8494)
    links = []
    for number, page in enumerate(pages[1:]):
        targets = {pages[0].pk, *(chance.choice(pages).pk for _ in range(4))} - {page.pk}
        links += [
            Link(from_page=page, target_key=str(pk), target_text=str(pk), resolved_page_id=pk)
            for pk in targets
        ]
        if number % 3 == 0:
            wanted = f"wanted {number % 900}"
            links.append(Link(from_page=page, target_key=wanted, target_text=wanted))
    Link.objects.bulk_create(links, batch_size=2000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE wiki_page, wiki_link")
    return Page.objects.get(pk=pages[0].pk)


def milliseconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        cache.clear()
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=10_000)
    count = parser.parse_args().pages
    wiki = Wiki.objects.create(slug=f"benchmark-{os.getpid()}", name="Benchmark")
    pages = Page.objects.live().filter(wiki=wiki)
    try:
        fill(wiki, count)
        hub = link_pages(wiki)
        works: dict[str, Callable[[], object]] = {
            "findings of single pages": lambda: count_findings(wiki),
            "dead links": lambda: show_wanted(wiki, list(find_wanted(wiki)[:100])),
            "same titles": lambda: find_same_titles(wiki),
            "suspected duplicates": lambda: find_duplicates(wiki),
            "map": lambda: find_wiki_graph(wiki),
            "map with similar pages": lambda: find_wiki_graph(wiki, with_similar=True),
            "neighbourhood of the hub": lambda: find_neighbourhood(hub, with_similar=True),
            "all tags": lambda: tags_by_letter(wiki),
            **{
                f"index, {order}": lambda order=order: list(  # type: ignore[misc]
                    arrange(pages, order)[:100]
                )
                for order in Order
            },
        }
        floor = milliseconds(lambda: list(pages.values_list("title", flat=True)))
        print(f"{count} pages; reading their titles takes {floor:.1f} ms")
        for name, work in works.items():
            taken = milliseconds(work)
            print(f"{name}: {taken:.0f} ms, {taken / floor:.1f} times the floor")
    finally:
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()


if __name__ == "__main__":
    main()
