"""Whether what a recall handed out was useful: said by agents and people, and what comes of it."""

import uuid

import pytest

from tests.recall.test_log import ask
from tests.support.api_client import API
from tests.support.screens import text
from tests.support.search import recall
from wiki.merging.merge import merge_pages
from wiki.models import AskedAs, HandedPage, Page, Receipt
from wiki.pages.trash import trash_page
from wiki.recall.feedback import mark_page


@pytest.fixture
def asked(api, write):
    """A recall that handed out two pages, and a third page that it did not hand out."""
    write("Pipeline rot", "Wenn die Pipeline rot ist: das Joblog ansehen.")
    write("Runner", "Der Runner baut die Pipeline.")
    write("Rechnung", "Rechnungen gehen an Kunden.")
    return ask(api, "Was tun, wenn die Pipeline rot ist?", limit=2)


def mark(api, asked, page="pipeline-rot", useful=True, status=200, **more):
    answer = api.post(f"/recalls/{asked['id']}/marks", {"page": page, "useful": useful, **more})
    assert answer.status_code == status, answer.content
    return answer.json()


def row(slug="pipeline-rot"):
    return HandedPage.objects.filter(page__slug=slug).first()


def test_a_useful_page_is_marked_and_the_question_stays_with_it(api, asked):
    answer = mark(api, asked)
    assert answer["page"]["slug"] == "pipeline-rot"
    assert (answer["recall"], answer["useful"], answer["handed_out"]) == (asked["id"], True, True)
    assert (answer["asked_as"], answer["reason"]) == ("Was tun, wenn die Pipeline rot ist?", "")
    assert (row().is_useful, row().marked_by_kind, row().marked_by_name) == (True, "agent", "robin")
    assert row("runner").is_useful is None
    [page, _other] = api.get(f"/recalls/{asked['id']}").json()["pages"]
    assert (page["useful"], page["marked_by"]) == (True, {"kind": "agent", "name": "robin"})
    assert page["marked_at"]
    assert api.get("/pages/pipeline-rot").json()["asked_as"] == [
        "Was tun, wenn die Pipeline rot ist?"
    ]


def test_a_wrong_page_is_marked_and_keeps_nothing(api, asked):
    answer = mark(api, asked, "runner", useful=False)
    assert (answer["useful"], answer["handed_out"], answer["asked_as"], answer["reason"]) == (
        False,
        True,
        None,
        "",
    )
    assert row("runner").is_useful is False
    assert AskedAs.objects.count() == 0


def test_what_a_person_said_is_not_taken_back_by_an_agent(api, asked, author):
    receipt, page = Receipt.objects.get(pk=asked["id"]), Page.objects.get(slug="pipeline-rot")
    mark_page(receipt, page, useful=True, author=author)
    answer = mark(api, asked, useful=False)
    assert (answer["useful"], answer["reason"]) == (
        True,
        "A person has said otherwise, and that counts.",
    )
    assert (row().is_useful, row().marked_by_kind) == (True, "person")
    assert page.asked_as.count() == 1
    mark(api, asked, useful=True)
    assert row().marked_by_kind == "person"
    mark_page(receipt, page, useful=False, author=author)
    assert (row().is_useful, page.asked_as.count()) == (False, 0)


def test_a_page_that_went_through_two_merges_was_handed_out_all_the_same(api, asked, author):
    page, second, third = (
        Page.objects.get(slug=slug) for slug in ("pipeline-rot", "rechnung", "runner")
    )
    HandedPage.objects.exclude(page=page).delete()
    merge_pages(second, page, author=author)
    merge_pages(third, Page.objects.get(pk=second.pk), author=author)
    assert mark(api, asked, page="runner")["handed_out"]
    assert mark(api, asked, page="runner", useful=False)["handed_out"]
    assert HandedPage.objects.count() == 1


def test_the_same_mark_twice_is_one_mark(api, asked):
    assert mark(api, asked) == mark(api, asked)
    assert HandedPage.objects.filter(is_useful=True).count() == AskedAs.objects.count() == 1


def test_a_later_mark_replaces_an_earlier_one_and_takes_its_question_away(api, asked):
    mark(api, asked)
    mark(api, asked, useful=False)
    assert row().is_useful is False
    assert AskedAs.objects.count() == 0
    mark(api, asked)
    assert row().is_useful is True
    assert AskedAs.objects.count() == 1


def test_a_question_that_was_there_before_the_mark_outlives_it(api, browser, asked):
    page = Page.objects.get(slug="pipeline-rot")
    question = "was tun wenn die pipeline rot ist"
    browser.post(
        "/w/ops/pipeline-rot/recalls", {"action": "add", "question": question, "page_id": page.pk}
    )
    assert mark(api, asked)["asked_as"] == question
    mark(api, asked, useful=False)
    assert [row.text for row in page.asked_as.all()] == [question]


def test_a_page_that_should_have_been_found_is_kept_as_missed(api, asked):
    answer = mark(api, asked, "rechnung")
    assert (answer["handed_out"], answer["asked_as"]) == (
        False,
        "Was tun, wenn die Pipeline rot ist?",
    )
    last = api.get(f"/recalls/{asked['id']}").json()["pages"][-1]
    assert (last["slug"], last["place"], last["similarity"], last["useful"]) == (
        "rechnung",
        None,
        None,
        True,
    )
    mark(api, asked, "rechnung", useful=False)
    assert len(api.get(f"/recalls/{asked['id']}").json()["pages"]) == 2
    assert AskedAs.objects.count() == 0


def test_what_was_not_handed_out_cannot_have_been_wrong(api, asked):
    problem = mark(api, asked, "rechnung", useful=False, status=422)
    assert "Rechnung" in problem["detail"]
    assert set(problem["errors"]) == {"page"}


def test_a_missed_page_does_not_count_as_recalled(api, browser, asked):
    mark(api, asked, "rechnung")
    assert "not in the last 90 days" in text(browser.get("/w/ops/rechnung"))
    assert "was missing here" in text(browser.get("/w/ops/rechnung/recalls"))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"page": "runner"},
        {"useful": True},
        {"page": "runner", "useful": "yes"},
        {"page": "runner", "useful": 1},
        {"page": "runner", "useful": None},
        {"page": 7, "useful": True},
        {"page": "x" * 501, "useful": True},
        {"page": "runner", "useful": True, "query": ["x"]},
    ],
)
def test_a_mark_that_is_none_is_refused(api, asked, body):
    assert api.post(f"/recalls/{asked['id']}/marks", body).status_code == 422
    assert HandedPage.objects.filter(is_useful__isnull=False).count() == 0


def test_a_page_or_recall_that_is_not_there_is_not_found(api, asked, author):
    mark(api, asked, "nirgends", status=404)
    mark(api, {"id": uuid.uuid4()}, status=404)
    trash_page(Page.objects.get(slug="runner"), author=author)
    mark(api, asked, "runner", status=404)


def test_who_may_not_write_marks_nothing(api, reader, stranger, client, asked):
    mark(reader, asked, status=403)
    mark(stranger, asked, status=404)
    assert (
        client.post(
            f"{API}/recalls/{asked['id']}/marks", {"page": "runner", "useful": True}
        ).status_code
        == 401
    )
    assert [
        api.call(method, f"/recalls/{asked['id']}/marks").status_code for method in ("GET", "PUT")
    ] == [405, 405]
    assert HandedPage.objects.filter(is_useful__isnull=False).count() == 0


def test_a_page_is_marked_under_a_former_address(api, asked, author):
    kept, merged = Page.objects.get(slug="rechnung"), Page.objects.get(slug="runner")
    merge_pages(kept, merged, author=author)
    answer = mark(api, asked, "runner")
    assert (answer["page"]["slug"], answer["handed_out"]) == ("rechnung", True)
    assert HandedPage.objects.get(page=merged).is_useful is True
    assert list(kept.asked_as.values_list("text", flat=True)) == [
        "Was tun, wenn die Pipeline rot ist?"
    ]


def test_the_mark_may_bring_other_words_to_keep(api, asked):
    assert mark(api, asked, query="CI-Build  schlägt\nfehl")["asked_as"] == "CI-Build schlägt fehl"


def test_with_hashes_alone_the_mark_brings_the_words_or_none_are_kept(api, write, settings):
    settings.COVEY_RECALL_TEXT = "hash"
    write("Pipeline rot", "Das Joblog ansehen.")
    found = ask(api, "Was tun, wenn die Pipeline rot ist?")
    answer = mark(api, found)
    assert answer["asked_as"] is None
    assert "not kept" in answer["reason"]
    assert row().is_useful is True
    assert mark(api, found, query="Was tun, wenn die Pipeline rot ist?")["asked_as"]
    assert Receipt.objects.get().query == ""


@pytest.mark.parametrize("query", ["—!?", "🎉"])
def test_a_question_without_a_word_is_not_kept(api, asked, query):
    answer = mark(api, asked, query=query)
    assert (answer["useful"], answer["asked_as"]) == (True, None)
    assert answer["reason"]


def test_what_cannot_be_stored_is_replaced_and_said_so(api, asked):
    raw = b'{"page": "pipeline-rot", "useful": true, "query": "Wer\\u0000 baut?"}'
    answer = api.call("POST", f"/recalls/{asked['id']}/marks", raw=raw).json()
    assert answer["asked_as"] == "Wer\ufffd baut?"
    assert "note" in answer


# -- people


def press(browser, action, asked, slug="pipeline-rot", **more):
    page = Page.objects.get(slug=slug)
    posted = {"action": action, "recall": asked["id"], "page_id": page.pk, **more}
    return browser.post(f"/w/ops/{slug}/recalls", posted, follow=True)


def test_people_mark_on_the_screen(api, browser, asked):
    answer = press(browser, "useful", asked)
    assert answer.redirect_chain == [("/w/ops/pipeline-rot/recalls", 302)]
    html = text(answer)
    assert "The page is found by this question from now on." in html
    assert "useful, says" in html
    assert 'value="useful" aria-pressed="true"' in html
    assert (row().marked_by_kind, row().marked_by_name) == ("person", "pat")
    html = text(press(browser, "wrong", asked))
    assert "wrong, says" in html
    assert 'value="wrong" aria-pressed="true"' in html
    assert AskedAs.objects.count() == 0


def test_the_last_word_of_people_counts(api, browser, asked):
    mark(api, asked)
    press(browser, "wrong", asked)
    assert (row().is_useful, row().marked_by_name) == (False, "pat")
    mark(api, asked)
    assert (row().is_useful, row().marked_by_name) == (False, "pat")
    press(browser, "useful", asked)
    assert (row().is_useful, row().marked_by_name) == (True, "pat")


def test_a_recall_that_is_gone_or_a_page_that_moved_is_told(api, browser, asked):
    Receipt.objects.all().delete()
    assert "not kept any longer" in text(press(browser, "useful", asked))
    assert "belongs to another page" in text(press(browser, "useful", asked, page_id=0))
    assert "not kept any longer" in text(press(browser, "useful", {"id": "x"}))


def test_on_the_screen_of_a_page_that_was_not_handed_out_wrong_is_refused(browser, asked):
    assert "was not handed out" in text(press(browser, "wrong", asked, slug="rechnung"))


def test_an_unknown_action_changes_nothing(browser, asked):
    press(browser, "explode", asked)
    assert HandedPage.objects.filter(is_useful__isnull=False).count() == 0


def test_a_mark_changes_no_similarity_of_the_page_itself(api, write, wiki, asked):
    before = {hit.page.slug: hit.similarity for hit in recall(wiki, "Runner").hits}
    mark(api, asked, "runner", useful=False)
    assert {hit.page.slug: hit.similarity for hit in recall(wiki, "Runner").hits} == before
