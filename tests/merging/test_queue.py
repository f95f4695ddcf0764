"""The queue of merge proposals as a list: what is shown of it, many decisions at once, and how
right they were."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ

from tests.support.screens import Write, count_queries, text
from tests.support.writing import revise_page
from wiki.merging.accuracy import Record, track_record
from wiki.merging.merge import merge_pages, undo_merge
from wiki.merging.queue import dismiss, find_place, open_proposals, propose, put_into_queue
from wiki.merging.queue_filters import Narrowing, count_options
from wiki.models import Merge, MergeProposal, Page, ProposalReason, ProposalState, Wiki
from wiki.pages.author import Author

BOT = Author.maintenance()


@pytest.fixture
def pair(write: Write) -> MergeProposal:
    first = write("Queue workers", "Restart the workers.\n\nThe port is 8080.")
    return propose(first, write("Workers", "Restart the workers.\n\nThe port is 8081."))


@pytest.fixture
def several(write: Write) -> list[MergeProposal]:
    """One of each band, the nearest first."""
    kinds = (
        [("number", "1", "2")],
        [("word", "number", ""), ("title", "a", "b")],
        [],
        [("number", "3", "4")],
    )
    reasons = (
        ProposalReason.GUARDED,
        ProposalReason.GUARDED,
        ProposalReason.NEAR,
        ProposalReason.TITLE,
    )
    similarities = (0.98, 0.95, 0.88, None)
    return [
        put_into_queue(
            write(f"Left {n}", f"a {n}"),
            write(f"Right {n}", f"b {n}"),
            reason,
            similarity,
            differences,
        )
        for n, (reason, similarity, differences) in enumerate(
            zip(reasons, similarities, kinds, strict=True)
        )
    ]


def test_the_queue_shows_what_waits_and_why(staff: Client, pair: MergeProposal) -> None:
    html = text(staff.get("/w/ops/merges"))
    assert "Queue workers" in html
    assert "proposed by somebody" in html
    assert "8080" in html
    assert f"/w/ops/merges/{pair.pk}" in html


@pytest.mark.parametrize(
    ("similarity", "shown"),
    [
        (0.929, "very similar 0.92"),
        (0.9299999, "nearly the same 0.93"),
        (0.8799999, "very similar 0.88"),
        (0.7999, "related 0.79"),
        (0.9999999, "nearly the same 1.00"),
        (0.29, "loosely related 0.29"),
    ],
)
def test_a_similarity_is_never_shown_above_a_threshold_that_it_does_not_reach(
    staff: Client, write: Write, similarity: float, shown: str
) -> None:
    put_into_queue(write("Left", "a"), write("Right", "b"), ProposalReason.NEAR, similarity, [])
    assert f'class="num">{shown}<' in text(staff.get("/w/ops/merges"))


def test_the_menu_marks_the_queue_alone_also_when_it_is_narrowed(
    staff: Client, several: list[MergeProposal]
) -> None:
    html = text(staff.get("/w/ops/merges?band=same"))
    assert re.findall(r'aria-current="page">([^<]+)', html) == ["Merges"]


def test_an_empty_queue_says_so(staff: Client) -> None:
    assert "Nothing to decide" in text(staff.get("/w/ops/merges"))


def test_many_are_decided_at_once(staff: Client, pair: MergeProposal, write: Write) -> None:
    other = propose(write("Alpha", "aaa"), write("Beta", "bbb"))
    staff.post("/w/ops/merges", {"proposal": [pair.pk], "action": "later"})
    staff.post("/w/ops/merges", {"proposal": [other.pk, "x", "9" * 40], "action": "dismiss"})
    assert dict(MergeProposal.objects.values_list("pk", "state")) == {
        pair.pk: "later",
        other.pk: "dismissed",
    }
    assert "Nothing to decide" in text(staff.get("/w/ops/merges"))


def test_the_queue_asks_no_more_for_more(staff: Client, write: Write) -> None:
    def fill(start: int) -> None:
        for number in range(start, start + 3):
            propose(write(f"Left {number}", f"a {number}"), write(f"Right {number}", f"b {number}"))

    fill(0)
    few = count_queries(staff, "/w/ops/merges")
    fill(10)
    assert count_queries(staff, "/w/ops/merges") == few <= 20


def test_an_owner_sends_the_maintenance_to_look_now(staff: Client, wiki: Wiki) -> None:
    assert "Look now" in text(staff.get("/w/ops/merges"))
    answer = staff.post("/w/ops/merges", {"action": "look"}, follow=True)
    assert "looks for such pages now" in text(answer)
    assert OrmQ.objects.get().func() == "wiki.tasks.run_maintenance"


def test_how_right_it_was_is_told_by_similarity_and_model(
    staff: Client, write: Write, wiki: Wiki
) -> None:
    merge = merge_pages(
        write("Alpha", "aaa"), write("Beta", "bbb"), author=BOT, similarity=0.95, is_automatic=True
    )
    undo_merge(merge, author=BOT)
    (model,) = track_record(wiki)
    assert (model.fingerprint, model.is_active) == ("builtin:hash:256", True)
    assert model.records == [Record("0.93 – 0.98", merged=1, undone=1, proposed=0, dismissed=0)]
    # The active model first, those before it below.
    Merge.objects.update(fingerprint="a:former:256")
    first, second = write("Port one", "The port is 8080."), write("Port two", "The port is 8081.")
    pair = put_into_queue(first, second, ProposalReason.GUARDED, 0.99, [])
    dismiss([pair], None)
    active, former = track_record(wiki)
    assert active.records == [Record("≥ 0.98", merged=0, undone=0, proposed=1, dismissed=1)]
    assert (former.fingerprint, former.is_active, former.records[0].undone) == (
        "a:former:256",
        False,
        1,
    )
    html = text(staff.get("/w/ops/merges"))
    assert (
        html.index("How right it was") < html.index("builtin:hash:256") < html.index("a:former:256")
    )
    assert "former model" in html


def test_what_somebody_asked_for_is_no_mistake_of_the_maintenance(
    pair: MergeProposal, wiki: Wiki
) -> None:
    dismiss([pair], None)
    assert track_record(wiki) == []


def shown(staff: Client, query: str = "") -> set[str]:
    html = text(staff.get(f"/w/ops/merges{query}"))
    return {f"Left {number}" for number in range(4) if f">Left {number}<" in html}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "0123"),
        ("?band=same", "0"),
        ("?band=merge", "1"),
        ("?band=near", "2"),
        ("?band=far", "3"),
        ("?reason=guarded", "01"),
        ("?reason=guarded&band=merge", "1"),
        ("?kind=number", "03"),
        ("?kind=title", "1"),
        ("?kind=number&reason=near", ""),
        ("?older=7", "2"),
        ("?older=30", ""),
        ("?reason=nothing&band=x&kind=%00&older=8", "0123"),
    ],
)
def test_the_queue_is_narrowed_by_what_is_asked_for(
    staff: Client, several: list[MergeProposal], query: str, found: str
) -> None:
    MergeProposal.objects.filter(pk=several[2].pk).update(
        created_at=timezone.now() - timedelta(days=8)
    )
    assert shown(staff, query) == {f"Left {number}" for number in found}


def test_similarities_of_32_bits_are_in_their_band(
    several: list[MergeProposal], wiki: Wiki
) -> None:
    MergeProposal.objects.filter(pk=several[0].pk).update(similarity=0.9799999)
    assert Narrowing(band="same").narrow(open_proposals(wiki)).get() == several[0]


def test_every_filter_says_how_many_there_are_beside_the_others(
    several: list[MergeProposal], wiki: Wiki
) -> None:
    counted = count_options(open_proposals(wiki), Narrowing(reason="guarded"))
    assert {option.value: option.count for option in counted["reason"]} == {
        "guarded": 2,
        "near": 1,
        "title": 1,
    }
    assert {option.value: option.count for option in counted["band"]} == {"same": 1, "merge": 1}
    assert {option.value: option.count for option in counted["kind"]} == {
        "number": 1,
        "word": 1,
        "title": 1,
    }
    assert counted["older"] == []


def test_what_was_chosen_stays_chosen_over_decisions(
    staff: Client, several: list[MergeProposal]
) -> None:
    html = text(staff.get("/w/ops/merges?reason=guarded"))
    first, second = (f"/w/ops/merges/{proposal.pk}?reason=guarded" for proposal in several[:2])
    assert f'href="{first}"' in html
    html = text(staff.get(first))
    assert "1 of 2" in html
    assert f'href="{second}" rel="next"' in html
    assert 'rel="prev"' not in html
    assert 'href="/w/ops/merges?reason=guarded"' in html
    assert "2 of 2" in text(staff.get(second))
    seen = several[0].first_hash + several[0].second_hash
    assert staff.post(first, {"action": "later", "seen": seen})["Location"] == second
    seen = several[1].first_hash + several[1].second_hash
    assert (
        staff.post(second, {"action": "later", "seen": seen})["Location"]
        == "/w/ops/merges?reason=guarded"
    )
    assert "Nothing of this kind waits" in text(staff.get("/w/ops/merges?reason=guarded"))


def test_after_the_last_what_was_passed_over_comes_again(
    wiki: Wiki, several: list[MergeProposal]
) -> None:
    place = find_place(open_proposals(wiki), several[3])
    assert (place.number, place.total, place.next, place.previous) == (4, 4, None, several[2].pk)
    assert place.following == several[0].pk


def test_what_is_not_in_the_chosen_part_leads_into_it(
    wiki: Wiki, several: list[MergeProposal]
) -> None:
    place = find_place(Narrowing(band="far").narrow(open_proposals(wiki)), several[0])
    assert (place.number, place.next, place.following) == (0, several[3].pk, several[3].pk)


def test_many_at_once_are_decided_only_as_they_were_listed(
    staff: Client, several: list[MergeProposal]
) -> None:
    page = Page.objects.get(slug="left-0")
    revise_page(page, 1, title="Left 0", body="Something else.", author=BOT)
    chosen = {"proposal": [proposal.pk for proposal in several[:2]], "action": "dismiss"}
    html = text(staff.post("/w/ops/merges?kind=number", chosen, follow=True))
    assert "Marked as not the same: 1." in html
    assert "1 pair has changed since it was proposed" in html
    assert MergeProposal.objects.get(pk=several[0].pk).state == ProposalState.OPEN
    assert MergeProposal.objects.get(pk=several[1].pk).state == ProposalState.DISMISSED


def test_many_at_once_take_no_decision_back(staff: Client, several: list[MergeProposal]) -> None:
    dismiss(several[:1], None)
    staff.post("/w/ops/merges", {"proposal": [several[0].pk], "action": "later"})
    assert MergeProposal.objects.get(pk=several[0].pk).state == ProposalState.DISMISSED


def test_deciding_about_nothing_says_what_to_do(
    staff: Client, several: list[MergeProposal]
) -> None:
    html = text(staff.post("/w/ops/merges?band=same&page=1", {"action": "dismiss"}, follow=True))
    assert "tick the pairs that you mean" in html
    assert MergeProposal.objects.filter(state=ProposalState.OPEN).count() == 4


def test_a_question_that_is_asked_again_is_not_old(several: list[MergeProposal]) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    MergeProposal.objects.update(created_at=long_ago)
    dismiss(several[:1], None)
    assert propose(several[0].first, several[0].second).created_at > long_ago
    assert propose(several[1].first, several[1].second).created_at == long_ago
