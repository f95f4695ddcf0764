"""What goes over the wire for a query and for a page, per model family; the fingerprint that it
is part of."""

import hashlib
import re

import pytest

from embeddings import prompts
from embeddings.client import (
    active_fingerprint,
    active_model,
    active_provider,
    embed_documents,
    embed_in_bulk,
    embed_query,
)
from embeddings.prompts import FAMILIES, document_input, find_family, recipe_of
from embeddings.text import MAX_CHARACTERS, Document

SENTENCE = "Represent this sentence for searching relevant passages: q"
INSTRUCTION = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:q"
)
FORMS = {
    "embeddinggemma": ("title: Titel | text: Text", "task: search result | query: q"),
    "embeddinggemma:300m-q8": ("title: Titel | text: Text", "task: search result | query: q"),
    "hf.co/google/EmbeddingGemma-300m-GGUF:Q8_0": (
        "title: Titel | text: Text",
        "task: search result | query: q",
    ),
    "nomic-embed-text": ("search_document: Titel\nText", "search_query: q"),
    "nomic-embed-text-v2-moe": ("search_document: Titel\nText", "search_query: q"),
    "text-embedding-nomic-embed-text-v1.5": ("search_document: Titel\nText", "search_query: q"),
    "qwen3-embedding:0.6b": ("Titel\nText", INSTRUCTION),
    "Qwen/Qwen3-Embedding-4B": ("Titel\nText", INSTRUCTION),
    "mxbai-embed-large": ("Titel\nText", SENTENCE),
    "snowflake-arctic-embed": ("Titel\nText", SENTENCE),
    "snowflake-arctic-embed2": ("Titel\nText", "query: q"),
    "bge-m3": ("Titel\nText", "q"),
    "text-embedding-3-small": ("Titel\nText", "q"),
    "voyage-3.5-lite": ("Titel\nText", "q"),
    "use-multilingual-3": ("Titel\nText", "q"),
    "multilingual-e5-small": ("passage: Titel\nText", "query: q"),
    "intfloat/multilingual-e5-large": ("passage: Titel\nText", "query: q"),
    "something-else": ("Titel\nText", "q"),
}


@pytest.mark.parametrize(("model", "forms"), FORMS.items())
def test_pages_go_in_the_document_form_and_queries_in_the_query_form(use, model, forms):
    server = use("ollama", model=model)
    embed_query("q")
    embed_documents([Document("Titel", "Text")])
    list(embed_in_bulk([Document("Titel", "Text")]))
    assert server.texts == [forms[1], forms[0], forms[0]]


def test_a_document_without_a_title_says_so_where_the_family_has_a_slot(use):
    server = use("ollama")
    embed_documents([Document("", "Text"), Document(" ", "Text"), Document("Nur Titel", "")])
    assert server.texts == [
        "title: none | text: Text",
        "title: none | text: Text",
        "title: Nur Titel | text: ",
    ]


def test_a_title_with_braces_stays_as_it_is():
    assert (
        document_input("embeddinggemma", Document("{body} {0}", "x")).wire
        == "title: {body} {0} | text: x"
    )


def test_voyage_is_told_by_input_type(use):
    server = use("voyage")
    embed_query("q")
    embed_documents([Document("Titel", "Text")])
    assert [(request.body["input_type"], request.texts) for request in server.requests] == [
        ("query", ["q"]),
        ("document", ["Titel\nText"]),
    ]


@pytest.mark.parametrize("model", FORMS)
def test_title_and_text_together_are_cut_to_8000_characters(model):
    given = document_input(model, Document("T" * 200, "x" * 20_000))
    assert given.wire.count("x") - given.prompt.count("x") == MAX_CHARACTERS - 201


def test_a_title_of_any_length_stays_within_the_cut():
    given = document_input("embeddinggemma", Document("T" * 9000, "x"))
    assert len(given.wire) <= MAX_CHARACTERS + len("title:  | text: ")


def test_latest_is_the_same_model_and_another_tag_is_not(settings):
    settings.COVEY_EMBEDDING_PROVIDER = "ollama"
    fingerprints = []
    for model in ("", "embeddinggemma", "embeddinggemma:latest", "embeddinggemma:300m-q8"):
        settings.COVEY_EMBEDDING_MODEL = model
        fingerprints.append(active_fingerprint())
    assert fingerprints == ["ollama:embeddinggemma:256"] * 3 + ["ollama:embeddinggemma:300m-q8:256"]


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("ollama", "embeddinggemma"),
        ("voyage", "voyage-3.5-lite"),
        ("openai", "text-embedding-3-small"),
    ],
)
def test_each_provider_has_its_model(settings, provider, model):
    settings.COVEY_EMBEDDING_PROVIDER = provider
    assert (active_provider(), active_model()) == (provider, model)


def test_builtin_has_one_model_whatever_is_set(settings):
    settings.COVEY_EMBEDDING_MODEL = "embeddinggemma"
    assert active_fingerprint() == "builtin:hash:256"


def test_a_proxy_gets_the_name_of_the_model_as_it_was_written(use):
    server = use("openai", model="gemma:latest")
    embed_query("q")
    assert server.requests[0].body["model"] == "gemma:latest"
    assert active_model() == "gemma"


def test_another_recipe_is_another_fingerprint_and_the_first_adds_nothing(settings, monkeypatch):
    settings.COVEY_EMBEDDING_PROVIDER = "ollama"
    assert active_fingerprint() == "ollama:embeddinggemma:256"
    monkeypatch.setattr(prompts, "RECIPE", 2)
    assert active_fingerprint() == "ollama:embeddinggemma:256:r2"


def test_a_family_whose_document_prompt_was_changed_is_stale_alone(settings, monkeypatch):
    settings.COVEY_EMBEDDING_PROVIDER = "ollama"
    settings.COVEY_EMBEDDING_MODEL = "multilingual-e5-small"
    assert active_fingerprint() == "ollama:multilingual-e5-small:256:r2"
    monkeypatch.setattr(prompts, "RECIPE", 2)
    assert active_fingerprint() == "ollama:multilingual-e5-small:256:r3"


# Whoever must change these lines raises RECIPE, or the `changes` of the family: the vectors of
# stored pages are then of another making.
RECIPES = {1: "6575533ef1d65e2d", 2: "cf1ea04bc6163380"}


@pytest.mark.parametrize("number", RECIPES)
def test_a_recipe_is_what_its_number_says(number):
    sample = Document(" Titel\x00", "Zeile\r\n\ud83d " + "wort " * 2000)
    models = [model for model in FORMS if recipe_of(model) == number]
    made = "".join(document_input(model, sample).wire for model in models)
    assert hashlib.sha256(made.encode()).hexdigest()[:16] == RECIPES[number]


def test_every_family_is_found_by_each_of_its_names():
    assert [
        name for family in FAMILIES for name in family.names if find_family(name) is not family
    ] == []


def test_names_of_families_are_lower_case():
    assert all(re.fullmatch("[a-z0-9:.-]+", name) for family in FAMILIES for name in family.names)
