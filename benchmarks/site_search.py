"""What a search of a person costs, as asked over the site: while typing and after Enter.

    .venv/bin/python -m benchmarks.site_search [--pages 10000]

The words of the pages are spread as in a language: few stand nearly everywhere, most on a few
pages. Works in a wiki and with a person of its own and removes both at the end. Beside each time
stands its ratio to the floor: the smallest screen of covey for the same person.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.page_rows import insert_rows  # noqa: E402
from embeddings.client import active_fingerprint, embed_documents  # noqa: E402
from embeddings.text import Document  # noqa: E402
from wiki.models import Membership, Page, PageType, Wiki  # noqa: E402
from wiki.pages.links import page_folds  # noqa: E402
from wiki.text.cleaning import hash_page_text  # noqa: E402
from wiki.text.slugs import slugify, title_key  # noqa: E402

VOCABULARY, WORDS, TAGS, ROUNDS = 20_000, 250, 40, 40
LETTERS = "abcdefghijklmnopqrstuvwxyzäöü"


class Language:
    """Words by Zipf's law: the n-th word is n times as rare as the first."""

    def __init__(self) -> None:
        self.chance = random.Random(8517)
        self.words = list(dict.fromkeys(self._make_word() for _ in range(VOCABULARY)))
        self.weights = [1 / (rank + 3) for rank in range(len(self.words))]

    def _make_word(self) -> str:
        return "".join(self.chance.choices(LETTERS, k=self.chance.randint(3, 12)))

    def say(self, count: int) -> str:
        return " ".join(self.chance.choices(self.words, self.weights, k=count))


def make_page(wiki: Wiki, language: Language, number: int) -> Page:
    title = f"{language.say(3).capitalize()} {number}"
    body = language.say(WORDS)
    slug = slugify(title)
    tags = sorted({f"tag-{language.chance.randrange(TAGS)}" for _ in range(2)})
    key, folds, hashed = title_key(title), page_folds(slug, title), hash_page_text(title, body)
    names = {"slug": slug, "title": title, "title_key": key, "folds": folds}
    type = language.chance.choice(["", *PageType.values])
    return Page(wiki=wiki, body=body, type=type, tags=tags, revision=1, text_hash=hashed, **names)


def fill(wiki: Wiki, language: Language, count: int) -> None:
    rows = [make_page(wiki, language, number) for number in range(count)]
    vectors = embed_documents([Document(page.title, page.body) for page in rows])
    for page, vector in zip(rows, vectors, strict=True):
        page.embed_model, page.embedding = active_fingerprint(), vector
    insert_rows(rows)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def milliseconds(work: Callable[[str], object], queries: list[str]) -> tuple[float, float]:
    """The median of one call and what 19 of 20 stay below."""
    times = []
    for query in queries:
        started = time.perf_counter()
        work(query)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def kinds_of_queries(language: Language) -> Iterator[tuple[str, list[str]]]:
    def queries(make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(ROUNDS)]

    rare = language.words[len(language.words) // 20 :]
    yield "one word", queries(lambda: language.chance.choice(rare))
    yield "three letters", queries(lambda: language.chance.choice(rare)[:3])
    yield "five words", queries(lambda: language.say(5))
    yield "twelve words", queries(lambda: language.say(12))
    yield "the commonest word", [language.words[0]] * ROUNDS
    yield "a word that is nowhere", queries(lambda: f"{language.chance.choice(rare)}qqx")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    count = parser.parse_args().pages
    name, language = f"benchmark-{os.getpid()}", Language()
    wiki, person = Wiki.objects.create(slug=name, name="Benchmark"), User.objects.create_user(name)
    try:
        Membership.objects.create(wiki=wiki, user=person)
        fill(wiki, language, count)
        browser = Client(headers={"host": "127.0.0.1"})
        browser.force_login(person)
        report(browser, wiki, language, count)
    finally:
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()
        person.delete()


def report(browser: Client, wiki: Wiki, language: Language, count: int) -> None:
    def ask(address: str) -> Callable[[str], object]:
        def get(query: str) -> None:
            assert browser.get(address, {"q": query}).status_code == 200

        return get

    floor, _ = milliseconds(ask("/password"), [""] * ROUNDS)
    print(f"{count} pages; the smallest screen takes {floor:.1f} ms")
    addresses = {
        "titles": f"/w/{wiki.slug}/titles/links",
        "while typing": f"/find/{wiki.slug}",
        "search page": f"/w/{wiki.slug}/search",
        "all my wikis": "/search",
    }
    for kind, queries in kinds_of_queries(language):
        for name, address in addresses.items():
            middle, slow = milliseconds(ask(address), queries)
            print(
                f"{kind}, {name}: {middle:.1f} ms, 19 of 20 below {slow:.1f} ms; "
                f"{middle / floor:.1f} times the floor"
            )


if __name__ == "__main__":
    main()
