"""What owners change about a wiki, and what a public one shows to whom."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.screens import Write, join, text
from wiki.models import Role, Wiki

SETTINGS = {"name": "Betrieb", "description": "", "language": ""}


@pytest.fixture
def owner(wiki: Wiki) -> Client:
    client = Client()
    client.force_login(join(wiki, "odile", Role.OWNER).user)
    return client


@pytest.fixture
def public(wiki: Wiki) -> Wiki:
    wiki.is_public = True
    wiki.save()
    return wiki


# -- the settings


def test_an_owner_changes_name_description_language_and_whether_it_is_public(
    owner: Client, wiki: Wiki
) -> None:
    assert "Whoever can open this covey reads every page" in text(owner.get("/w/ops/settings"))
    posted = {
        "name": " Neuer  Name ",
        "description": "Worum es geht",
        "language": "de",
        "is_public": "on",
    }
    assert "The settings are saved." in text(owner.post("/w/ops/settings", posted, follow=True))
    wiki.refresh_from_db()
    assert (wiki.slug, wiki.name, wiki.description) == ("ops", "Neuer Name", "Worum es geht")
    assert (wiki.language, wiki.is_public) == ("de", True)
    owner.post("/w/ops/settings", SETTINGS)
    wiki.refresh_from_db()
    assert (wiki.language, wiki.is_public) == ("", False)


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"name": "x" * 201}, {"name": "  "}, {"language": "xx"}]
)
def test_wrong_settings_come_back_in_the_form(
    owner: Client, wiki: Wiki, wrong: dict[str, str]
) -> None:
    answer = owner.post("/w/ops/settings", {**SETTINGS, **wrong, "description": "my words"})
    assert answer.status_code == 422
    assert "my words" in text(answer)
    wiki.refresh_from_db()
    assert (wiki.name, wiki.description) == ("Betrieb", "")


def test_the_text_says_its_language_where_it_is_not_that_of_the_screen(
    browser: Client, wiki: Wiki, write: Write
) -> None:
    write("Runner", "Text.")
    Wiki.objects.update(language="de")
    for address in ("/w/ops/runner", "/w/ops/runner/history/1"):
        assert '<article class="prose" lang="de">' in text(browser.get(address))
        assert '<article class="prose">' in text(
            browser.get(address, headers={"Accept-Language": "de"})
        )
    Wiki.objects.update(language="")
    assert '<article class="prose">' in text(browser.get("/w/ops/runner"))


# -- public wikis


READ = [
    "/w/ops/",
    "/w/ops/runner",
    "/w/ops/runner.md",
    "/w/ops/runner/history",
    "/w/ops/runner/history/1",
]
READ += ["/w/ops/search?q=pipeline", "/find/ops?q=runner"]


@pytest.mark.parametrize("address", READ)
def test_a_stranger_reads_a_public_wiki_and_no_other(
    client: Client, write: Write, wiki: Wiki, address: str
) -> None:
    write("Runner", "The pipeline.")
    assert client.get(address)["Location"].startswith(f"/login?next={address[:6]}")
    Wiki.objects.update(is_public=True)
    answer = client.get(address)
    assert answer.status_code == 200
    assert "pipeline" in text(answer) or "Runner" in text(answer)
    assert client.head(address).status_code == 200


def test_a_stranger_is_offered_to_sign_in_and_nothing_else(
    client: Client, write: Write, public: Wiki
) -> None:
    write("Runner", "See [[Nothing]] and [[Runner]].")
    write("Empty")
    for address in (*READ[:2], "/w/ops/empty", *READ[3:6], "/w/ops/nothing"):
        html = text(client.get(address))
        for offered in (
            "/new",
            "/edit",
            "/trash",
            "/members",
            "/settings",
            "/preview",
            "Restore",
            "Sign out",
            "Leave",
        ):
            assert f"{offered}" not in html.replace("/w/ops/members-page", ""), (address, offered)
        assert 'href="/login?next=/w/ops/' in html
    html = text(client.get("/w/ops/runner"))
    assert '<span class="new" title="This page is not written yet.">Nothing<' in html


def test_a_stranger_who_would_change_something_is_asked_to_sign_in(
    client: Client, write: Write, public: Wiki
) -> None:
    write("Runner", "One.")
    for address in (
        "/w/ops/runner/history/1",
        "/w/ops/runner/edit",
        "/w/ops/new",
        "/w/ops/members",
        "/w/ops/trash",
    ):
        assert client.post(address)["Location"].startswith("/login"), address
    assert client.get("/w/ops/members")["Location"].startswith("/login")


def test_the_start_page_shows_strangers_what_is_public(client: Client, wiki: Wiki) -> None:
    assert client.get("/")["Location"] == "/login?next=/"
    Wiki.objects.create(slug="closed", name="Verschlossen")
    Wiki.objects.filter(pk=wiki.pk).update(is_public=True)
    html = text(client.get("/"))
    assert "Betrieb" in html
    assert "Sign in" in html
    assert "Verschlossen" not in html
    assert "New wiki" not in html


def test_who_is_signed_in_reads_a_public_wiki_without_being_in_it(
    client: Client, write: Write, public: Wiki
) -> None:
    write("Runner", "Text.")
    client.force_login(User.objects.create_user("passer-by"))
    assert "/w/ops/runner/edit" not in text(client.get("/w/ops/runner"))
    answer = client.get("/w/ops/runner/edit")
    assert answer.status_code == 403
    assert "changing something needs the role of an editor" in text(answer)
    # Who is in a wiki is nothing that others are told.
    assert "pat" not in text(answer).replace("path", "")


# -- readers


def test_a_reader_is_offered_nothing_to_change(client: Client, wiki: Wiki, write: Write) -> None:
    write("Runner", "See [[Nothing]].")
    client.force_login(join(wiki, "rea").user)
    for address in (*READ[:2], *READ[3:6], "/w/ops/nothing"):
        html = text(client.get(address))
        for offered in ("/new", "/edit", "/trash", "/settings", "Restore"):
            assert offered not in html, (address, offered)


def test_an_empty_wiki_tells_a_reader_no_commands(client: Client, wiki: Wiki) -> None:
    client.force_login(join(wiki, "rea").user)
    html = text(client.get("/w/ops/"))
    assert "Nothing is written in this wiki yet." in html
    assert "manage.py" not in html


def test_a_refusal_says_which_role_is_needed_and_whom_to_ask(
    client: Client, wiki: Wiki, write: Write
) -> None:
    write("Runner")
    join(wiki, "odile", Role.OWNER)
    gone = join(wiki, "gone", Role.OWNER)
    User.objects.filter(pk=gone.user_id).update(is_active=False)
    client.force_login(join(wiki, "rea").user)
    html = text(client.get("/w/ops/runner/edit"))
    assert "You may read “Betrieb”; changing something needs the role of an editor." in html
    assert "Whom to ask: odile." in html
    assert "This is for the owners of “Betrieb”." in text(client.get("/w/ops/settings"))


def test_an_owner_decides_whether_pages_are_merged_by_themselves(staff: Client, wiki: Wiki) -> None:
    assert "Pages that say the same" in text(staff.get("/w/ops/settings"))
    staff.post("/w/ops/settings", {"name": wiki.name, "merge_mode": "review"})
    wiki.refresh_from_db()
    assert wiki.merge_mode == "review"
    assert staff.post("/w/ops/settings", {"name": wiki.name, "merge_mode": "x"}).status_code == 422
