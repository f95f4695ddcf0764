"""Also asked as: a page is found by the questions that it answered, by their words and by their
vectors."""

import pytest
from django.core.management import call_command

from embeddings.client import BulkResult, EmbeddingError
from embeddings.hash_embedder import hash_text
from tests.indexing.test_reindex import ACTIVE, OLD, Provider, away
from tests.support.screens import HOSTILE, text
from tests.support.search import recall
from tests.support.writing import revise_page
from wiki.files.import_export import export_folder, import_folder
from wiki.indexing import embed
from wiki.indexing.reindex import (
    current_run,
    describe_outgoing,
    embed_everything_anew,
    measure_progress,
    work_off,
)
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages, undo_merge
from wiki.models import AskedAs, Outcome, Page, ReembedRun, RunState, Standing, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import restore_page, trash_page
from wiki.recall.questions import NotKept, forget_question, keep_question
from wiki.search.retrieval import Mode
from wiki.search.site_search import find, find_instantly

QUESTION = "Der CI-Build schlägt fehl"


@pytest.fixture
def page(write):
    """The running example: its text shares no word with the question."""
    return write("Pipeline rot", "Was zu tun ist, wenn die Pipeline rot ist.")


@pytest.fixture
def others(write):
    return [
        write(f"Rechnung {number}", f"Rechnungen an Kunden, Mappe {number}.") for number in range(8)
    ]


@pytest.fixture
def keep(author):
    return lambda page, text=QUESTION: keep_question(page, text, author=author)[0]


@pytest.fixture
def provider(monkeypatch):
    stand_in = Provider()
    monkeypatch.setattr(embed, "embed_in_bulk", stand_in.embed_in_bulk)
    return stand_in


def slugs(found):
    return [hit.page.slug for hit in found.hits]


def texts(page):
    return list(page.asked_as.order_by("id").values_list("text", flat=True))


# -- found by it


@pytest.mark.parametrize("mode", Mode)
def test_a_page_is_found_by_what_it_is_also_asked_as(page, others, keep, wiki, mode):
    assert recall(wiki, QUESTION, mode=mode, min_similarity=0.5).hits == []
    keep(page)
    found = recall(wiki, QUESTION, mode=mode, min_similarity=0.5)
    assert slugs(found) == ["pipeline-rot"]
    [hit] = found.hits
    assert hit.asked_as == QUESTION
    if mode != Mode.KEYWORD:
        assert hit.similarity == pytest.approx(1.0, abs=1e-6)


def test_the_similarity_is_the_greater_of_text_and_nearest_question(page, keep, wiki):
    keep(page, "Der Build ist rot")
    keep(page, "Rechnungen an Kunden")
    query = "Der Build"
    [hit] = recall(wiki, query).hits
    assert hit.similarity == pytest.approx(
        float(hash_text("Der Build ist rot") @ hash_text(query)), abs=1e-6
    )
    assert hit.asked_as == "Der Build ist rot"
    query = "Was zu tun ist, wenn die Pipeline rot ist"
    [hit] = recall(wiki, query).hits
    own = hash_text(f"{page.title}\n{page.body}") @ hash_text(query)
    assert hit.similarity == pytest.approx(float(own), abs=1e-6)
    assert hit.asked_as == ""


def test_a_page_comes_once_however_many_of_its_questions_fit(page, others, keep, wiki):
    for number in range(5):
        keep(page, f"Der CI-Build schlägt fehl {number}")
    for mode in Mode:
        found = slugs(recall(wiki, QUESTION, mode=mode, limit=9))
        assert found[0] == "pipeline-rot"
        assert len(found) == len(set(found))


def test_the_order_is_that_of_an_exact_look_at_all(write, keep, wiki):
    vectors = {}
    for number in range(40):
        made = write(f"Seite {number}", f"Wort{number} und Wort{number % 7} stehen hier.")
        said = (
            [f"Wo steht Wort{number * 3 % 40}?", f"Wort{number * 5 % 40} fehlt"]
            if number % 3 == 0
            else []
        )
        for question in said:
            keep(made, question)
        vectors[made.slug] = [hash_text(f"{made.title}\n{made.body}"), *map(hash_text, said)]
    for query in ("Wort3 fehlt", "Wo steht Wort12?", "Seite 5 und Wort5"):
        best = {
            slug: max(float(v @ hash_text(query)) for v in some) for slug, some in vectors.items()
        }
        hits = recall(wiki, query, limit=7).hits
        expected = sorted(best.values(), reverse=True)[:7]
        assert [hit.similarity for hit in hits] == pytest.approx(expected, abs=1e-6)
        assert [best[hit.page.slug] for hit in hits] == pytest.approx(expected, abs=1e-6)


def test_the_minimum_similarity_counts_the_question_too(page, keep, wiki):
    keep(page)
    assert recall(wiki, QUESTION, min_similarity=0.99).below_minimum == 0
    assert recall(wiki, "CI", min_similarity=0.99).below_minimum == 1


def test_an_outdated_page_still_comes_last(page, write, keep, wiki):
    keep(page)
    write("Build", "Der CI-Build läuft nachts.")
    Page.objects.filter(pk=page.pk).update(standing=Standing.OUTDATED)
    assert slugs(recall(wiki, QUESTION)) == ["build", "pipeline-rot"]


def test_a_word_that_stands_on_the_page_counts_as_before(page, write, keep, wiki):
    write("Fehler", "ERR_CONN_4711 im Log.")
    keep(page, "Was bedeutet der Fehler im Log?")
    assert slugs(recall(wiki, "ERR_CONN_4711", mode=Mode.KEYWORD)) == ["fehler"]
    assert slugs(recall(wiki, "bedeutet", mode=Mode.KEYWORD)) == ["pipeline-rot"]


def test_the_api_says_by_which_question_a_page_was_found(page, keep, api):
    [row] = api.get(f"/recall?q={QUESTION}").json()["pages"]
    assert "asked_as" not in row
    keep(page)
    [row] = api.get(f"/recall?q={QUESTION}").json()["pages"]
    assert row["asked_as"] == QUESTION


def test_vectors_of_another_model_are_not_compared(page, others, keep, wiki):
    question = keep(page)
    AskedAs.objects.filter(pk=question.pk).update(embed_model=OLD)
    assert recall(wiki, QUESTION, min_similarity=0.5).hits == []
    assert slugs(recall(wiki, QUESTION, mode=Mode.KEYWORD)) == ["pipeline-rot"]


def test_no_page_of_another_model_is_found_by_a_question_of_this_one(page, others, keep, wiki):
    keep(page)
    Page.objects.filter(pk=page.pk).update(embed_model=OLD)
    assert "pipeline-rot" not in slugs(recall(wiki, QUESTION))
    assert "pipeline-rot" in slugs(recall(wiki, QUESTION, mode=Mode.HYBRID))


def test_nothing_of_another_wiki_and_nothing_from_the_trash(page, others, keep, author):
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    keep(page)
    for mode in Mode:
        assert recall(other, QUESTION, mode=mode).hits == []
    trash_page(page, author=author)
    for mode in Mode:
        assert "pipeline-rot" not in slugs(recall(page.wiki, QUESTION, mode=mode))
    restore_page(Page.objects.get(pk=page.pk), author=author)
    for mode in Mode:
        assert slugs(recall(page.wiki, QUESTION, mode=mode))[0] == "pipeline-rot"


def test_with_the_provider_away_its_words_still_answer(page, keep, wiki, monkeypatch):
    keep(page)

    def gone(query):
        raise away()

    monkeypatch.setattr("wiki.search.retrieval.embed_query", gone)
    found = recall(wiki, QUESTION)
    assert (slugs(found), found.degraded) == (["pipeline-rot"], True)


# -- people's search


def test_people_find_it_too_and_see_by_what(page, others, keep, browser):
    assert "Pipeline rot" not in text(browser.get("/w/ops/search?q=CI-Build"))
    keep(page)
    html = text(browser.get("/w/ops/search?q=CI-Build"))
    assert "Pipeline rot" in html
    assert "Also asked as" in html
    assert "<mark>CI-Build</mark>" in html


def test_people_find_it_while_they_type(page, others, keep, wiki):
    keep(page)
    assert [hit.page for hit in find_instantly([wiki], "schlägt feh").hits] == [page]
    assert find_instantly([wiki], "verlegt xy").hits == []


def test_search_narrowed_to_a_type_leaves_it_out(page, keep, wiki):
    keep(page)
    assert find([wiki], "CI-Build", type="person").hits == []


def test_a_word_of_a_question_is_no_misspelling(page, write, keep, wiki):
    write("Rechnungen", "Rechnungen an Kunden.")
    assert find([wiki], "rechnunken").suggestion == "rechnungen"
    keep(page, "Was sind rechnunken?")
    assert find([wiki], "rechnunken").suggestion == ""


# -- filing


def test_a_question_attracts_no_insight(page, keep, wiki, agent):
    keep(page)
    insight = file_insight(wiki, agent, Handed(QUESTION))
    assert insight.outcome == Outcome.CREATED
    assert insight.page != page


# -- what is kept


def test_it_is_kept_once_whatever_case_and_signs(page, author):
    _first, is_new = keep_question(page, QUESTION, author=author)
    again, is_new_again = keep_question(page, "  der ci build SCHLÄGT fehl?! ", author=author)
    assert (is_new, is_new_again) == (True, False)
    assert again.text == QUESTION


def test_two_pages_may_have_the_same_question(page, others, keep):
    keep(page)
    keep(others[0])
    assert AskedAs.objects.count() == 2


def test_a_long_question_is_cut_at_a_word(page, keep):
    kept = keep(page, "Wort " * 200)
    assert len(kept.text) <= 300
    assert kept.text == " ".join(["Wort"] * 60)
    assert keep(page, f"{'x' * 299} y").text == "x" * 299
    assert keep(page, f"{'y' * 298} z").text == f"{'y' * 298} z"
    assert keep(page, "z" * 400).text == "z" * 300


@pytest.mark.parametrize("noise", ["", "   ", "—!?", "🎉", "n/a", "nichts Neues"])
def test_noise_is_not_kept(page, keep, noise):
    with pytest.raises(NotKept):
        keep(page, noise)
    assert texts(page) == []


def test_a_page_has_at_most_fifty(page, keep):
    for number in range(50):
        keep(page, f"Frage {number}")
    with pytest.raises(NotKept, match="50"):
        keep(page, "Frage 50")
    assert keep(page, "Frage 3")
    assert forget_question(page, page.asked_as.first().pk)
    assert keep(page, "Frage 50")


def test_a_page_in_the_trash_gets_none_and_keeps_its_own(page, keep, author):
    keep(page)
    gone = trash_page(page, author=author)
    with pytest.raises(NotKept):
        keep(gone, "Noch eine")
    assert texts(gone) == [QUESTION]


def test_only_the_page_s_own_question_can_be_taken_away(page, others, keep):
    question = keep(page)
    assert not forget_question(others[0], question.pk)
    assert forget_question(page, question.pk)
    assert not forget_question(page, question.pk)


def test_an_edit_of_the_page_leaves_them(page, keep, author):
    keep(page)
    revise_page(page, 1, title=page.title, body="Ganz anders.", author=author)
    assert texts(page) == [QUESTION]
    assert slugs(recall(page.wiki, QUESTION)) == ["pipeline-rot"]


# -- the provider and the switch


def test_while_the_provider_is_away_it_is_kept_and_embedded_later(page, keep, wiki, monkeypatch):
    def gone(documents):
        raise EmbeddingError("away", permanent=False)

    with monkeypatch.context() as patch:
        patch.setattr(embed, "embed_documents", gone)
        question = keep(page)
    assert (question.embed_model, question.embedding) == ("", None)
    assert recall(wiki, QUESTION, min_similarity=0.5).hits == []
    assert work_off() is False
    assert slugs(recall(wiki, QUESTION, min_similarity=0.5)) == ["pipeline-rot"]


def make_questions_stale():
    AskedAs.objects.update(embed_model=OLD)


def test_after_a_switch_the_run_embeds_them_behind_the_pages(page, others, keep, provider):
    for number in range(60):
        keep(others[number % 8], f"Frage {number}")
    keep(page)
    Page.objects.update(embed_model=OLD)
    make_questions_stale()
    assert measure_progress().total == 9
    assert work_off() is False
    assert len(provider.embedded) == 9 + 61
    assert "" not in provider.embedded[:9]
    assert set(provider.embedded[9:]) == {""}
    assert set(AskedAs.objects.values_list("embed_model", flat=True)) == {ACTIVE}
    assert current_run().state == RunState.IDLE


def test_they_are_no_stale_pages(page, keep, wiki, api):
    keep(page)
    make_questions_stale()
    assert recall(wiki, QUESTION).stale == 0
    assert (measure_progress().done, measure_progress().total) == (1, 1)
    assert api.get("/status").json()["stale"] == 0


def test_those_of_pages_in_the_trash_wait_until_the_page_is_back(page, keep, author, provider):
    keep(page)
    trash_page(page, author=author)
    make_questions_stale()
    assert work_off() is False
    assert provider.embedded == []
    restore_page(Page.objects.get(pk=page.pk), author=author)
    work_off()
    assert AskedAs.objects.get().embed_model == ACTIVE


def test_one_that_the_model_cannot_take_is_left_and_the_rest_goes_on(page, keep, provider):
    keep(page, "Giftige Frage")
    keep(page, "Gute Frage")
    make_questions_stale()
    provider.poison = "Giftige"
    assert work_off() is False
    assert dict(AskedAs.objects.values_list("text", "embed_model")) == {
        "Giftige Frage": "",
        "Gute Frage": ACTIVE,
    }
    assert AskedAs.objects.get(text="Giftige Frage").embed_error
    assert work_off() is False
    assert len(provider.embedded) == 1


def test_a_provider_that_is_away_makes_the_run_wait(page, keep, provider):
    keep(page)
    make_questions_stale()
    provider.error = away()
    assert work_off() is False
    assert (current_run().state, current_run().attempt) == (RunState.WAITING, 1)
    provider.error = None
    ReembedRun.objects.update(next_try_at=None)
    work_off()
    assert (current_run().state, current_run().attempt) == (RunState.IDLE, 0)


def test_a_run_without_time_stops_between_two_and_goes_on(page, keep, provider):
    keep(page, "Eins")
    keep(page, "Zwei")
    make_questions_stale()
    assert work_off(seconds=-1) is True
    assert len(provider.embedded) == 1
    assert work_off() is False
    assert len(provider.embedded) == 2


def test_reembed_embeds_them_too(page, keep, capsys):
    keep(page)
    make_questions_stale()
    call_command("reembed", now=True)
    assert AskedAs.objects.get().embed_model == ACTIVE
    AskedAs.objects.update(embed_error="Too long.")
    assert embed_everything_anew() == 1
    assert AskedAs.objects.get().embed_model == ""
    call_command("reembed", now=True)
    assert AskedAs.objects.get().embed_model == ACTIVE
    call_command("reembed", now=True)
    assert "Every page is embedded" in capsys.readouterr().out.splitlines()[-1]


def test_what_leaves_the_house_is_announced_with_them(page, keep, settings):
    keep(page)
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_API_KEY = "voyage", "k"
    assert "1 pages" in describe_outgoing()
    assert "1 questions" in describe_outgoing()


def test_a_question_goes_over_the_wire_as_a_text_and_a_query_as_a_query(page, author, use):
    server = use("voyage", model="voyage-3.5-lite")
    keep_question(page, QUESTION, author=author)
    [sent] = [request.body for request in server.requests]
    assert (sent["input"], sent["input_type"]) == ([QUESTION], "document")


def test_a_question_without_a_direction_is_left(page, keep, monkeypatch):
    keep(page)
    make_questions_stale()
    nothing = lambda texts: (BulkResult(place, None) for place in range(len(texts)))  # noqa: E731
    monkeypatch.setattr(embed, "embed_in_bulk", nothing)
    work_off()
    assert "no direction" in AskedAs.objects.get().embed_error


# -- merging


def test_merging_unites_them_and_undoing_gives_them_back(page, others, keep, author):
    source = others[0]
    keep(page, "Nur hier")
    keep(page, "Auf beiden")
    keep(source, "Auf beiden?")
    keep(source, "Nur dort")
    merge = merge_pages(page, source, author=Author.maintenance())
    assert sorted(texts(page)) == ["Auf beiden", "Nur dort", "Nur hier"]
    assert slugs(recall(page.wiki, "Nur dort"))[0] == "pipeline-rot"
    undo_merge(merge, author=author)
    assert sorted(texts(page)) == ["Auf beiden", "Nur hier"]
    assert sorted(texts(source)) == ["Auf beiden?", "Nur dort"]


def test_a_merge_brings_no_more_than_fit_and_loses_none(page, others, keep, author):
    source = others[0]
    for number in range(48):
        keep(page, f"Hier {number}")
    for number in range(5):
        keep(source, f"Dort {number}")
    merge = merge_pages(page, source, author=Author.maintenance())
    assert page.asked_as.count() == 50
    assert source.asked_as.count() == 3
    undo_merge(merge, author=author)
    assert (page.asked_as.count(), source.asked_as.count()) == (48, 5)


def test_a_merge_from_before_there_were_questions_can_be_undone(page, others, author):
    merge = merge_pages(page, others[0], author=Author.maintenance())
    del merge.moved["asked_as"]
    merge.save()
    undo_merge(merge, author=author)
    assert Page.objects.get(pk=others[0].pk).is_trashed is False


# -- in files


def read_all(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}


def test_questions_go_along_in_the_front_matter_and_an_import_changes_nothing(
    page, others, keep, wiki, tmp_path
):
    keep(page, QUESTION)
    keep(page, "Wer: baut? [hier] #1")
    files = list(export_folder(wiki, tmp_path / "eins"))
    assert len(files) == 9
    head = (tmp_path / "eins" / "pipeline-rot.md").read_text()
    assert f"asked_as:\n- {QUESTION}\n" in head
    assert "asked_as" not in (tmp_path / "eins" / "rechnung-0.md").read_text()
    assert {file.outcome for file in import_folder(wiki, tmp_path / "eins")} == {"unchanged"}
    fresh = Wiki.objects.create(slug="zwei", name="Zwei")
    assert {file.outcome for file in import_folder(fresh, tmp_path / "eins")} == {"created"}
    list(export_folder(fresh, tmp_path / "zwei"))
    assert read_all(tmp_path / "eins") == read_all(tmp_path / "zwei")
    assert slugs(recall(fresh, QUESTION))[0] == "pipeline-rot"


def test_a_file_brings_what_is_new_and_takes_nothing_away(page, keep, wiki, tmp_path):
    list(export_folder(wiki, tmp_path))
    keep(page, "Seither gelernt")
    path = tmp_path / "pipeline-rot.md"
    path.write_text(
        path.read_text().replace(
            "slug: pipeline-rot\n", "slug: pipeline-rot\nasked_as: Im Editor\n"
        )
    )
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["changed"]
    assert texts(page) == ["Seither gelernt", "Im Editor"]
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]


# -- on the screen


def post(browser, page, **posted):
    return browser.post(f"/w/ops/{page.slug}/recalls", {"page_id": page.pk, **posted}, follow=True)


def test_people_add_see_and_remove_questions(browser, page):
    html = text(post(browser, page, action="add", question=f"  {QUESTION}  {HOSTILE}"))
    assert QUESTION in html
    assert "pat" in html
    shown = browser.get(page.get_absolute_url())
    assert QUESTION in text(shown)
    assert HOSTILE not in shown.content.decode()
    post(browser, page, action="remove", question_id=page.asked_as.get().pk)
    assert texts(page) == []
    assert "Also asked as" not in text(browser.get(page.get_absolute_url()))


def test_what_is_refused_stays_in_the_field_with_the_reason(browser, page):
    answer = post(browser, page, action="add", question="?!")
    assert answer.status_code == 422
    html = text(answer)
    assert 'value="?!"' in html
    assert "says nothing by which" in html


def test_a_full_page_offers_no_field(browser, page, keep):
    for number in range(50):
        keep(page, f"Frage {number}")
    assert 'name="question"' not in text(browser.get(f"{page.get_absolute_url()}/recalls"))


def test_the_api_lists_them(api, page, keep):
    keep(page, "Erste")
    keep(page, "Zweite")
    assert api.get("/pages/pipeline-rot").json()["asked_as"] == ["Zweite", "Erste"]
    assert api.get("/pages").json()["pages"][0].keys().isdisjoint({"asked_as"})
