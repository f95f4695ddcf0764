"""The maintenance run: merges what differs in no fact, proposes the rest, and costs what has
changed."""

import pytest
from django.core.management import call_command
from django_q.models import OrmQ, Schedule

from tests.support.screens import Write
from tests.support.writing import create_page, revise_page
from wiki.db.locks import MAINTAINING, only_one
from wiki.insights.intake import Handed, file_insight
from wiki.merging.maintenance import maintain
from wiki.merging.merge import undo_merge
from wiki.merging.queue import dismiss, open_proposals
from wiki.models import (
    MaintenanceRun,
    Merge,
    MergeProposal,
    Outcome,
    Page,
    ProposalReason,
    ProposalState,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.fields import MAX_BODY_BYTES
from wiki.schedule import ensure_schedules

BOT = Author.maintenance()
TEXT = (
    "Restart the queue workers one after the other and look at the log of each before the next "
    "one. "
    "They keep the old password until they are started again."
)
CASE_ONLY = TEXT.replace("Restart the", "restart the").replace("password", "Password")


@pytest.fixture
def put(wiki: Wiki):
    def make(title: str, body: str, into: Wiki = wiki) -> Page:
        return create_page(into, title=title, body=body, author=BOT)

    return make


def fresh(page: Page) -> Page:
    return Page.objects.get(pk=page.pk)


def run(wiki: Wiki) -> MaintenanceRun | None:
    reports = maintain([wiki])
    assert reports is not None
    return reports[0].run if reports else None


def test_what_says_the_same_from_the_threshold_on_is_merged(wiki: Wiki, put) -> None:
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY)
    done = run(wiki)
    assert done
    assert (done.compared, done.found, done.merged, done.proposed, done.error) == (2, 1, 1, 0, "")
    assert done.finished_at
    merge = Merge.objects.get()
    assert merge.is_automatic
    assert merge.similarity >= 0.93
    assert Page.objects.live().count() == 1


def test_what_differs_in_a_fact_is_proposed_with_what_differs(wiki: Wiki, put) -> None:
    put("Port one", f"{TEXT} It listens on port 8080.")
    put("Port one", f"{TEXT} It listens on port 8081.")
    done = run(wiki)
    assert done
    assert (done.merged, done.proposed, done.guarded) == (0, 1, 1)
    proposal = open_proposals(wiki).get()
    assert proposal.reason == ProposalReason.GUARDED
    assert [first for _kind, first, _second in proposal.differences if "8080" in first]
    assert Page.objects.live().count() == 2


def test_what_is_near_but_below_the_threshold_is_proposed(wiki: Wiki, put, settings) -> None:
    settings.COVEY_MERGE_THRESHOLD = 0.999
    put("Queue workers", TEXT)
    put("Queue workers again", CASE_ONLY)
    run(wiki)
    assert open_proposals(wiki).get().reason == ProposalReason.NEAR


def test_exact_copies_are_found_without_a_vector(wiki: Wiki, put) -> None:
    put("Something else", "About another matter.")
    for slug in ("copy-one", "copy-two"):
        page = create_page(wiki, title="Queue workers", body=TEXT, slug=slug, author=BOT)
        Page.objects.filter(pk=page.pk).update(
            embed_model="", embedding=None, embed_error="too long", failed_model="builtin:hash:256"
        )
    done = run(wiki)
    assert done
    assert (done.merged, done.proposed) == (1, 0)


def test_in_review_mode_nothing_is_merged(wiki: Wiki, put, settings) -> None:
    settings.COVEY_MERGE_MODE = "review"
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY)
    run(wiki)
    assert open_proposals(wiki).get().reason == ProposalReason.REVIEW
    assert not Merge.objects.exists()


def test_a_wiki_may_have_a_mode_of_its_own(wiki: Wiki, put) -> None:
    wiki.merge_mode = "review"
    wiki.save()
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY)
    run(wiki)
    assert not Merge.objects.exists()


def test_what_people_wrote_on_both_sides_is_for_people_to_merge(wiki: Wiki, write: Write) -> None:
    write("Queue workers", TEXT)
    write("Queue workers!", CASE_ONLY)
    run(wiki)
    assert open_proposals(wiki).get().reason == ProposalReason.PEOPLE


def test_pages_of_one_title_are_proposed_however_different(wiki: Wiki, put) -> None:
    for text in ("Apples are red.", "The train leaves at noon.", "Write tests first."):
        put("DGIA", text)
    run(wiki)
    assert set(open_proposals(wiki).values_list("reason", flat=True)) == {ProposalReason.TITLE}
    assert Page.objects.live().count() == 3


def test_pages_made_from_one_template_are_one_hint(wiki: Wiki, put) -> None:
    for number in range(8):
        put(f"Runbook service {number}", f"{TEXT} The service has the number 410{number}.")
    done = run(wiki)
    assert done
    assert done.merged == 0
    assert open_proposals(wiki).get().alike == 8


def test_chains_do_not_form_and_the_next_run_goes_on(wiki: Wiki, put) -> None:
    for title in ("Queue workers", "Queue workers!", "Queue Workers"):
        put(title, TEXT)
    first = run(wiki)
    assert first
    assert (first.merged, Page.objects.live().count()) == (1, 2)
    run(wiki)
    assert Page.objects.live().count() == 1


def test_nothing_changed_is_no_run(wiki: Wiki, put) -> None:
    put("Queue workers", TEXT)
    assert run(wiki)
    assert run(wiki) is None
    assert MaintenanceRun.objects.count() == 1


def test_only_what_changed_is_compared_and_with_all(wiki: Wiki, put) -> None:
    put("Queue workers", TEXT)
    for number in range(5):
        put(f"Other {number}", f"About thing number {number} and nothing else at all.")
    run(wiki)
    put("Queue workers!", CASE_ONLY)
    done = run(wiki)
    assert done
    assert (done.is_full, done.compared, done.merged) == (False, 1, 1)


def test_a_no_holds_until_a_text_changes(wiki: Wiki, put, person) -> None:
    a = put("Port one", f"{TEXT} It listens on port 8080.")
    put("Port two", f"{TEXT} It listens on port 8081.")
    run(wiki)
    dismiss(open_proposals(wiki).select_related("first", "second"), person)
    MaintenanceRun.objects.all().delete()
    run(wiki)
    assert not open_proposals(wiki).exists()
    # Over a switch of the model too.
    Page.objects.update(embed_model="builtin:hash:256")
    MaintenanceRun.objects.update(fingerprint="other:model:256")
    run(wiki)
    assert MergeProposal.objects.get().state == ProposalState.DISMISSED
    revise_page(fresh(a), 1, title="Port one", body=f"{TEXT} It listens on port 8082.", author=BOT)
    run(wiki)
    assert open_proposals(wiki).count() == 1


def test_an_undone_merge_is_not_made_again(wiki: Wiki, put) -> None:
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY)
    run(wiki)
    undo_merge(Merge.objects.get(), author=BOT)
    for _ in range(3):
        run(wiki)
    assert Merge.objects.count() == 1
    assert Page.objects.live().count() == 2


def test_a_dry_run_changes_nothing(wiki: Wiki, put) -> None:
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY)
    put("Port two", f"{TEXT} It listens on port 8081.")
    before = list(Page.objects.order_by("pk").values())
    reports = maintain(is_dry=True)
    assert reports
    assert [outcome.is_merged for outcome in reports[0].outcomes][:1] == [True]
    assert list(Page.objects.order_by("pk").values()) == before
    assert not MaintenanceRun.objects.exists()
    assert not MergeProposal.objects.exists()


def test_pages_of_another_model_or_wiki_are_not_compared(wiki: Wiki, put) -> None:
    other = Wiki.objects.create(slug="other", name="Other")
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY, into=other)
    old = put("Queue workers?", CASE_ONLY)
    Page.objects.filter(pk=old.pk).update(embed_model="old:model:256")
    maintain()
    assert not Merge.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_runs_never_overlap(wiki: Wiki) -> None:
    with only_one(MAINTAINING) as is_alone:
        assert is_alone
        assert maintain() is None


def test_the_command_says_what_it_did_or_would_do(wiki: Wiki, put, capsys) -> None:
    put("Queue workers", TEXT)
    put("Queue workers!", CASE_ONLY)
    call_command("maintain", "--dry-run")
    assert (
        "ops: 2 pages compared, 1 would be merged, 0 would be proposed." in capsys.readouterr().out
    )
    call_command("maintain", "--now")
    assert "1 merged, 0 proposed." in capsys.readouterr().out
    call_command("maintain", "--now")
    # The survivor has changed by the merge.
    assert "1 page compared, 0 merged" in capsys.readouterr().out
    call_command("maintain", "--now")
    assert "No page has changed" in capsys.readouterr().out
    call_command("maintain")
    assert OrmQ.objects.count() == 1


def test_the_schedule_follows_the_setting(db: None, settings) -> None:
    settings.COVEY_MAINTENANCE_MINUTES = 7
    ensure_schedules()
    assert Schedule.objects.get(name="maintain").minutes == 7
    settings.COVEY_MAINTENANCE_MINUTES = 0
    ensure_schedules()
    assert not Schedule.objects.filter(name="maintain").exists()


def test_an_insight_that_became_a_page_beside_a_near_one_is_proposed_with_it(
    wiki: Wiki, put, agent, settings
) -> None:
    settings.COVEY_APPEND_THRESHOLD = 0.995
    settings.COVEY_MERGE_THRESHOLD = 0.995
    near = put("Queue workers", TEXT)
    filed = file_insight(
        wiki, agent, Handed(f"{TEXT} Wait 45 minutes before.", title="Queue workers")
    )
    assert filed.outcome == Outcome.CREATED
    assert 0.88 <= filed.similarity < 0.995
    run(wiki)
    proposal = open_proposals(wiki).get()
    assert {proposal.first, proposal.second} == {near, filed.page}
    assert proposal.reason == ProposalReason.NEAR


def test_an_insight_beside_a_page_without_room_is_proposed_with_it(wiki: Wiki, put, agent) -> None:
    near = put("Queue workers", "\n\n".join([TEXT] * (MAX_BODY_BYTES // (len(TEXT) + 2))))
    filed = file_insight(
        wiki,
        agent,
        Handed(f"{TEXT} The cooks of the night do it too.", title="Queue workers at night"),
    )
    assert filed.outcome == Outcome.CREATED
    assert filed.similarity >= 0.80
    run(wiki)
    proposal = open_proposals(wiki).get()
    assert {proposal.first, proposal.second} == {near, filed.page}
    assert proposal.reason == ProposalReason.NEAR
