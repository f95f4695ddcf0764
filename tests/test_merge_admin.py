"""Merges in the admin: lists with filters; deciding needs the right to change them."""

from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.screens import Write, text
from wiki.authors import Author
from wiki.maintenance import maintain
from wiki.merging import merge_pages
from wiki.models import MergeProposal, ProposalState
from wiki.proposals import propose

LIST = "/admin/wiki/mergeproposal/"


def test_the_lists_show_what_is_proposed_merged_and_looked_for(write: Write, client: Client) -> None:
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
