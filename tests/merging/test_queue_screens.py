"""The queue of merge proposals: worked off by owners, one by one or many at once."""

import re

import pytest
from django.test import Client

from tests.support.screens import HOSTILE, Write, text
from tests.support.writing import revise_page
from wiki.merging.merge import merge_pages, undo_merge
from wiki.merging.queue import propose
from wiki.models import Merge, MergeProposal, Page, ProposalState
from wiki.pages.author import Author

BOT = Author.maintenance()


@pytest.fixture
def pair(write: Write) -> MergeProposal:
    first = write("Queue workers", "Restart the workers.\n\nThe port is 8080.")
    second = write("Workers", "Restart the workers.\n\nThe port is 8081.")
    write("Reader", "[[Workers]] [[Queue workers]]")
    write("Another reader", "[[Queue workers]]")
    return propose(first, second)


def posted(browser: Client, proposal: MergeProposal, **changes: str) -> dict[str, str]:
    html = text(browser.get(f"/w/ops/merges/{proposal.pk}"))
    names = ("seen", "keep")
    fields = {name: re.search(rf'name="{name}" value="([^"]*)"', html)[1] for name in names}
    fields["body"] = re.search(r'name="body"[^>]*>\n(.*?)</textarea>', html, re.S)[1]
    return {**fields, **changes}


def test_a_pair_stands_side_by_side_with_what_tells_it_apart(
    staff: Client, pair: MergeProposal
) -> None:
    html = text(staff.get(f"/w/ops/merges/{pair.pk}"))
    assert html.index("What tells them apart") < html.index("From the page that stays")
    assert "1 page links to it and will lead there." in html
    # Where facts differ, keeping them apart is what is advised.
    assert re.search(r'class="btn main"[^>]*value="dismiss"', html)


def test_where_nothing_differs_merging_is_advised(staff: Client, write: Write) -> None:
    pair = propose(write("Alpha", "Restart the workers."), write("Alpha!", "Restart the workers"))
    assert re.search(
        r'class="btn main"[^>]*value="merge"', text(staff.get(f"/w/ops/merges/{pair.pk}"))
    )


def test_merging_takes_the_text_as_it_was_edited(staff: Client, pair: MergeProposal) -> None:
    fields = posted(
        staff, pair, action="merge", body="Restart the workers. The ports are 8080 and 8081."
    )
    answer = staff.post(f"/w/ops/merges/{pair.pk}", fields)
    assert answer["Location"] == "/w/ops/merges"
    merge = Merge.objects.get()
    assert merge.survivor.body == "Restart the workers. The ports are 8080 and 8081."
    assert (merge.is_automatic, merge.author_name) == (False, "mira")
    html = text(staff.get(merge.survivor.get_absolute_url()))
    assert "Merged from 1 page" in html
    assert f"/w/ops/merges/undo/{merge.pk}" in html


def test_the_other_page_can_be_kept(staff: Client, pair: MergeProposal) -> None:
    kept = posted(staff, pair)["keep"]
    other = "workers" if kept == "queue-workers" else "queue-workers"
    assert f'name="keep" value="{other}"' in text(
        staff.get(f"/w/ops/merges/{pair.pk}?keep={other}")
    )
    staff.post(f"/w/ops/merges/{pair.pk}", posted(staff, pair, action="merge", keep=other))
    assert Merge.objects.get().survivor.slug == other


def test_a_pair_that_changed_is_shown_anew_and_nothing_is_merged(
    staff: Client, pair: MergeProposal
) -> None:
    fields = posted(staff, pair, action="merge", body="My own words.")
    page = Page.objects.get(slug="workers")
    revise_page(page, 1, title=page.title, body="The port is 9000.", author=BOT)
    answer = staff.post(f"/w/ops/merges/{pair.pk}", fields)
    assert answer.status_code == 409
    assert "has changed since this was proposed" in text(answer)
    assert "9000" in text(answer)
    assert "My own words." in text(answer)
    assert not Merge.objects.exists()


def test_saying_no_is_kept_and_leads_to_the_next(
    staff: Client, pair: MergeProposal, write: Write
) -> None:
    other = propose(write("Alpha", "aaa"), write("Beta", "bbb"))
    answer = staff.post(f"/w/ops/merges/{pair.pk}", posted(staff, pair, action="dismiss"))
    assert answer["Location"] == f"/w/ops/merges/{other.pk}"
    pair.refresh_from_db()
    assert (pair.state, pair.decided_by.username) == (ProposalState.DISMISSED, "mira")


def test_a_merge_is_undone_from_the_page(staff: Client, write: Write) -> None:
    merge = merge_pages(write("Alpha", "aaa"), write("Beta", "bbb"), author=BOT)
    assert "a page of its own again" in text(staff.get(f"/w/ops/merges/undo/{merge.pk}"))
    assert staff.post(f"/w/ops/merges/undo/{merge.pk}")["Location"] == "/w/ops/beta"
    again = staff.post(f"/w/ops/merges/undo/{merge.pk}")
    assert again.status_code == 409
    assert "undone already" in text(again)


def test_an_undo_that_cannot_be_told_asks_for_the_text(staff: Client, write: Write) -> None:
    survivor = write("Alpha", "One.")
    merge = merge_pages(survivor, write("Beta", "Three things."), author=BOT)
    page = Page.objects.get(pk=survivor.pk)
    revise_page(
        page,
        2,
        title="Alpha",
        body=page.body.replace("Three things", "Three big things"),
        author=BOT,
    )
    answer = staff.post(f"/w/ops/merges/undo/{merge.pk}")
    assert answer.status_code == 409
    assert "Three big things" in text(answer)
    staff.post(f"/w/ops/merges/undo/{merge.pk}", {"body": "One. My words."})
    assert Page.objects.get(pk=survivor.pk).body == "One. My words."
    assert Page.objects.live().filter(slug="beta").exists()


def test_two_pages_beside_each_other_can_be_proposed_or_told_apart(
    staff: Client, write: Write
) -> None:
    first = write("Alpha", "aaa")
    write("Beta", "bbb")
    assert "Merge them…" in text(staff.get("/w/ops/alpha/beside?with=beta"))
    fields = {"page_id": first.pk, "with": "beta"}
    answer = staff.post("/w/ops/alpha/beside/merge", {**fields, "action": "propose"})
    assert answer["Location"] == f"/w/ops/merges/{MergeProposal.objects.get().pk}"
    staff.post("/w/ops/alpha/beside/merge", {**fields, "action": "dismiss"})
    assert MergeProposal.objects.get().state == ProposalState.DISMISSED
    assert staff.post("/w/ops/alpha/beside/merge", {**fields, "page_id": 999}).status_code == 404


def test_a_proposal_with_a_page_that_went_elsewhere_leads_back(
    staff: Client, pair: MergeProposal, write: Write
) -> None:
    merge_pages(write("Third", "ccc"), Page.objects.get(slug="workers"), author=BOT)
    assert staff.get(f"/w/ops/merges/{pair.pk}")["Location"] == "/w/ops/merges"
    assert "Nothing to decide" in text(staff.get("/w/ops/merges"))


def test_only_owners_decide(browser: Client, pair: MergeProposal, write: Write) -> None:
    merge = merge_pages(write("Alpha", "aaa"), write("Beta", "bbb"), author=BOT)
    for address in ("/w/ops/merges", f"/w/ops/merges/{pair.pk}", f"/w/ops/merges/undo/{merge.pk}"):
        assert browser.get(address).status_code == 403
        assert browser.post(address, {"action": "merge"}).status_code == 403
    assert "Merges" not in text(browser.get("/w/ops/"))


def test_nothing_in_the_pages_runs(staff: Client, write: Write) -> None:
    pair = propose(
        write(f"A {HOSTILE}", f"8080 {HOSTILE}"), write(f"B {HOSTILE}", f"8081 {HOSTILE}")
    )
    for address in ("/w/ops/merges", f"/w/ops/merges/{pair.pk}"):
        assert HOSTILE not in staff.get(address).content.decode()


def test_looking_at_a_pair_that_changed_writes_nothing(staff: Client, pair: MergeProposal) -> None:
    page = Page.objects.get(slug="workers")
    revise_page(page, 1, title=page.title, body="The port is 9000.", author=BOT)
    before = list(MergeProposal.objects.values())
    for _ in range(2):
        html = text(staff.get(f"/w/ops/merges/{pair.pk}"))
        assert "has changed since this was proposed" in html
        assert "9000" in html
    assert list(MergeProposal.objects.values()) == before


def test_what_one_page_cannot_hold_is_merged_by_whoever_shortens_it(
    staff: Client, write: Write
) -> None:
    pair = propose(write("Alpha", "alpha " * 30_000), write("Beta", "beta " * 30_000))
    html = text(staff.get(f"/w/ops/merges/{pair.pk}"))
    assert "at most 256 KiB" in html
    staff.post(f"/w/ops/merges/{pair.pk}", posted(staff, pair, action="merge", body="In short."))
    assert Merge.objects.get().survivor.body == "In short."


def test_after_an_undo_the_two_are_compared_before_anything_is_advised(
    staff: Client, write: Write
) -> None:
    merge = merge_pages(
        write("Alpha", "The port is 8080."), write("Beta", "The port is 8081."), author=BOT
    )
    undo_merge(merge, author=BOT)
    html = text(staff.get(f"/w/ops/merges/{MergeProposal.objects.get().pk}"))
    assert "What tells them apart" in html
    assert "not the same, said on" in html
    assert "has changed since" not in html
