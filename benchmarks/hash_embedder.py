"""How fast the builtin embedding is on one core, beside the floor: splitting the same texts into
words.

    .venv/bin/python -m benchmarks.hash_embedder
"""

import random
import time
from collections.abc import Callable

from embeddings.hash_embedder import hash_text, split_words

PAGES, WORDS, VOCABULARY, ROUNDS = 2000, 200, 20_000, 3


def make_pages() -> list[str]:
    """Pages of random words. Real text repeats its words and is faster: a word's hash is kept."""
    chance = random.Random(8494)
    letters = "abcdefghijklmnopqrstuvwxyzäöüß"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 12))) for _ in range(VOCABULARY)]
    return [" ".join(chance.choices(words, k=WORDS)) for _ in range(PAGES)]


def pages_per_second(work: Callable[[str], object], pages: list[str]) -> float:
    """The best of some rounds: other work on the machine only makes it slower."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        for page in pages:
            work(page)
        best = min(best, time.process_time() - started)
    return len(pages) / best


def main() -> None:
    pages = make_pages()
    floor, hashing = pages_per_second(split_words, pages), pages_per_second(hash_text, pages)
    print(f"{PAGES} pages of {WORDS} words: {hashing:,.0f} pages a second")
    print(
        f"splitting into words alone: {floor:,.0f}; embedding takes {floor / hashing:.1f} times as "
        f"long"
    )


if __name__ == "__main__":
    main()
