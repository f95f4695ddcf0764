"""Recall: right pages, right order, nothing of other models or wikis."""

import unicodedata

import pytest

from embeddings.client import EmbeddingError
from embeddings.hash_embedder import hash_text
from tests.support.folders import put, run
from tests.support.search import recall
from tests.support.writing import create_page
from wiki.indexing.embed import store_vector
from wiki.indexing.reindex import embed_everything_anew, work_off
from wiki.merging.merge import merge_pages
from wiki.models import Page, Wiki
from wiki.operations.health import count_embeddings
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.search.matcher import Matcher
from wiki.search.retrieval import Mode, neighbours
from wiki.search.snippets import find_origins
from wiki.text.excerpts import cut_around


def titles(recalled):
    return [hit.page.title for hit in recalled.hits]


def test_the_similarity_is_the_cosine_of_the_recipe(write, wiki):
    page = write("Pipeline rot", "Was zu tun ist, wenn die Pipeline rot ist.")
    [hit] = recall(wiki, "wenn die Pipeline rot ist").hits
    expected = hash_text(f"{page.title}\n{page.body}") @ hash_text("wenn die Pipeline rot ist")
    assert hit.similarity == pytest.approx(float(expected), abs=1e-6)
    assert hit.found_by == ["vector"]


def test_five_pages_come_even_when_nothing_is_near(write, wiki):
    for number in range(9):
        write(f"Seite {number}", "Rechnungen und Mahnungen.")
    assert len(recall(wiki, "Der CI-Build schlägt fehl").hits) == 5


def test_recall_by_vector_sees_only_pages_of_the_active_model(write, wiki):
    write("Neu", "Pipeline rot")
    old = write("Alt", "Pipeline rot")
    Page.objects.filter(pk=old.pk).update(embed_model="openai:text-embedding-3-small:256")
    found = recall(wiki, "Pipeline rot")
    assert (titles(found), found.stale) == (["Neu"], 1)
    assert set(titles(recall(wiki, "Pipeline rot", mode=Mode.KEYWORD))) == {"Neu", "Alt"}
    assert set(titles(recall(wiki, "Pipeline rot", mode=Mode.HYBRID))) == {"Neu", "Alt"}


def test_nothing_of_another_wiki_and_nothing_from_the_trash(write, wiki, author):
    create_page(
        Wiki.objects.create(slug="zwei", name="Zwei"),
        title="Pipeline rot",
        body="Pipeline rot",
        author=author,
    )
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


@pytest.mark.parametrize(
    "query", ["'", "\\", "a' | b & !c <-> (", ":*", "'''", "%", "\u0000", "🎉", "—"]
)
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

    monkeypatch.setattr("wiki.search.retrieval.embed_query", away)
    for mode in (Mode.VECTOR, Mode.HYBRID):
        found = recall(wiki, "Pipeline", mode=mode)
        assert (titles(found), found.degraded) == (["Pipeline rot"], True)
        assert "does not answer" in found.reason
        assert found.hits[0].similarity is None


def test_neighbours_leave_out_the_page_itself_and_other_wikis(write, wiki, author):
    page = write("Eins", "Rechnung an Kunden.")
    near = write("Zwei", "Rechnung an Kunden.")
    create_page(
        Wiki.objects.create(slug="zwei", name="Zwei"),
        title="Eins",
        body="Rechnung an Kunden.",
        author=author,
    )
    assert [hit.page for hit in neighbours(page)] == [near]
    assert neighbours(trash_page(page, author=author)) == []


def test_links_of_a_hit_name_their_targets(write, wiki):
    write("Ziel")
    write("Quelle", "Pipeline: [[ziel]] und [[Fehlt]]")
    [page] = [hit.page for hit in recall(wiki, "Pipeline").hits if hit.page.title == "Quelle"]
    assert find_origins([page])[page.pk].links == [
        {"title": "Ziel", "slug": "ziel"},
        {"title": "Fehlt", "slug": None},
    ]


@pytest.mark.parametrize("position", [0, 100, 4999, 5000, 9999, 10_000])
def test_a_cut_text_is_never_longer_than_asked_and_holds_the_match(position):
    text = "".join(f"wort{number % 10} " for number in range(2000))[:10_000]
    part = cut_around(text, position, 500)
    assert len(part) <= 500
    assert text[position : position + 10].strip() in part


def test_an_excerpt_shows_the_place_where_the_words_stand_together():
    text = "rot " + "Füllung " * 100 + "Die Pipeline ist rot. " + "Füllung " * 100
    assert "Pipeline ist rot" in Matcher("Pipeline rot").snippet(text)
    assert Matcher("anderes").snippet("kurz") == "kurz"


@pytest.mark.parametrize("filling", ["İstanbul ", "Größe ", "ﬃ ", "x\u0301 "])
def test_an_excerpt_shows_the_match_behind_letters_that_grow_in_lower_case(filling):
    text = filling * 800 + "Die Pipeline ist rot. " + filling * 800
    assert "Pipeline ist rot" in Matcher("pipeline ROT").snippet(text)


def test_an_excerpt_finds_words_whose_accents_are_characters_of_their_own():
    text = unicodedata.normalize(
        "NFD", "Füllung " * 400 + "Die Übergabe hängt. " + "Füllung " * 400
    )
    assert "hängt" in unicodedata.normalize("NFC", Matcher("Übergabe hängt").snippet(text))


def test_a_query_of_thousands_of_words_still_finds_a_place():
    query = " ".join(f"wort{number}" for number in range(1500))
    assert "wort1499" in Matcher(query).snippet(
        "Füllung " * 400 + "wort1499 wort1498 " + "Füllung " * 400
    )


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("backups", "Nightly backup fails"),
        ("Runner", "Runner"),
        ("restarting queues", "Restart the queue workers"),
    ],
)
def test_hybrid_puts_a_page_with_the_words_before_pages_that_are_near_by_chance(
    write, wiki, query, title
):
    write(
        "Nightly backup fails",
        "Why does the nightly backup fail? The staging area is full of aborted dumps.",
    )
    write("Runner", "Der Runner steht im Keller und baut, was der Hauptzweig bekommt.")
    write(
        "Restart the queue workers",
        "Stop the consumers, restart the queue, start the consumers again.",
    )
    for number in range(30):
        write(f"Kurz {number}", f"Notiz {number}")
    assert recall(wiki, query, mode=Mode.HYBRID).hits[0].page.title == title


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("migracao", "migração"),
        ("naive", "naïve"),
        ("migração", "migrac\u0327a\u0303o"),
        ("migração", "Migracao"),
        ("migrac\u0327a\u0303o", "migração"),
        ("Datenbank", "Datenbanken"),
        ("Datenbanken", "Datenbank"),
        ("MASSE", "Maße"),
        ("Uebung", "Übung"),
        ("Ubung", "Übung"),
        ("naïve", "naive"),
        ("ГРАНИЦА", "граница"),
    ],
)
def test_words_are_found_in_other_forms_and_spellings(write, wiki, query, title):
    write(title, f"Hier steht {title} im Text.")
    write("Anderes", "Rechnungen und Mahnungen.")
    for mode in (Mode.KEYWORD, Mode.HYBRID):
        assert titles(recall(wiki, query, mode=mode))[:1] == [title]


@pytest.mark.parametrize(
    "query", ["proton bridge", "Proton Bridge", "bridge proton", "proton  bridge?"]
)
def test_two_words_are_found_and_what_a_minimum_left_out_is_counted(write, wiki, api, query):
    write("Mail on the laptop", "The Proton Bridge has to run before the mail program starts. " * 3)
    for number in range(7):
        write(f"Rechnung {number}", "Rechnungen und Mahnungen.")
    for mode in Mode:
        assert titles(recall(wiki, query, mode=mode))[0] == "Mail on the laptop"
        answer = api.get(f"/recall?q={query}&mode={mode}&min_similarity=0.99&limit=5").json()
        if mode != Mode.KEYWORD:
            assert answer["below_minimum"] >= 5
            assert all("keyword" in row["found_by"] for row in answer["pages"])
        if mode != Mode.VECTOR:
            assert answer["pages"][0]["title"] == "Mail on the laptop"


@pytest.mark.parametrize(
    "query", "ERR_CONN_4711 deploy-v2.4.7-hotfix err_conn_4711 ERR_CONN_4712 CVE-2024-3094".split()
)
def test_an_identifier_is_the_first_hit(write, wiki, query):
    names = (
        "ERR_CONN_4711 ERR_CONN_4712 deploy-v2.4.7-hotfix deploy-v2.4.8-hotfix CVE-2024-3094 "
        "Gerät_Ü-17 Gerät_Ü-18"
    )
    for name in names.split():
        write(
            f"Page of {len(name)} {name[::-1]}",
            f"The log of the service said {name} at night, then it went on.",
        )
        write(
            f"Log {name[:4]}",
            "The log of the service at night: nothing was said, and it went on and on.",
        )
    for mode in (Mode.KEYWORD, Mode.HYBRID):
        assert (
            query.strip("„“?").lower() in recall(wiki, query, mode=mode).hits[0].page.body.lower()
        )


def test_a_small_wiki_among_many_pages_is_scanned_exactly(write, wiki, author):
    """An approximate index would look at the nearest of all wikis and find none of this one
    among them."""
    big = Wiki.objects.create(slug="big", name="Big")
    near = create_page(big, title="Der Proxy", body="Der Proxy verwirft Antworten.", author=author)
    names = [
        field.attname
        for field in Page._meta.concrete_fields
        if not field.generated and not field.primary_key
    ]
    values = {name: getattr(near, name) for name in names}
    Page.objects.bulk_create(
        Page(**{**values, "slug": f"proxy-{number}"}) for number in range(2_000)
    )
    words = (
        "Proxy verwirft Antworten Rechnung Kunde Mahnung Spiegel Rad Teil laden groß klein "
        "Keller Schlüssel"
    ).split()
    pages = [
        write(f"Seite {n}", " ".join(words[(n * k) % len(words)] for k in range(1, 9)))
        for n in range(20)
    ]
    query = hash_text("Der Proxy verwirft Antworten")
    exact = sorted(
        pages, key=lambda page: (-float(hash_text(f"{page.title}\n{page.body}") @ query), page.pk)
    )
    found = recall(wiki, "Der Proxy verwirft Antworten").hits
    assert [hit.page.pk for hit in found] == [page.pk for page in exact[:5]]


def test_after_many_deletions_nothing_is_left_over(write, wiki, author, browser):
    pages = [
        write(f"Seite {number}", f"Text {number} mit [[Seite {number + 1}]].")
        for number in range(30)
    ]
    for page in pages[:24]:
        trash_page(page, author=author)
    assert embed_everything_anew() == 6
    work_off()
    assert not Page.objects.exclude(trashed_at=None).exclude(embedding=None).exists()
    assert not Page.objects.exclude(trashed_at=None).exclude(embed_model="").exists()
    assert vars(count_embeddings(wiki)) == {"pages": 6, "stale": 0, "failed": 0}
    assert {hit.page.pk for hit in recall(wiki, "Text", limit=50).hits} == {
        page.pk for page in pages[24:]
    }
    assert neighbours(Page.objects.get(pk=pages[0].pk)) == []


@pytest.mark.parametrize(
    "when", ["at once", "embedded anew", "another model", "trashed while it was embedded"]
)
def test_what_was_deleted_is_never_recalled(write, wiki, author, browser, settings, when):
    page = write("Der Proxy", "Der Proxy verwirft Antworten.")
    other = write("Ein Proxy", "Der Proxy im Keller.")
    if when == "trashed while it was embedded":
        stale = Page.objects.get(pk=page.pk)
        Page.objects.update(embed_model="", embedding=None, embedded_at=None)
        trash_page(page, author=author)
        store_vector(stale, hash_text("Der Proxy verwirft Antworten."))
    else:
        trash_page(page, author=author)
    if when == "another model":
        Page.objects.exclude(embed_model="").update(embed_model="old:model:256")
    if when == "embedded anew":
        embed_everything_anew()
    if when != "at once":
        work_off()
    for mode in Mode:
        assert [
            hit.page.pk for hit in recall(wiki, "Proxy verwirft Antworten", mode=mode).hits
        ] == [other.pk]
    assert "verwirft" not in browser.get("/w/ops/search?q=Proxy").content.decode()


def test_merged_and_imported_pages_are_found_by_a_rare_word(write, wiki, tmp_path):
    survivor, source = (
        write("Alpha", "Erster Text."),
        write("Beta", "Das Wort Zirkonium-4711 steht hier."),
    )
    merge_pages(survivor, source, author=Author.maintenance())
    put(tmp_path, "rein.md", "---\ntags: [x]\n---\nDas Wort ytterbium_v2 steht hier.")
    run(wiki, tmp_path)
    for word, slug in (
        ("Zirkonium-4711", "alpha"),
        ("zirkonium", "alpha"),
        ("ytterbium_v2", "rein"),
    ):
        for mode in (Mode.KEYWORD, Mode.HYBRID):
            assert recall(wiki, word, mode=mode).hits[0].page.slug == slug
