"""Merges in the admin: lists with filters; deciding needs the right to change them."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.support.screens import Write, text
from tests.support.writing import create_page, revise_page
from wiki.merging.maintenance import maintain
from wiki.merging.merge import merge_pages
from wiki.merging.queue import propose
from wiki.models import Membership, Merge, MergeProposal, ProposalState, Role, Wiki
from wiki.pages.author import Author

LIST = "/admin/wiki/mergeproposal/"


def test_the_lists_show_what_is_proposed_merged_and_looked_for(
    write: Write, client: Client
) -> None:
    client.force_login(User.objects.create_superuser("root"))
    pair = propose(write("Alpha", "some text"), write("Beta", "some other text"))
    merge_pages(write("Gamma", "ggg"), write("Delta", "ddd"), author=Author.maintenance())
    maintain()
    html = text(client.get(LIST))
    assert "Alpha ~ Beta" in html
    assert f"{LIST}{pair.pk}/review/" in html
    for query in (
        "?kind=number",
        "?kind=x",
        "?state=all",
        "?state=later",
        "?band=same",
        "?band=far",
        "?band=x",
        "?older=7",
        "?older=x",
        "?reason=asked",
        "?state=open",
    ):
        assert client.get(LIST + query).status_code == 200, query
    assert "Delta" in text(client.get("/admin/wiki/merge/"))
    assert "builtin:hash:256" in text(client.get("/admin/wiki/maintenancerun/"))


def test_one_row_is_shown_in_the_words_of_its_list(write: Write, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    pair = propose(write("Alpha", "some text"), write("Beta", "some other text"))
    merge = merge_pages(write("Gamma", "ggg"), write("Delta", "ddd"), author=Author.maintenance())
    run = maintain()[0].run
    for name, row in (("mergeproposal", pair), ("merge", merge), ("maintenancerun", run)):
        html = text(client.get(f"/admin/wiki/{name}/{row.pk}/change/"))
        labels = re.findall(r"<label>([^<]+):</label>", html)
        assert labels
        assert 'name="_save"' not in html
        assert not {"First hash", "Differences", "Survivor revision", "Moved", "Spread"} & set(
            labels
        ), name


def test_staff_decide_with_the_permission_and_where_they_own(write: Write, staff: Client) -> None:
    pair = propose(write("Alpha", "a"), write("Beta", "b"))
    posted = {"action": "say_no", "_selected_action": [pair.pk]}
    assert staff.get(LIST).status_code == 403
    mira = User.objects.get(username="mira")
    mira.user_permissions.add(Permission.objects.get(codename="view_mergeproposal"))
    staff.post(LIST, posted)
    pair.refresh_from_db()
    assert pair.state == ProposalState.OPEN
    mira.user_permissions.add(Permission.objects.get(codename="change_mergeproposal"))
    staff.post(LIST, posted)
    pair.refresh_from_db()
    assert (pair.state, pair.decided_by) == (ProposalState.DISMISSED, mira)
    # What is decided stays decided.
    staff.post(f"{LIST}?state=all", {**posted, "action": "put_off"})
    pair.refresh_from_db()
    assert pair.state == ProposalState.DISMISSED
    pair = propose(pair.first, pair.second)
    staff.post(LIST, {**posted, "action": "put_off"})
    pair.refresh_from_db()
    assert pair.state == ProposalState.LATER
    mira.memberships.all().delete()
    assert "Alpha" not in text(staff.get(LIST))
    assert MergeProposal.objects.count() == 1


# -- one pair


@pytest.fixture
def pairs(write: Write) -> list[MergeProposal]:
    pairs = [
        (write(f"Left {n}", f"The port is 808{n}."), write(f"Right {n}", f"The port is 909{n}."))
        for n in range(3)
    ]
    return [propose(*pair) for pair in pairs]


def allow(*codenames: str) -> User:
    mira = User.objects.get(username="mira")
    mira.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
    return mira


def answer_to(pair: MergeProposal, action: str, **more: str) -> dict[str, str]:
    return {"action": action, "seen": pair.first_hash + pair.second_hash, **more}


def test_a_pair_is_reviewed_in_the_admin_as_in_the_wiki(
    staff: Client, pairs: list[MergeProposal]
) -> None:
    mira = allow("change_mergeproposal")
    ids = [int(pk) for pk in re.findall(rf'href="{LIST}(\d+)/review/"', text(staff.get(LIST)))]
    assert sorted(ids) == [pair.pk for pair in pairs]
    first, second, third = (MergeProposal.objects.get(pk=pk) for pk in ids)
    html = text(staff.get(f"{LIST}{first.pk}/review/"))
    assert "What tells them apart" in html
    assert "1 of 3" in html
    assert re.search(r'class="btn main"[^>]*value="dismiss"', html)
    answer = staff.post(f"{LIST}{first.pk}/review/", answer_to(first, "dismiss"))
    assert answer["Location"] == f"{LIST}{second.pk}/review/"
    answer = staff.post(answer["Location"], answer_to(second, "later"))
    assert answer["Location"] == f"{LIST}{third.pk}/review/"
    answer = staff.post(
        answer["Location"], answer_to(third, "merge", keep=third.second.slug, body="Both ports.")
    )
    assert answer["Location"] == LIST
    merge = Merge.objects.get()
    assert (merge.survivor, merge.survivor.body, merge.author_name) == (
        third.second,
        "Both ports.",
        "mira",
    )
    states = [MergeProposal.objects.get(pk=pk).state for pk in ids]
    assert states == [ProposalState.DISMISSED, ProposalState.LATER, ProposalState.MERGED]
    assert MergeProposal.objects.get(pk=first.pk).decided_by == mira
    assert "Left" not in re.sub(
        r"<nav.*?</nav>|<ul class=.messagelist.*?</ul>", "", text(staff.get(LIST)), flags=re.S
    )
    assert "Left" in text(staff.get(f"{LIST}?state=dismissed"))


def test_the_way_through_the_admin_s_queue_keeps_its_filters(
    staff: Client, pairs: list[MergeProposal], wiki: Wiki
) -> None:
    mira = allow("change_mergeproposal")
    other = Wiki.objects.create(slug="other", name="Anderes")
    Membership.objects.create(wiki=other, user=mira, role=Role.OWNER)
    into = {"wiki": other, "author": Author.maintenance()}
    elsewhere = propose(
        create_page(title="Here", body="a", **into), create_page(title="There", body="b", **into)
    )
    query = f"reason=asked&wiki__id__exact={other.pk}"
    html = text(staff.get(f"{LIST}?{query}"))
    assert f'href="{LIST}{elsewhere.pk}/review/?{query}"' in html
    assert "Left" not in html
    html = text(staff.get(f"{LIST}{elsewhere.pk}/review/?{query}"))
    assert "1 of 1" in html
    assert "1 of 4" not in html
    answer = staff.post(f"{LIST}{elsewhere.pk}/review/?{query}", answer_to(elsewhere, "later"))
    assert answer["Location"] == f"{LIST}?{query}"


def test_without_permission_and_ownership_nothing_is_decided(
    staff: Client, pairs: list[MergeProposal]
) -> None:
    address = f"{LIST}{pairs[0].pk}/review/"
    assert staff.get(address).status_code == 403
    mira = allow("view_mergeproposal")
    html = text(staff.get(address))
    assert "What tells them apart" in html
    assert 'name="action"' not in html
    for action in ("merge", "dismiss", "later"):
        assert staff.post(address, answer_to(pairs[0], action)).status_code == 403
    allow("change_mergeproposal")
    mira.memberships.update(role=Role.EDITOR)
    assert 'name="action"' not in text(staff.get(address))
    assert staff.post(address, answer_to(pairs[0], "dismiss")).status_code == 403
    mira.memberships.all().delete()
    assert staff.get(address).status_code == 404
    assert staff.post(address, answer_to(pairs[0], "dismiss")).status_code == 404
    assert set(MergeProposal.objects.values_list("state", flat=True)) == {ProposalState.OPEN}
    assert not Merge.objects.exists()


def test_who_is_not_of_the_staff_is_sent_to_sign_in(
    browser: Client, pairs: list[MergeProposal]
) -> None:
    for address in (
        f"{LIST}{pairs[0].pk}/review/",
        f"{LIST}pair/{pairs[0].first_id}/{pairs[0].second_id}/",
    ):
        assert browser.get(address)["Location"].startswith("/admin/login/")
        assert browser.post(address, {"action": "dismiss"})["Location"].startswith("/admin/login/")


def test_decisions_in_the_admin_need_a_csrf_token_and_a_known_action(
    staff: Client, pairs: list[MergeProposal]
) -> None:
    mira = allow("change_mergeproposal")
    address = f"{LIST}{pairs[0].pk}/review/"
    assert staff.post(address, answer_to(pairs[0], "burn")).status_code == 404
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(mira)
    assert strict.post(address, answer_to(pairs[0], "dismiss")).status_code == 403


def test_in_the_admin_too_a_pair_that_changed_is_shown_anew(
    staff: Client, pairs: list[MergeProposal]
) -> None:
    allow("change_mergeproposal")
    page = pairs[0].first
    revise_page(page, 1, title=page.title, body="The port is 7070.", author=Author.maintenance())
    answer = staff.post(f"{LIST}{pairs[0].pk}/review/", answer_to(pairs[0], "merge"))
    assert answer.status_code == 409
    assert "has changed since this was proposed" in text(answer)
    assert "7070" in text(answer)
    assert not Merge.objects.exists()
