"""Cases of other systems that go through several parts at once."""

from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.screens import Write, text
from tests.support.search import recall
from tests.support.writing import create_page
from wiki.merging.maintenance import maintain
from wiki.merging.merge import merge_pages
from wiki.models import Agent, Insight, Page, Wiki
from wiki.pages.author import Author
from wiki.search.retrieval import Mode


def test_after_a_run_the_survivor_comes_first_for_its_own_title(wiki: Wiki, agent: Agent) -> None:
    titles = ("Paketspiegel verwirft Wheels", "Paketspiegel verwirft Wheels!", "Paketspiegel")
    for title in titles:
        body = (
            "Er steht im Keller."
            if title == "Paketspiegel"
            else "Der Paketspiegel verwirft große Wheels."
        )
        create_page(wiki, title=title, body=body, author=Author.of_agent(agent))
    maintain([wiki])
    assert Page.objects.live().count() == 2
    for mode in Mode:
        assert (
            recall(wiki, "Paketspiegel verwirft Wheels", mode=mode)
            .hits[0]
            .page.title.startswith("Paketspiegel v")
        )


def test_an_earlier_version_is_read_and_brought_back_into_text_and_recall(
    api: ApiClient, write: Write
) -> None:
    write("Spiegel", "Der Spiegel hat den Port 8080.")
    api.put(
        "/pages/spiegel", {"title": "Spiegel", "body": "Er steht im Keller.", "base_revision": 1}
    )
    assert [row["number"] for row in api.get("/pages/spiegel/revisions").json()["revisions"]] == [
        2,
        1,
    ]
    first = api.get("/pages/spiegel/revisions/1").json()
    assert first["body"] == "Der Spiegel hat den Port 8080."
    api.put("/pages/spiegel", {"title": first["title"], "body": first["body"], "base_revision": 2})
    [found] = api.get("/recall?q=Port 8080&mode=keyword").json()["pages"]
    assert found["body"] == "Der Spiegel hat den Port 8080."


def test_a_page_says_what_was_merged_into_it(browser: Client, write: Write, author: Author) -> None:
    survivor = write("Bleibt", "Der erste Text.")
    for name in ("Eins", "Zwei", "Drei"):
        merge_pages(
            Page.objects.get(pk=survivor.pk), write(name, f"Der Text von {name}."), author=author
        )
    html = text(browser.get("/w/ops/bleibt"))
    assert "Merged from 3 pages" in html
    for name in ("Eins", "Zwei", "Drei"):
        assert f"<b>{name}</b>" in html
        assert f"Der Text von {name}." in html


def test_what_the_answers_count_is_what_there_is(
    api: ApiClient, write: Write, wiki: Wiki, agent: Agent
) -> None:
    for number in range(3):
        write(f"Seite {number}", "Text")
    Page.objects.filter(slug="seite-0").update(embed_model="", embedding=None)
    Page.objects.filter(slug="seite-1").update(
        embed_model="", embedding=None, embed_error="refused", failed_model="builtin:hash:256"
    )
    Insight.objects.create(wiki=wiki, agent=agent, text="Wartet.", outcome="pending")
    status = api.get("/status").json()
    assert (status["pages"], status["stale"], status["failed"], status["pending_insights"]) == (
        3,
        1,
        1,
        1,
    )
    answer = api.get("/recall?q=Seite&mode=vector").json()
    assert (answer["stale"], answer["index_total"], len(answer["pages"])) == (1, 3, 1)
