"""The clients as the wiki uses them."""

import pytest

from tests.support.embedding_server import error
from wiki.models import Page


def texts_of(server):
    texts = server.texts
    del server.requests[:]
    return texts


def test_recall_sends_the_query_form_and_pages_and_insights_the_document_form(use, write, api):
    server = use("ollama")
    write("Rote Pipeline", "Den Runner neu starten.")
    assert texts_of(server) == ["title: Rote Pipeline | text: Den Runner neu starten."]
    assert api.get("/recall?q=rote Pipeline").status_code == 200
    assert texts_of(server) == ["task: search result | query: rote Pipeline"]
    assert (
        api.post(
            "/insights", {"text": "Der Speicher war voll und die Sicherung schlug fehl."}
        ).status_code
        == 201
    )
    assert all(text.startswith("title: ") for text in texts_of(server))


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_what_is_stored_has_norm_1_and_the_fingerprint_of_its_model(use, write, provider):
    use(provider)
    page = write("Rote Pipeline", "Den Runner neu starten.")
    assert page.embed_model.startswith(f"{provider}:")
    assert abs(float((page.embedding**2).sum()) - 1) < 1e-4


def test_with_the_service_away_recall_answers_with_words_and_says_why(use, write, api):
    server = use("ollama")
    write("Rote Pipeline", "Den Runner neu starten.")
    server.script = lambda request: error(503)
    answer = api.get("/recall?q=runner").json()
    assert answer["degraded"] is True
    assert "answered 503" in answer["reason"]
    assert "sk-geheim" not in answer["reason"]
    assert [(page["slug"], page["similarity"]) for page in answer["pages"]] == [
        ("rote-pipeline", None)
    ]


def test_a_page_is_saved_while_the_service_is_away(use, write):
    use("ollama", lambda request: error(503))
    page = write("Rote Pipeline", "Den Runner neu starten.")
    assert Page.objects.get(pk=page.pk).embed_model == ""
