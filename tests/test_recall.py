"""Recall: right pages, right order, nothing of other models or wikis."""

import unicodedata

import pytest

from embeddings.client import EmbeddingError
from embeddings.hashing import hash_text
from wiki.editing import create_page, trash_page
from wiki.excerpts import cut_around, excerpt
from wiki.models import Page, Wiki
from wiki.recall import Mode, neighbours, recall


def titles(recalled):
    return [hit.page.title for hit in recalled.hits]


def test_the_similarity_is_the_cosine_of_the_recipe(write, wiki):
    page = write("Pipeline rot", "Was zu tun ist, wenn die Pipeline rot ist.")
    [hit] = recall(wiki, "wenn die Pipeline rot ist").hits
    expected = hash_text(f"{page.title}\n{page.body}") @ hash_text("wenn die Pipeline rot ist")
    assert hit.similarity == pytest.approx(float(expected), abs=1e-6)
    assert hit.found_by == ["vector"]


def test_s10_five_pages_come_even_when_nothing_is_near(write, wiki):
    for number in range(9):
        write(f"Seite {number}", "Rechnungen und Mahnungen.")
    assert len(recall(wiki, "Der CI-Build schlägt fehl").hits) == 5


def test_s13_recall_by_vector_sees_only_pages_of_the_active_model(write, wiki):
    write("Neu", "Pipeline rot")
    old = write("Alt", "Pipeline rot")
    Page.objects.filter(pk=old.pk).update(embed_model="openai:text-embedding-3-small:256")
    found = recall(wiki, "Pipeline rot")
    assert (titles(found), found.stale) == (["Neu"], 1)
    assert set(titles(recall(wiki, "Pipeline rot", mode=Mode.KEYWORD))) == {"Neu", "Alt"}
    assert set(titles(recall(wiki, "Pipeline rot", mode=Mode.HYBRID))) == {"Neu", "Alt"}


def test_nothing_of_another_wiki_and_nothing_from_the_trash(write, wiki, author):
    create_page(Wiki.objects.create(slug="zwei", name="Zwei"), title="Pipeline rot", body="Pipeline rot", author=author)
    trash_page(write("Pipeline rot", "Pipeline rot"), author=author)
    for mode in Mode:
        assert recall(wiki, "Pipeline rot", mode=mode).hits == []


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("Datenbank", "Datenbanken"),
        ("backups", "Backup"),
        ("die rote Pipeline", "Pipeline"),
        ("ERR_CONN_4711", "Fehler"),
        ("deploy-v2.4.7-hotfix", "Auslieferung"),
        ("what is the pipeline", "Pipeline"),
    ],
)
def test_keyword_recall_stems_german_and_english_and_finds_identifiers(write, wiki, query, title):
    write("Datenbanken", "Alle Datenbanken laufen im Keller.")
    write("Backup", "The backup runs at night.")
    write("Pipeline", "Die roten Pipelines sind die wichtigen.")
    write("Fehler", "Der Dienst meldet ERR_CONN_4711 im Log.")
    write("Auslieferung", "Seit deploy-v2.4.7-hotfix geht es wieder.")
    hits = recall(wiki, query, mode=Mode.KEYWORD).hits
    assert hits[0].page.title == title
    assert hits[0].similarity is None


def test_keyword_recall_needs_one_telling_word_and_no_stop_word(write, wiki):
    write("Der Und Die", "der die das und the of and")
    assert recall(wiki, "Wo ist der Schlüssel und das Schloss", mode=Mode.KEYWORD).hits == []
    assert titles(recall(wiki, "der", mode=Mode.KEYWORD)) == ["Der Und Die"]


@pytest.mark.parametrize("query", ["'", "\\", "a' | b & !c <-> (", ":*", "'''", "%", "\u0000", "🎉", "—"])
def test_odd_queries_do_no_harm(write, wiki, query):
    write("Seite", "Text")
    for mode in Mode:
        found = recall(wiki, query, mode=mode)
        assert not found.degraded
        assert set(titles(found)) <= {"Seite"}


def test_a_query_without_a_word_is_near_nothing_and_says_so(write, wiki):
    write("Seite", "Text")
    found = recall(wiki, "—!?")
    assert found.hits == []
    assert "no word" in found.reason


def test_hybrid_puts_what_both_ways_find_first(write, wiki):
    write("Beides", "Der Proxy verwirft große Antworten.")
    for number in range(5):
        write(f"Sonst {number}", "Rechnung an Kunden verschickt.")
    hits = recall(wiki, "Proxy verwirft Antworten", mode=Mode.HYBRID).hits
    assert (hits[0].page.title, hits[0].found_by) == ("Beides", ["vector", "keyword"])
    assert hits[0].similarity is not None


def test_with_the_provider_away_words_answer_and_say_so(write, wiki, monkeypatch):
    write("Pipeline rot", "Joblog ansehen.")

    def away(query):
        raise EmbeddingError("The service does not answer.", permanent=False)

    monkeypatch.setattr("wiki.recall.embed_query", away)
    for mode in (Mode.VECTOR, Mode.HYBRID):
        found = recall(wiki, "Pipeline", mode=mode)
        assert (titles(found), found.degraded) == (["Pipeline rot"], True)
        assert "does not answer" in found.reason
        assert found.hits[0].similarity is None


def test_neighbours_leave_out_the_page_itself_and_other_wikis(write, wiki, author):
    page = write("Eins", "Rechnung an Kunden.")
    near = write("Zwei", "Rechnung an Kunden.")
    create_page(Wiki.objects.create(slug="zwei", name="Zwei"), title="Eins", body="Rechnung an Kunden.", author=author)
    assert [hit.page for hit in neighbours(page)] == [near]
    assert neighbours(trash_page(page, author=author)) == []


def test_links_of_a_hit_name_their_targets(write, wiki):
    write("Ziel")
    write("Quelle", "Pipeline: [[ziel]] und [[Fehlt]]")
    [hit] = [hit for hit in recall(wiki, "Pipeline").hits if hit.page.title == "Quelle"]
    assert hit.links == [{"title": "Ziel", "slug": "ziel"}, {"title": "Fehlt", "slug": None}]


@pytest.mark.parametrize("position", [0, 100, 4999, 5000, 9999, 10_000])
def test_a_cut_text_is_never_longer_than_asked_and_holds_the_match(position):
    text = "".join(f"wort{number % 10} " for number in range(2000))[:10_000]
    part = cut_around(text, position, 500)
    assert len(part) <= 500
    assert text[position : position + 10].strip() in part


def test_an_excerpt_shows_the_place_where_the_words_stand_together():
    text = "rot " + "Füllung " * 100 + "Die Pipeline ist rot. " + "Füllung " * 100
    assert "Pipeline ist rot" in excerpt(text, "Pipeline rot")
    assert excerpt("kurz", "anderes") == "kurz"


@pytest.mark.parametrize("filling", ["İstanbul ", "Größe ", "ﬃ ", "x\u0301 "])
def test_an_excerpt_shows_the_match_behind_letters_that_grow_in_lower_case(filling):
    text = filling * 800 + "Die Pipeline ist rot. " + filling * 800
    assert "Pipeline ist rot" in excerpt(text, "pipeline ROT")


def test_an_excerpt_finds_words_whose_accents_are_characters_of_their_own():
    text = unicodedata.normalize("NFD", "Füllung " * 400 + "Die Übergabe hängt. " + "Füllung " * 400)
    assert "hängt" in unicodedata.normalize("NFC", excerpt(text, "Übergabe hängt"))


def test_a_query_of_thousands_of_words_still_finds_a_place():
    query = " ".join(f"wort{number}" for number in range(1500))
    assert "wort1499" in excerpt("Füllung " * 400 + "wort1499 wort1498 " + "Füllung " * 400, query)


@pytest.mark.parametrize(
    ("query", "title"),
    [("backups", "Nightly backup fails"), ("Runner", "Runner"), ("restarting queues", "Restart the queue workers")],
)
def test_hybrid_puts_a_page_with_the_words_before_pages_that_are_near_by_chance(write, wiki, query, title):
    write("Nightly backup fails", "Why does the nightly backup fail? The staging area is full of aborted dumps.")
    write("Runner", "Der Runner steht im Keller und baut, was der Hauptzweig bekommt.")
    write("Restart the queue workers", "Stop the consumers, restart the queue, start the consumers again.")
    for number in range(30):
        write(f"Kurz {number}", f"Notiz {number}")
    assert recall(wiki, query, mode=Mode.HYBRID).hits[0].page.title == title
