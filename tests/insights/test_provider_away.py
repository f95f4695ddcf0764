"""While the provider is away nothing is refused and nothing is lost: insights wait, words find
them."""

import pytest

from embeddings.client import EmbeddingError
from tests.support.search import recall
from wiki.indexing import embed
from wiki.insights.intake import Handed, file_insight, file_pending_insights
from wiki.models import Insight, Outcome, Page
from wiki.search import retrieval
from wiki.search.retrieval import Mode

PROXY = "Der Proxy vor dem Paketspiegel verwirft Antworten über 64 MiB."


@pytest.fixture
def file(wiki, agent):
    return lambda text, key="", **more: file_insight(wiki, agent, Handed(text, **more), key)


@pytest.fixture
def outage(monkeypatch):
    """Starts an outage; the returned function ends it."""

    def fail(*arguments):
        raise EmbeddingError("The service does not answer.", permanent=False)

    kept = embed.embed_documents, retrieval.embed_query

    def begin():
        monkeypatch.setattr(embed, "embed_documents", fail)
        monkeypatch.setattr(retrieval, "embed_query", fail)
        return end

    def end():
        monkeypatch.setattr(embed, "embed_documents", kept[0])
        monkeypatch.setattr(retrieval, "embed_query", kept[1])

    return begin


def test_an_insight_waits_and_is_filed_later_with_its_id_and_date(file, outage):
    end = outage()
    waiting = file(PROXY, source="ticket-1", type="system", tags=["proxy"])
    assert (waiting.outcome, waiting.page) == (Outcome.PENDING, None)
    assert Page.objects.count() == 0
    assert file_pending_insights() == 0
    end()
    assert file_pending_insights() == 1
    filed = Insight.objects.get()
    assert (filed.pk, filed.created_at, filed.outcome) == (
        waiting.pk,
        waiting.created_at,
        Outcome.CREATED,
    )
    assert (filed.page.body, filed.page.type, filed.page.tags) == (PROXY, "system", ["proxy"])
    assert filed.page.embed_model == "builtin:hash:256"


def test_waiting_insights_are_filed_in_order_and_without_twins(file, outage):
    end = outage()
    for text in (PROXY, PROXY, f"{PROXY} Betrifft auch das Verzeichnis."):
        assert file(text).outcome == Outcome.PENDING
    end()
    assert file_pending_insights() == 3
    assert [row.outcome for row in Insight.objects.order_by("id")] == [
        "created",
        "known",
        "appended",
    ]
    assert Page.objects.count() == 1


def test_a_waiting_insight_is_found_by_its_words(file, outage, wiki, stranger):
    outage()
    waiting = file(PROXY)
    for mode in Mode:
        assert recall(wiki, "Paketspiegel", mode=mode).pending == [waiting]
    assert recall(wiki, "Rechnung").pending == []


def test_the_api_answers_202_and_shows_what_waits(api, stranger, outage):
    end = outage()
    answer = api.post("/insights", {"text": PROXY})
    assert answer.status_code == 202
    assert (answer.json()["outcome"], answer.json()["page"]) == ("pending", None)
    recalled = api.get("/recall?q=Paketspiegel").json()
    assert recalled["degraded"] is True
    assert "does not answer" in recalled["reason"]
    assert [row["text"] for row in recalled["pending"]] == [PROXY]
    assert api.get("/status").json()["pending_insights"] == 1
    assert "pending" not in stranger.get("/recall?q=Paketspiegel").json()
    end()
    file_pending_insights()
    assert api.get(f"/insights/{answer.json()['id']}").json()["outcome"] == "created"
    assert "pending" not in api.get("/recall?q=Paketspiegel").json()


def test_noise_known_and_named_insights_need_no_provider(file, write, outage):
    first = file(PROXY)
    page = write("Runner", "Der Runner steht im Keller.")
    outage()
    assert file("n/a").outcome == Outcome.NOISE
    assert (file(PROXY).outcome, file(PROXY).page) == (Outcome.KNOWN, first.page)
    appended = file("Dienstags wird gewartet.", page="Runner")
    page.refresh_from_db()
    assert (appended.outcome, page.embed_model) == (Outcome.APPENDED, "")
    assert "Dienstags wird gewartet." in page.body


def test_a_repeated_key_gives_the_waiting_insight(file, outage):
    outage()
    assert file(PROXY, key="k") == file(PROXY, key="k")
    assert Insight.objects.count() == 1
