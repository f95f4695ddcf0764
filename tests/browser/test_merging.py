"""Merges worked off by keyboard alone."""

from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.screens import Write, join
from wiki.models import Merge, MergeProposal, Page, ProposalState, Role, Wiki
from wiki.proposals import propose

HOSTILE = '<img src=x onerror="window.hacked=1">'


def owner_of(wiki: Wiki) -> User:
    return join(wiki, "odile", Role.OWNER).user


def test_the_queue_is_worked_off_by_keyboard(visit: Visit, wiki: Wiki, write: Write) -> None:
    owner = owner_of(wiki)
    for n in range(4):
        propose(write(f"Left {n}", f"Left text {n}0."), write(f"Right {n}", f"Right text {n}1."))
    screen = visit("/w/ops/merges", as_user=owner)
    screen.get_by_role("link", name="Decide one by one").press("Enter")
    expect(screen.get_by_role("heading", name="Are these one page?")).to_be_visible()
    for key, left in (("d", "3 wait"), ("l", "2 wait"), ("m", "1 waits")):
        screen.keyboard.press(key)
        expect(screen.locator(".review .meta")).to_contain_text(left)
    screen.keyboard.press("d")
    expect(screen.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    states = sorted(MergeProposal.objects.values_list("state", flat=True))
    assert states == sorted([ProposalState.DISMISSED] * 2 + [ProposalState.LATER, ProposalState.MERGED])


def test_a_merge_is_approved_with_an_edited_text_and_taken_back(visit: Visit, wiki: Wiki, write: Write) -> None:
    owner = owner_of(wiki)
    pair = propose(write("Alpha", "The pump is closed."), write("Beta", "The valve is open."))
    screen = visit(f"/w/ops/merges/{pair.pk}", as_user=owner)
    screen.get_by_text("What the one page would say").click()
    body = screen.locator("textarea#body")
    # A letter in a field is a letter.
    body.press("End")
    body.press_sequentially(" mdlj")
    body.fill("The pump is closed, the valve is open.")
    screen.get_by_role("button", name="Merge").click()
    merge = Merge.objects.get()
    screen.goto(merge.survivor.get_absolute_url())
    expect(screen.get_by_text("The pump is closed, the valve is open.")).to_be_visible()
    screen.get_by_role("link", name="undo", exact=True).click()
    screen.get_by_role("button", name="Undo the merge").click()
    expect(screen.get_by_text("is a page of its own again")).to_be_visible()
    assert sorted(Page.objects.live().values_list("body", flat=True)) == ["The pump is closed.", "The valve is open."]


def test_nothing_in_two_pages_runs_where_they_are_compared(visit: Visit, wiki: Wiki, write: Write) -> None:
    owner = owner_of(wiki)
    pair = propose(write(f"A {HOSTILE}", f"8080 {HOSTILE}"), write(f"B {HOSTILE}", f"8081 {HOSTILE}"))
    for address in ("/w/ops/merges", f"/w/ops/merges/{pair.pk}"):
        screen = visit(address, as_user=owner)
        assert screen.evaluate("window.hacked") is None
