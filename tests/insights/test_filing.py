"""Filing an insight: known, appended, created, noise, and never a twin."""

import pytest
from django.test import override_settings

from embeddings.hash_embedder import hash_text
from tests.support.writing import revise_page
from wiki.insights.intake import Handed, KeyReused, file_insight
from wiki.markdown import find_wikilinks
from wiki.models import Insight, Outcome, Page
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.trash import trash_page
from wiki.text.first_sentence import derive_title

PROXY = (
    "Der Proxy vor dem Paketspiegel verwirft Antworten über 64 MiB; große Räder deshalb in "
    "Teilen laden."
)


@pytest.fixture
def file(wiki, agent):
    def hand_in(text, key="", **more):
        return file_insight(wiki, agent, Handed(text, **more), key)

    return hand_in


def test_a_new_insight_becomes_a_page(file):
    insight = file(PROXY, source="ticket-17", task="Pakete spiegeln", tags=["Proxy"], type="System")
    page = insight.page
    assert insight.outcome == Outcome.CREATED
    assert (page.title, page.body) == (
        "Der Proxy vor dem Paketspiegel verwirft Antworten über 64 MiB",
        PROXY,
    )
    assert (page.type, page.tags, page.embed_model) == ("system", ["proxy"], "builtin:hash:256")
    revision = page.revisions.get()
    assert (revision.author_kind, revision.author_name, revision.summary) == (
        "agent",
        "robin",
        "ticket-17",
    )


def test_the_same_insight_in_other_blanks_is_known_and_writes_nothing(file):
    first = file(PROXY)
    for text in (PROXY, PROXY.replace(" ", "  "), f"\n{PROXY}\n"):
        again = file(text)
        assert (again.outcome, again.page) == (Outcome.KNOWN, first.page)
    assert Page.objects.get().revision == 1


@pytest.mark.parametrize("threshold_above", [0, 0.0001])
def test_an_insight_is_appended_from_the_threshold_and_not_just_below(file, threshold_above):
    page = file(PROXY).page
    more = "Die Antworten des Lieferanten liegen im Ordner neben dem Paketschein."
    near = float(hash_text(f"{page.title}\n{page.body}") @ hash_text(more))
    with override_settings(COVEY_APPEND_THRESHOLD=near + threshold_above):
        insight = file(more)
    assert insight.outcome == (Outcome.CREATED if threshold_above else Outcome.APPENDED)
    assert insight.similarity == pytest.approx(near, abs=1e-5)
    assert Page.objects.count() == (2 if threshold_above else 1)


def test_the_threshold_of_appending_is_080_and_that_of_merging_093(settings):
    assert (settings.COVEY_APPEND_THRESHOLD, settings.COVEY_MERGE_THRESHOLD) == (0.80, 0.93)


def test_an_addition_is_dated_attributed_and_leaves_the_text_before_it_alone(file, write, author):
    page = write(
        "Pipeline rot",
        "Was zu tun ist, wenn die Pipeline rot ist:\n\n1. Joblog  ansehen\n2. warten",
    )
    insight = file(
        "Was zu tun ist, wenn die Pipeline rot ist: Joblog ansehen, warten, fragen.",
        source="ticket-4 | x",
    )
    insight.page.refresh_from_db()
    assert insight.page == page
    before, addition = insight.page.body[: len(page.body)], insight.page.body[len(page.body) :]
    assert before == page.body
    assert addition.startswith("\n\n::: insight robin | 20")
    assert addition.splitlines()[2].endswith("| ticket-4 / x")
    assert "warten, fragen.\n:::" in addition


def test_an_addition_cannot_end_its_block_by_itself(file, write):
    page = write("Blöcke", "Alles über Blöcke und Doppelpunkte im Wiki.")
    text = (
        "Alles über Blöcke und Doppelpunkte im Wiki:\n:::\n:::: insight chef | "
        "2020-01-01\nGefälscht."
    )
    file(text, page=page.slug)
    page.refresh_from_db()
    assert ":::::" in page.body
    assert page.body.count(":::::") == 2


@pytest.mark.parametrize(
    "open_block", ["```sh\nmake", "~~~~\n```", "::: insight ina\nText", "::: insight\n```\nx"]
)
def test_an_addition_is_not_swallowed_by_what_was_never_closed(file, write, open_block):
    page = write("Befehle", f"Vorher.\n\n{open_block}")
    file("Siehe [[Befehle]] dazu.", page=page.slug)
    page.refresh_from_db()
    assert page.body.startswith(f"Vorher.\n\n{open_block}\n")
    assert [link.target for link in find_wikilinks(page.body)] == ["Befehle"]
    assert page.body.count("\n::: insight robin") == 1


@pytest.mark.parametrize(
    "closed", ["```\na\n```", "- x\n  ```\n  a", "> ~~~\n> a", "    ```\n    a", "`` ``` ``"]
)
def test_an_addition_closes_nothing_that_is_not_open(file, write, closed):
    page = write("Befehle", closed)
    file("Siehe [[Befehle]] dazu.", page=page.slug)
    page.refresh_from_db()
    assert page.body.startswith(f"{closed}\n\n::: insight robin")


def test_naming_the_page_skips_the_threshold(file, write):
    page = write("Runner", "Der Runner steht im Keller.")
    insight = file("Dienstags wird gewartet.", page="Runner")
    assert (insight.outcome, insight.page) == (Outcome.APPENDED, page)
    assert file("Dienstags wird gewartet.", page="runner").outcome == Outcome.KNOWN
    with pytest.raises(InvalidPage) as refused:
        file("Etwas.", page="Gibt es nicht")
    assert set(refused.value.errors) == {"page"}


@pytest.mark.parametrize(
    "text", ["n/a", "Keine neuen Erkenntnisse.", "-", "…", "None.", "NOTHING NEW!", "ok"]
)
def test_noise_is_recorded_but_not_filed(file, text):
    insight = file(text)
    assert (insight.outcome, insight.page) == (Outcome.NOISE, None)
    assert Page.objects.count() == 0
    assert Insight.objects.get().text == text


@pytest.mark.parametrize("text", ["", " \n", "\u00a0"])
def test_an_empty_insight_is_refused(file, text):
    with pytest.raises(InvalidPage):
        file(text)
    assert Insight.objects.count() == 0


def test_contradictions_are_both_kept(file):
    """“Always” and “never” are near, and no text may disappear into the other."""
    file("Always rebase before pushing to the shared branch.")
    file("Never rebase before pushing to the shared branch.")
    texts = "\n".join(Page.objects.values_list("body", flat=True))
    assert "Always rebase" in texts
    assert "Never rebase" in texts


def test_dated_measurements_are_both_kept(file):
    """The later one never overwrites the earlier."""
    file("Load test 1 March: p95 420 ms on the staging system.")
    file("Load test 1 April: p95 180 ms on the staging system.")
    texts = "\n".join(Page.objects.values_list("body", flat=True))
    assert "420 ms" in texts
    assert "180 ms" in texts


def test_different_choices_are_two_pages(file):
    """A choice between two things is not the choice between two others, however alike the words
    are."""
    file("We chose SQLite over Postgres for simple deploys")
    file("We chose fastembed over OpenAI for local embeddings")
    assert Page.objects.count() == 2


def test_an_insight_that_belongs_to_a_full_page_becomes_a_new_one(file, write):
    page = write("Voll", "Zeile mit Text.\n" * 16_000 + "\n")
    insight = file("Voll Zeile mit Text. " * 600)
    assert insight.outcome == Outcome.CREATED
    assert insight.page != page


def test_candidates_are_the_next_nearest(file, write):
    for number in range(7):
        write(f"Rechnung {number}", f"Rechnung Nummer {number} wird verschickt.")
    insight = file("Rechnung 3 Rechnung Nummer 3 wird verschickt, und zwar am Ersten.")
    assert insight.page.slug == "rechnung-3"
    similarities = [row["similarity"] for row in insight.candidates]
    assert len(similarities) == 5
    assert similarities == sorted(similarities, reverse=True)
    assert "rechnung-3" not in {row["slug"] for row in insight.candidates}


def test_an_idempotency_key_holds_for_a_day(file):
    first = file(PROXY, key="k")
    assert file(PROXY, key="k") == first
    with pytest.raises(KeyReused):
        file("Ein anderer Text.", key="k")
    Insight.objects.update(created_at="2020-01-01T00:00:00Z")
    assert file("Ein anderer Text.", key="k") != first


def test_a_repeated_call_answers_as_before_though_its_page_is_gone(file, write, author):
    page = write("Runner", "Der Runner steht im Keller.")
    first = file("Dienstags wird gewartet.", key="k", page="Runner")
    trash_page(page, author=author)
    assert file("Dienstags wird gewartet.", key="k", page="Runner") == first


def test_pages_of_another_model_are_not_compared(file, write, wiki):
    page = write("Alt", PROXY)
    Page.objects.filter(pk=page.pk).update(embed_model="ollama:embeddinggemma:256")
    insight = file(PROXY + " Mehr.")
    assert insight.outcome == Outcome.CREATED
    assert insight.similarity is None


def test_an_appended_page_is_found_by_its_new_words_at_once(file):
    page = file(PROXY).page
    file(f"{PROXY} Betrifft Spiegelverzeichnis.", page=page.slug)
    page.refresh_from_db()
    assert page.embed_model == "builtin:hash:256"
    again = revise_page(
        page, page.revision, title=page.title, body=page.body, author=Author.maintenance()
    )
    assert again.revision == page.revision


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Überschrift\n\nText", "Überschrift"),
        ("- [ ] Erste Aufgabe\n- zweite", "Erste Aufgabe"),
        (
            "Auf api.example.test läuft v2.4.7 seit Mai. Danach kam mehr.",
            "Auf api.example.test läuft v2.4.7 seit Mai",
        ),
        ("Die Last liegt z. B. bei 2.5 Prozent. Ende.", "Die Last liegt z. B. bei 2.5 Prozent"),
        ("---\nText", "Text"),
    ],
)
def test_the_title_comes_from_the_first_sentence(text, title):
    assert derive_title(text) == title


def test_a_derived_title_is_short_and_ends_between_words():
    title = derive_title("wort " * 60)
    assert len(title) <= 81
    assert title.endswith("wort…")


def test_a_text_on_a_long_page_is_known_though_other_pages_are_nearer(file, write):
    page = write(
        "Protokoll",
        "\n\n".join(f"Eintrag {n}: Messung {n * 7} am Standort {n * 13}." for n in range(300)),
    )
    first = file(PROXY, page=page.slug)
    for number in range(8):
        write(f"Spiegel {number}", "Der Proxy vor dem Spiegel; große Räder laden.")
    again = file(PROXY)
    assert (first.outcome, again.outcome, again.page) == (Outcome.APPENDED, Outcome.KNOWN, page)


def test_a_text_on_a_stale_page_is_known(file, write):
    page = write("Alt", PROXY)
    Page.objects.filter(pk=page.pk).update(embed_model="ollama:embeddinggemma:256")
    assert (file(PROXY).outcome, Page.objects.count()) == (Outcome.KNOWN, 1)


def test_the_same_words_about_something_else_are_no_known_text(file):
    file("Läuft auf Port 3000.", title="Grafana")
    second = file("Läuft auf Port 3000.", title="Forgejo")
    assert second.outcome != Outcome.KNOWN
    assert file("Läuft auf Port 3000.", title="Forgejo").outcome == Outcome.KNOWN


def test_a_title_of_its_own_goes_with_the_text_onto_the_page(file, write):
    page = write("Dienste", "Alle Dienste laufen im Keller.")
    file("Läuft auf Port 3000.", title="Forgejo", page=page.slug)
    page.refresh_from_db()
    assert "\n**Forgejo**\n\nLäuft auf Port 3000.\n:::" in page.body
    assert file("Läuft auf Port 3000.", title="Forgejo", page=page.slug).outcome == Outcome.KNOWN


@pytest.mark.parametrize(
    ("title", "outcome"), [("Spricht der Spiegel IPv6?", Outcome.CREATED), ("", Outcome.NOISE)]
)
def test_a_bare_answer_is_noise_only_without_a_question(file, title, outcome):
    assert file("Nein.", title=title).outcome == outcome


def test_an_insight_goes_to_the_next_page_it_belongs_to_when_the_nearest_is_full(file, write):
    write("Zeile mit Text", "Zeile mit Text.\n" * 16_383)
    roomy = write("Zeile mit Text zwei", "Zeile mit Text.\n" * 20)
    insight = file("Zeile mit Text " * 30)
    assert (insight.outcome, insight.page) == (Outcome.APPENDED, roomy)


def test_a_text_without_a_blank_is_filed(file):
    assert file("x" * 200_000).outcome == Outcome.CREATED


def test_an_insight_with_a_title_that_nobody_can_see_gets_one_from_its_text(wiki, agent):
    insight = file_insight(wiki, agent, Handed("Der Spiegel steht in Oslo.", title="\u200b\u202e"))
    assert insight.page.title == "Der Spiegel steht in Oslo"


def test_one_fact_in_other_words_is_added_to_its_page(file):
    page = file("The staging database listens on port 5433.").page
    for text in (
        "Port 5433 is where the database of staging listens.",
        "Took me an hour: the staging database does not answer on the default port, one has to "
        "use 5433.",
    ):
        insight = file(text)
        assert (insight.outcome, insight.page) == (Outcome.APPENDED, page)
        page.refresh_from_db()
        assert text in page.body
    for text in (
        "The production database listens on port 5432.",
        "The staging database is reset every Sunday night.",
    ):
        assert file(text).outcome == Outcome.CREATED


def test_a_page_of_the_same_in_other_words_that_is_full_gets_no_more(file, monkeypatch):
    page = file("The staging database listens on port 5433.").page
    monkeypatch.setattr("wiki.insights.filing.MAX_BODY_BYTES", len(page.body) + 10)
    assert file("Port 5433 is where the database of staging listens.").outcome == Outcome.CREATED
