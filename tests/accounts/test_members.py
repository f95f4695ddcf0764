"""Who is in a wiki: roles, going out, and that there is always an owner."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from tests.support.screens import Write, join, role_of, text
from wiki.accounts.members import (
    InvitationRefused,
    LastOwner,
    Trouble,
    accept,
    change_role,
    invite,
    remove_member,
)
from wiki.models import Invitation, Membership, Role, Wiki


@pytest.fixture
def owner(wiki: Wiki) -> Client:
    """Of the wiki, and nothing else."""
    client = Client()
    client.force_login(join(wiki, "odile", Role.OWNER).user)
    return client


def test_an_owner_sees_who_is_in(owner: Client, wiki: Wiki, person: User) -> None:
    html = text(owner.get("/w/ops/members"))
    assert html.index(">odile") < html.index("</span>pat")
    for words in ("Editor", "you", "Invite somebody"):
        assert words in html
    assert "/w/ops/members" in text(owner.get("/w/ops/"))


def test_an_owner_gives_another_role(owner: Client, wiki: Wiki, person: User) -> None:
    member = Membership.objects.get(user=person)
    answer = owner.post(
        f"/w/ops/members/{member.pk}", {"action": "role", "role": "reader"}, follow=True
    )
    assert "“pat” has the role “Reader” now." in text(answer)
    assert role_of("pat") == "reader"
    owner.post(f"/w/ops/members/{member.pk}", {"action": "role", "role": "emperor"})
    assert role_of("pat") == "reader"


def test_an_owner_takes_somebody_out(
    owner: Client, wiki: Wiki, browser: Client, person: User, write: Write
) -> None:
    write("Runner")
    member = Membership.objects.get(user=person)
    assert browser.get("/w/ops/runner").status_code == 200
    assert "“pat” is out of this wiki." in text(
        owner.post(f"/w/ops/members/{member.pk}", {"action": "remove"}, follow=True)
    )
    assert browser.get("/w/ops/runner").status_code == 404
    assert owner.post(f"/w/ops/members/{member.pk}", {"action": "remove"}).status_code == 404


@pytest.mark.parametrize("action", [{"action": "remove"}, {"action": "role", "role": "editor"}])
def test_the_last_owner_stays_one(owner: Client, wiki: Wiki, action: dict[str, str]) -> None:
    own = Membership.objects.get(user__username="odile")
    assert "only owner" in text(owner.get(f"/w/ops/members/{own.pk}"))
    assert "there is no other owner" in text(
        owner.post(f"/w/ops/members/{own.pk}", action, follow=True)
    )
    assert "only owner" in text(owner.get("/w/ops/members/leave"))
    assert "there is no other owner" in text(owner.post("/w/ops/members/leave", follow=True))
    assert role_of("odile") == "owner"


def test_an_owner_whose_account_is_switched_off_does_not_count(wiki: Wiki) -> None:
    own, gone = join(wiki, "odile", Role.OWNER), join(wiki, "gone", Role.OWNER)
    User.objects.filter(pk=gone.user_id).update(is_active=False)
    with pytest.raises(LastOwner):
        remove_member(own)
    remove_member(gone)


def test_who_gives_up_owning_lands_where_they_may_be(owner: Client, wiki: Wiki) -> None:
    join(wiki, "second", Role.OWNER)
    own = Membership.objects.get(user__username="odile")
    answer = owner.post(f"/w/ops/members/{own.pk}", {"action": "role", "role": "reader"})
    assert answer["Location"] == "/w/ops/"


def test_everybody_in_a_wiki_can_leave_it(browser: Client, wiki: Wiki, person: User) -> None:
    assert "Leave this wiki" in text(browser.get("/w/ops/"))
    assert "Leave “Betrieb”?" in text(browser.get("/w/ops/members/leave"))
    assert "You have left “Betrieb”." in text(browser.post("/w/ops/members/leave", follow=True))
    assert browser.get("/w/ops/").status_code == 404


def test_who_only_reads_a_public_wiki_cannot_leave_it(client: Client, wiki: Wiki) -> None:
    Wiki.objects.update(is_public=True)
    client.force_login(User.objects.create_user("passer-by"))
    assert "Leave this wiki" not in text(client.get("/w/ops/"))
    assert client.get("/w/ops/members/leave").status_code == 404


@pytest.mark.parametrize("member_id", ["0", "99999999999999999999"])
def test_a_member_of_nowhere_is_not_found(owner: Client, wiki: Wiki, member_id: str) -> None:
    assert owner.get(f"/w/ops/members/{member_id}").status_code == 404


def test_a_member_of_another_wiki_is_not_found(owner: Client, wiki: Wiki) -> None:
    other = join(Wiki.objects.create(slug="other", name="Anderswo"), "stranger")
    assert owner.get(f"/w/ops/members/{other.pk}").status_code == 404
    assert owner.post(f"/w/ops/members/{other.pk}", {"action": "remove"}).status_code == 404
    assert role_of("stranger") == "reader"


@pytest.mark.parametrize("leaves", [True, False])
def test_the_invitations_of_an_owner_end_with_owning(wiki: Wiki, leaves: bool) -> None:
    join(wiki, "second", Role.OWNER)
    own = join(wiki, "odile", Role.OWNER)
    invite(wiki, own.user, Role.OWNER, 7)
    remove_member(own) if leaves else change_role(own, Role.EDITOR)
    assert Invitation.objects.count() == 0


def test_two_owners_who_remove_each_other_do_not_both_succeed(transactional_db: None) -> None:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    members = [join(wiki, name, Role.OWNER) for name in ("one", "two")]
    together, refused = threading.Barrier(2), []

    def remove(member: Membership) -> None:
        together.wait()
        try:
            remove_member(member)
        except LastOwner:
            refused.append(member)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=remove, args=(member,)) for member in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert wiki.memberships.filter(role=Role.OWNER).count() == 1


def test_two_who_open_one_link_at_once_do_not_both_get_in(transactional_db: None) -> None:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    invitation, _ = invite(wiki, join(wiki, "odile", Role.OWNER).user, Role.EDITOR, 7)
    people = [User.objects.create_user(name) for name in ("one", "two")]
    together, refused = threading.Barrier(2), []

    def enter(person: User) -> None:
        together.wait()
        try:
            accept(invitation, person)
        except InvitationRefused as error:
            refused.append(error.trouble)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=enter, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == [Trouble.USED]
    assert wiki.memberships.count() == 2


def test_a_new_page_called_members_gets_another_address(write: Write) -> None:
    assert write("Members").slug == "members-page"
