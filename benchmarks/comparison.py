"""How many near pages the comparison lets through: real ones, and duplicates made from them.

    .venv/bin/python -m benchmarks.comparison FOLDER [--threshold 0.93] [--semantic] [--seed 1]

FOLDER holds Markdown files; the first heading of each is its title. With --semantic the small model
in this process embeds instead of the active provider (requirements-semantic.txt).
"""

import argparse
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from embeddings.client import active_fingerprint, embed_in_bulk  # noqa: E402
from embeddings.local_server.model import SemanticModel  # noqa: E402
from embeddings.local_server.models import DEFAULT  # noqa: E402
from embeddings.text import Document, document_text  # noqa: E402
from embeddings.vectors import DIMENSIONS  # noqa: E402
from wiki.comparison import Difference, Text, find_differences  # noqa: E402
from wiki.search.all_pairs import Vectors, find_near_pairs  # noqa: E402

Embed = Callable[[Sequence[Text]], Vectors]
MADE = 15
SWAPPED = {
    " a ": " the ",
    " the ": " a ",
    " an ": " the ",
    " your ": " the ",
    " is ": " is really ",
}
ADDED = (
    "The night team uses this page every week.",
    "Somebody wrote this down after a long evening.",
    "A printed copy hangs beside the coffee machine.",
)


def read_pages(folder: Path) -> list[Text]:
    pages = []
    for path in sorted(folder.glob("*.md")):
        body = path.read_text(encoding="utf-8")
        heading = re.match(r"# (.+)\n", body)
        pages.append(Text(heading[1] if heading else path.stem, body))
    return pages


def embed_active(pages: Sequence[Text]) -> Vectors:
    found = {
        result.position: result.vector
        for result in embed_in_bulk([Document(*page) for page in pages])
    }
    nothing = np.zeros(DIMENSIONS, np.float32)
    return np.array(
        [nothing if found[n] is None else found[n] for n in range(len(pages))], np.float32
    )


def semantic_embed() -> Embed:
    """The model's first 256 values, made unit vectors again, as covey takes them."""
    model = SemanticModel()

    def embed(pages: Sequence[Text]) -> Vectors:
        vectors = model.embed([document_text(Document(*page)) for page in pages])[:, :DIMENSIONS]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    return embed


def show(differences: Sequence[Difference]) -> str:
    return "; ".join(
        f"{found.kind.label}: {found.first} / {found.second}"[:100] for found in differences[:3]
    )


def report_pages(pages: list[Text], vectors: Vectors, threshold: float, listed: int) -> None:
    near = find_near_pairs(list(range(len(pages))), vectors, threshold, 100_000)
    kinds: Counter[str] = Counter()
    passed = []
    for number, pair in enumerate(near.pairs):
        first, second = pages[pair.first], pages[pair.second]
        differences = find_differences(first, second)
        kinds.update(str(found.kind.label) for found in differences)
        if not differences:
            passed.append(f"{pair.similarity:.3f} {first.title} | {second.title}")
        elif number < listed:
            print(
                f"  held {pair.similarity:.3f} {first.title} | {second.title} ({show(differences)})"
            )
    print(
        f"{len(pages)} pages: {near.total} pairs from {threshold} on, {len(passed)} of them pass "
        f"the guard"
    )
    print(*(f"  PASSED {line}" for line in passed), f"  kinds: {dict(kinds)}", sep="\n")


def prose(body: str, change: Callable[[str], str]) -> str:
    """Changed outside of code and addresses."""
    return "".join(
        part if part[:1] in "`<" else change(part) for part in re.split(r"(`[^`]*`|<[^>]*>)", body)
    )


def retype(page: Text, chance: random.Random) -> Text:
    is_loud = chance.random() < 0.2

    def change(text: str) -> str:
        for old, new in (
            (" - ", " – "),
            ("'", "’"),
            (":\n", "\n"),
            (".\n", "\n"),
            ("\n- ", "\n* "),
            (", ", " "),
        ):
            text = text.replace(old, new) if chance.random() < 0.5 else text
        return text.upper() if is_loud else text.lower()

    return Text(page.title.upper() if is_loud else page.title, prose(page.body, change))


def reorder(page: Text, chance: random.Random) -> Text:
    """The head stays; an example stays with the line that introduces it."""
    head, *examples = re.split(r"\n(?=- )", page.body)
    return Text(
        page.title,
        "\n".join(
            [head, *(f"{part.rstrip()}\n" for part in chance.sample(examples, len(examples)))]
        ),
    )


def add_sentence(page: Text, chance: random.Random) -> Text:
    return Text(page.title, f"{page.body.rstrip()}\n\n{chance.choice(ADDED)}\n")


def change_stop_words(page: Text, chance: random.Random) -> Text:
    def change(text: str) -> str:
        return re.sub(
            r" (?:a|an|the|your|is) ",
            lambda found: SWAPPED[found[0]] if chance.random() < 0.7 else " ",
            text,
        )

    return Text(page.title, prose(page.body, change))


def report_duplicates(pages: list[Text], embed: Embed, threshold: float, seed: int) -> None:
    chance = random.Random(seed)
    near = passed = 0
    for make in (retype, reorder, add_sentence, change_stop_words):
        originals = chance.sample(pages, MADE)
        copies = [make(page, chance) for page in originals]
        similarities = (embed(originals) * embed(copies)).sum(axis=1)
        held = 0
        for page, copy, similarity in zip(originals, copies, similarities.tolist(), strict=True):
            if differences := find_differences(page, copy):
                held += 1
                print(f"  held {similarity:.3f} {page.title} ({show(differences)})")
        reach = int((similarities >= threshold).sum())
        near, passed = near + reach, passed + MADE - held
        print(
            f"{make.__name__}: {MADE} made, {reach} reach {threshold}, {MADE - held} pass the guard"
        )
    print(
        f"duplicates: {4 * MADE} made, {near} reach {threshold}, {passed} pass the guard, the "
        f"others are proposed"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threshold", type=float, default=0.93)
    parser.add_argument("--semantic", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--listed", type=int, default=20)
    options = parser.parse_args()
    embed = semantic_embed() if options.semantic else embed_active
    pages = read_pages(options.folder)
    print(DEFAULT.name if options.semantic else active_fingerprint())
    report_pages(pages, embed(pages), options.threshold, options.listed)
    report_duplicates(pages, embed, options.threshold, options.seed)


if __name__ == "__main__":
    main()
