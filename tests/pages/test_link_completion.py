"""What is proposed while somebody writes a link."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.screens import Write, count_queries
from tests.support.writing import create_page, revise_page
from wiki.accounts.wikis import create_wiki
from wiki.markdown import find_wikilinks, heading_id
from wiki.models import Redirect, Wiki
from wiki.pages.author import Author
from wiki.pages.links import resolve_page
from wiki.pages.trash import trash_page


def ask(browser: Client, typed: str) -> dict:
    return browser.get("/w/ops/titles/links", {"q": typed}).json()


def proposed(browser: Client, typed: str) -> list[str]:
    return [row["title"] for row in ask(browser, typed)["pages"]]


def links(browser: Client, typed: str) -> dict[str, str]:
    return {row["title"]: row["link"] for row in ask(browser, typed)["pages"]}


def test_before_the_first_letter_the_pages_that_changed_last_are_proposed(
    browser: Client, write: Write, author: Author
) -> None:
    pages = [write(f"Page {number}", "x") for number in range(10)]
    revise_page(pages[0], 1, title="Page 0", body="y", author=author)
    trash_page(pages[9], author=author)
    assert proposed(browser, "") == ["Page 0", *(f"Page {number}" for number in range(8, 1, -1))]
    assert ask(browser, "")["is_new"] is False


def test_a_page_is_proposed_by_the_beginning_of_its_title(browser: Client, write: Write) -> None:
    write("Big Buck Bunny", type="topic")
    write("Something else", "Big Buc")
    row = {"title": "Big Buck Bunny", "type": "Topic", "link": "Big Buck Bunny", "formerly": ""}
    assert ask(browser, "Big Buc") == {"pages": [row], "is_new": True}


@pytest.mark.parametrize(
    ("typed", "is_new"), [("big buck bunny", False), ("Big  Buck Bunny", False), ("Big", True)]
)
def test_a_new_page_is_offered_unless_the_link_leads_somewhere_already(
    browser: Client, write: Write, typed: str, is_new: bool
) -> None:
    write("Big Buck Bunny")
    assert ask(browser, typed)["is_new"] is is_new


@pytest.mark.parametrize("typed", ["alter na", "ALTER", "alter-name", "name"])
def test_a_page_is_proposed_by_a_former_name(
    browser: Client, wiki: Wiki, write: Write, typed: str
) -> None:
    Redirect.objects.create(wiki=wiki, slug="alter-name", page=write("Läufer"))
    row = ask(browser, typed)["pages"][0]
    assert (row["title"], row["link"], row["formerly"]) == ("Läufer", "Läufer", "alter-name")


@pytest.mark.parametrize("typed", ["große üb", "grosse ub", "uebung gros"])
def test_a_former_name_is_found_without_its_accents(
    browser: Client, wiki: Wiki, write: Write, typed: str
) -> None:
    Redirect.objects.create(wiki=wiki, slug="große-übung", page=write("Drill"))
    assert ask(browser, typed)["pages"][0]["formerly"] == "große-übung"


def test_a_page_found_by_title_and_former_name_is_proposed_once(
    browser: Client, wiki: Wiki, write: Write
) -> None:
    page = write("Runner")
    Redirect.objects.create(wiki=wiki, slug="runner-old", page=page)
    Redirect.objects.create(wiki=wiki, slug="runner-older", page=page)
    assert proposed(browser, "runner") == ["Runner"]
    assert proposed(browser, "old") == ["Runner"]


@pytest.mark.parametrize(
    "title",
    [
        "C#",
        "a|b",
        "[x]",
        "]] or [[",
        "a [[b]] c",
        "`code`",
        "*a*",
        "<b>",
        "a\\|b",
        "\\",
        "{{ x }}",
        "日本語",
        "#",
        "|",
    ],
)
def test_every_proposed_link_leads_to_its_page(
    browser: Client, wiki: Wiki, write: Write, title: str
) -> None:
    page = write(title)
    written = f"See [[{links(browser, '')[title]}]]."
    found = find_wikilinks(written)
    assert len(found) == 1
    assert resolve_page(wiki, found[0].target).page == page
    assert found[0].heading == ""
    assert found[0].label in ("", title)


def test_titles_that_a_link_cannot_say_come_with_the_address(browser: Client, write: Write) -> None:
    for title in ("C#", "a|b", "[x]"):
        write(title)
    assert links(browser, "") == {"C#": "c|C#", "a|b": "a-b|a|b", "[x]": "x"}


def test_of_two_pages_with_one_title_each_has_a_link_of_its_own(
    browser: Client, write: Write
) -> None:
    write("Runner")
    write("Runner")
    assert {row["link"] for row in ask(browser, "runner")["pages"]} == {
        "runner|Runner",
        "runner-2|Runner",
    }


def test_at_most_eight_pages_are_proposed_in_few_queries(
    browser: Client, wiki: Wiki, write: Write
) -> None:
    for number in range(12):
        Redirect.objects.create(
            wiki=wiki, slug=f"runner-old-{number}", page=write(f"Runner {number}")
        )
    for address in (
        "/w/ops/titles/links?q=runner",
        "/w/ops/titles/links?q=old",
        "/w/ops/titles/links?q=",
    ):
        assert len(browser.get(address).json()["pages"]) == 8
        assert count_queries(browser, address) <= 10


def test_nothing_of_another_wiki_or_the_trash_is_proposed(
    browser: Client, wiki: Wiki, write: Write, author: Author
) -> None:
    other = create_wiki("Other")
    secret = create_page(other, title="Runner secret", body="## Secret", author=author)
    Redirect.objects.create(wiki=other, slug="runner-hidden", page=secret)
    trashed = write("Runner trashed", "## Gone")
    Redirect.objects.create(wiki=wiki, slug="runner-old", page=trashed)
    trash_page(trashed, author=author)
    assert proposed(browser, "") == proposed(browser, "runner") == proposed(browser, "hidden") == []
    for page in ("Runner secret", "runner-hidden", "Runner trashed", "runner-old"):
        assert browser.get("/w/ops/titles/headings", {"page": page}).json() == {
            "pages": [],
            "headings": [],
        }
    for address in (
        f"/w/{other.slug}/titles/links?q=runner",
        f"/w/{other.slug}/titles/headings?page=Runner+secret",
    ):
        assert browser.get(address).status_code == 404


# -- headings


def headings(browser: Client, page: str, typed: str = "") -> list[tuple[str, str]]:
    rows = browser.get("/w/ops/titles/headings", {"page": page, "q": typed}).json()["headings"]
    return [(row["title"], row["link"]) for row in rows]


def test_after_a_number_sign_the_headings_of_the_page_are_proposed(
    browser: Client, write: Write
) -> None:
    write(
        "Runner", "# Runner\n## Erste Übung\ntext\n### `code` and *marks*\n```\n## no heading\n```"
    )
    marks = "code and marks"
    assert headings(browser, "runner") == [
        ("Runner", "Runner"),
        ("Erste Übung", "Erste Übung"),
        (marks, marks),
    ]
    for typed in ("übu", "UEBUNG", "erste ub"):
        assert headings(browser, "Runner", typed) == [("Erste Übung", "Erste Übung")]
    assert headings(browser, "Runner", "nothing") == []
    assert headings(browser, "No such page") == []


def test_a_proposed_heading_leads_to_its_place(browser: Client, write: Write) -> None:
    body = "## Setup\n## Setup\n## a | b [c]\n## [[Other]] page\n## C# x\n## !!!\n"
    write("Runner", body)
    html = browser.get("/w/ops/runner").content.decode()
    rows = headings(browser, "Runner")
    assert len(rows) == 6
    for _, link in rows:
        found = find_wikilinks(f"[[Runner#{link}]]")
        assert [(one.target, one.heading) for one in found] == [("Runner", link)]
        assert f'id="{heading_id(link)}"' in html


def test_a_title_with_a_number_sign_is_proposed_too(browser: Client, write: Write) -> None:
    write("C# for beginners")
    write("C", "## Pointers")
    answer = browser.get("/w/ops/titles/headings", {"page": "C", "q": ""}).json()
    assert [row["title"] for row in answer["pages"]] == ["C# for beginners"]
    assert [row["title"] for row in answer["headings"]] == ["Pointers"]


@pytest.mark.parametrize(
    "query", ["%00", "%ff", "'", "%25", "_", "(", "a" * 20_000, "%F0%9F%98%80", "a+" * 500, "%5C"]
)
def test_nothing_that_is_typed_is_an_error(browser: Client, write: Write, query: str) -> None:
    write("Runner", "## Heading")
    assert browser.get(f"/w/ops/titles/links?q={query}").json()["pages"] == []
    assert browser.get(f"/w/ops/titles/headings?page={query}&q={query}").json()["headings"] == []
    assert browser.get(f"/w/ops/titles/headings?page=runner&q={query}").status_code == 200


def test_proposals_are_only_read_and_only_by_those_who_may(
    client: Client, browser: Client, wiki: Wiki
) -> None:
    for address in ("/w/ops/titles/links", "/w/ops/titles/headings"):
        assert browser.post(address).status_code == 405
    client.force_login(User.objects.create_user("stranger"))
    for address in ("/w/ops/titles/links", "/w/ops/titles/headings?page=x"):
        assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("/w/ops/runner", "Runner"),
        ("/w/ops/runner#part", "Runner#part"),
        ("/w/ops/old-runner", "Runner"),
        ("http://127.0.0.1:8494/w/ops/runner", "Runner"),
        ("/w/ops/c-2", "c-2|C#"),
        ("/w/ops/nowhere", ""),
        ("/w/ops/runner/history", ""),
        ("/w/other/runner", ""),
        ("https://example.org/w/ops/runner", ""),
    ],
)
def test_a_pasted_address_becomes_a_link(
    browser: Client, write: Write, wiki: Wiki, address: str, link: str
) -> None:
    Redirect.objects.create(wiki=wiki, slug="old-runner", page=write("Runner"))
    write("C#", slug="c-2")
    assert browser.get("/w/ops/titles/links", {"address": address}).json() == {"link": link}
