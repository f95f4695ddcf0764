"""Whom the screens let in, in which language, and how many queries they need."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from tests.support.screens import OPEN, Write, count_queries, focused, join, role_of, text
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages
from wiki.models import Agent, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.rename import rename_page
from wiki.pages.status import confirm_page, mark_replaced
from wiki.pages.trash import trash_page
from wiki.urls import urlpatterns

# -- who gets in


def test_every_address_but_signing_in_asks_who_it_is(client: Client, write: Write) -> None:
    write("Runner")
    words = {
        "wiki_slug": "ops",
        "slug": "runner",
        "number": 1,
        "page_id": 1,
        "member_id": 1,
        "agent_id": 1,
        "proposal_id": 1,
        "merge_id": 1,
        "suggestion_id": 1,
        "name": "0123456789abcdef.png",
    }
    for pattern in urlpatterns:
        if getattr(pattern, "name", None) in {*OPEN, None}:
            continue
        address = "/" + re.sub(
            r"<\w+:(\w+)>", lambda match: str(words[match[1]]), str(pattern.pattern)
        )
        for answer in (client.get(address), client.post(address)):
            assert answer.status_code == 302, address
            assert answer["Location"].startswith("/login?next=/"), address


def test_signing_in_leads_to_the_page_that_was_asked_for(
    client: Client, write: Write, person: User
) -> None:
    write("Runner")
    asked = client.get("/w/ops/runner")
    posted = {"username": "pat", "password": "correct horse battery", "next": "/w/ops/runner"}
    assert client.post(asked["Location"], posted)["Location"] == "/w/ops/runner"


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(
    client: Client, person: User
) -> None:
    answers = [
        client.post("/login", {"username": name, "password": "no"}) for name in ("pat", "nobody")
    ]
    notes = [re.search(r'role="alert">(.*?)<', text(answer))[1] for answer in answers]
    assert notes[0] == notes[1]


def test_after_a_wrong_password_the_cursor_stands_in_the_password(
    client: Client, person: User
) -> None:
    assert focused(client.get("/login")) == ["id_username"]
    assert focused(client.post("/login", {"username": "pat", "password": "no"})) == ["id_password"]
    assert focused(client.post("/login", {"username": "", "password": "no"})) == ["id_username"]


def test_signing_out_needs_a_post(browser: Client) -> None:
    assert browser.get("/logout").status_code == 405
    assert browser.post("/logout")["Location"] == "/login"
    assert browser.get("/").status_code == 302


def test_a_password_can_be_changed(browser: Client, person: User) -> None:
    new = "staple battery horse"
    posted = {"old_password": "correct horse battery", "new_password1": new, "new_password2": new}
    assert browser.post("/password", posted, follow=True).status_code == 200
    person.refresh_from_db()
    assert person.check_password(new)


@pytest.mark.parametrize(
    "address",
    ["/w/ops/runner/trash", "/w/ops/trash", "/w/ops/runner/history/1", "/w/ops/preview", "/"],
)
def test_changes_need_a_csrf_token(write: Write, person: User, address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    write("Runner")
    assert client.post(address, {"page_id": 1}).status_code == 403


@pytest.mark.parametrize(
    "address", ["/", "/login", "/invitation", "/invitation/x", "/password/new/x/y", "/w/ops/"]
)
def test_no_screen_can_be_framed_or_run_what_is_not_covey_s(
    client: Client, wiki: Wiki, address: str
) -> None:
    headers = client.get(address).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "script-src" not in headers["Content-Security-Policy"].replace("script-src 'self'", "")
    assert client.get(address, headers={"Host": "evil.example.test"}).status_code == 400


@pytest.mark.parametrize(
    "address", ["/w/ops/members", "/w/ops/settings", "/w/ops/members/1", "/w/ops/members/leave"]
)
def test_members_and_settings_change_by_nothing_but_their_forms(wiki: Wiki, address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(join(wiki, "odile", Role.OWNER).user)
    for kind in ("text/plain", "application/json", "application/x-www-form-urlencoded"):
        assert (
            client.post(address, '{"action": "remove", "name": "x"}', content_type=kind).status_code
            == 403
        )
    assert role_of("odile") == "owner"


# -- languages, errors, accessibility


def test_the_screen_follows_the_browser_and_the_switch(browser: Client, write: Write) -> None:
    write("Runner", type="problem")
    german = text(browser.get("/w/ops/runner", headers={"Accept-Language": "de"}))
    assert '<html lang="de">' in german
    assert "Verweise hierher" in german
    assert '<html lang="en">' in text(browser.get("/w/ops/runner"))
    assert (
        browser.post("/i18n/setlang/", {"language": "de", "next": "/w/ops/runner"})["Location"]
        == "/w/ops/runner"
    )
    assert '<html lang="de">' in text(browser.get("/w/ops/runner"))


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=5), "gerade eben"),
        (timedelta(minutes=1), "vor 1 Minute"),
        (timedelta(hours=5), "vor 5 Stunden"),
        (timedelta(days=1, hours=3), "gestern"),
        (timedelta(days=2, hours=3), "vor 2 Tagen"),
        (timedelta(days=15), "vor 2 Wochen"),
    ],
)
def test_ages_read_well_in_german(
    browser: Client, write: Write, age: timedelta, words: str
) -> None:
    write("Runner").revisions.update(created_at=timezone.now() - age)
    html = text(browser.get("/w/ops/runner", headers={"Accept-Language": "de"}))
    assert re.search(rf"angelegt <time [^>]+>{words}</time>", html)


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_need_no_context(name: str) -> None:
    assert "<h1>" in render_to_string(f"{name}.html")


def test_print_is_light_whatever_the_screen_is() -> None:
    css = Path(finders.find("covey/covey.css")).read_text()
    dark = [
        css[: match.start()].rpartition("@media")[2]
        for match in re.finditer("color-scheme:dark;", css)
    ]
    assert len(dark) == 2
    assert all(rule.strip().startswith("screen") for rule in dark)


def test_the_keys_are_listed(browser: Client, write: Write) -> None:
    write("Pat", type="person")
    html = text(browser.get("/w/ops/"))
    assert "<kbd>Ctrl Enter</kbd></dt><dd>save</dd>" in html
    assert ">People <" in html


def test_a_screen_can_be_used_without_a_mouse_and_without_looking(
    browser: Client, write: Write
) -> None:
    write("Runner")
    html = text(browser.get("/w/ops/runner/edit"))
    assert '<a class="skip" href="#main">' in html
    assert '<main id="main"' in html
    for field in re.findall(
        r'<(?:input type="(?:text|search|checkbox)"|textarea|select)[^>]* id="(\w+)"', html
    ):
        assert f'for="{field}"' in html or "<label class" in html, field


# -- queries


def test_the_number_of_queries_does_not_grow_with_the_pages(
    browser: Client, write: Write, wiki: Wiki, agent: Agent
) -> None:
    def fill(start: int) -> None:
        for number in range(start, start + 4):
            page = write(
                f"Page {number}",
                f"text [[Page 0]] [[Page {number - 1}]] [[Red {number}]]",
                type="topic",
                tags=[f"t{number}"],
            )
        file_insight(wiki, agent, Handed(f"Insight number {start} about something", page="page-0"))
        trash_page(page, author=Author.maintenance())

    addresses = [
        "/",
        "/w/ops/",
        "/w/ops/page-0",
        "/w/ops/page-0/edit",
        "/w/ops/page-0/history",
        "/w/ops/search?q=text+page",
        "/w/ops/trash",
    ]
    fill(0)
    for address in addresses:
        browser.get(address)
    few = {address: count_queries(browser, address) for address in addresses}
    fill(10)
    many = {address: count_queries(browser, address) for address in addresses}
    assert many == few
    assert few["/"] <= 3
    assert few["/w/ops/"] <= 12
    assert few["/w/ops/page-0"] <= 12
    assert few["/w/ops/search?q=text+page"] <= 19


def test_a_page_asks_at_most_twelve_times_whatever_happened_to_it(
    browser: Client, write: Write, wiki: Wiki, agent: Agent, author: Author
) -> None:
    target, renamed, outdated = write("Target"), write("Old name"), write("Replaced", "[[Target]]")
    kept, merged = write("Kept", "One."), write("Gone", "Two.")
    rename_page(renamed, 1, title="New name", author=author)
    mark_replaced(outdated, target, author=author)
    merge_pages(kept, merged, author=Author.maintenance())
    for number in range(25):
        write(f"To target {number}", "[[Target]]")
    file_insight(wiki, agent, Handed("An insight about it.", page="target"))
    confirm_page(target, author=author)
    addresses = (
        "target",
        "new-name",
        "new-name?from=old-name",
        "replaced",
        "kept",
        "kept?from=gone",
    )
    for address in addresses:
        browser.get(f"/w/ops/{address}")
    counts = {address: count_queries(browser, f"/w/ops/{address}") for address in addresses}
    assert {address: n for address, n in counts.items() if n > 12} == {}
