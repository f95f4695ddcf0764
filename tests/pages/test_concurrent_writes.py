"""Two at once, with real threads on the real database."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from tests.support.concurrency import at_once
from tests.support.writing import create_page, revise_page
from wiki.db.locks import lock_wiki
from wiki.indexing.embed import mark_stale
from wiki.insights.intake import Handed, file_insight
from wiki.models import Agent, Insight, Link, Outcome, Page, Redirect, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.rename import rename_page
from wiki.pages.status import mark_replaced
from wiki.pages.write import EditConflict

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = (
    "Der Proxy vor dem Paketspiegel verwirft Antworten über 64 MiB; große Räder deshalb in "
    "Teilen laden."
)


@pytest.fixture
def agent():
    return Agent.objects.create(
        name="robin", home_wiki=Wiki.objects.create(slug="ops", name="Betrieb")
    )


@pytest.fixture
def author(agent):
    return Author.of_agent(agent)


def test_twenty_identical_insights_make_exactly_one_page(agent):
    insights = at_once(20, 20, lambda _: file_insight(agent.home_wiki, agent, Handed(TEXT)))
    outcomes = [insight.outcome for insight in insights]
    assert (outcomes.count(Outcome.CREATED), outcomes.count(Outcome.KNOWN)) == (1, 19)
    assert Page.objects.get().body.count("Paketspiegel") == 1
    assert Insight.objects.count() == 20


def test_twenty_near_insights_make_one_page_with_all_texts(agent):
    texts = [f"{TEXT} Gesehen in Zelle Nummer {number}." for number in range(20)]
    at_once(20, 16, lambda number: file_insight(agent.home_wiki, agent, Handed(texts[number])))
    page = Page.objects.get()
    assert all(text in page.body for text in texts)
    assert page.embed_model == "builtin:hash:256"


def test_one_idempotency_key_twenty_times_at_once_is_one_insight(agent):
    insights = at_once(20, 16, lambda _: file_insight(agent.home_wiki, agent, Handed(TEXT), "k-1"))
    assert {insight.pk for insight in insights} == {Insight.objects.get().pk}


def test_of_sixteen_savers_exactly_one_wins_and_no_text_is_lost(agent, author):
    page = create_page(agent.home_wiki, title="Seite", body="Anfang.", author=author)

    def save(number: int) -> str:
        try:
            return revise_page(
                page, 1, title="Seite", body=f"Fassung {number}.", author=author
            ).body
        except EditConflict:
            return ""

    saved = [text for text in at_once(16, 16, save) if text]
    page.refresh_from_db()
    assert saved == [page.body]


def test_pages_made_at_once_under_one_title_get_addresses_of_their_own(agent, author):
    wiki = agent.home_wiki
    pages = at_once(
        8, 8, lambda n: create_page(wiki, title="Doppelt", body=f"Text {n}", author=author)
    )
    assert {page.slug for page in pages} == {
        "doppelt",
        *(f"doppelt-{number}" for number in range(2, 9)),
    }


def test_pages_renamed_to_one_title_at_once_get_addresses_of_their_own(agent, author):
    wiki = agent.home_wiki
    pages = [
        create_page(wiki, title=f"Seite {n}", body="[[Seite 0]]", author=author) for n in range(8)
    ]
    renamed = at_once(8, 8, lambda n: rename_page(pages[n], 1, title="Doppelt", author=author).slug)
    assert set(renamed) == {"doppelt", *(f"doppelt-{number}" for number in range(2, 9))}
    assert Redirect.objects.count() == 8
    assert not Link.objects.filter(resolved_page=None).exists()


def test_one_page_renamed_twice_at_once_has_one_new_name(agent, author):
    page = create_page(agent.home_wiki, title="Seite", body="Text", author=author)

    def rename(number: int) -> bool:
        try:
            rename_page(page, 1, title=f"Name {number}", author=author)
        except EditConflict:
            return False
        return True

    assert sum(at_once(12, 12, rename)) == 1
    assert list(Redirect.objects.values_list("slug", flat=True)) == ["seite"]


def test_pages_marked_at_once_do_not_replace_each_other_in_a_circle(agent, author):
    pages = [
        create_page(agent.home_wiki, title=f"Seite {n}", body="Text", author=author)
        for n in range(6)
    ]

    def mark(number: int) -> bool:
        try:
            mark_replaced(pages[number], pages[(number + 1) % 6], author=author)
        except InvalidPage:
            return False
        return True

    assert sum(at_once(6, 6, mark)) == 5


def _wait_until_somebody_waits() -> None:
    with connection.cursor() as cursor:
        for _ in range(100_000):
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody waits")


def test_who_holds_two_pages_and_who_makes_all_stale_do_not_wait_for_each_other(author):
    wiki = Wiki.objects.get()
    first, second = (
        create_page(wiki, title=title, body="Text.", author=author) for title in ("A", "B")
    )
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock_wiki(wiki.pk)
            Page.objects.select_for_update(no_key=True).get(pk=second.pk)
            stale = pool.submit(_make_stale)
            _wait_until_somebody_waits()
            Page.objects.select_for_update(no_key=True).get(pk=first.pk)
        assert stale.result() == 2


def _make_stale() -> int:
    try:
        return mark_stale(Page.objects.live())
    finally:
        connection.close()
