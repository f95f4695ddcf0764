"""What a wiki of many pages shows and costs."""

from html import unescape

from django.db import connection
from django.test import Client

from tests.graph.test_graph import add_pages, link, names, picture
from tests.support.api_client import ApiClient
from tests.support.screens import Write, count_queries, text
from tests.support.search import recall
from tests.support.thorough import share_of
from tests.support.writing import append_text
from wiki.graph import MAX_NODES, NEIGHBOURS_A_SIDE
from wiki.models import Agent, Page, Wiki
from wiki.pages.author import Author
from wiki.search.matcher import Matcher
from wiki.search.retrieval import Mode


def test_a_hub_with_very_many_links_is_cut_with_a_note(
    browser: Client, write: Write, wiki: Wiki
) -> None:
    count = share_of(18_500)
    hub = write("Hub")
    pages = add_pages(wiki, count)
    link([(page, hub) for page in pages])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE wiki_page, wiki_link")
    answer = browser.get("/w/ops/hub/map")
    assert len(names(picture(browser, "/w/ops/hub/map"))) == NEIGHBOURS_A_SIDE + 1
    assert f"{count - NEIGHBOURS_A_SIDE} more pages are linked with this one." in text(answer)
    assert 'href="/w/ops/?to=hub"' in text(answer)
    assert len(answer.content) < 60_000
    assert count_queries(browser, "/w/ops/hub/map") <= 17
    whole = picture(browser, "/w/ops/map")
    assert len(names(whole)) == MAX_NODES
    assert "Hub" in names(whole)
    assert browser.get("/w/ops/hub").status_code == 200
    assert f"{count} pages" in unescape(browser.get("/w/ops/?to=hub").content.decode())


def test_of_a_page_of_many_additions_everything_is_found_and_a_split_is_suggested(
    browser: Client, api: ApiClient, write: Write, wiki: Wiki, agent: Agent
) -> None:
    write("Protokoll", "Was am Spiegel geschah.")
    write("Kurz", "x" * 8000)
    count = share_of(500)
    for number in range(count):
        append_text(
            Page.objects.get(slug="protokoll"),
            f"Eintrag zz{number}q:" + " Der Spiegel wurde neu gestartet." * (500 // count),
            author=Author.of_agent(agent),
        )
    for number in (0, count - 1):
        for mode in (Mode.KEYWORD, Mode.HYBRID):
            [first, *_others] = recall(wiki, f"zz{number}q", mode=mode).hits
            assert first.page.slug == "protokoll"
            assert f"zz{number}q" in Matcher(f"zz{number}q").snippet_of_page(first.page.body)
    html = text(browser.get("/w/ops/health?finding=long"))
    assert "Split the page" in html
    assert "/w/ops/protokoll" in html
    assert "/w/ops/kurz" not in html
