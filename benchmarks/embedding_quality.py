"""What the active embedding sees: named pairs, sentence pairs that people judged, pages by foreign
queries.

    .venv/bin/python -m benchmarks.embedding_quality [--pairs sts_pairs.jsonl] \\
        [--pages FOLDER --queries queries.jsonl]

A line of pairs is {"de": [a, b], "en": [a, b], "gold": 0 to 5}, one of queries {"query",
"expected": a page's name}.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

import django
import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from embeddings.client import active_fingerprint, embed_in_bulk, embed_query  # noqa: E402
from embeddings.text import Document  # noqa: E402

NAMED = (
    ("Der CI-Build schlägt fehl", "The CI build is failing"),
    ("was zu tun ist, wenn die Pipeline rot ist", "The pipeline is red"),
    ("was zu tun ist, wenn die Pipeline rot ist", "Der CI-Build schlägt fehl"),
)


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    vectors = {
        result.position: result.vector
        for result in embed_in_bulk([Document("", text) for text in texts])
    }
    return np.array([vectors[position] for position in range(len(texts))])


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Equal values share the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[which]


def report_pairs(file: Path) -> None:
    pairs = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    gold = [pair["gold"] for pair in pairs]
    german, english = (
        np.array([embed(pair[language]) for pair in pairs]) for language in ("de", "en")
    )
    sides = {
        "German": german,
        "English": english,
        "German with English": np.stack([german[:, 0], english[:, 1]], axis=1),
    }
    for name, vectors in sides.items():
        similarities = (vectors[:, 0] * vectors[:, 1]).sum(axis=1)
        correlation = np.corrcoef(ranks(similarities), ranks(gold))[0, 1]
        print(
            f"{len(pairs)} pairs, {name}: rank correlation with people's judgement "
            f"{correlation:.2f}"
        )


def report_recall(folder: Path, file: Path) -> None:
    queries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    names = sorted(path.stem for path in folder.glob("*.md"))
    pages = embed([(folder / f"{name}.md").read_text(encoding="utf-8") for name in names])
    places = []
    for query in queries:
        vector = embed_query(query["query"])
        order = np.argsort(-(pages @ vector)) if vector is not None else range(len(names))
        places.append([names[number] for number in order].index(query["expected"]) + 1)
    for limit in (1, 5):
        share = sum(place <= limit for place in places) / len(places)
        print(
            f"{len(queries)} queries, {len(names)} pages: the page is among the first {limit} for "
            f"{share:.0%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--pairs", "--pages", "--queries"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    print(active_fingerprint())
    for first, second in NAMED:
        vectors = embed([first, second])
        print(f"{vectors[0] @ vectors[1]:.3f} {first} | {second}")
    if options.pairs:
        report_pairs(options.pairs)
    if options.pages and options.queries:
        report_recall(options.pages, options.queries)


if __name__ == "__main__":
    main()
