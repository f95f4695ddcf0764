"""Another provider is tried beside the active one, and a switch takes its vectors over."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from embeddings.client import active_fingerprint
from embeddings.service import Choice, using
from tests.support.embedding_server import Reply, any_form, error, ollama, openai, vector_of
from tests.support.search import recall
from tests.support.writing import revise_page
from wiki.indexing.calibration import INSIGHTS, PAGES
from wiki.indexing.reindex import describe_outgoing, embed_everything_anew, work_off
from wiki.indexing.vector_sets import count_kept
from wiki.models import AskedAs, KeptVector, Page, PageVector
from wiki.recall.questions import keep_question

BUILTIN, OPENAI = "builtin:hash:256", "openai:text-embedding-3-small:256"
# "an" stands in every page but the one that is looked for.
QUERY = "an build failing"
SYNONYMS = {"rot": "failing", "pipeline": "build"}


def understanding(request):
    """A model that knows synonyms."""
    rows = []
    for text in request.texts:
        for word, meaning in SYNONYMS.items():
            text = text.lower().replace(word, meaning)
        rows.append(vector_of(text))
    return (ollama if request.path.endswith("/api/embed") else openai)(request, rows)


@pytest.fixture
def stock(write, author):
    page = write("Pipeline rot", "Pipeline rot.")
    for number in range(12):
        write(f"Rechnung {number}", f"Rechnungen an Kunden, Mappe {number}.")
    keep_question(page, "Wohin geht die Pipeline?", author=author)
    return page


@pytest.fixture
def candidate(server, settings, waits):
    """Tries a provider at the server: candidate("openai") returns what is printed."""
    server.script = understanding

    def run(provider="openai", *more, key="sk-geheim", mode="vector", lines=None, **options):
        settings.COVEY_CANDIDATE_API_KEY = key
        file = options.pop("file", None)
        out = StringIO()
        arguments = [*([str(file)] if file else []), "--wiki", "ops", "--provider", provider]
        arguments += ["--url", server.url, "--mode", mode, *more]
        call_command("evaluate", *arguments, stdout=out)
        return out.getvalue()

    return run


@pytest.fixture
def questions(tmp_path):
    file = tmp_path / "fragen.jsonl"
    file.write_text(json.dumps({"query": QUERY, "expected": "pipeline-rot"}))
    return file


def switch(settings, server, provider="openai"):
    settings.COVEY_EMBEDDING_PROVIDER = provider
    settings.COVEY_EMBEDDING_URL = server.url if provider != "builtin" else ""
    settings.COVEY_EMBEDDING_API_KEY = "sk-geheim"


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_live_and_candidate_stand_side_by_side(stock, candidate, questions, provider, mode):
    figures = json.loads(candidate(provider, "--yes", "--json", file=questions, mode=mode))
    live, tried = figures["live"], figures["candidate"]
    assert (live["model"], live["recall@1"], live["missed"]) == (BUILTIN, 0.0, [QUERY])
    assert tried["model"].startswith(provider)
    assert (tried["recall@1"], tried["mrr"], tried["missed"]) == (1.0, 1.0, [])
    assert tried["latency_ms"]["median"] > 0


def test_for_people_both_are_one_table(stock, candidate, questions):
    out = candidate("openai", "--yes", file=questions)
    assert f"{BUILTIN} / {OPENAI}" in out
    assert "recall@1   0.000   1.000" in out
    assert f"missed by {BUILTIN} alone: 1 of 1\n  {QUERY}" in out
    assert f"missed by {OPENAI} alone: 0 of 0" in out


def test_the_live_vectors_are_not_touched(stock, wiki, candidate, questions):
    before = list(Page.objects.order_by("pk").values_list("embed_model", "embedded_at"))
    vectors = [list(vector) for vector in PageVector.objects.values_list("embedding", flat=True)]
    candidate("openai", "--yes", file=questions)
    assert list(Page.objects.order_by("pk").values_list("embed_model", "embedded_at")) == before
    after = [list(vector) for vector in PageVector.objects.values_list("embedding", flat=True)]
    assert after == vectors
    assert count_kept() == {OPENAI: 14}
    assert active_fingerprint() == BUILTIN
    assert recall(wiki, "Pipeline rot").hits[0].page.title == "Pipeline rot"


def test_without_a_file_the_marks_are_asked(stock, candidate):
    figures = json.loads(candidate("openai", "--yes", "--json"))
    assert figures["live"]["queries"] == figures["candidate"]["queries"] == 1


def test_an_outside_provider_is_announced_and_wants_a_yes(stock, candidate, server, capsys):
    with pytest.raises(CommandError, match="Nothing was sent. Agree with --yes."):
        candidate("voyage")
    told = capsys.readouterr().err
    assert "13 pages with" in told
    assert "characters, and 1 questions" in told
    assert server.requests == []
    candidate("voyage", "--yes")
    assert server.requests


def test_the_answer_of_a_person_decides(stock, candidate, server, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: "n")
    with pytest.raises(CommandError, match="Nothing was sent"):
        candidate("openai")
    assert server.requests == []
    monkeypatch.setattr("builtins.input", lambda prompt: "yes")
    assert "recall@1" in candidate("openai")


def test_a_provider_of_the_own_network_is_not_asked_for(stock, candidate, capsys):
    assert "recall@1" in candidate("ollama", key="")
    assert "going to be sent" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("provider", "key", "words"),
    [("openai", "", "COVEY_CANDIDATE_API_KEY"), ("builtin", "", "active model already")],
)
def test_what_cannot_be_tried_is_refused(stock, candidate, server, provider, key, words):
    with pytest.raises(CommandError, match=words):
        candidate(provider, "--yes", key=key)
    assert server.requests == []


def test_the_key_of_the_active_provider_goes_to_nobody_else(stock, candidate, server, settings):
    settings.COVEY_EMBEDDING_API_KEY = "sk-live"
    candidate("openai", "--yes")
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer sk-geheim"}


def test_what_was_embedded_is_not_sent_again(stock, candidate, server, author):
    candidate("openai", "--yes")
    server.requests.clear()
    candidate("openai", "--yes")
    assert server.texts == ["Wohin geht die Pipeline?"], "the query alone"
    revise_page(stock, 1, title="Pipeline rot", body="Neu.", author=author)
    server.requests.clear()
    candidate("openai", "--yes")
    assert "Pipeline rot\nNeu." in server.texts


def test_after_a_failure_the_next_try_goes_on(stock, candidate, server):
    served = []

    def fail_late(request):
        served.append(request)
        return understanding(request) if len(served) == 1 else error(401, "no")

    server.script = fail_late
    with pytest.raises(CommandError, match="the next try goes on"):
        candidate("openai", "--yes")
    kept = KeptVector.objects.count()
    assert 0 < kept < 14
    server.script = understanding
    candidate("openai", "--yes")
    assert KeptVector.objects.count() == 14


def test_the_switch_adopts_what_still_fits_and_asks_for_the_rest(
    stock, wiki, candidate, server, settings, author
):
    candidate("openai", "--yes")
    revise_page(stock, 1, title="Pipeline rot", body="Pipeline rot, neu.", author=author)
    server.requests.clear()
    switch(settings, server)
    assert describe_outgoing().startswith("1 pages with")
    work_off()
    assert server.texts == ["Pipeline rot\nPipeline rot, neu."]
    assert set(Page.objects.values_list("embed_model", flat=True)) == {OPENAI}
    assert set(AskedAs.objects.values_list("embed_model", flat=True)) == {OPENAI}
    assert recall(wiki, "build failing").hits[0].page.title == "Pipeline rot"


def test_the_old_vectors_are_a_way_back_until_they_are_dropped(stock, candidate, server, settings):
    old = {page.pk: list(page.embedding) for page in Page.objects.all()}
    switch(settings, server)
    work_off()
    assert count_kept() == {BUILTIN: 14}
    switch(settings, server, "builtin")
    out = StringIO()
    call_command("reembed", "--now", stdout=out)
    assert out.getvalue().strip() == "0 pages embedded, 13 had a kept vector."
    assert {page.pk: list(page.embedding) for page in Page.objects.all()} == old
    assert count_kept() == {OPENAI: 14}
    call_command("reembed", "--drop-kept", stdout=out)
    assert f"14 vectors of {OPENAI} dropped." in out.getvalue()
    assert count_kept() == {}
    server.requests.clear()
    switch(settings, server)
    work_off()
    assert len(server.texts) == 14


def test_everything_anew_takes_nothing_from_a_set(stock, candidate, server, settings):
    candidate("openai", "--yes")
    switch(settings, server)
    embed_everything_anew()
    server.requests.clear()
    work_off()
    # And what the model is calibrated by.
    assert len(server.texts) == 14 + len(PAGES) + len(INSIGHTS)


def test_a_text_that_the_candidate_refuses_is_told(stock, write, candidate, server, capsys):
    write("Schlecht", "Gift")
    refuse = lambda request: any("Gift" in text for text in request.texts)  # noqa: E731
    server.script = lambda request: (
        error(400, "cannot be processed") if refuse(request) else any_form(request)
    )
    candidate("openai", "--yes")
    assert "1 text failed" in capsys.readouterr().err


def test_the_choice_holds_in_its_context_alone(settings):
    with using(Choice("ollama", "bge-m3")):
        assert active_fingerprint() == "ollama:bge-m3:256"
    assert active_fingerprint() == BUILTIN


def test_an_answer_that_is_none_is_no_figure(stock, candidate, server):
    server.script = lambda request: Reply(503, {})
    with pytest.raises(CommandError, match="503"):
        candidate("openai", "--yes")
