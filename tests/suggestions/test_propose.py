"""Suggestions: what agents would change on a protected page, and what becomes of it."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests.support.api_client import ApiClient
from tests.support.concurrency import at_once
from tests.support.screens import Write, revise
from tests.support.search import recall
from tests.support.writing import append_or_suggest, append_text, create_page
from wiki.agents.api_tokens import create_token
from wiki.insights.intake import Handed, file_insight, file_pending_insights
from wiki.merging.merge import merge_pages
from wiki.models import (
    Agent,
    Insight,
    Membership,
    Outcome,
    Page,
    Revision,
    Role,
    Scope,
    Suggestion,
    SuggestionKind,
    SuggestionState,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.protect import lift_protection, protect_page
from wiki.pages.trash import trash_page
from wiki.pages.write import EditConflict, PageGone
from wiki.suggestions.review import AlreadyDecided, accept, preview_change, reject, reopen

BODY = "The runner needs two cores.\n\nIt listens on port 8080.\n\nPat looks after it."


@pytest.fixture
def runner(write: Write, author: Author) -> Page:
    return protect_page(write("Runner", BODY, tags=["ci"], type="system"), author=author)


def edit(api: ApiClient, body: str, base: int = 2, **more: object):
    return api.put(
        "/pages/runner", {"title": "Runner", "body": body, "base_revision": base, **more}
    )


def suggestion_in(answer) -> Suggestion:
    assert answer.status_code == 202, answer.content
    return Suggestion.objects.get(pk=answer.json()["suggestion"]["id"])


def text_of(slug: str = "runner") -> str:
    return Page.objects.get(slug=slug).body


def accept_as_seen(suggestion: Suggestion, user: User, **more: str) -> Revision:
    page = preview_change(suggestion).page
    accept(suggestion, user, seen=page.revision if page else 0, **more)
    return suggestion.page.revisions.first()


# -- each way of an agent


def test_an_edit_becomes_a_suggestion_and_the_page_stays(api: ApiClient, runner: Page) -> None:
    answer = edit(api, BODY.replace("8080", "9090"), summary="moved")
    said = answer.json()
    suggestion = suggestion_in(answer)
    assert said["suggestion"]["state"] == "open"
    assert said["suggestion"]["url"].endswith(f"/w/ops/suggestions/{suggestion.pk}")
    assert "protected" in said["note"]
    assert (text_of(), runner.revisions.count()) == (BODY, 2)
    assert (suggestion.kind, suggestion.base.number, suggestion.summary) == (
        SuggestionKind.EDIT,
        2,
        "moved",
    )
    # What it does not name stays as it is.
    assert (suggestion.type, suggestion.tags) == ("system", ["ci"])


def test_append_delete_and_restore_become_suggestions(
    api: ApiClient, runner: Page, author: Author
) -> None:
    kinds = [suggestion_in(api.post("/pages/runner/append", {"text": "More."})).kind]
    kinds.append(suggestion_in(api.delete("/pages/runner")).kind)
    trash_page(runner, author=author)
    kinds.append(suggestion_in(api.post("/pages/runner/restore")).kind)
    assert kinds == [SuggestionKind.APPEND, SuggestionKind.TRASH, SuggestionKind.RESTORE]
    runner.refresh_from_db()
    assert runner.is_trashed


def test_what_is_refused_elsewhere_is_refused_here_too(api: ApiClient, runner: Page) -> None:
    assert api.put("/pages/runner", {"title": "Runner", "body": "x"}).status_code == 428
    assert edit(api, "x", base=1).status_code == 409
    assert edit(api, "x", title=" ").status_code == 422
    assert api.post("/pages/runner/append", {"text": " "}).status_code == 422
    assert api.delete("/pages/runner?base_revision=1").status_code == 409
    assert not Suggestion.objects.exists()


def test_what_would_change_nothing_is_no_suggestion(api: ApiClient, runner: Page) -> None:
    assert edit(api, BODY).status_code == 200
    assert api.post("/pages/runner/append", {"text": "It listens on port 8080."}).status_code == 200
    assert not Suggestion.objects.exists()


def test_an_open_page_is_changed_at_once(api: ApiClient, write: Write) -> None:
    write("Runner", BODY)
    assert edit(api, "New.", base=1).status_code == 200
    assert text_of() == "New."


def test_a_read_token_suggests_nothing(reader: ApiClient, runner: Page) -> None:
    assert reader.post("/pages/runner/append", {"text": "x"}).status_code == 403


def test_a_replaced_character_is_told_beside_the_sentence(api: ApiClient, runner: Page) -> None:
    answer = api.call("POST", "/pages/runner/append", raw=b'{"text": "a\\u0000b"}')
    assert "protected" in answer.json()["note"]
    assert "U+FFFD" in answer.json()["note"]
    assert suggestion_in(answer).body == "a\ufffdb"


# -- twice


def test_the_same_twice_is_one_suggestion(api: ApiClient, runner: Page) -> None:
    ids = {suggestion_in(edit(api, "New.")).pk for _ in range(2)}
    ids |= {suggestion_in(api.delete("/pages/runner")).pk for _ in range(2)}
    ids |= {suggestion_in(api.post("/pages/runner/append", {"text": "x"})).pk for _ in range(2)}
    assert len(ids) == Suggestion.objects.count() == 3


def test_another_agent_s_suggestion_is_left_alone(api: ApiClient, runner: Page, wiki: Wiki) -> None:
    wren = ApiClient(create_token(Agent.objects.create(name="wren", home_wiki=wiki), wiki)[1])
    first, second = suggestion_in(edit(api, "One.")), suggestion_in(edit(wren, "Two."))
    third = suggestion_in(edit(api, "Three."))
    assert list(Suggestion.objects.open()) == [first, second, third]


def test_a_no_holds_until_the_page_changes(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    first = suggestion_in(api.post("/pages/runner/append", {"text": "x"}))
    reject(first, person, "not here")
    again = api.post("/pages/runner/append", {"text": "x"})
    assert suggestion_in(again) == first
    assert again.json()["suggestion"]["state"] == "rejected"
    assert "not here" in again.json()["note"]
    revise(runner, BODY + " Always.", author)
    assert suggestion_in(api.post("/pages/runner/append", {"text": "x"})) != first


# -- insights


def test_an_insight_for_a_protected_page_waits_with_it(api: ApiClient, runner: Page) -> None:
    answer = api.post(
        "/insights", {"text": "It needs four cores.", "page": "runner", "source": "ticket 7"}
    )
    said = answer.json()
    assert (answer.status_code, said["outcome"], said["page"]["slug"]) == (202, "pending", "runner")
    suggestion = suggestion_in(answer)
    assert (suggestion.kind, suggestion.body, suggestion.summary) == (
        "insight",
        "It needs four cores.",
        "ticket 7",
    )
    assert api.get(f"/insights/{said['id']}").json()["suggestion"]["id"] == suggestion.pk
    assert text_of() == BODY


def test_an_insight_that_is_near_a_protected_page_waits_too(api: ApiClient, runner: Page) -> None:
    answer = api.post("/insights", {"text": "Runner. " + BODY.replace("\n\n", " ") + " Always."})
    assert answer.json()["page"]["slug"] == "runner"
    assert suggestion_in(answer).kind == SuggestionKind.INSIGHT
    assert Page.objects.count() == 1


def test_the_worker_files_it_nowhere_else(api: ApiClient, runner: Page) -> None:
    answer = api.post("/insights", {"text": "It needs four cores.", "page": "runner"})
    assert file_pending_insights() == 0
    insight = Insight.objects.get(pk=answer.json()["id"])
    assert (insight.outcome, Page.objects.count()) == (Outcome.PENDING, 1)
    assert api.get("/status").json()["warnings"] == [
        w for w in api.get("/status").json()["warnings"] if "insight" not in w
    ]
    assert api.get("/status").json()["open_suggestions"] == 1


def test_one_that_waited_for_the_provider_becomes_a_suggestion_and_the_next_is_filed(
    runner: Page, agent: Agent, wiki: Wiki
) -> None:
    near = "Runner. " + BODY.replace("\n\n", " ") + " Always."
    for words in (near, "Something else about a customer in Graz."):
        Insight.objects.create(wiki=wiki, agent=agent, text=words, outcome=Outcome.PENDING)
    assert file_pending_insights() == 2
    first, second = Insight.objects.order_by("pk")
    assert (first.outcome, first.page, first.suggestion.state) == (Outcome.PENDING, runner, "open")
    assert second.outcome == Outcome.CREATED
    assert file_pending_insights() == 0


def test_an_accepted_insight_stands_on_the_page_as_the_agent_s(
    api: ApiClient, runner: Page, person: User
) -> None:
    body = {
        "text": "It needs four cores.",
        "page": "runner",
        "source": "ticket 7",
        "title": "Cores",
    }
    answer = api.post("/insights", body)
    revision = accept_as_seen(suggestion_in(answer), person)
    day = timezone.localdate().isoformat()
    block = f"::: insight robin | {day} | ticket 7\n**Cores**\n\nIt needs four cores.\n:::"
    assert text_of() == f"{BODY}\n\n{block}"
    assert (revision.kind, revision.author_name, revision.agent.name) == (
        "insight",
        "robin",
        "robin",
    )
    assert revision.summary == "accepted by pat: ticket 7"
    told = api.get(f"/insights/{answer.json()['id']}").json()
    assert (told["outcome"], told["page"]["slug"], told["suggestion"]["state"]) == (
        "appended",
        "runner",
        "accepted",
    )


def test_a_rejected_insight_is_told_with_its_reason_and_not_found_any_more(
    api: ApiClient, runner: Page, person: User, wiki: Wiki
) -> None:
    answer = api.post("/insights", {"text": "It needs forty cores.", "page": "runner"})
    assert [insight.text for insight in recall(wiki, "forty").pending] == ["It needs forty cores."]
    reject(suggestion_in(answer), person, "measured: four are enough")
    told = api.get(f"/insights/{answer.json()['id']}").json()
    assert (told["outcome"], told["suggestion"]["state"]) == ("noise", "rejected")
    assert "four are enough" in told["note"]
    assert recall(wiki, "forty").pending == []
    assert Insight.objects.get().text == "It needs forty cores."
    again = api.post("/insights", {"text": "It needs forty cores.", "page": "runner"})
    assert (again.status_code, again.json()["outcome"]) == (200, "noise")


def test_a_rejection_can_be_taken_back(api: ApiClient, runner: Page, person: User) -> None:
    answer = api.post("/insights", {"text": "It needs four cores.", "page": "runner"})
    suggestion = suggestion_in(answer)
    reject(suggestion, person, "no")
    reopen(suggestion)
    suggestion.refresh_from_db()
    assert (suggestion.state, suggestion.reason, suggestion.decided_at) == ("open", "", None)
    assert Insight.objects.get().outcome == Outcome.PENDING
    accept_as_seen(suggestion, person)
    with pytest.raises(AlreadyDecided):
        reopen(suggestion)


def test_the_same_insight_twice_waits_once_and_both_are_settled(
    api: ApiClient, runner: Page, person: User
) -> None:
    body = {"text": "It needs four cores.", "page": "runner"}
    one, two = api.post("/insights", body), api.post("/insights", body)
    assert suggestion_in(one) == suggestion_in(two)
    accept_as_seen(suggestion_in(one), person)
    assert list(Insight.objects.order_by("pk").values_list("outcome", flat=True)) == [
        "appended",
        "known",
    ]
    assert text_of().count("four cores") == 1


def test_the_same_of_two_agents_is_decided_at_once(
    api: ApiClient, runner: Page, person: User, wiki: Wiki
) -> None:
    wren = ApiClient(create_token(Agent.objects.create(name="wren", home_wiki=wiki), wiki)[1])
    body = {"text": "It needs four cores.", "page": "runner"}
    one, two = (
        suggestion_in(api.post("/insights", body)),
        suggestion_in(wren.post("/insights", body)),
    )
    accept_as_seen(one, person)
    two.refresh_from_db()
    assert (two.state, two.result) == ("accepted", None)
    assert text_of().count("four cores") == 1


# -- accepting


def test_an_accepted_edit_is_the_agent_s_and_says_who_accepted_it(
    api: ApiClient, runner: Page, person: User
) -> None:
    new = BODY.replace("8080", "9090")
    suggestion = suggestion_in(edit(api, new, summary="moved", tags=["ci", "port"]))
    revision = accept_as_seen(suggestion, person)
    suggestion.refresh_from_db()
    page = Page.objects.get(slug="runner")
    assert (page.body, page.tags, page.is_protected) == (new, ["ci", "port"], True)
    assert (revision.author_name, revision.summary, revision.kind) == (
        "robin",
        "accepted by pat: moved",
        "edit",
    )
    assert (suggestion.state, suggestion.decided_by, suggestion.result) == (
        "accepted",
        person,
        revision,
    )
    told = api.get(f"/suggestions/{suggestion.pk}").json()
    assert (told["state"], told["decided_by"], told["revision"]) == ("accepted", "pat", 3)


def test_what_people_changed_meanwhile_stays(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(edit(api, BODY.replace("8080", "9090")))
    revise(runner, BODY.replace("Pat looks", "Mira looks"), author)
    accept_as_seen(suggestion, person)
    assert text_of() == BODY.replace("8080", "9090").replace("Pat looks", "Mira looks")


def test_a_conflict_is_not_decided_by_the_machine(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(edit(api, BODY.replace("8080", "9090")))
    revise(runner, BODY.replace("8080", "7070"), author)
    assert preview_change(suggestion).is_conflict
    with pytest.raises(EditConflict):
        accept(suggestion, person, seen=3)
    accept(suggestion, person, seen=3, text=BODY.replace("8080", "7070 and 9090"))
    assert "7070 and 9090" in text_of()
    assert runner.revisions.first().author_name == "pat"


def test_what_was_not_seen_is_not_accepted(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(edit(api, BODY.replace("8080", "9090")))
    revise(runner, BODY + " Always.", author)
    with pytest.raises(EditConflict):
        accept(suggestion, person, seen=2)
    suggestion.refresh_from_db()
    assert suggestion.is_open
    assert "9090" not in text_of()


def test_an_addition_goes_onto_the_fresh_text(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    revise(runner, "All new.", author)
    accept(suggestion, person, seen=2)
    assert text_of() == "All new.\n\nMore."


def test_an_edited_text_is_the_person_s(api: ApiClient, runner: Page, person: User) -> None:
    suggestion = suggestion_in(
        api.post("/pages/runner/append", {"text": "It neds four cores.", "summary": "seen"})
    )
    revision = accept_as_seen(suggestion, person, text="It needs four cores.")
    assert text_of().endswith("It needs four cores.")
    assert (revision.author_name, revision.author_kind) == ("pat", "person")
    assert revision.summary == "suggested by robin: seen"
    suggestion.refresh_from_db()
    # What the agent has said is kept beside it.
    assert (suggestion.body, suggestion.result) == ("It neds four cores.", revision)


def test_the_text_as_it_was_shown_is_still_the_agent_s(
    api: ApiClient, runner: Page, person: User
) -> None:
    new = BODY.replace("8080", "9090")
    revision = accept_as_seen(suggestion_in(edit(api, new)), person, text=new.replace("\n", "\r\n"))
    assert revision.author_name == "robin"


def test_to_the_trash_and_back(api: ApiClient, runner: Page, person: User) -> None:
    revision = accept_as_seen(suggestion_in(api.delete("/pages/runner")), person)
    runner.refresh_from_db()
    assert runner.is_trashed
    assert (revision.author_name, revision.summary) == ("robin", "accepted by pat")
    accept_as_seen(suggestion_in(api.post("/pages/runner/restore")), person)
    runner.refresh_from_db()
    assert not runner.is_trashed
    assert text_of() == BODY


def test_what_the_page_says_by_now_is_settled_without_a_revision(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(
        api.post("/insights", {"text": "It needs four cores.", "page": "runner"})
    )
    page = append_text(runner, "It needs four cores.", author=author)
    assert not preview_change(suggestion).has_effect
    accept(suggestion, person, seen=page.revision)
    suggestion.refresh_from_db()
    assert (suggestion.state, suggestion.result, runner.revisions.count()) == (
        "accepted",
        None,
        page.revision,
    )
    assert Insight.objects.get().outcome == Outcome.KNOWN


def test_it_can_be_accepted_after_the_fence_is_gone(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    lift_protection(runner, author=author)
    assert accept_as_seen(suggestion, person).author_name == "robin"
    assert text_of().endswith("More.")


def test_nothing_is_lost_while_the_page_is_in_the_trash(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    trash_page(runner, author=author)
    assert preview_change(suggestion).page is None
    with pytest.raises(PageGone):
        accept(suggestion, person, seen=3)
    suggestion.refresh_from_db()
    assert suggestion.is_open


def test_an_addition_follows_its_page_into_another(
    api: ApiClient, runner: Page, person: User, author: Author, write: Write
) -> None:
    added = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    edited = suggestion_in(edit(api, "New."))
    merge_pages(write("Build", "Builds."), runner, author=author)
    accept_as_seen(added, person)
    assert text_of("build").endswith("More.")
    # A whole text for one page is none for another.
    assert preview_change(edited).page is None


def test_a_text_that_is_too_large_is_refused_and_still_waits(
    api: ApiClient, runner: Page, person: User, author: Author
) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "x" * 100_000}))
    revise(runner, "y" * 200_000, author)
    with pytest.raises(Exception, match="256 KiB"):
        accept(suggestion, person, seen=3)
    suggestion.refresh_from_db()
    assert suggestion.is_open


# -- decided once


def test_a_decision_is_made_once(api: ApiClient, runner: Page, person: User) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    accept_as_seen(suggestion, person)
    for again in (lambda: accept(suggestion, person, seen=3), lambda: reject(suggestion, person)):
        with pytest.raises(AlreadyDecided):
            again()
    assert text_of().count("More.") == 1


def test_the_database_holds_a_decision_together(api: ApiClient, runner: Page, person: User) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    rows = Suggestion.objects.filter(pk=suggestion.pk)
    for wrong in (
        {"state": "accepted"},
        {"decided_at": timezone.now()},
        {"result": runner.revisions.first()},
        {"body": ""},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(**wrong)


def test_an_agent_withdraws_its_own_and_no_other(api: ApiClient, runner: Page, wiki: Wiki) -> None:
    suggestion = suggestion_in(
        api.post("/insights", {"text": "It needs four cores.", "page": "runner"})
    )
    wren = ApiClient(create_token(Agent.objects.create(name="wren", home_wiki=wiki), wiki)[1])
    assert wren.delete(f"/suggestions/{suggestion.pk}").status_code == 403
    assert api.delete(f"/suggestions/{suggestion.pk}").json()["state"] == "withdrawn"
    assert api.delete(f"/suggestions/{suggestion.pk}").status_code == 409
    assert Insight.objects.get().outcome == Outcome.NOISE
    assert (
        suggestion_in(api.post("/insights", {"text": "It needs four cores.", "page": "runner"}))
        != suggestion
    )


# -- what nobody else sees


def test_a_token_of_another_wiki_finds_no_suggestion(
    api: ApiClient, stranger: ApiClient, runner: Page
) -> None:
    suggestion = suggestion_in(api.post("/pages/runner/append", {"text": "More."}))
    for call in (stranger.get, stranger.delete):
        assert call(f"/suggestions/{suggestion.pk}").status_code == 404
    assert stranger.get(f"/suggestions/{suggestion.pk}?wiki=ops").status_code == 404
    assert stranger.get("/status").json()["open_suggestions"] == 0
    assert api.get("/suggestions/999999999").status_code == 404
    suggestion.refresh_from_db()
    assert suggestion.is_open


def test_a_suggestion_is_no_change_until_it_is_accepted(
    api: ApiClient, runner: Page, browser
) -> None:
    api.post("/pages/runner/append", {"text": "Only suggested."})
    edit(api, BODY + " Only suggested.")
    for address in ("/w/ops/changes", "/w/ops/runner", "/w/ops/runner/history", "/w/ops/runner.md"):
        assert "Only suggested" not in browser.get(address).content.decode(), address
    found = recall(runner.wiki, "runner")
    assert "Only suggested" not in found.hits[0].page.body


# -- at once


@pytest.fixture
def crowd(transactional_db: None) -> tuple[Page, list[Agent], User]:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    mira = User.objects.create_user("mira")
    Membership.objects.create(wiki=wiki, user=mira, role=Role.OWNER)
    author = Author.person(mira)
    page = protect_page(create_page(wiki, title="Runner", body=BODY, author=author), author=author)
    agents = [Agent.objects.create(name=f"agent {number}", home_wiki=wiki) for number in range(20)]
    return page, agents, mira


def test_twenty_agents_at_once_are_twenty_suggestions_that_all_go_in(crowd) -> None:
    page, agents, mira = crowd

    def suggest(number: int) -> object:
        return append_or_suggest(
            page, f"Seen by agent {number}.", author=Author.of_agent(agents[number])
        )

    made = at_once(20, 16, suggest)
    assert len({suggestion.pk for suggestion in made}) == 20

    at_once(20, 16, lambda number: accept(made[number], mira, seen=0))
    body = text_of()
    assert [number for number in range(20) if f"Seen by agent {number}." not in body] == []
    assert not Suggestion.objects.open().exists()


def test_one_agent_twenty_times_at_once_is_one_suggestion(crowd) -> None:
    page, agents, _mira = crowd
    author = Author.of_agent(agents[0])
    made = at_once(20, 16, lambda _: append_or_suggest(page, "Seen.", author=author))
    assert {suggestion.pk for suggestion in made} == {Suggestion.objects.get().pk}


@pytest.mark.parametrize("kind", ["append", "edit", "insight", "trash"])
def test_accepted_sixteen_times_at_once_it_is_applied_once(crowd, kind: str) -> None:
    page, agents, mira = crowd
    robin = agents[0]
    if kind == "insight":
        suggestion = file_insight(
            page.wiki, robin, Handed("It needs four cores.", page="runner")
        ).suggestion
    else:
        api = ApiClient(create_token(robin, page.wiki)[1])
        answer = {
            "append": lambda: api.post("/pages/runner/append", {"text": "It needs four cores."}),
            "edit": lambda: edit(api, BODY + "\n\nIt needs four cores."),
            "trash": lambda: api.delete("/pages/runner"),
        }[kind]()
        suggestion = suggestion_in(answer)

    def decide(number: int) -> str:
        try:
            if number % 4 == 3:
                reject(Suggestion.objects.get(pk=suggestion.pk), mira)
            else:
                accept(Suggestion.objects.get(pk=suggestion.pk), mira, seen=2)
            return "done"
        except (AlreadyDecided, EditConflict, PageGone):
            return "late"

    assert at_once(16, 16, decide).count("done") == 1
    suggestion.refresh_from_db()
    assert page.revisions.count() == (3 if suggestion.state == SuggestionState.ACCEPTED else 2)
    is_accepted = suggestion.state == SuggestionState.ACCEPTED
    if kind != "trash":
        assert len(re.findall("four cores", Page.objects.get().body)) == is_accepted
    if kind == "insight":
        assert Insight.objects.get().outcome == ("appended" if is_accepted else "noise")


def test_a_token_that_only_files_takes_back_what_it_handed_in_and_nothing_else(
    write: Write, api: ApiClient, agent: Agent, wiki: Wiki, author: Author
) -> None:
    protect_page(write("Runner", "Er braucht zwei Kerne."), author=author)
    api.put("/pages/runner", {"title": "Runner", "body": "Neu.", "base_revision": 2})
    filing = ApiClient(create_token(agent, wiki, Scope.FILE)[1])
    filed = filing.post("/insights", {"text": "Er steht im Keller.", "page": "runner"}).json()[
        "suggestion"
    ]["id"]
    assert filing.call("DELETE", f"/suggestions/{filed}").json()["state"] == "withdrawn"
    [edit] = Suggestion.objects.open()
    assert filing.call("DELETE", f"/suggestions/{edit.pk}").status_code == 403
    reading = ApiClient(create_token(agent, wiki, Scope.READ)[1])
    assert reading.call("DELETE", f"/suggestions/{filed}").status_code == 403
