"""The index of a wiki: by type with counts, by several tags, in an order of one's choice; all
tags."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.screens import HOSTILE, Write, count_queries, text
from wiki.accounts.wikis import create_wiki
from wiki.models import Page, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page


def listing(browser: Client, query: str = "") -> str:
    answer = browser.get(f"/w/ops/{query}")
    assert answer.status_code == 200
    return text(answer).partition('<div class="listing">')[2].partition("</main>")[0]


def titles(browser: Client, query: str = "") -> list[str]:
    return [
        unescape(title)
        for title in re.findall(r'<a href="/w/ops/[^"]+">([^<]*)</a>', listing(browser, query))
    ]


def headings(browser: Client, query: str = "") -> list[str]:
    found = re.findall(r"<h2[^>]*>(.*?)</h2>", listing(browser, query), re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", "", heading).split()) for heading in found]


@pytest.fixture
def stock(write: Write) -> None:
    write("Runner", type="system", tags=["ci", "disk"])
    write("Log store", "[[Runner]]", type="system", tags=["disk"])
    write("Pipeline is red", "[[Runner]] [[Log store]]", type="problem", tags=["ci"])
    write("Notes", "[[Runner]] [[runner]] [[Notes]]")


def test_a_small_wiki_is_shown_by_type_with_counts(browser: Client, stock: None) -> None:
    assert headings(browser) == ["Problems 1", "Systems 2", "No type 1"]
    assert titles(browser) == ["Pipeline is red", "Log store", "Runner", "Notes"]


def test_a_wiki_of_one_kind_or_of_many_pages_is_shown_by_letter(
    browser: Client, wiki: Wiki, write: Write
) -> None:
    write("Alpha")
    assert headings(browser) == ["A"]
    write("Beta", type="topic")
    assert headings(browser) == ["Topics 1", "No type 1"]
    Page.objects.bulk_create(
        Page(wiki=wiki, slug=f"p-{n}", title=f"P {n:03}", title_key=f"p {n:03}", text_hash="")
        for n in range(99)
    )
    assert headings(browser) == ["A", "B", "P"]
    assert headings(browser, "?sort=type")[0] == "Topics 1"
    assert headings(browser, "?sort=type&page=2") == ["No type 100"]


def test_pages_without_a_type_are_a_filter(browser: Client, stock: None) -> None:
    assert titles(browser, "?type=none") == ["Notes"]
    assert re.search(
        r'href="/w/ops/\?type=none"[^>]*>No type <span class="n">1</span>',
        text(browser.get("/w/ops/")),
    )


def test_several_tags_and_a_type_narrow_together(browser: Client, stock: None) -> None:
    assert titles(browser, "?tag=ci") == ["Pipeline is red", "Runner"]
    assert titles(browser, "?tag=ci&tag=disk") == ["Runner"]
    assert titles(browser, "?tag=ci&type=problem") == ["Pipeline is red"]
    assert titles(browser, "?tag=ci&tag=disk&type=problem") == []


def test_what_would_narrow_further_shows_its_count(browser: Client, stock: None) -> None:
    html = text(browser.get("/w/ops/?tag=ci"))
    assert re.search(r'href="/w/ops/\?type=problem&tag=ci">Problems <span class="num">1<', html)
    assert re.search(r'href="/w/ops/\?type=system&tag=ci">Systems <span class="num">1<', html)
    assert re.search(r'href="/w/ops/\?tag=ci&tag=disk">disk <span class="num">1<', html)
    # The one that is chosen already can only be taken away.
    assert 'href="/w/ops/?tag=ci&tag=ci"' not in html
    assert re.search(r'href="/w/ops/"[^>]*>Tag: ci', html)


def test_a_filter_that_is_taken_away_leaves_the_others(browser: Client, stock: None) -> None:
    html = text(browser.get("/w/ops/?tag=ci&tag=disk&type=system&sort=changed"))
    assert re.search(r'href="/w/ops/\?type=system&tag=disk&sort=changed"[^>]*>Tag: ci', html)
    assert re.search(r'href="/w/ops/\?tag=ci&tag=disk&sort=changed"[^>]*>System ', html)


def test_the_order_can_be_chosen(browser: Client, stock: None) -> None:
    Page.objects.filter(slug="notes").update(updated_at=timezone.now() + timedelta(hours=1))
    assert titles(browser, "?sort=changed")[0] == "Notes"
    assert titles(browser, "?sort=title") == ["Log store", "Notes", "Pipeline is red", "Runner"]
    assert titles(browser, "?sort=linked") == ["Runner", "Log store", "Notes", "Pipeline is red"]
    # A page that links twice counts once, a page that links to itself not at all.
    assert "3 pages link here" in listing(browser, "?sort=linked")


def test_the_trash_does_not_count_as_linking(browser: Client, stock: None, author: Author) -> None:
    trash_page(Page.objects.get(slug="notes"), author=author)
    assert "2 pages link here" in listing(browser, "?sort=linked")


def test_an_order_is_kept_from_screen_to_screen(browser: Client, wiki: Wiki) -> None:
    Page.objects.bulk_create(
        Page(wiki=wiki, slug=f"p-{n}", title=f"P {n}", title_key=f"p {n}", text_hash="", tags=["t"])
        for n in range(101)
    )
    assert 'href="?tag=t&sort=linked&page=2"' in text(browser.get("/w/ops/?tag=t&sort=linked"))
    assert len(titles(browser, "?tag=t&sort=linked&page=2")) == 1


def test_a_tag_is_found_in_every_spelling(browser: Client, write: Write) -> None:
    write("Netz", tags=["Anschlüsse"])
    write("Other", tags=["anschluss"])
    for spelling in ("Anschl%C3%BCsse", "anschluesse", "ANSCHLUSSE"):
        assert titles(browser, f"?tag={spelling}") == ["Netz"], spelling
    assert "Tag: anschlüsse" in text(browser.get("/w/ops/?tag=anschluesse"))


def test_the_exact_tag_comes_before_one_that_folds_alike(browser: Client, write: Write) -> None:
    write("With", tags=["anschlüsse"])
    write("Without", tags=["anschluesse"])
    assert titles(browser, "?tag=anschluesse") == ["Without"]
    assert titles(browser, "?tag=anschl%C3%BCsse") == ["With"]


def test_all_tags_are_listed_not_only_the_most_used(browser: Client, write: Write) -> None:
    write("One", tags=[f"tag {n:02}" for n in range(70)])
    write("Two", tags=["tag 69", "Übung"])
    html = text(browser.get("/w/ops/tags"))
    assert html.count('class="chip" href="/w/ops/?tag=') == 71
    assert re.search(r'href="/w/ops/\?tag=%C3%BCbung">übung <span class="num">1<', html)
    assert html.index(">tag 69 ") < html.index(">übung ")
    assert "<h2>U</h2>" in html
    most = text(browser.get("/w/ops/tags?sort=count"))
    assert most.index(">tag 69 ") < most.index(">tag 00 ")
    assert 'href="/w/ops/tags"' in text(browser.get("/w/ops/"))


def test_tags_of_the_trash_and_of_other_wikis_are_not_listed(
    browser: Client, write: Write, author: Author
) -> None:
    trash_page(write("Gone", tags=["hidden"]), author=author)
    Page.objects.create(wiki=create_wiki("Other"), slug="x", title="X", tags=["elsewhere"])
    html = text(browser.get("/w/ops/tags"))
    assert ">hidden " not in html
    assert ">elsewhere " not in html
    assert "No page has a tag yet." in html


def test_hostile_tags_are_text(browser: Client, write: Write) -> None:
    write("A", tags=[HOSTILE, "a&b=c", "#%?"])
    for address in ("/w/ops/", "/w/ops/tags", "/w/ops/?tag=%3Cscript%3Ealert(1)%3C/script%3E"):
        assert "<script>alert" not in browser.get(address).content.decode()
    for tag in ("a%26b%3Dc", "%25%3F"):
        assert titles(browser, f"?tag={tag}") == ["A"]


@pytest.mark.parametrize(
    "query",
    [
        "sort=nonsense",
        "tag=",
        "tag=%00&tag=%ff",
        "type=none&letter=%00",
        "&".join(f"tag={n}" for n in range(50)),
    ],
)
def test_an_odd_question_is_no_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/?{query}").status_code == 200


def test_the_number_of_queries_does_not_grow_with_tags_and_pages(
    browser: Client, write: Write
) -> None:
    addresses = [
        "/w/ops/",
        "/w/ops/?tag=t0&type=topic",
        "/w/ops/?sort=linked",
        "/w/ops/?to=page-0",
        "/w/ops/tags",
    ]

    def fill(start: int) -> dict[str, int]:
        for number in range(start, start + 4):
            write(f"Page {number}", "[[Page 0]]", type="topic", tags=["t0", f"t{number}"])
        return {address: count_queries(browser, address) for address in addresses}

    assert fill(4) is not None
    few = fill(8)
    assert fill(20) == few
    assert max(few.values()) <= 13
