"""How well each mode of recall finds a page again by one of its own lines, by whole words and by
few.

    .venv/bin/python -m benchmarks.retrieval_quality WIKI

Long queries are list items of a page, short ones its title. What a page is asked by stands on it,
so this measures ranking, not understanding.
"""

import os
import random
import re
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from wiki.models import Page, Wiki  # noqa: E402
from wiki.search.retrieval import Mode, RecallRequest, retrieve  # noqa: E402

LINE = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+(.{20,200})$", re.MULTILINE)


def make_queries(wiki: Wiki) -> list[tuple[str, str]]:
    chance = random.Random(8494)
    queries = []
    for page in Page.objects.live().filter(wiki=wiki).order_by("id"):
        if lines := LINE.findall(page.body):
            queries.append((chance.choice(lines), page.slug))
        queries.append((page.title, page.slug))
    return queries


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wiki = Wiki.objects.get(slug=sys.argv[1])
    queries = make_queries(wiki)
    for mode in Mode:
        ranks = []
        for query, slug in queries:
            slugs = [
                hit.page.slug
                for hit in retrieve(RecallRequest(wiki, query, mode=mode, limit=10)).hits
            ]
            ranks.append(slugs.index(slug) + 1 if slug in slugs else 0)
        first = sum(rank == 1 for rank in ranks) / len(ranks)
        reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
        print(
            f"{mode.value}: {len(ranks)} queries, first {first:.3f}, mean reciprocal rank "
            f"{reciprocal:.3f}"
        )


if __name__ == "__main__":
    main()
