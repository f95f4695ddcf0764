"""The admin: every list and form opens, tokens are shown once, actions call the rules."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django_q.models import OrmQ

from wiki.agents.api_tokens import create_token, find_token
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages
from wiki.models import ApiToken, Page, ReembedRun
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.tasks import reembed


@pytest.fixture
def admin(client, db):
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


@pytest.fixture
def stock(write, wiki, agent, author):
    near = write("<b>Rechnung</b> zwei", "Rechnung an Kunden verschickt.")
    page = write("Rechnung eins", "Rechnung an Kunden verschickt.", tags=["a"], type="topic")
    trash_page(write("Weg", "Weg."), author=author)
    file_insight(wiki, agent, Handed("Der Proxy verwirft Antworten."))
    create_token(agent, wiki)
    return page, near


MODELS = ["wiki", "page", "revision", "agent", "apitoken", "insight"]


@pytest.mark.parametrize("model", MODELS)
def test_every_list_and_form_opens(admin, stock, model):
    listing = admin.get(reverse(f"admin:wiki_{model}_changelist"))
    assert listing.status_code == 200
    row = listing.context["cl"].result_list[0]
    assert admin.get(reverse(f"admin:wiki_{model}_change", args=[row.pk])).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_a_person_without_rights_sees_nothing(client, person, stock, model):
    client.force_login(person)
    answer = client.get(reverse(f"admin:wiki_{model}_changelist"))
    assert answer.status_code == 302
    assert "Rechnung" not in answer.content.decode()


def test_it_has_the_mark_of_covey(admin, stock):
    for name in ("index", "wiki_page_changelist"):
        assert re.search(
            r'rel="icon" href="[^"]*covey/logo',
            admin.get(reverse(f"admin:{name}")).content.decode(),
        )


def test_the_start_page_shows_what_needs_attention(admin, stock):
    Page.objects.filter(title="Rechnung eins").update(embed_model="alt:modell:256")
    html = admin.get("/admin/").content.decode()
    assert set(re.findall(r'data-warning="(\w+)"', html)) == {"worker", "builtin", "stale"}


def test_the_form_shows_neighbours_with_similarity_and_escapes_them(admin, stock):
    page, near = stock
    html = admin.get(reverse("admin:wiki_page_change", args=[page.pk])).content.decode()
    assert "&lt;b&gt;Rechnung&lt;/b&gt; zwei" in html
    assert "<b>Rechnung</b>" not in html
    assert re.search(r"(nearly the same|very similar|related) 0\.\d\d", html)
    assert f"/w/ops/{page.slug}/history" in html


def test_the_form_of_a_page_leads_to_its_history(admin, stock):
    page, _near = stock
    html = admin.get(reverse("admin:wiki_page_change", args=[page.pk])).content.decode()
    address = re.search(r'<a href="([^"]+)">history</a>', html)[1]
    assert admin.get(address).context["page"] == page


def test_the_revisions_of_an_agent_are_listed_and_only_looked_at(admin, stock, agent, client, wiki):
    form = admin.get(reverse("admin:wiki_agent_change", args=[agent.pk])).content.decode()
    address = re.search(r'<a href="([^"]+)">What it changed</a>', form)[1]
    listed = admin.get(address).context["cl"].result_list
    assert {revision.author_name for revision in listed} == {"robin"}
    change = reverse("admin:wiki_revision_change", args=[listed[0].pk])
    assert f"/history/{listed[0].number}?changes" in admin.get(change).content.decode()
    assert admin.post(change, {"title": "x"}).status_code == 403
    assert admin.get(reverse("admin:wiki_revision_add")).status_code == 403


def test_staff_sees_the_revisions_of_their_own_wikis(client, stock):
    staff = User.objects.create_user("sam", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client.force_login(staff)
    answer = client.get(reverse("admin:wiki_revision_changelist"))
    assert list(answer.context["cl"].result_list) == []
    assert "Rechnung" not in answer.content.decode()


@pytest.mark.parametrize(
    ("state", "titles"),
    [
        ("current", {"<b>Rechnung</b> zwei", "Rechnung eins", "Der Proxy verwirft Antworten"}),
        ("stale", set()),
        ("failed", set()),
        ("wordless", set()),
        ("trashed", {"Weg"}),
        (
            "quatsch",
            {"<b>Rechnung</b> zwei", "Rechnung eins", "Der Proxy verwirft Antworten", "Weg"},
        ),
    ],
)
def test_pages_are_filtered_by_the_state_of_their_embedding(admin, stock, state, titles):
    answer = admin.get(reverse("admin:wiki_page_changelist") + f"?state={state}", follow=True)
    assert {page.title for page in answer.context["cl"].result_list} == titles


def act(admin, action, *pages):
    data = {"action": action, "_selected_action": [page.pk for page in pages]}
    return admin.post(reverse("admin:wiki_page_changelist"), data, follow=True)


def test_actions_embed_trash_and_restore(admin, stock):
    page, near = stock
    act(admin, "reembed", page)
    page.refresh_from_db()
    assert page.embed_model == ""
    act(admin, "trash", page, near)
    page.refresh_from_db()
    assert page.is_trashed
    assert page.revisions.first().author_name == "root"
    act(admin, "restore", page)
    page.refresh_from_db()
    assert not page.is_trashed


def test_what_was_merged_is_not_restored_as_if_it_lay_in_the_trash(admin, stock):
    page, near = stock
    merge_pages(page, near, author=Author.maintenance())
    answer = act(admin, "restore", near)
    refusal = f"“{near.title}” was merged into “{page.title}”. Undo that merge instead."
    assert refusal in unescape(answer.content.decode())
    near.refresh_from_db()
    assert near.merged_into == page


def test_texts_cannot_be_changed_past_the_rules(admin, stock):
    page, _ = stock
    admin.post(reverse("admin:wiki_page_change", args=[page.pk]), {"title": "Neu", "body": "Neu"})
    page.refresh_from_db()
    assert page.title == "Rechnung eins"
    assert admin.get(reverse("admin:wiki_page_add")).status_code == 403
    assert (
        admin.post(reverse("admin:wiki_page_delete", args=[page.pk]), {"post": "yes"}).status_code
        == 403
    )


def test_a_token_is_shown_once_and_works(admin, agent, wiki):
    answer = admin.post(
        reverse("admin:wiki_apitoken_add"),
        {
            "agent": agent.pk,
            "wiki": wiki.pk,
            "scope": "read",
            "expires_at_0": "",
            "expires_at_1": "",
        },
    )
    [secret] = re.findall(r'value="(covey_[\w-]+)"', answer.content.decode())
    token = find_token(secret)
    assert (token.agent, token.scope) == (agent, "read")
    for address in (
        reverse("admin:wiki_apitoken_changelist"),
        reverse("admin:wiki_apitoken_change", args=[token.pk]),
    ):
        assert secret not in admin.get(address).content.decode()
    assert secret not in str(admin.cookies)


def test_a_token_can_be_revoked_at_once(admin, agent, wiki):
    token, secret = create_token(agent, wiki)
    admin.post(
        reverse("admin:wiki_apitoken_changelist"),
        {"action": "revoke", "_selected_action": [token.pk]},
    )
    assert find_token(secret) is None
    assert ApiToken.objects.get().revoked_at is not None


# -- the state of the embedding


def status_page(admin):
    answer = admin.get("/admin/embedding/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_embedding_page_shows_error_remedy_tries_and_poisonous_pages(admin, stock):
    page, _ = stock
    Page.objects.filter(pk=page.pk).update(
        embed_model="",
        embedding=None,
        embed_error="<i>zu lang</i>",
        failed_model="builtin:hash:256",
    )
    ReembedRun.objects.create(
        fingerprint="builtin:hash:256",
        state="waiting",
        attempt=3,
        error="Keine Antwort.",
        remedy="ollama pull x",
    )
    html = status_page(admin)
    for text in (
        "builtin:hash:256",
        "Keine Antwort.",
        "ollama pull x",
        "3 of 30",
        "&lt;i&gt;zu lang&lt;/i&gt;",
    ):
        assert text in html
    assert "<i>zu lang" not in html


def test_its_buttons_set_the_run_going_again(admin, stock):
    page, _ = stock
    failed = {"embed_error": "zu lang", "failed_model": "builtin:hash:256"}
    Page.objects.filter(pk=page.pk).update(embed_model="", embedding=None, **failed)
    ReembedRun.objects.create(fingerprint="builtin:hash:256", state="stopped", attempt=1)
    admin.post("/admin/embedding/", {"action": "retry"})
    assert OrmQ.objects.count() == 1
    reembed()
    page.refresh_from_db()
    assert (page.embed_model, page.embed_error) == ("builtin:hash:256", "")
    admin.post("/admin/embedding/", {"action": "everything"})
    assert Page.objects.live().filter(embed_model="").count() == Page.objects.live().count()
    admin.post("/admin/embedding/", {"action": "resume"})
    reembed()
    assert Page.objects.live().filter(embed_model="").count() == 0


def test_the_embedding_page_is_for_superusers_since_its_counts_are_of_every_wiki(
    client, admin, person, stock
):
    assert admin.put("/admin/embedding/").status_code == 405
    client.force_login(person)
    assert client.get("/admin/embedding/").status_code == 302
    person.is_staff = True
    person.save()
    person.user_permissions.set(Permission.objects.all())
    assert client.get("/admin/embedding/").status_code == 403
    assert client.post("/admin/embedding/", {"action": "everything"}).status_code == 403
    assert "Needs attention" not in client.get("/admin/").content.decode()


def test_who_may_only_look_is_offered_no_action(client, person, stock):
    person.is_staff = True
    person.save()
    person.user_permissions.set(
        Permission.objects.filter(codename__in=["view_page", "view_apitoken"])
    )
    client.force_login(person)
    page, _ = stock
    for action in ("trash", "reembed", "restore"):
        act(client, action, page)
    token = ApiToken.objects.get()
    client.post(
        reverse("admin:wiki_apitoken_changelist"),
        {"action": "revoke", "_selected_action": [token.pk]},
    )
    page.refresh_from_db()
    token.refresh_from_db()
    assert (page.is_trashed, page.embed_model, token.revoked_at) == (
        False,
        "builtin:hash:256",
        None,
    )


@pytest.mark.parametrize("model", ["schedule", "success", "failure", "ormq"])
def test_the_queue_is_not_in_the_admin(admin, model):
    """A schedule that somebody saves there would be a program that runs."""
    assert admin.get(f"/admin/django_q/{model}/").status_code == 404
    assert admin.post(f"/admin/django_q/{model}/add/", {"func": "os.system"}).status_code == 404
    assert "django_q" not in admin.get(reverse("admin:index")).content.decode()
