"""Create, revise, append, trash, restore: no sentence is lost, every change leaves a trace."""

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from embeddings.client import EmbeddingError
from tests.support.search import recall
from tests.support.writing import append_text, create_page, revise_page
from wiki.models import EmbeddingState, Page, Redirect, Revision
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage, clean_type, fold_tags
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import EditConflict, PageGone, SlugTaken
from wiki.search.retrieval import Mode


def test_every_change_of_text_makes_a_revision(write, author):
    page = write("Seite", "Eins.")
    page = revise_page(page, 1, title="Seite", body="Zwei.", author=author, summary="  gekürzt\n")
    page = append_text(page, "Drei.", author=author)
    rows = [
        (row.number, row.kind, row.body, row.author_name, row.summary)
        for row in page.revisions.all()
    ]
    assert rows == [
        (3, "append", "Zwei.\n\nDrei.", "pat", ""),
        (2, "edit", "Zwei.", "pat", "gekürzt"),
        (1, "create", "Eins.", "pat", ""),
    ]


def test_a_person_with_the_longest_name_can_save(person, write):
    person.first_name, person.last_name = "P" * 150, "Q" * 150
    page = revise_page(write("Seite"), 1, title="Seite", body="Neu.", author=Author.person(person))
    assert page.revisions.get(number=2).author_name == "P" * 150 + " " + "Q" * 49


@pytest.mark.parametrize("body", ["Eins.\nZwei.", "Eins.\r\nZwei.", "Eins.\rZwei."])
def test_the_same_text_with_other_line_ends_is_a_null_edit(write, author, body):
    page = write("Seite", "Eins.\nZwei.")
    assert revise_page(page, 1, title=" Seite ", body=body, author=author).revision == 1
    assert Revision.objects.count() == 1


def test_the_second_saver_gets_a_conflict_and_the_first_text_stays(write, author):
    page = write("Seite", "Eins.")
    revise_page(page, 1, title="Seite", body="Vom ersten.", author=author)
    with pytest.raises(EditConflict) as conflict:
        revise_page(page, 1, title="Seite", body="Vom zweiten.", author=author)
    assert conflict.value.page.body == "Vom ersten."
    assert Page.objects.get().body == "Vom ersten."


def test_a_page_in_the_trash_cannot_be_edited(write, author):
    page = write("Seite", "Eins.")
    trash_page(page, author=author)
    with pytest.raises(PageGone):
        revise_page(page, 2, title="Seite", body="Zwei.", author=author)
    with pytest.raises(PageGone):
        append_text(page, "Zwei.", author=author)


def test_trash_and_restore_keep_text_history_and_vector(write, author):
    page = write("Seite", "Ein ganzer Satz.")
    vector = page.embedding
    trashed = trash_page(page, author=author)
    assert (trashed.embed_model, trashed.embedding, trashed.is_trashed) == ("", None, True)
    restored = restore_page(trashed, author=author)
    np.testing.assert_allclose(restored.embedding, vector)
    assert [row.kind for row in restored.revisions.all()] == ["restore", "trash", "create"]
    assert restore_page(restored, author=author).revision == 3


def test_a_page_whose_address_was_given_away_is_not_restored_over_it(write, wiki, author):
    old = trash_page(write("Privat", "Alt."), author=author)
    create_page(wiki, title="Privat", body="Neu.", author=author)
    with pytest.raises(SlugTaken):
        restore_page(old, author=author)
    assert Page.objects.live().get().body == "Neu."


def test_a_page_comes_back_under_a_free_address_when_its_own_was_given_away(write, wiki, author):
    old = trash_page(write("Privat", "Alt."), author=author)
    new = create_page(wiki, title="Privat", body="Neu.", author=author)
    Redirect.objects.create(wiki=wiki, slug="privat-2", page=new)
    links = write("Links", "[[privat-3]] [[Privat]]").links
    restored = restore_page(old, author=author, new_address=True)
    assert (restored.slug, restored.body, restored.revisions.first().kind) == (
        "privat-3",
        "Alt.",
        "restore",
    )
    assert dict(links.values_list("target_text", "resolved_page")) == {
        "privat-3": old.pk,
        # Both are called so.
        "Privat": None,
    }


def test_a_page_whose_address_is_free_comes_back_to_it(write, author):
    old = trash_page(write("Privat", "Alt."), author=author)
    assert restore_page(old, author=author, new_address=True).slug == "privat"


def test_a_changed_text_has_the_vector_of_the_new_text(write, author):
    page = write("Seite", "Rechnungen im Januar.")
    revised = revise_page(page, 1, title="Seite", body="Zertifikate im Mai.", author=author)
    twin = write("Seite", "Zertifikate im Mai.")
    np.testing.assert_allclose(revised.embedding, twin.embedding)


def test_a_page_is_saved_while_the_provider_is_away(write, author, monkeypatch):
    page = write("Seite", "Vorher.")

    def away(documents):
        raise EmbeddingError("The service is away.", permanent=False)

    monkeypatch.setattr("wiki.indexing.embed.embed_documents", away)
    page = revise_page(page, 1, title="Seite", body="Nachher.", author=author)
    assert (page.body, page.embed_model, page.embedding) == ("Nachher.", "", None)
    assert page.embedding_state("builtin:hash:256") == EmbeddingState.STALE


@pytest.mark.parametrize("text", ["Eins.", " Eins. ", "Eins.\r\n"])
def test_appending_what_stands_there_changes_nothing(write, author, text):
    page = write("Seite", "Eins. Zwei.")
    assert append_text(page, text, author=author).revision == 1


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Der Dienst lauscht auf Port 8080.", "Der Dienst lauscht auf Port 80"),
        ("Niemals sagen: nie neu starten hilft.", "neu starten hilft."),
        ("Version v2.4.7 ist gut.", "Version v2.4"),
        ("Starte mit `-R` neu.", "Starte mit `-r` neu."),
        ("Es ist C++.", "Es ist C#."),
    ],
)
def test_a_text_that_only_looks_alike_is_appended(write, author, body, text):
    page = append_text(write("Seite", body), text, author=author)
    assert page.body == f"{body}\n\n{text}"


def test_appending_to_an_empty_page_leaves_no_blank_lines(write, author):
    assert append_text(write("Leer"), "Erster Satz.", author=author).body == "Erster Satz."


@pytest.mark.parametrize("text", ["", "  \n", "—"])
def test_appending_no_word_is_refused(write, author, text):
    with pytest.raises(InvalidPage):
        append_text(write("Seite"), text, author=author)


def test_a_page_without_a_word_is_no_stale_page(write):
    page = write("!", "—")
    assert page.embedding_state("builtin:hash:256") == EmbeddingState.WORDLESS
    assert Page.objects.stale("builtin:hash:256").count() == 0


def test_tags_are_folded_by_case_and_blanks():
    assert fold_tags(["CI", "ci ", "", "A  B", "a b", "Anschlüsse"]) == ["ci", "a b", "anschlüsse"]


@pytest.mark.parametrize(
    ("word", "type"),
    [("Kunde", "customer"), ("THEMA", "topic"), (" runbook ", "problem"), ("", "")],
)
def test_types_are_understood_in_german_and_by_synonyms(word, type):
    assert clean_type(word) == type


@pytest.mark.parametrize(
    "change",
    [
        {"embed_model": "builtin:hash:256", "embedding": None},
        {"embed_model": "", "embedding": [1.0] + [0.0] * 255},
        {"embed_model": "builtin:hash:256", "embedding": [0.0] * 256},
        {"title": ""},
        {"slug": ""},
    ],
)
def test_the_database_refuses_what_may_not_be(write, change):
    page = write("Seite", "Text")
    with pytest.raises(IntegrityError), transaction.atomic():
        Page.objects.filter(pk=page.pk).update(**change)


def test_two_live_pages_cannot_share_an_address(write):
    write("Eins")
    other = write("Zwei")
    with pytest.raises(IntegrityError), transaction.atomic():
        Page.objects.filter(pk=other.pk).update(slug="eins")


@pytest.mark.parametrize(
    "word",
    [
        "x" + "äöü" * 30_000,
        " ".join(f"{n:05}-é{n % 97}" for n in range(25_000)),
        "https://a.b/" + "c/" * 90_000,
    ],
)
def test_a_page_with_very_many_words_is_saved_and_found(write, wiki, word):
    write("Riesig", "Anfangswort " + word[: 250 * 1024 // 2])
    assert [hit.page.title for hit in recall(wiki, "Anfangswort", mode=Mode.KEYWORD).hits] == [
        "Riesig"
    ]


def test_a_page_whose_first_word_stands_behind_the_cut_has_no_direction_and_is_no_failure(write):
    page = write("!", "— " * 5000 + "Wort")
    assert page.embedding_state("builtin:hash:256") == EmbeddingState.WORDLESS
