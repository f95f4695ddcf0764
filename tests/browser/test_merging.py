"""Merges worked off by keyboard alone."""

import re
from collections import Counter

from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import heading
from tests.support.screens import Write, join
from wiki.merging.queue import open_proposals, propose
from wiki.models import Merge, MergeProposal, Page, ProposalState, Role, Wiki

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
    for key, left in (("d", "1 of 3"), ("l", "1 of 2"), ("m", "1 of 1")):
        screen.keyboard.press(key)
        expect(screen.locator(".review .meta")).to_contain_text(left)
    screen.keyboard.press("d")
    expect(screen.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    states = sorted(MergeProposal.objects.values_list("state", flat=True))
    assert states == sorted(
        [ProposalState.DISMISSED] * 2 + [ProposalState.LATER, ProposalState.MERGED]
    )


def test_twenty_are_worked_off_by_keyboard_many_at_once_and_one_by_one(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
    owner = owner_of(wiki)
    for n in range(20):
        propose(write(f"Left {n}", f"Left text {n}0."), write(f"Right {n}", f"Right text {n}1."))
    ids = [proposal.pk for proposal in open_proposals(wiki)]
    screen = visit("/w/ops/merges", as_user=owner)
    expect(screen.locator("tbody input[name=proposal]")).to_have_count(20)
    press = screen.keyboard.press
    # The first three, passing over the second.
    for key in ("j", "x", "j", "j", "Space"):
        press(key)
    expect(screen.locator("input[name=proposal]:checked")).to_have_count(2)
    press("d")
    expect(screen.get_by_text("Marked as not the same: 2.")).to_be_visible()
    # From below, and what was chosen can be given up again.
    for key in ("k", "x", "k", "x", "x", "k", "x"):
        press(key)
    press("l")
    expect(screen.get_by_text("Put off for a week: 2.")).to_be_visible()
    # The pair that the cursor stands on.
    for key in ("j", "j", "Enter"):
        press(key)
    expect(screen.locator(".review .meta")).to_contain_text("2 of 16")
    press("k")
    expect(screen.locator(".review .meta")).to_contain_text("1 of 16")
    for left in range(15, 5, -1):
        press("dml"[left % 3])
        expect(screen.locator(".review .meta")).to_contain_text(f"1 of {left}")
    press("j")
    expect(screen.locator(".review .meta")).to_contain_text("2 of 6")
    # The other page stays, and says what somebody writes.
    stays = screen.locator(".twins h2").first.inner_text()
    press("s")
    expect(screen.locator(".twins h2").last).to_have_text(stays)
    goes = screen.locator(".twins h2").first.inner_text()
    press("e")
    body = screen.locator("textarea#body")
    expect(body).to_be_focused()
    press("Control+a")
    screen.keyboard.type("Both said mdl.")
    press("Escape")
    press("m")
    expect(screen.locator(".review .meta")).to_contain_text("of 5")
    assert Merge.objects.latest("pk").survivor.title == goes
    assert Merge.objects.latest("pk").survivor.body == "Both said mdl."
    screen.goto("/w/ops/merges")
    press("a")
    expect(screen.locator("input[name=proposal]:checked")).to_have_count(5)
    press("d")
    expect(heading(screen, "Nothing to decide")).to_be_visible()
    states = Counter(MergeProposal.objects.filter(pk__in=ids).values_list("state", flat=True))
    assert states.total() == 20
    assert states[ProposalState.OPEN] == 0
    assert states[ProposalState.MERGED] >= 4


def test_a_key_that_is_kept_down_decides_once(visit: Visit, wiki: Wiki, write: Write) -> None:
    owner = owner_of(wiki)
    for n in range(3):
        propose(write(f"Left {n}", f"Left text {n}0."), write(f"Right {n}", f"Right text {n}1."))
    first = open_proposals(wiki)[0]
    screen = visit(f"/w/ops/merges/{first.pk}", as_user=owner)
    screen.evaluate(
        """() => document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "d", repeat: true, bubbles: true}))"""
    )
    screen.keyboard.press("l")
    expect(screen.locator(".review .meta")).to_contain_text("1 of 2")
    first.refresh_from_db()
    assert first.state == ProposalState.LATER


def test_the_admin_s_queue_is_worked_off_by_keyboard(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
    owner = owner_of(wiki)
    User.objects.filter(pk=owner.pk).update(is_staff=True, is_superuser=True)
    for n in range(4):
        propose(write(f"Left {n}", f"Left text {n}0."), write(f"Right {n}", f"Right text {n}1."))
    screen = visit("/admin/wiki/mergeproposal/", as_user=owner)
    for key in ("j", "x", "d"):
        screen.keyboard.press(key)
    expect(screen.get_by_text("Marked as not the same: 1.")).to_be_visible()
    for key in ("j", "Enter"):
        screen.keyboard.press(key)
    expect(screen.locator(".review .meta")).to_contain_text("1 of 3")
    for key, left in (("l", "1 of 2"), ("m", "1 of 1")):
        screen.keyboard.press(key)
        expect(screen.locator(".review .meta")).to_contain_text(left)
    screen.keyboard.press("d")
    expect(screen.locator("p.paginator")).to_have_text(re.compile(r"^\s*0 "))
    states = sorted(MergeProposal.objects.values_list("state", flat=True))
    assert states == sorted(
        [ProposalState.DISMISSED] * 2 + [ProposalState.LATER, ProposalState.MERGED]
    )


def test_a_neighbour_in_the_admin_s_form_is_told_apart(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
    owner = owner_of(wiki)
    User.objects.filter(pk=owner.pk).update(is_staff=True, is_superuser=True)
    page = write("Alpha", "The pump is closed.")
    write("Beta", "The pump is closed, and the valve too.")
    screen = visit(f"/admin/wiki/page/{page.pk}/change/", as_user=owner)
    screen.get_by_role("button", name="not the same Beta").press("Enter")
    expect(screen.get_by_text("These two are not the same.")).to_be_visible()
    expect(screen.locator(".nearest")).to_contain_text("not the same, said on")
    assert MergeProposal.objects.get().state == ProposalState.DISMISSED


def test_a_merge_is_approved_with_an_edited_text_and_taken_back(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
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
    assert sorted(Page.objects.live().values_list("body", flat=True)) == [
        "The pump is closed.",
        "The valve is open.",
    ]


def test_nothing_in_two_pages_runs_where_they_are_compared(
    visit: Visit, wiki: Wiki, write: Write
) -> None:
    owner = owner_of(wiki)
    pair = propose(
        write(f"A {HOSTILE}", f"8080 {HOSTILE}"), write(f"B {HOSTILE}", f"8081 {HOSTILE}")
    )
    for address in ("/w/ops/merges", f"/w/ops/merges/{pair.pk}"):
        screen = visit(address, as_user=owner)
        assert screen.evaluate("window.hacked") is None
