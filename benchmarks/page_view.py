"""What opening a page costs, from the request to the last byte, beside the floor: one round trip to
the database.

    .venv/bin/python -m benchmarks.page_view [--pages 10000] [--backlinks 50000]

Works in wikis of its own and removes them at the end.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.page_rows import insert_rows, make_rows  # noqa: E402
from benchmarks.recall_rule import ask_nothing, fill, milliseconds  # noqa: E402
from wiki.models import AuthorKind, Link, Membership, Page, Revision, RevisionKind, Role, Wiki  # noqa: E402
from wiki.text.slugs import fold_slug  # noqa: E402

OPENED = 200
LINKS_A_PAGE = 4


def times(work: Iterable[object]) -> list[float]:
    """Milliseconds of every step."""
    taken: list[float] = []
    steps = iter(work)
    while True:
        started = time.perf_counter()
        if next(steps, None) is None:
            return taken
        taken.append((time.perf_counter() - started) * 1000)


def add_revisions(wiki: Wiki) -> None:
    pages = Page.objects.filter(wiki=wiki).only("title")
    author = {
        "kind": RevisionKind.CREATE,
        "author_kind": AuthorKind.PERSON,
        "author_name": "benchmark",
    }
    rows = (Revision(page=page, number=1, title=page.title, **author) for page in pages.iterator())
    Revision.objects.bulk_create(rows, batch_size=2000)


def add_links(sources: Iterable[Page], targets: list[Page], number: int) -> None:
    chance = random.Random(2)
    rows = [
        Link(
            from_page=source,
            target_text=target.title,
            target_key=target.slug,
            target_folds=fold_slug(target.slug),
            resolved_page=target,
        )
        for source in sources
        for target in chance.sample(targets, min(number, len(targets)))
    ]
    Link.objects.bulk_create(rows, batch_size=2000)


def make_wiki(name: str, person: User) -> Wiki:
    wiki = Wiki.objects.create(slug=f"benchmark-{name}-{os.getpid()}", name="Benchmark")
    Membership.objects.create(wiki=wiki, user=person, role=Role.EDITOR)
    return wiki


def make_hub(wiki: Wiki, backlinks: int) -> None:
    rows = make_rows(
        wiki, ["hub", *(f"see [[Seite 0]], number {number}" for number in range(backlinks))]
    )
    insert_rows(rows)
    add_links(rows[1:], rows[:1], 1)
    add_revisions(wiki)


def open_pages(browser: Client, addresses: Iterable[str]) -> Iterable[bool]:
    for address in addresses:
        answer = browser.get(address, HTTP_HOST="127.0.0.1")
        assert answer.status_code == 200, f"{address}: {answer.status_code}"
        yield True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--backlinks", type=int, default=50_000)
    arguments = parser.parse_args()
    call_command("collectstatic", interactive=False, verbosity=0)
    person = User.objects.create_user(f"benchmark-{os.getpid()}")
    full, hub = make_wiki("full", person), make_wiki("hub", person)
    try:
        fill(full, arguments.pages)
        pages = list(Page.objects.filter(wiki=full).only("slug", "title"))
        add_links(pages, pages, LINKS_A_PAGE)
        add_revisions(full)
        make_hub(hub, arguments.backlinks)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        browser = Client()
        browser.force_login(person)
        chosen = random.Random(3).sample(pages, min(OPENED, len(pages)))
        addresses = [f"/w/{full.slug}/{page.slug}" for page in chosen]
        times(open_pages(browser, addresses[:5]))
        floor = milliseconds(ask_nothing, [""] * OPENED)
        page = sorted(times(open_pages(browser, addresses)))
        busy = sorted(times(open_pages(browser, [f"/w/{hub.slug}/seite-0"] * 10)))
        print(f"a round trip takes {floor:.2f} ms")
        for words, taken in (
            (f"a page of {arguments.pages}", page),
            (f"a page with {arguments.backlinks} backlinks", busy),
        ):
            median, p95 = statistics.median(taken), taken[int(len(taken) * 0.95)]
            print(
                f"{words}: median {median:.1f} ms, p95 {p95:.1f} ms, {median / floor:.0f} round "
                f"trips"
            )
    finally:
        for wiki in (full, hub):
            Revision.objects.filter(page__wiki=wiki).delete()
            Link.objects.filter(from_page__wiki=wiki).delete()
            Page.objects.filter(wiki=wiki).delete()
            wiki.delete()
        person.delete()


if __name__ == "__main__":
    main()
