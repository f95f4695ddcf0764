"""The admin of staff who are no superusers : their wikis alone, and changes only where they are
owners."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from tests.support.screens import Write, join, text
from tests.support.writing import create_page
from wiki.accounts.members import invite
from wiki.agents.api_tokens import create_token, find_token
from wiki.insights.intake import Handed, file_insight
from wiki.models import Agent, ApiToken, Invitation, Membership, Page, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page

OURS = [model for model in admin.site._registry if model._meta.app_label == "wiki"]
HIDDEN = ["Tresorwiki", "Bauplan", "Geheimtext", "spürnase", "hüterin", "Für die Neue"]


@pytest.fixture
def hidden(db: None) -> Wiki:
    """A wiki that the staff of these tests are not in, with a row of every kind."""
    wiki = Wiki.objects.create(slug="tresor", name="Tresorwiki")
    owner = join(wiki, "hüterin", Role.OWNER)
    page = create_page(wiki, title="Bauplan", body="Geheimtext", author=Author.person(owner.user))
    Page.objects.filter(pk=page.pk).update(embed_error="Geheimtext")
    agent = Agent.objects.create(name="spürnase", home_wiki=wiki)
    file_insight(wiki, agent, Handed("Geheimtext der Erkenntnis", page="bauplan"))
    protect_page(page, author=Author.person(owner.user))
    file_insight(wiki, agent, Handed("Geheimtext, der wartet", page="bauplan"))
    create_token(agent, wiki)
    invite(wiki, owner.user, Role.EDITOR, 7, "Für die Neue")
    return wiki


def sign_in(wiki: Wiki, role: Role) -> Client:
    """Staff with every permission of the admin for the wiki's tables."""
    client, member = Client(), join(wiki, f"staff-{role}", role)
    User.objects.filter(pk=member.user_id).update(is_staff=True)
    member.user.user_permissions.set(Permission.objects.filter(content_type__app_label="wiki"))
    client.force_login(User.objects.get(pk=member.user_id))
    return client


@pytest.fixture
def owner(wiki: Wiki) -> Client:
    return sign_in(wiki, Role.OWNER)


@pytest.fixture
def editor(wiki: Wiki) -> Client:
    return sign_in(wiki, Role.EDITOR)


@pytest.mark.parametrize("model", OURS)
def test_no_list_form_or_filter_shows_a_wiki_that_staff_are_not_in(
    owner: Client, hidden: Wiki, write: Write, agent: Agent, wiki: Wiki, model
) -> None:
    write("Runner")
    create_token(agent, wiki)
    name = model._meta.model_name
    rows = [reverse(f"admin:wiki_{name}_change", args=[row.pk]) for row in model.objects.all()]
    others = [
        path.replace("/change/", f"/{part}/") for path in rows for part in ("history", "delete")
    ]
    for address in [
        "/admin/",
        reverse(f"admin:wiki_{name}_changelist"),
        reverse(f"admin:wiki_{name}_add"),
        *rows,
        *others,
    ]:
        html = text(owner.get(address, follow=True))
        assert [mark for mark in HIDDEN if mark in html] == [], address


def test_the_same_words_are_there_for_a_superuser(admin_client: Client, hidden: Wiki) -> None:
    addresses = [reverse(f"admin:wiki_{model._meta.model_name}_changelist") for model in OURS]
    addresses += [reverse("admin:wiki_page_change", args=[Page.objects.get().pk])]
    addresses += [reverse("admin:wiki_wiki_change", args=[hidden.pk])]
    html = "".join(text(admin_client.get(address)) for address in addresses)
    assert [mark for mark in HIDDEN if mark not in html] == []


def test_the_rows_of_ones_own_wiki_are_there(editor: Client, hidden: Wiki, write: Write) -> None:
    write("Runner")
    assert "Runner" in text(editor.get(reverse("admin:wiki_page_changelist")))


def test_an_editor_looks_and_changes_nothing(
    editor: Client, write: Write, wiki: Wiki, agent: Agent
) -> None:
    page, (token, _) = write("Runner"), create_token(agent, wiki)
    act(editor, "page", "trash", page)
    act(editor, "apitoken", "revoke", token)
    assert (
        editor.post(reverse("admin:wiki_wiki_change", args=[wiki.pk]), {"name": "Neu"}).status_code
        == 403
    )
    posted = {
        "agent": agent.pk,
        "wiki": wiki.pk,
        "scope": "write",
        "expires_at_0": "",
        "expires_at_1": "",
    }
    assert "covey_" not in text(editor.post(reverse("admin:wiki_apitoken_add"), posted))
    page.refresh_from_db()
    token.refresh_from_db()
    wiki.refresh_from_db()
    assert (page.is_trashed, token.revoked_at, wiki.name, ApiToken.objects.count()) == (
        False,
        None,
        "Betrieb",
        1,
    )


def test_an_owner_changes_what_is_of_the_own_wiki(
    owner: Client, hidden: Wiki, write: Write, wiki: Wiki, agent: Agent
) -> None:
    page, (token, _) = write("Runner"), create_token(agent, wiki)
    act(owner, "page", "trash", page, Page.objects.get(slug="bauplan"))
    act(owner, "apitoken", "revoke", token, ApiToken.objects.get(wiki=hidden))
    page.refresh_from_db()
    token.refresh_from_db()
    assert page.is_trashed
    assert token.revoked_at
    assert not Page.objects.get(slug="bauplan").is_trashed
    assert ApiToken.objects.get(wiki=hidden).revoked_at is None
    posted = {
        "agent": agent.pk,
        "wiki": wiki.pk,
        "scope": "read",
        "expires_at_0": "",
        "expires_at_1": "",
    }
    assert re.search(
        r'value="covey_[\w-]+"', text(owner.post(reverse("admin:wiki_apitoken_add"), posted))
    )
    assert "covey_" not in text(
        owner.post(reverse("admin:wiki_apitoken_add"), {**posted, "wiki": hidden.pk})
    )


def test_an_owner_gives_a_token_no_wiki_of_others_and_is_told_of_none(
    owner: Client, hidden: Wiki, wiki: Wiki, agent: Agent
) -> None:
    add = reverse("admin:wiki_apitoken_add")
    posted = {
        "agent": agent.pk,
        "wiki": wiki.pk,
        "scope": "read",
        "expires_at_0": "",
        "expires_at_1": "",
    }
    assert "covey_" not in text(owner.post(add, {**posted, "also_opens": [hidden.pk]}))
    second = Wiki.objects.create(slug="second", name="Second")
    Membership.objects.create(
        wiki=second, user=User.objects.get(username="staff-owner"), role=Role.OWNER
    )
    posted |= {"also_opens": [second.pk], "requests_per_minute": "600"}
    secret = re.search(r'value="(covey_[\w-]+)"', text(owner.post(add, posted)))[1]
    token = find_token(secret)
    assert (list(token.also_opens.all()), token.requests_per_minute) == ([second], 600)
    token.also_opens.add(hidden)
    shown = owner.get(reverse("admin:wiki_apitoken_change", args=[token.pk]))
    assert shown.status_code == 200
    assert "Tresorwiki" not in text(shown)


def act(client: Client, model: str, action: str, *rows) -> None:
    posted = {"action": action, "_selected_action": [row.pk for row in rows]}
    client.post(reverse(f"admin:wiki_{model}_changelist"), posted)


def test_an_agent_with_keys_elsewhere_is_deleted_by_superusers_alone(
    owner: Client, admin_client: Client, agent: Agent
) -> None:
    address = reverse("admin:wiki_agent_delete", args=[agent.pk])
    assert owner.post(address, {"post": "yes"}).status_code == 403
    assert admin_client.post(address, {"post": "yes"}).status_code == 302
    assert not Agent.objects.exists()


# -- members and invitations at their wiki


def test_members_and_invitations_stand_at_their_wiki(
    owner: Client, editor: Client, wiki: Wiki
) -> None:
    invitation, secret = invite(
        wiki, User.objects.get(username="staff-owner"), Role.READER, 7, "Für die Neue"
    )
    address = reverse("admin:wiki_wiki_change", args=[wiki.pk])
    html = text(owner.get(address))
    assert "staff-editor" in html
    assert "Für die Neue" in html
    assert secret not in html + str(invitation.hash)
    assert invitation.hash not in html
    assert "Für die Neue" not in text(editor.get(address))


def inline(prefix: str, rows: list[dict[str, object]], total: int) -> dict[str, object]:
    form: dict[str, object] = {f"{prefix}-TOTAL_FORMS": total, f"{prefix}-INITIAL_FORMS": len(rows)}
    for number, row in enumerate(rows):
        form |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return form


def test_a_superuser_may_take_the_last_owner_out_and_put_another_in(
    admin_client: Client, owner: Client, wiki: Wiki, client: Client
) -> None:
    member, new = Membership.objects.get(), User.objects.create_user("neu")
    rows = [
        {"id": member.pk, "wiki": wiki.pk, "user": member.user_id, "role": "owner", "DELETE": "on"}
    ]
    posted = {"name": "Betrieb", "description": "", "language": ""}
    posted |= inline("memberships", rows, 2) | inline("invitations", [], 0)
    posted |= {
        "memberships-1-user": new.pk,
        "memberships-1-role": "owner",
        "memberships-1-wiki": wiki.pk,
    }
    address = reverse("admin:wiki_wiki_change", args=[wiki.pk])
    assert owner.post(address, posted).status_code == 302
    assert Membership.objects.get() == member
    assert admin_client.post(address, posted).status_code == 302
    assert [(row.user, row.role) for row in Membership.objects.all()] == [(new, "owner")]


def test_an_owner_withdraws_an_invitation_in_the_admin(owner: Client, wiki: Wiki) -> None:
    invitation, _ = invite(wiki, User.objects.get(username="staff-owner"), Role.READER, 7)
    posted = {"name": "Betrieb", "description": "", "language": ""}
    posted |= inline("invitations", [{"id": invitation.pk, "wiki": wiki.pk, "DELETE": "on"}], 1)
    posted |= inline("memberships", [], 0)
    assert owner.post(reverse("admin:wiki_wiki_change", args=[wiki.pk]), posted).status_code == 302
    assert Invitation.objects.count() == 0


def test_who_makes_a_wiki_in_the_admin_owns_it(owner: Client, admin_client: Client) -> None:
    posted = {"name": "Neues", "slug": "neues", "description": "", "language": ""}
    posted |= inline("memberships", [], 0) | inline("invitations", [], 0)
    assert owner.post(reverse("admin:wiki_wiki_add"), posted).status_code == 302
    assert Membership.objects.get(wiki__slug="neues").user.username == "staff-owner"


def test_the_way_to_a_page_is_told_to_those_who_see_its_row(
    owner: Client, hidden: Wiki, write: Write
) -> None:
    def way(row: Page | Wiki | User, key: object = None) -> str:
        kind = ContentType.objects.get_for_model(row).pk
        return f"/admin/r/{kind}/{row.pk if key is None else key}/"

    ours, theirs = write("Unsere"), Page.objects.get(wiki=hidden)
    assert owner.get(way(ours)).headers["Location"] == ours.get_absolute_url()
    assert owner.get(way(ours.wiki)).headers["Location"] == ours.wiki.get_absolute_url()
    for row in (theirs, hidden, User.objects.get(username="hüterin")):
        assert owner.get(way(row)).status_code == 404
    for key in ("x", "-1", "99999999999999999999999", "_5F", "%00", "1/2"):
        assert owner.get(way(ours, key)).status_code == 404
    for path in ("x/1", "0/1", "99999999999999999999/1", "-1/1"):
        assert owner.get(f"/admin/r/{path}/").status_code == 404
    assert Client().get(way(ours)).status_code == 302


@pytest.mark.parametrize("slug", ["a/b", "..", ".", "A", "a b", "a--b", "-a", "a?b", "a#b", "ａ/b"])
def test_a_wiki_has_an_address_that_leads_somewhere(slug: str) -> None:
    with pytest.raises(ValidationError):
        Wiki(slug=slug, name="Wiki").clean_fields()
    Wiki(slug="büro-2", name="Wiki").clean_fields()
