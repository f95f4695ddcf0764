"""A failure belongs to the model it happened with, and every count says so."""

from io import StringIO
from itertools import product

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from embeddings.client import active_fingerprint, embed_in_bulk
from tests.support.embedding_server import any_form, error
from wiki.indexing import embed
from wiki.indexing.counts import recall_counts
from wiki.indexing.reindex import current_run, measure_progress, work_off
from wiki.lint.page_rules import count_findings
from wiki.lint.rules import Finding
from wiki.models import AskedAs, EmbeddingState, Page, RunState
from wiki.operations.health import count_embeddings, find_warnings
from wiki.recall.questions import keep_question

PROVIDERS = ("builtin", "ollama", "voyage", "openai")
OTHERS = [provider for provider in PROVIDERS if provider != "builtin"]


def refuse_poison(request):
    if any("Gift" in text for text in request.texts):
        return error(400, "input cannot be processed")
    return any_form(request)


@pytest.fixture
def refusing(use):
    """Sets covey to a service that refuses one text; or to one that takes all."""
    return lambda provider, script=refuse_poison: use(provider, script)


def reembed(*arguments):
    """Return the output and the exit status."""
    out = StringIO()
    try:
        call_command("reembed", *arguments, stdout=out, stderr=out)
    except SystemExit as ended:
        return out.getvalue().strip(), ended.code
    return out.getvalue().strip(), 0


def states():
    return {
        page.title: page.embedding_state(active_fingerprint()).value for page in Page.objects.all()
    }


@pytest.mark.parametrize(
    ("provider", "following"), [pair for pair in product(OTHERS, PROVIDERS) if len({*pair}) == 2]
)
def test_a_page_that_failed_is_embedded_after_a_switch(
    write, refusing, use, wiki, provider, following
):
    write("Gut", "Text")
    write("Schlecht", "Gift")
    refusing(provider)
    work_off()
    assert states() == {"Gut": "current", "Schlecht": "failed"}
    use(following, any_form)
    assert states() == {"Gut": "stale", "Schlecht": "stale"}
    assert (count_embeddings().stale, count_embeddings().failed) == (2, 0)
    assert (measure_progress().done, measure_progress().total) == (0, 2)
    assert recall_counts(wiki).stale == 2
    work_off()
    assert states() == {"Gut": "current", "Schlecht": "current"}
    assert set(Page.objects.values_list("embed_error", "failed_model")) == {("", "")}
    assert current_run().state == RunState.IDLE


@pytest.mark.parametrize("provider", OTHERS)
def test_under_the_model_that_refused_it_a_page_is_failed_everywhere(
    write, refusing, wiki, api, provider
):
    write("Gut", "Text")
    write("Schlecht", "Gift")
    refusing(provider)
    work_off()
    status = api.get("/status").json()
    assert (status["pages"], status["stale"], status["failed"]) == (2, 0, 1)
    assert (status["reembed"]["done"], status["reembed"]["total"]) == (1, 1)
    assert recall_counts(wiki).stale == 0
    assert count_findings(wiki)[Finding.FAILED] == 1
    assert "failed" in [warning.id for warning in find_warnings()]
    assert [page.title for page in Page.objects.failed(active_fingerprint())] == ["Schlecht"]


def test_a_switch_back_tries_the_page_again(write, refusing, use):
    write("Schlecht", "Gift")
    server = refusing("openai")
    work_off()
    use("builtin")
    work_off()
    refusing("openai")
    server.requests.clear()
    work_off()
    assert any("Gift" in text for text in server.texts)
    assert states() == {"Schlecht": "failed"}


def test_a_failure_of_an_earlier_version_is_tried_once(write, refusing):
    """Its model was not noted."""
    write("Schlecht", "Gift")
    Page.objects.update(embed_model="", embedding=None, embed_error="too long")
    server = refusing("voyage")
    work_off()
    assert Page.objects.get().failed_model == active_fingerprint()
    server.requests.clear()
    work_off()
    assert server.requests == []


@pytest.mark.parametrize("provider", OTHERS)
def test_questions_fail_and_come_back_in_the_same_way(write, refusing, use, author, provider):
    page = write("Gut", "Text")
    keep_question(page, "Hilft Gift gegen Ratten?", author=author)
    refusing(provider)
    work_off()
    question = AskedAs.objects.get()
    assert (question.embed_model, question.failed_model) == ("", active_fingerprint())
    use("builtin")
    work_off()
    question = AskedAs.objects.get()
    assert (question.embed_model, question.failed_model) == ("builtin:hash:256", "")


@pytest.mark.parametrize("provider", OTHERS)
def test_failures_are_tried_again_when_asked(write, refusing, use, author, provider):
    page = write("Schlecht", "Gift")
    keep_question(page, "Hilft Gift gegen Ratten?", author=author)
    server = refusing(provider)
    work_off()
    server.requests.clear()
    output, code = reembed("--now")
    assert server.requests == [], "not by itself"
    assert output == "1 page has failed earlier: Schlecht. --failed tries again."
    assert code == 0
    server.script = any_form
    assert reembed("--now", "--failed") == ("1 page embedded.", 0)
    assert states() == {"Schlecht": "current"}
    assert AskedAs.objects.get().embed_model == active_fingerprint()


def test_without_now_the_worker_tries_failures_again(write, refusing):
    write("Schlecht", "Gift")
    server = refusing("ollama")
    work_off()
    assert reembed("--failed") == ("1 stale page is queued for the worker.", 0)
    server.script = any_form
    work_off()
    assert states() == {"Schlecht": "current"}


@pytest.mark.parametrize("provider", OTHERS)
def test_reembed_counts_what_was_embedded_and_names_what_failed(write, refusing, provider):
    for number in range(60):
        write(f"Seite {number}", "Gift" if number == 30 else "Gut")
    refusing(provider)
    assert reembed("--now", "--all") == ("59 embedded, 1 failed: Seite 30.", 1)


def test_many_failures_are_named_by_a_few(write, refusing):
    for number in range(8):
        write(f"Seite {number}", "Gift")
    refusing("ollama")
    output, code = reembed("--now")
    assert output.startswith("0 embedded, 8 failed: ")
    assert output.endswith(" and 3 more.")
    assert output.count("Seite") == 5
    assert code == 1


def test_an_earlier_failure_is_told_apart(write, refusing):
    write("Schlecht", "Gift")
    refusing("ollama")
    work_off()
    write("Gut", "Text")
    Page.objects.filter(title="Gut").update(embed_model="", embedding=None)
    lines = ["1 page embedded.", "1 page has failed earlier: Schlecht. --failed tries again."]
    assert reembed("--now") == ("\n".join(lines), 0)


def test_a_page_that_leaves_meanwhile_is_not_counted(write, use, monkeypatch):
    write("Weg", "Text")
    write("Da", "Text")
    Page.objects.update(embed_model="", embedding=None)

    def embed_later(documents):
        Page.objects.filter(title="Weg").update(trashed_at=timezone.now())
        yield from embed_in_bulk(documents)

    monkeypatch.setattr(embed, "embed_in_bulk", embed_later)
    assert reembed("--now") == ("1 page embedded.", 0)


def test_what_was_done_before_the_service_failed_is_told(write, use):
    for number in range(3):
        write(f"Seite {number}", "Gift" if number == 1 else "Gut")
    Page.objects.update(embed_model="", embedding=None)
    use("voyage", lambda request: error(401, "bad key"))
    with pytest.raises(CommandError, match="3 pages are still stale; 0 pages embedded. .*key"):
        call_command("reembed", "--now", stdout=StringIO())


def test_the_log_of_a_run_does_not_call_failed_pages_embedded(write, refusing, caplog):
    write("Gut", "Text")
    write("Schlecht", "Gift")
    refusing("openai")
    with caplog.at_level("INFO", logger="wiki"):
        work_off()
    assert "embedded 1 pages; 1 could not be" in caplog.text


def test_a_failure_has_an_error_and_no_vector(write):
    page = Page.objects.filter(pk=write("Seite", "Text").pk)
    for fields in ({"failed_model": "x"}, {"failed_model": "x", "embed_error": "y"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            page.update(**fields)
    page.update(failed_model="x", embed_error="y", embed_model="", embedding=None)
    assert Page.objects.get().embedding_state("x") == EmbeddingState.FAILED
    assert Page.objects.get().embedding_state("z") == EmbeddingState.STALE
