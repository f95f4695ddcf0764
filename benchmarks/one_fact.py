"""Into how many pages filing puts one fact handed in in 31 wordings, and what it mixes up.

    .venv/bin/python -m benchmarks.one_fact [--pages]

Beside each fact other facts about the same things and facts about something else are handed in, in
a fixed random order. A wrong page is one on which two of them, or one and a wording, ended up.
Works in wikis of its own and removes them. With --pages it shows what is on each page.
"""

import argparse
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from benchmarks.wordings import FACTS, UNRELATED, Fact  # noqa: E402
from embeddings.client import active_fingerprint  # noqa: E402
from wiki.indexing.calibration import active_calibration  # noqa: E402
from wiki.insights.intake import Handed, file_insight  # noqa: E402
from wiki.models import Agent, Insight, Link, Page, PageWords, Revision, Wiki  # noqa: E402
from wiki.search.thresholds import append_from  # noqa: E402

ALLOWED = 3


def file_all(wiki: Wiki, fact: Fact, seed: int) -> dict[int, list[str]]:
    """What was handed in, by the page that has it."""
    texts = [*fact.wordings, *fact.beside, *UNRELATED]
    random.Random(seed).shuffle(texts)
    agent = Agent.objects.create(name=wiki.slug, home_wiki=wiki)
    pages: dict[int, list[str]] = defaultdict(list)
    for text in texts:
        insight = file_insight(wiki, agent, Handed(text))
        if insight.page_id is None:
            raise SystemExit(f"Not filed ({insight.outcome}): {text}")
        pages[insight.page_id].append(text)
    return pages


def find_wrong(fact: Fact, texts: list[str]) -> bool:
    others = [text for text in texts if text not in fact.wordings]
    return len(others) > 1 or bool(others and len(texts) > len(others))


def lost(wiki: Wiki, pages: dict[int, list[str]]) -> Iterator[str]:
    """Texts that are not where they were filed."""
    bodies = dict(Page.objects.filter(wiki=wiki).values_list("pk", "body"))
    for page, texts in pages.items():
        flat = " ".join(bodies[page].replace("> ", "").split())
        yield from (text for text in texts if " ".join(text.split()) not in flat)


def measure(fact: Fact, seed: int, show: bool) -> tuple[int, int, int]:
    """Pages with a wording, wrong pages, and texts that stand nowhere (known, or lost)."""
    wiki = Wiki.objects.create(slug=f"benchmark-{os.getpid()}", name="Benchmark")
    try:
        pages = file_all(wiki, fact, seed)
        wrong = [texts for texts in pages.values() if find_wrong(fact, texts)]
        if show:
            for texts in sorted(pages.values(), key=len, reverse=True):
                print("   ", "WRONG" if texts in wrong else "", len(texts))
                for text in texts:
                    print("       ", "w" if text in fact.wordings else "-", text)
        own = sum(any(text in fact.wordings for text in texts) for texts in pages.values())
        return own, len(wrong), len(list(lost(wiki, pages)))
    finally:
        Insight.objects.filter(wiki=wiki).delete()
        PageWords.objects.filter(wiki=wiki).delete()
        Link.objects.filter(from_page__wiki=wiki).delete()
        Revision.objects.filter(page__wiki=wiki).delete()
        Page.objects.filter(wiki=wiki).delete()
        Agent.objects.filter(home_wiki=wiki).delete()
        wiki.delete()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    calibration = active_calibration()
    print(f"Model {active_fingerprint()}, appended from {append_from():.2f}, {calibration}")
    failed = False
    for fact in FACTS:
        for seed in range(arguments.seeds):
            own, wrong, gone = measure(fact, seed, arguments.pages)
            failed = failed or own > ALLOWED or wrong > 0
            print(
                f"{fact.wordings[0][:50]}: {own} pages, {wrong} wrong, {gone} not written",
                flush=True,
            )
    sys.exit(failed)


if __name__ == "__main__":
    main()
