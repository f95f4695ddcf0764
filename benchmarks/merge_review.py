"""What working off many merge proposals costs: on the server, and for somebody at a keyboard.

    .venv/bin/python -m benchmarks.merge_review [--proposals 500] [--pages 1300]

Half of the pages are near the other half by pairs. First the requests are timed by themselves, then
a real Chromium works all proposals off by keys alone: one list at once, the rest one by one. A
decision takes from the key to the next pair on the screen. Works in a wiki of its own and removes
it at the end.
"""

import argparse
import os
import random
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
# Playwright has an event loop in this thread; the database is not asked from within it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.testcases import LiveServerThread  # noqa: E402
from playwright.sync_api import Page as Screen  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from benchmarks.hash_embedder import make_pages  # noqa: E402
from benchmarks.page_rows import insert_rows, make_rows  # noqa: E402
from benchmarks.page_view import add_revisions, make_wiki  # noqa: E402
from embeddings.client import active_fingerprint, embed_documents  # noqa: E402
from embeddings.text import Document  # noqa: E402
from wiki.merging.policy import compare  # noqa: E402
from wiki.merging.queue import open_proposals, put_into_queue  # noqa: E402
from wiki.models import (  # noqa: E402
    Link,
    Membership,
    Merge,
    MergeProposal,
    Page,
    ProposalReason,
    Revision,
    Role,
    Wiki,
)
from wiki.search.all_pairs import similarity_of  # noqa: E402

HOST = "127.0.0.1"
TIMED = 40
# What is pressed on the pairs in turn.
KEYS = "mdl"
QUIET = (
    "--disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync "
    "--disable-gpu"
).split()


def fill(wiki: Wiki, pages: int, proposals: int) -> None:
    texts = [text for _ in range(-(-pages // 2000)) for text in make_pages()][: pages // 2]
    twins = [f"{text} The port is {number}." for number, text in enumerate(texts)]
    rows = make_rows(wiki, [body for pair in zip(texts, twins, strict=True) for body in pair])
    vectors = embed_documents([Document(page.title, page.body) for page in rows])
    for page, vector in zip(rows, vectors, strict=True):
        page.embed_model, page.embedding = active_fingerprint(), vector
    insert_rows(rows)
    add_revisions(wiki)
    saved = list(Page.objects.filter(wiki=wiki).order_by("pk")[: proposals * 2])
    for first, second in zip(saved[::2], saved[1::2], strict=True):
        put_into_queue(
            first,
            second,
            ProposalReason.GUARDED,
            similarity_of(first, second),
            compare(first, second),
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def describe(times: list[float]) -> str:
    ranked = sorted(times)
    return (
        f"median {statistics.median(ranked):.0f} ms, p95 {ranked[int(len(ranked) * 0.95)]:.0f} "
        f"ms ({len(ranked)})"
    )


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def time_requests(wiki: Wiki, person: User) -> None:
    browser = Client()
    browser.force_login(person)
    waiting = list(open_proposals(wiki).select_related("first", "second"))
    chance = random.Random(4)
    address = f"/w/{wiki.slug}/merges"

    def ask(path: str) -> None:
        answer = browser.get(path, HTTP_HOST=HOST)
        assert answer.status_code == 200, f"{path}: {answer.status_code}"

    def decide(proposal: MergeProposal, action: str) -> None:
        seen = proposal.first.text_hash + proposal.second.text_hash
        answer = browser.post(
            f"{address}/{proposal.pk}", {"action": action, "seen": seen}, HTTP_HOST=HOST
        )
        assert answer.status_code == 302, f"{action}: {answer.status_code}"

    ask(address)
    slugs = [proposal.first.slug for proposal in chance.sample(waiting, TIMED)]
    print(f"queue: {describe([timed(lambda: ask(address)) for _ in range(TIMED)])}")
    print(
        f"queue, narrowed: "
        f"{describe([timed(lambda: ask(f'{address}?kind=number')) for _ in range(TIMED)])}"
    )
    pairs = chance.sample(waiting, TIMED)
    print(f"one pair: {describe([timed(lambda p=p: ask(f'{address}/{p.pk}')) for p in pairs])}")  # type: ignore[misc]
    similar = [timed(lambda s=slug: ask(f"/w/{wiki.slug}/{s}/similar")) for slug in slugs]  # type: ignore[misc]
    print(f"similar pages, with why: {describe(similar)}")
    for action in ("merge", "dismiss", "later"):
        chosen, waiting = waiting[:TIMED], waiting[TIMED:]
        print(f"{action}: {describe([timed(lambda p=p, a=action: decide(p, a)) for p in chosen])}")  # type: ignore[misc]


@contextmanager
def opened(person: User) -> Iterator[tuple[Screen, str]]:
    """A Chromium that is signed in, and the server that it asks."""
    server = LiveServerThread(HOST, lambda app: app)  # type: ignore[arg-type]
    server.daemon = True
    server.start()
    server.is_ready.wait()
    if server.error:
        raise server.error
    client = Client()
    client.force_login(person)
    root = f"http://{HOST}:{server.port}"
    arguments = [*QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=arguments
            )
            context = browser.new_context(base_url=root)
            context.add_cookies(
                [
                    {"name": name, "value": c.value, "url": root}
                    for name, c in client.cookies.items()
                ]
            )
            yield context.new_page(), root
            browser.close()
    finally:
        server.terminate()


def press(screen: Screen, key: str) -> float:
    """Milliseconds until what follows is on the screen."""

    def work() -> None:
        with screen.expect_navigation(wait_until="domcontentloaded"):
            screen.keyboard.press(key)

    return timed(work)


def work_off(wiki: Wiki, person: User) -> None:
    with opened(person) as (screen, _root):
        screen.goto(f"/w/{wiki.slug}/merges")
        screen.keyboard.press("a")
        before = open_proposals(wiki).count()
        at_once, left = press(screen, "d"), open_proposals(wiki).count()
        print(f"{before - left} at once: {at_once:.0f} ms")
        press(screen, "o")
        taken: dict[str, list[float]] = {key: [] for key in KEYS}
        for number in range(left):
            key = KEYS[number % len(KEYS)]
            taken[key].append(press(screen, key))
        assert not open_proposals(wiki).exists()
        for key, times in taken.items():
            print(f"by the key {key}: {describe(times)}")
        print(f"a decision: {describe([one for times in taken.values() for one in times])}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--proposals", type=int, default=500)
    parser.add_argument("--pages", type=int, default=1300)
    arguments = parser.parse_args()
    call_command("collectstatic", interactive=False, verbosity=0)
    person = User.objects.create_user(f"benchmark-{os.getpid()}")
    wiki = make_wiki("reviewing", person)
    Membership.objects.filter(wiki=wiki).update(role=Role.OWNER)
    try:
        # Those that the requests decide about come on top.
        fill(wiki, arguments.pages, arguments.proposals + 3 * TIMED)
        print(f"{arguments.pages} pages, {open_proposals(wiki).count()} proposals")
        time_requests(wiki, person)
        print(f"{open_proposals(wiki).count()} proposals by keyboard")
        work_off(wiki, person)
    finally:
        Merge.objects.filter(wiki=wiki).delete()
        MergeProposal.objects.filter(wiki=wiki).delete()
        Revision.objects.filter(page__wiki=wiki).delete()
        Link.objects.filter(from_page__wiki=wiki).delete()
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()
        person.delete()


if __name__ == "__main__":
    main()
