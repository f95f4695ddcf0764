"""How well each mode of recall finds the page, on sets of several kinds, and whether hybrid is ever
below the better of its two legs.

    .venv/bin/python -m benchmarks.fusion [--sets docstrings turns] [--share 0.5]

The sets are made by rule (benchmarks/finding_sets.py). Works in wikis of its own and removes them.
"""

import argparse
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from benchmarks.finding_sets import FindingSet, make_sets  # noqa: E402
from benchmarks.page_rows import insert_rows, make_rows  # noqa: E402
from embeddings.client import active_fingerprint, embed_documents, embed_query  # noqa: E402
from embeddings.text import Document  # noqa: E402
from wiki.models import Centre, Page, PageWords, Wiki  # noqa: E402
from wiki.recall.evaluation import Answer, Case, Evaluation, answer_case, sum_up  # noqa: E402
from wiki.search.centring import learn_question  # noqa: E402
from wiki.search.hit import Mode  # noqa: E402

PACKET = 200
LEARNT = "hybrid after other questions"
ALLOWED = 0.01


def fill(wiki: Wiki, made: FindingSet) -> list[Page]:
    rows = make_rows(wiki, [text for _, text in made.pages])
    for page, (title, _) in zip(rows, made.pages, strict=True):
        page.title = title
    for start in range(0, len(rows), PACKET):
        part = rows[start : start + PACKET]
        vectors = embed_documents([Document(page.title, page.body) for page in part])
        for page, vector in zip(part, vectors, strict=True):
            page.embed_model, page.embedding = active_fingerprint(), vector
    insert_rows(rows)
    return rows


def measure(made: FindingSet) -> dict[str, Evaluation]:
    wiki = Wiki.objects.create(slug=f"benchmark-{os.getpid()}", name="Benchmark")
    try:
        pages = fill(wiki, made)
        cases = [Case(asked.text, [pages[asked.page].slug]) for asked in made.questions]
        told = {
            mode.value: sum_up(mode, [answer_case(wiki, case, mode) for case in cases])
            for mode in Mode
        }
        return told | {LEARNT: sum_up(Mode.HYBRID, answer_by_halves(wiki, cases))}
    finally:
        PageWords.objects.filter(wiki=wiki).delete()
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()


def answer_by_halves(wiki: Wiki, cases: list[Case]) -> list[Answer]:
    """Each half is asked after the other was learnt from."""
    answers: list[Answer] = []
    for half in (0, 1):
        Centre.objects.filter(wiki=wiki).delete()
        for case in cases[1 - half :: 2]:
            vector = embed_query(case.query)
            if vector is not None:
                learn_question(wiki, active_fingerprint(), vector, wiki.pages.count())
        answers += [answer_case(wiki, case, Mode.HYBRID) for case in cases[half::2]]
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=[])
    chosen = parser.parse_args().sets
    print(f"Model {active_fingerprint()}: recall at 1 / 5, reciprocal rank")
    worst = 0.0
    for made in make_sets():
        if chosen and made.name not in chosen:
            continue
        by_mode = measure(made)
        told = "   ".join(
            f"{mode} {found.recall_at[1]:.3f} / {found.recall_at[5]:.3f}, "
            f"{found.reciprocal_rank:.3f}"
            for mode, found in by_mode.items()
        )
        better = max(by_mode[Mode.VECTOR].recall_at[5], by_mode[Mode.KEYWORD].recall_at[5])
        worst = max(
            worst, better - min(by_mode[Mode.HYBRID].recall_at[5], by_mode[LEARNT].recall_at[5])
        )
        print(f"{made.name} ({len(made.questions)} questions, {len(made.pages)} pages): {told}")
    print(f"Hybrid is at most {worst:.3f} below the better of its legs.")
    sys.exit(worst > ALLOWED)


if __name__ == "__main__":
    main()
