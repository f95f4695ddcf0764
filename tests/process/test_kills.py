"""A process is killed at every step of its work on real tables: what is left is the old state or
the new one, no word is lost, and whoever does it again finishes."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from tests.support.installation import PATIENCE
from tests.support.writing import create_page
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages, undo_merge
from wiki.merging.queue import propose
from wiki.models import (
    Agent,
    Insight,
    Link,
    MaintenanceRun,
    Merge,
    MergeProposal,
    Page,
    Redirect,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.rename import rename_page

pytestmark = pytest.mark.django_db(transaction=True)

BOT = Author.maintenance()
TEXT = (
    "Restart the queue workers one after the other and look at the log of each before the next "
    "one. "
    "They keep the old password until they are started again. See [[Gamma]].\n\n"
    "Whoever restarts all of them at once loses the jobs that wait in memory, so keep to the order "
    "of the list. "
    "Afterwards the counter of the queue falls to zero within a few minutes, and the alarm ends by "
    "itself. "
    "If it does not, the database has run out of connections: close those that nobody uses and "
    "begin again."
)


class Mortal:
    """Does work in a child that dies at a step."""

    def __init__(self) -> None:
        command = [
            sys.executable,
            "-m",
            "tests.process.dying",
            str(connection.settings_dict["NAME"]),
        ]
        self.process = subprocess.Popen(
            command, cwd=settings.BASE_DIR, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, work: str, step: int, *ids: int) -> str:
        """ "killed", or "done" when the work has fewer steps."""
        assert self.process.stdin
        assert self.process.stdout
        print(work, step, *ids, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        # The server notices a death within milliseconds.
        deadline = time.monotonic() + PATIENCE
        while others_connected():
            assert time.monotonic() < deadline, "the connection of the dead one is still there"
        assert answer in ("killed", "done"), answer
        return answer

    def stop(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)


def others_connected() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
            "pg_backend_pid()"
        )
        return bool(cursor.fetchone()[0])


@pytest.fixture
def mortal() -> Iterator[Mortal]:
    one = Mortal()
    yield one
    one.stop()


@pytest.fixture
def agent() -> Agent:
    return Agent.objects.create(
        name="robin", home_wiki=Wiki.objects.create(slug="ops", name="Betrieb")
    )


@pytest.fixture
def pair(agent: Agent) -> tuple[Page, Page]:
    """Two pages that say the same but for a sentence each, with all that a merge moves."""
    wiki = agent.home_wiki
    survivor = create_page(wiki, title="Queue workers", body=TEXT, author=BOT, tags=["queue"])
    source = create_page(
        wiki, title="Workers", body=f"{TEXT}\n\nThe log is on node seven.", author=BOT
    )
    create_page(
        wiki, title="Gamma", body="[[Queue workers]] [[Workers]] [[Queue workers!]]", author=BOT
    )
    rename_page(source, 1, title="Queue workers!", author=BOT)
    file_insight(wiki, agent, Handed("Seen again on Friday evening.", page=source.slug))
    propose(survivor, source)
    MergeProposal.objects.all().delete()
    return fresh(survivor), fresh(source)


def fresh(page: Page) -> Page:
    return Page.objects.get(pk=page.pk)


def state() -> list[object]:
    names = (
        "pk",
        "slug",
        "title",
        "body",
        "type",
        "tags",
        "embed_model",
        "trashed_at",
        "merged_into",
        "revision",
    )
    tables = (Link, Redirect, Insight, MergeProposal, Merge)
    vectors = [page.embedding is not None for page in Page.objects.order_by("pk")]
    return [
        list(Page.objects.order_by("pk").values(*names)),
        vectors,
        *(list(table.objects.order_by("pk").values()) for table in tables),
        list(Page.objects.order_by("pk").values_list("revisions__number", "revisions__body")),
    ]


def words_of_live_pages() -> str:
    return "\n".join(Page.objects.live().values_list("body", flat=True))


def kill_at_every_step(mortal: Mortal, work: str, *ids: int) -> int:
    """Until the work is done; what a killed one has left must be what was there before. Says how
    many were killed."""
    before = state()
    step = 1
    while mortal.run(work, step, *ids) == "killed":
        if state() != before:
            # It died behind the commit: all of it is there, and it is not done twice.
            break
        step += 1
    return step


def test_a_merge_is_whole_or_did_not_happen(mortal: Mortal, pair: tuple[Page, Page]) -> None:
    survivor, source = pair
    assert kill_at_every_step(mortal, "merge", survivor.pk, source.pk) > 25
    merge = Merge.objects.get()
    assert fresh(source).merged_into == survivor
    assert Insight.objects.get().page == survivor
    assert fresh(survivor).embed_model
    for words in (TEXT, "The log is on node seven.", "Seen again on Friday evening."):
        assert words in words_of_live_pages()
    undo_merge(merge, author=BOT)
    assert fresh(source).body == source.body


def test_an_undoing_is_whole_or_did_not_happen(mortal: Mortal, pair: tuple[Page, Page]) -> None:
    survivor, source = pair
    merge = merge_pages(survivor, source, author=BOT)
    assert kill_at_every_step(mortal, "undo", merge.pk) > 25
    assert (fresh(survivor).body, fresh(source).body) == (survivor.body, source.body)
    assert (fresh(survivor).embed_model, fresh(source).embed_model) == (
        survivor.embed_model,
        source.embed_model,
    )
    assert Insight.objects.get().page == source
    merge.refresh_from_db()
    assert merge.undone_at


def test_a_maintenance_run_that_dies_anywhere_is_made_up_for_by_the_next(
    mortal: Mortal, pair: tuple[Page, Page]
) -> None:
    assert kill_at_every_step(mortal, "maintain") > 25
    assert Merge.objects.count() == 1
    assert MaintenanceRun.objects.filter(finished_at=None).exists()
    for words in (TEXT, "The log is on node seven.", "Seen again on Friday evening."):
        assert words in words_of_live_pages()
    assert mortal.run("maintain", 10_000) == "done"
    assert MaintenanceRun.objects.first().finished_at
    assert MaintenanceRun.objects.first().error == ""
    assert Merge.objects.count() == 1
    assert Page.objects.live().count() == 2


@pytest.mark.parametrize("work", ["file", "append"])
def test_an_addition_is_whole_or_did_not_happen(
    mortal: Mortal, pair: tuple[Page, Page], agent: Agent, work: str
) -> None:
    page = pair[0]
    more = [agent.pk] if work == "file" else []
    assert kill_at_every_step(mortal, work, page.pk, *more) > 8
    assert words_of_live_pages().count("zirconium") == 1
    assert mortal.run(work, 10_000, page.pk, *more) == "done"
    assert words_of_live_pages().count("zirconium") == 1
    assert fresh(page).body.startswith(page.body)
