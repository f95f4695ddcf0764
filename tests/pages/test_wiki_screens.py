"""The list of wikis and the index of one."""

import re
from html import unescape
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.screens import Write, text
from wiki.accounts.wikis import create_wiki
from wiki.models import Page, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

# -- wikis


def test_the_wikis_show_their_pages_and_last_change(
    browser: Client, person: User, write: Write
) -> None:
    write("A")
    write("B")
    create_wiki("Another", "About <b>things</b>", owner=person)
    create_wiki("Not for everybody")
    html = text(browser.get("/"))
    assert "Not for everybody" not in html
    assert "2 pages · last change" in html
    assert html.index("Another") < html.index("Betrieb")
    assert "About &lt;b&gt;" in browser.get("/").content.decode()


def test_staff_can_make_a_wiki(staff: Client, wiki: Wiki) -> None:
    assert staff.post("/", {"name": "Übung & Co"})["Location"] == f"/w/{quote('übung-co')}/"
    again = staff.post("/", {"name": "ÜBUNG, co"})
    assert again.status_code == 422
    assert "There is a wiki with the address “übung-co” already." in text(again)


def test_a_wiki_may_have_a_name_without_a_letter(staff: Client, db: None) -> None:
    address = staff.post("/", {"name": "!!!"})["Location"]
    assert "<h1>!!!</h1>" in text(staff.get(address))


def test_nobody_else_can_make_a_wiki(browser: Client, wiki: Wiki) -> None:
    assert "New wiki" not in text(browser.get("/"))
    assert browser.post("/", {"name": "Mine"}).status_code == 403
    assert Wiki.objects.count() == 1


def test_without_a_wiki_the_first_screen_says_what_to_do(
    staff: Client, browser: Client, wiki: Wiki
) -> None:
    wiki.delete()
    assert "Make the first one below" in text(staff.get("/"))
    assert "Ask somebody who administers" in text(browser.get("/"))


# -- index


def test_an_empty_wiki_leads_whoever_may_to_connecting_an_agent(
    browser: Client, staff: Client, wiki: Wiki
) -> None:
    link = re.compile(r'<a class="btn" href="/w/ops/connect">Connect an agent</a>')
    for client, count in ((staff, 1), (browser, 0)):
        assert len(link.findall(client.get("/w/ops/").content.decode())) == count


def test_an_empty_wiki_says_what_to_do_first(browser: Client, wiki: Wiki) -> None:
    html = text(browser.get("/w/ops/"))
    assert "Write the first page" in html
    assert ".venv/bin/python manage.py import_pages FOLDER --wiki ops" in html
    assert ".venv/bin/python manage.py create_token NAME --wiki ops" in html


def listed(response) -> list[str]:
    html = response.content.decode().partition('<div class="listing">')[2].partition("</main>")[0]
    return [unescape(title) for title in re.findall(r'<a href="/w/ops/[^"]+">([^<]*)</a>', html)]


def test_the_index_is_sorted_as_people_sort(browser: Client, write: Write) -> None:
    for title in ("Zebra", "übung", "Uhr", "apfel", "Ähre", "9 Leben"):
        write(title)
    assert listed(browser.get("/w/ops/")) == ["9 Leben", "Ähre", "apfel", "übung", "Uhr", "Zebra"]
    assert listed(browser.get("/w/ops/?letter=U")) == ["übung", "Uhr"]


def test_the_index_is_narrowed_by_type_tag_and_target(browser: Client, write: Write) -> None:
    write("Runner", type="system", tags=["Anschlüsse"])
    write("Other", "[[Runner]] [[Other]]", type="problem")
    assert listed(browser.get("/w/ops/?type=system")) == ["Runner"]
    assert listed(browser.get("/w/ops/?tag=Anschl%C3%BCsse")) == ["Runner"]
    assert listed(browser.get("/w/ops/?to=runner")) == ["Other"]
    assert listed(browser.get("/w/ops/?to=other")) == []
    assert listed(browser.get("/w/ops/?type=problem&tag=anschl%C3%BCsse")) == []


@pytest.mark.parametrize(
    "query",
    ["type=nonsense", "page=99999999999999999999", "page=x", "tag=%00", "to=%00%ff", "letter=%00"],
)
def test_an_odd_filter_is_no_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/?{query}").status_code == 200


def test_the_index_is_paged_at_a_hundred(browser: Client, wiki: Wiki, write: Write) -> None:
    page = write("Page")
    Page.objects.bulk_create(
        Page(
            wiki=wiki,
            slug=f"p-{n}",
            title=f"P {n:03}",
            title_key=f"p {n:03}",
            text_hash=page.text_hash,
        )
        for n in range(120)
    )
    assert len(listed(browser.get("/w/ops/"))) == 100
    assert len(listed(browser.get("/w/ops/?page=2"))) == 21
    assert 'href="?type=' not in text(browser.get("/w/ops/?page=2"))


def test_trashed_pages_are_in_no_list(browser: Client, write: Write, author: Author) -> None:
    trash_page(write("Secret plan", "pipeline", tags=["hidden-tag"]), author=author)
    write("Runner", "pipeline")
    for address in (
        "/w/ops/",
        "/w/ops/search?q=pipeline+secret",
        "/w/ops/runner",
        "/w/ops/nothing",
    ):
        html = text(browser.get(address))
        assert "Secret plan" not in html
        assert "hidden-tag" not in html


def test_nothing_crosses_from_one_wiki_into_another(browser: Client, write: Write) -> None:
    write("Runner", "pipeline")
    create_wiki("Other")
    assert "Runner" not in text(browser.get("/w/other/search?q=pipeline+runner"))
    for address in (
        "runner",
        "runner.md",
        "runner/edit",
        "runner/history",
        "runner/history/1",
        "runner/trash",
    ):
        assert browser.get(f"/w/other/{address}").status_code == 404
