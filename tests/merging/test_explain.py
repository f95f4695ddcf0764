"""Why two pages are one, are proposed or are not: the same words at every place, and what a run
does then."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from tests.support.screens import HOSTILE, Write, join, text
from tests.support.writing import create_page, revise_page
from wiki.merging.explain import MAX_COMPARED, explain_neighbours, explain_pair
from wiki.merging.maintenance import maintain
from wiki.merging.policy import Fate
from wiki.merging.queue import dismiss, propose, put_off
from wiki.models import Merge, MergeProposal, Page, ProposalReason, ProposalState, Wiki
from wiki.pages.author import Author
from wiki.search import thresholds

BOT = Author.maintenance()
TEXT = (
    "Restart the queue workers one after the other and look at the log of each before the next "
    "one. "
    "They keep the old password until they are started again."
)
CASE_ONLY = TEXT.replace("Restart the", "restart the").replace("password", "Password")


@pytest.fixture
def put(wiki: Wiki):
    def make(title: str, body: str, **more: object) -> Page:
        return create_page(wiki, title=title, body=body, author=BOT, **more)

    return make


def verdict(first: Page, second: Page):
    return explain_pair(Page.objects.get(pk=first.pk), Page.objects.get(pk=second.pk)).verdict


def test_what_a_run_would_merge_is_said_before_and_done_then(wiki: Wiki, put) -> None:
    first, second = put("Queue workers", TEXT), put("Queue workers!", CASE_ONLY)
    said = verdict(first, second)
    assert (said.fate, said.words) == (Fate.MERGES, "merged by itself at the next run")
    maintain()
    assert Merge.objects.count() == 1


def test_a_difference_in_facts_is_named(put) -> None:
    said = verdict(
        put("Port", f"{TEXT} It listens on 8080."), put("Port!", f"{TEXT} It listens on 8081.")
    )
    assert said.words == "proposed at the next run: they do not say the same"
    assert ("8080", "8081") in [(first, second) for _kind, first, second in said.differences]


def test_what_is_below_the_threshold_is_not_proposed(put) -> None:
    said = verdict(put("Queue", TEXT), put("Apples", "Apples are red and pears are green."))
    assert (said.fate, said.words) == (Fate.FAR, "not proposed: below 0.88")


def test_just_below_the_threshold_for_merging_it_is_a_question(put, settings) -> None:
    settings.COVEY_MERGE_THRESHOLD = 0.999
    said = verdict(put("Queue workers", TEXT), put("Queue workers again", CASE_ONLY))
    assert (said.fate, said.reason) == (Fate.PROPOSED, ProposalReason.NEAR)


def test_where_everything_is_reviewed_that_is_the_reason(wiki: Wiki, put) -> None:
    wiki.merge_mode = "review"
    wiki.save()
    assert (
        verdict(put("Queue workers", TEXT), put("Queue workers!", CASE_ONLY)).reason
        == ProposalReason.REVIEW
    )


def test_where_people_wrote_on_both_that_is_the_reason(write: Write) -> None:
    said = verdict(write("Queue workers", TEXT), write("Queue workers!", CASE_ONLY))
    assert said.words == "proposed at the next run: people wrote on both"


def test_of_one_title_each_is_proposed_with_the_next(wiki: Wiki, put) -> None:
    texts = ("Apples are red.", "The train leaves at noon.", "Write tests first.")
    first, second, third = (put("DGIA", body) for body in texts)
    assert verdict(first, second).words == "proposed at the next run: the same title"
    assert "each is proposed with the next" in verdict(first, third).words
    maintain()
    assert set(MergeProposal.objects.values_list("first", "second")) == {
        (first.pk, second.pk),
        (second.pk, third.pk),
    }


def test_what_waits_was_put_off_or_was_told_apart_says_so_and_when(put, person: User) -> None:
    first, second = put("Left", "The pump is closed."), put("Right", "The valve is open.")
    pair = propose(first, second)
    assert verdict(first, second).words == "waits in the queue: proposed by somebody"
    put_off(MergeProposal.objects.all())
    day = date_format(timezone.localtime(timezone.now() + timedelta(days=7)))
    assert verdict(first, second).words == f"put off until {day}: proposed by somebody"
    MergeProposal.objects.update(later_until=timezone.now())
    assert verdict(first, second).fate == Fate.WAITS
    dismiss([pair], person)
    assert verdict(first, second).words.startswith("not the same, said on ")
    # A "no" is about the texts as they were; the two are far from each other.
    revise_page(
        Page.objects.get(pk=first.pk), 1, title="Left", body="The pump is open.", author=BOT
    )
    assert verdict(first, second).fate == Fate.FAR


def test_what_waits_does_so_also_when_a_text_has_changed(put) -> None:
    first, second = put("Left", "The pump is closed."), put("Right", "The valve is open.")
    propose(first, second)
    revise_page(
        Page.objects.get(pk=first.pk), 1, title="Left", body="The pump is open.", author=BOT
    )
    assert verdict(first, second).fate == Fate.WAITS


def test_one_pair_stands_for_all_that_are_made_from_one_template(wiki: Wiki, put) -> None:
    for number in range(5):
        put(f"Runbook service {number}", f"{TEXT} The service has the number 410{number}.")
    maintain()
    pair = MergeProposal.objects.get()
    fates = {
        partner.verdict.fate for partner in explain_neighbours(Page.objects.get(pk=pair.first_id))
    }
    assert fates == {Fate.WAITS, Fate.GROUPED}


def test_what_was_looked_at_waits_for_a_change(put, settings, monkeypatch) -> None:
    first, second = put("Queue workers", TEXT), put("Queue workers!", CASE_ONLY)
    with monkeypatch.context() as patch:
        patch.setattr(thresholds, "_SUSPECTED", 1.1)
        settings.COVEY_MERGE_THRESHOLD = 1.1
        maintain()
    settings.COVEY_MERGE_THRESHOLD = 0.93
    assert verdict(first, second).words == "looked at; again when one of them changes"
    revise_page(
        Page.objects.get(pk=first.pk),
        1,
        title="Queue workers",
        body=f"{TEXT} ",
        author=BOT,
        tags=["a"],
    )
    assert verdict(first, second).fate == Fate.MERGES


def test_long_texts_are_not_all_compared_while_somebody_waits(put) -> None:
    body = "\n\n".join([TEXT] * 1500)
    pages = [put(f"Long {n}", body, slug=f"long-{n}") for n in range(4)]
    assert len(body) * 2 < MAX_COMPARED < len(body) * 4
    fates = [partner.verdict.fate for partner in explain_neighbours(pages[0])]
    assert fates == [Fate.PROPOSED, Fate.LONG, Fate.LONG]


def test_the_explanation_of_every_pair_is_what_the_run_does(wiki: Wiki, put, write: Write) -> None:
    pages = [
        put("Queue workers", TEXT),
        put("Queue workers!", CASE_ONLY),
        put("Port one", f"{TEXT} It listens on port 8080."),
        put(
            "Cellar",
            "Look at the pumps in the cellar, one after the other, before you leave in the evening.",
        ),
        put("Cellar", "Never lend the key of the house."),
        write(
            "Cellar?",
            "Look at the pumps in the cellar, one after the other, before you leave in the evening!",
        ),
    ]
    before = (
        list(MergeProposal.objects.values()),
        list(Page.objects.values_list("pk", "updated_at")),
    )
    said = {}
    for place, first in enumerate(pages):
        for second in pages[place + 1 :]:
            said[first.pk, second.pk] = verdict(first, second)
    assert (
        list(MergeProposal.objects.values()),
        list(Page.objects.values_list("pk", "updated_at")),
    ) == before
    reports = maintain(is_dry=True)
    assert reports
    done = {(outcome.pair.first, outcome.pair.second): outcome for outcome in reports[0].outcomes}
    assert len(done) >= 3
    for pair, outcome in done.items():
        assert said[pair].reason == outcome.reason, pair
        assert said[pair].fate == (Fate.MERGES if outcome.is_merged else Fate.PROPOSED), pair
    touched = {page_id for pair, outcome in done.items() if outcome.is_merged for page_id in pair}
    for pair, verdict_of_pair in said.items():
        if pair not in done and not touched & set(pair):
            assert verdict_of_pair.fate in (Fate.FAR, Fate.GROUPED), pair


# -- on the wiki


def test_readers_see_why_and_owners_decide_there(
    wiki: Wiki, put, staff: Client, client: Client
) -> None:
    put("Queue workers", f"{TEXT} Port 8080.")
    second = put("Queue workers again", f"{TEXT} Port 8081.")
    address = "/w/ops/queue-workers/similar"
    assert f'href="{address}"' in text(staff.get("/w/ops/queue-workers"))
    client.force_login(join(wiki, "liest").user)
    for who, may_act in ((client, False), (staff, True)):
        html = text(who.get(address))
        assert "they do not say the same" in html
        assert "8080 / 8081" in html
        assert ('value="propose"' in html) == ('value="dismiss"' in html) == may_act
    fields = {
        "page_id": Page.objects.get(slug="queue-workers").pk,
        "with": second.slug,
        "action": "dismiss",
    }
    assert client.post("/w/ops/queue-workers/beside/merge", fields).status_code == 403
    assert not MergeProposal.objects.exists()
    assert staff.post("/w/ops/queue-workers/beside/merge", fields)["Location"] == address
    html = text(staff.get(address))
    assert "not the same, said on" in html
    assert 'value="dismiss"' not in html
    staff.post("/w/ops/queue-workers/beside/merge", {**fields, "action": "propose"})
    proposal = MergeProposal.objects.get()
    assert proposal.state == ProposalState.OPEN
    html = text(staff.get(address))
    assert f"/w/ops/merges/{proposal.pk}" in html
    assert f"/w/ops/merges/{proposal.pk}" not in text(client.get(address))


def test_telling_apart_what_the_maintenance_proposed_keeps_its_reason(
    wiki: Wiki, put, staff: Client
) -> None:
    first = put("Port", f"{TEXT} It listens on 8080.")
    put("Port!", f"{TEXT} It listens on 8081.", slug="other")
    maintain()
    fields = {"page_id": first.pk, "with": "other", "action": "dismiss"}
    staff.post("/w/ops/port/beside/merge", fields)
    proposal = MergeProposal.objects.get()
    assert (proposal.state, proposal.reason) == (ProposalState.DISMISSED, ProposalReason.GUARDED)


def test_a_page_alone_or_without_a_vector_says_so(put, browser: Client) -> None:
    page = put("Alone", "All alone.")
    assert "no other page in this wiki yet" in text(browser.get("/w/ops/alone/similar"))
    Page.objects.filter(pk=page.pk).update(embed_model="", embedding=None)
    assert "as soon as it is embedded" in text(browser.get("/w/ops/alone/similar"))
    assert browser.get("/w/ops/nothing/similar").status_code == 404
    assert browser.post("/w/ops/alone/similar").status_code == 405


def test_nothing_in_the_pages_runs_where_they_are_explained(
    write: Write, admin_client: Client
) -> None:
    first = write(f"A {HOSTILE}", f"8080 {HOSTILE}")
    write(f"A {HOSTILE}!", f"8081 {HOSTILE}")
    for address in (f"{first.get_absolute_url()}/similar", f"/admin/wiki/page/{first.pk}/change/"):
        answer = admin_client.get(address)
        assert answer.status_code == 200
        assert HOSTILE not in answer.content.decode()


# -- in the admin


@pytest.fixture
def pages(put) -> tuple[Page, Page]:
    return put("Port", f"{TEXT} It listens on 8080."), put(
        "Port!", f"{TEXT} It listens on 8081.", slug="other"
    )


def allow(*codenames: str) -> None:
    User.objects.get(username="mira").user_permissions.add(
        *Permission.objects.filter(codename__in=codenames)
    )


def test_the_form_of_a_page_tells_why_and_who_may_decides_there(
    pages: tuple[Page, Page], staff: Client
) -> None:
    first, second = pages
    form, act = (
        f"/admin/wiki/page/{first.pk}/change/",
        f"/admin/wiki/mergeproposal/pair/{first.pk}/{second.pk}/",
    )
    allow("view_page")
    html = text(staff.get(form))
    assert "they do not say the same" in html
    assert "8080 / 8081" in html
    assert act not in html
    assert staff.post(act, {"action": "dismiss"}).status_code == 403
    allow("change_mergeproposal")
    assert act in text(staff.get(form))
    assert staff.get(act).status_code == 405
    assert staff.post(act, {"action": "dismiss"})["Location"] == form
    assert MergeProposal.objects.get().state == ProposalState.DISMISSED
    proposal = MergeProposal.objects.get()
    assert (
        staff.post(act, {"action": "propose"})["Location"]
        == f"/admin/wiki/mergeproposal/{proposal.pk}/review/"
    )
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.OPEN
    assert f"/admin/wiki/mergeproposal/{proposal.pk}/review/" in text(staff.get(form))


def test_neither_editors_nor_strangers_act_on_neighbours(
    pages: tuple[Page, Page], staff: Client
) -> None:
    first, second = pages
    act = f"/admin/wiki/mergeproposal/pair/{first.pk}/{second.pk}/"
    allow("view_page", "change_mergeproposal")
    memberships = User.objects.get(username="mira").memberships
    memberships.update(role="editor")
    assert staff.post(act, {"action": "propose"}).status_code == 403
    memberships.all().delete()
    assert staff.post(act, {"action": "propose"}).status_code == 404
    assert staff.post(f"/admin/wiki/mergeproposal/pair/{first.pk}/{10**30}/", {}).status_code == 404
    assert not MergeProposal.objects.exists()
