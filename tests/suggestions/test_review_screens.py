"""The list of suggestions and the screen on which people decide about one."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.screens import HOSTILE, Write, count_queries, join, revise, text
from tests.support.writing import append_or_suggest, create_page, revise_or_suggest
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages
from wiki.models import Agent, Page, Role, Suggestion, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page
from wiki.pages.trash import trash_page
from wiki.suggestions.propose import restore_or_suggest, trash_or_suggest
from wiki.suggestions.review import reject

BODY = "The runner needs two cores.\n\nIt listens on port 8080.\n\nPat looks after it."


@pytest.fixture
def robin(agent: Agent) -> Author:
    return Author.of_agent(agent)


@pytest.fixture
def runner(write: Write, author: Author) -> Page:
    return protect_page(write("Runner", BODY), author=author)


@pytest.fixture
def edited(runner: Page, robin: Author) -> Suggestion:
    body = BODY.replace("8080", "9090")
    return revise_or_suggest(runner, 2, title="Runner", body=body, author=robin, summary="moved")


@pytest.fixture
def added(runner: Page, robin: Author) -> Suggestion:
    return append_or_suggest(runner, "It needs **four** cores.", author=robin)


def address_of(suggestion: Suggestion) -> str:
    return f"/w/ops/suggestions/{suggestion.pk}"


def form_of(browser: Client, suggestion: Suggestion, **changes: str) -> dict[str, str]:
    html = text(browser.get(address_of(suggestion)))
    fields = {
        name: re.search(rf'name="{name}" value="([^"]*)"', html)[1] for name in ("seen", "shown")
    }
    if body := re.search(r'name="body"[^>]*>\n(.*?)</textarea>', html, re.S):
        fields["body"] = body[1].replace("\n", "\r\n")
    return {**fields, **changes}


def act(browser: Client, suggestion: Suggestion, action: str, **changes: str) -> Any:
    return browser.post(
        address_of(suggestion), form_of(browser, suggestion, action=action, **changes)
    )


def state_of(suggestion: Suggestion) -> str:
    return Suggestion.objects.get(pk=suggestion.pk).state


# -- the list


def test_the_list_says_what_waits_and_leads_to_it(
    browser: Client, edited: Suggestion, added: Suggestion
) -> None:
    html = text(browser.get("/w/ops/suggestions"))
    for words in (
        "Runner",
        "a new text",
        "moved",
        "a paragraph at the end",
        "It needs **four** cores.",
        "robin",
    ):
        assert words in html
    assert html.index(address_of(edited)) < html.index(address_of(added))
    assert 'aria-current="page">Suggestions <span class="n">2</span>' in html


def test_an_insight_stands_in_the_list_with_its_words_not_its_source(
    browser: Client, runner: Page, agent: Agent, wiki: Wiki
) -> None:
    file_insight(
        wiki, agent, Handed("It restarts on Sundays.", page=runner.slug, source="ticket 9")
    )
    html = text(browser.get("/w/ops/suggestions"))
    assert "It restarts on Sundays." in html
    assert "ticket 9" not in html


def test_an_empty_list_says_how_one_comes_to_be(
    browser: Client, staff: Client, write: Write, author: Author
) -> None:
    page = write("Runner")
    assert "Owners of this wiki can protect one" in text(browser.get("/w/ops/suggestions"))
    assert "choose “Protect”" in text(staff.get("/w/ops/suggestions"))
    protect_page(page, author=author)
    assert "No agent has suggested anything that waits." in text(browser.get("/w/ops/suggestions"))
    assert "Nothing decided yet" in text(browser.get("/w/ops/suggestions?state=decided"))


def test_the_list_can_be_of_one_page(
    browser: Client, edited: Suggestion, write: Write, author: Author, robin
) -> None:
    other = append_or_suggest(protect_page(write("Other"), author=author), "x y z", author=robin)
    html = text(browser.get("/w/ops/suggestions?of=runner"))
    assert address_of(edited) in html
    assert address_of(other) not in html
    assert "only of “Runner”" in html
    assert browser.get("/w/ops/suggestions?of=nowhere&page=x&state=%00").status_code == 200


def test_what_was_decided_stays_with_its_reason(
    browser: Client, added: Suggestion, person: User
) -> None:
    reject(added, person, "Measured: two are enough.")
    html = text(browser.get("/w/ops/suggestions?state=decided"))
    assert "rejected" in html
    assert "Measured: two are enough." in html
    shown = text(browser.get(address_of(added)))
    assert "It needs **four** cores." in shown
    assert "Let it wait again" in shown


def test_the_page_tells_editors_what_waits(browser: Client, added: Suggestion, wiki: Wiki) -> None:
    assert "1 suggestion waits" in text(browser.get("/w/ops/runner"))
    assert "/w/ops/suggestions?of=runner" in text(browser.get("/w/ops/runner"))
    reader = Client()
    reader.force_login(join(wiki, "rita", Role.READER).user)
    assert "suggestion waits" not in text(reader.get("/w/ops/runner"))
    assert "/w/ops/suggestions" not in text(reader.get("/w/ops/runner"))


def test_what_waits_is_not_listed_as_an_insight_of_the_page(
    browser: Client, runner: Page, api: ApiClient
) -> None:
    api.post("/insights", {"text": "Forty cores.", "page": "runner", "source": "ticket 4711"})
    assert "4711" not in text(browser.get("/w/ops/runner"))


# -- who


def test_readers_see_none_of_it(added: Suggestion, wiki: Wiki) -> None:
    reader = Client()
    reader.force_login(join(wiki, "rita", Role.READER).user)
    for address in ("/w/ops/suggestions", address_of(added)):
        assert reader.get(address).status_code == 403
    assert reader.post(address_of(added), {"action": "accept", "seen": "2"}).status_code == 403
    assert state_of(added) == "open"


def test_a_suggestion_of_another_wiki_is_at_no_address(browser: Client, added: Suggestion) -> None:
    own = Wiki.objects.create(slug="own", name="Own")
    client = Client()
    client.force_login(join(own, "olga", Role.OWNER).user)
    for address in (f"/w/own/suggestions/{added.pk}", address_of(added), "/w/ops/suggestions"):
        assert client.get(address).status_code == 404
        assert client.post(address, {"action": "accept", "seen": "2"}).status_code in (404, 405)
    assert state_of(added) == "open"
    assert browser.get(f"/w/ops/suggestions/{2**70}").status_code == 404


def test_a_decision_needs_a_known_word(browser: Client, added: Suggestion) -> None:
    assert browser.post(address_of(added), {"action": "delete"}).status_code == 404
    assert browser.put(address_of(added)).status_code == 405
    assert state_of(added) == "open"


# -- one of them


def test_an_edit_is_shown_word_by_word(browser: Client, edited: Suggestion) -> None:
    html = text(browser.get(address_of(edited)))
    assert "<del>8080</del><ins>9090</ins>" in html
    assert "moved" in html
    assert "since the agent read it" not in html


def test_an_addition_is_shown_as_it_will_look(browser: Client, added: Suggestion) -> None:
    assert "It needs <strong>four</strong> cores." in text(browser.get(address_of(added)))


def test_accepting_goes_on_to_the_next(
    browser: Client, edited: Suggestion, added: Suggestion
) -> None:
    assert act(browser, edited, "accept")["Location"] == address_of(added)
    assert Page.objects.get().body == BODY.replace("8080", "9090")
    assert act(browser, added, "accept")["Location"] == "/w/ops/suggestions"
    history = text(browser.get("/w/ops/runner/history"))
    assert "accepted by pat: moved" in history
    assert history.count('class="who agent"') == 2


def test_accepting_an_edited_text(browser: Client, added: Suggestion) -> None:
    act(browser, added, "accept", body="It needs four cores, measured.")
    assert Page.objects.get().body.endswith("It needs four cores, measured.")
    assert Page.objects.get().revisions.first().author_name == "pat"
    html = text(browser.get(address_of(added)))
    assert "/w/ops/runner/history/3?changes" in html
    assert "It needs **four** cores." in html


def test_rejecting_with_a_reason_that_the_agent_can_read(
    browser: Client, added: Suggestion, api: ApiClient
) -> None:
    act(browser, added, "reject", reason="Two are enough.")
    told = api.get(f"/suggestions/{added.pk}").json()
    assert (told["state"], told["reason"], told["decided_by"]) == (
        "rejected",
        "Two are enough.",
        "pat",
    )
    assert Page.objects.get().body == BODY


def test_a_rejection_is_taken_back(browser: Client, added: Suggestion, person: User) -> None:
    reject(added, person)
    assert browser.post(address_of(added), {"action": "reopen"})["Location"] == address_of(added)
    assert state_of(added) == "open"


def test_what_changed_in_between_is_shown_anew(
    browser: Client, edited: Suggestion, author: Author
) -> None:
    form = form_of(browser, edited, action="accept")
    revise(edited.page, BODY.replace("Pat looks", "Mira looks"), author)
    answer = browser.post(address_of(edited), form)
    assert answer.status_code == 409
    html = text(answer)
    assert "The page has changed since you looked." in html
    assert "Mira looks" in html
    assert state_of(edited) == "open"
    # The form that came back is about the present text.
    assert act(browser, edited, "accept").status_code == 302
    assert Page.objects.get().body == BODY.replace("8080", "9090").replace(
        "Pat looks", "Mira looks"
    )


def test_what_somebody_had_made_of_it_comes_back(
    browser: Client, edited: Suggestion, author: Author
) -> None:
    form = form_of(browser, edited, action="accept", body="My own words.")
    revise(edited.page, BODY + " Always.", author)
    html = text(browser.post(address_of(edited), form))
    assert ">\nMy own words.</textarea>" in html


def test_a_conflict_is_shown_as_one_and_can_be_edited(
    browser: Client, edited: Suggestion, author: Author
) -> None:
    revise(edited.page, BODY.replace("8080", "7070").replace("two cores", "six cores"), author)
    html = text(browser.get(address_of(edited)))
    assert "The page was changed in the same places since." in html
    assert "<del>7070</del><ins>9090</ins>" in html
    assert "What was changed since the agent read it" in html
    # What is not in conflict is combined already.
    assert (
        "six cores.\n\nIt listens on port 9090."
        in re.search(r'name="body"[^>]*>\n(.*?)</textarea>', html, re.S)[1]
    )
    form = form_of(browser, edited, action="accept")
    del form["body"]
    assert browser.post(address_of(edited), form).status_code == 409
    act(browser, edited, "accept", body=BODY.replace("8080", "7070 and 9090"))
    assert "7070 and 9090" in Page.objects.get().body


def test_a_decision_that_comes_too_late_says_so(
    browser: Client, added: Suggestion, person: User
) -> None:
    form = form_of(browser, added, action="accept")
    reject(added, person, "no")
    answer = browser.post(address_of(added), form, follow=True)
    assert "decided in the meantime" in text(answer)
    assert "Rejected" in text(answer)
    assert Page.objects.get().body == BODY


def test_a_text_that_is_no_page_comes_back_with_the_reason(
    browser: Client, edited: Suggestion
) -> None:
    answer = act(browser, edited, "accept", body="x" * 300_000)
    assert answer.status_code == 422
    assert "256 KiB" in text(answer)
    assert "x" * 300_000 in text(answer)
    assert state_of(edited) == "open"


def test_an_addition_without_a_word_is_refused(browser: Client, added: Suggestion) -> None:
    assert act(browser, added, "accept", body="  ").status_code == 422
    assert state_of(added) == "open"


def test_to_the_trash_and_back(browser: Client, runner: Page, robin: Author) -> None:
    away = trash_or_suggest(runner, author=robin)
    assert "Shall this page go?" in text(browser.get(address_of(away)))
    act(browser, away, "accept")
    runner.refresh_from_db()
    assert runner.is_trashed
    back = restore_or_suggest(runner, author=robin)
    assert "Shall this page come back?" in text(browser.get(address_of(back)))
    act(browser, back, "accept")
    assert Page.objects.live().get() == runner
    # Decided ones of either kind can still be looked at.
    for each in (away, back):
        assert browser.get(address_of(each)).status_code == 200


def test_a_page_whose_address_is_taken_stays_in_the_trash(
    browser: Client, runner: Page, robin: Author, author: Author, wiki: Wiki
) -> None:
    trash_page(runner, author=author)
    back = restore_or_suggest(runner, author=robin)
    create_page(wiki, title="Runner", body="Another.", author=author)
    answer = act(browser, back, "accept")
    assert answer.status_code == 409
    assert "belongs to the page “Runner”" in text(answer)
    assert state_of(back) == "open"


def test_what_waits_for_a_page_in_the_trash_can_only_be_rejected(
    browser: Client, added: Suggestion, author: Author
) -> None:
    trash_page(added.page, author=author)
    html = text(browser.get(address_of(added)))
    assert "The page is in the trash." in html
    assert f"/w/ops/trash/{added.page_id}" in html
    assert 'value="accept"' not in html
    assert "It needs <strong>four</strong> cores." in html
    assert browser.post(address_of(added), {"action": "accept", "seen": "2"}).status_code == 409
    act(browser, added, "reject")
    assert state_of(added) == "rejected"


def test_after_a_merge_additions_go_on_and_whole_texts_do_not(
    browser: Client, edited: Suggestion, added: Suggestion, write: Write, author: Author
) -> None:
    merge_pages(write("Build", "Builds."), edited.page, author=author)
    assert "is part of <a" in text(browser.get(address_of(edited)))
    assert "this goes in there" in text(browser.get(address_of(added)))
    act(browser, added, "accept")
    assert Page.objects.get(slug="build").body.endswith("It needs **four** cores.")


def test_what_the_page_says_already_is_said(
    browser: Client, added: Suggestion, author: Author
) -> None:
    page = revise(added.page, BODY + "\n\nIt needs **four** cores.", author)
    assert "The page is so already." in text(browser.get(address_of(added)))
    act(browser, added, "accept")
    assert (state_of(added), page.revisions.count()) == ("accepted", page.revision)


def test_nothing_hostile_runs(browser: Client, runner: Page, robin: Author, person: User) -> None:
    edit = revise_or_suggest(
        runner, 2, title=HOSTILE, body=HOSTILE, tags=[HOSTILE], author=robin, summary=HOSTILE
    )
    addition = append_or_suggest(runner, HOSTILE, author=robin, summary=HOSTILE)
    for suggestion in (edit, addition):
        for _ in range(2):
            for address in (
                "/w/ops/suggestions",
                "/w/ops/suggestions?state=decided",
                address_of(suggestion),
            ):
                assert HOSTILE not in browser.get(address).content.decode()
            if state_of(suggestion) == "open":
                reject(suggestion, person, HOSTILE)


# -- the address, the admin, the queries


def test_the_admin_only_looks(admin_client: Client, added: Suggestion) -> None:
    html = text(admin_client.get("/admin/wiki/suggestion/"))
    assert address_of(added) in html
    assert admin_client.get("/admin/wiki/suggestion/add/").status_code == 403
    assert (
        admin_client.post(
            f"/admin/wiki/suggestion/{added.pk}/change/", {"state": "accepted"}
        ).status_code
        == 403
    )
    assert (
        admin_client.post(f"/admin/wiki/suggestion/{added.pk}/delete/", {"post": "yes"}).status_code
        == 403
    )
    assert state_of(added) == "open"


def test_the_queries_do_not_grow_with_the_suggestions(
    browser: Client, runner: Page, robin: Author
) -> None:
    def suggest(start: int) -> Suggestion:
        return [
            append_or_suggest(runner, f"Word {number}.", author=robin)
            for number in range(start, start + 3)
        ][0]

    first = suggest(0)
    addresses = ("/w/ops/suggestions", address_of(first), "/w/ops/runner")
    for address in addresses:
        browser.get(address)
    few = [count_queries(browser, address) for address in addresses]
    suggest(10)
    assert [count_queries(browser, address) for address in addresses] == few
    assert max(few) <= 12
