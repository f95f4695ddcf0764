"""What a name means: titles, aliases, addresses, files and former names, by one resolver."""

import re

import pytest
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.folders import put, run
from tests.support.screens import text
from tests.support.search import recall
from tests.support.writing import create_page, revise_page
from wiki.graph.load_graph import collect_graph
from wiki.merging.merge import merge_pages, undo_merge
from wiki.models import Link, Page, Redirect, Wiki
from wiki.names.addresses import page_path
from wiki.names.resolve import resolve_links, resolve_page
from wiki.pages.author import Author
from wiki.pages.link_rewriting import rewrite_links
from wiki.pages.links import fill_links, find_backlinks
from wiki.pages.redirects import remove_redirect
from wiki.pages.rename import rename_page
from wiki.pages.trash import restore_page, trash_page
from wiki.search.hit import Mode


@pytest.fixture
def browser(client: Client, person) -> Client:
    client.force_login(person)
    return client


def means(wiki: Wiki, name: str) -> list[str]:
    """The slugs of the pages that a wikilink means."""
    found = resolve_links(wiki.pk, [name]).get(name)
    return [page.slug for page in found.pages] if found else []


def leads_to(page: Page) -> list[str | None]:
    return list(page.links.order_by("id").values_list("resolved_page__slug", flat=True))


def retitle(page: Page, title: str, author: Author, **more: object) -> Page:
    page.refresh_from_db()
    return revise_page(page, page.revision, title=title, body=page.body, author=author, **more)


def article(browser: Client, page: Page) -> str:
    html = text(browser.get(page.get_absolute_url()))
    return html.partition("<article")[2].partition("</article>")[0]


def test_every_title_of_the_form_leads_on(wiki, write, author) -> None:
    page = write("Otter notes")
    linking = write("Linking", "[[Badger notes]] [[Otter notes]]")
    page = retitle(page, "Badger notes", author)
    page = retitle(page, "Weasel notes", author)
    assert page.slug == "otter-notes"
    assert leads_to(linking) == ["otter-notes"] * 2
    assert means(wiki, "badger NOTES") == ["otter-notes"]


def test_titles_of_put_and_of_an_import_lead_on(wiki, api: ApiClient, tmp_path) -> None:
    content = {"title": "Eins", "body": "x"}
    assert api.put("/pages/seite", content).status_code == 201
    for number, title in enumerate(["Zwei", "Drei"], start=1):
        sent = {"title": title, "body": "x", "base_revision": number}
        assert api.put("/pages/seite", sent).status_code == 200
    put(tmp_path, "datei.md", "---\ntitle: Erster\n---\nText")
    run(wiki, tmp_path)
    put(tmp_path, "datei.md", "---\ntitle: Zweiter\n---\nText")
    run(wiki, tmp_path)
    assert means(wiki, "Eins") == means(wiki, "Zwei") == ["seite"]
    assert means(wiki, "Erster") == ["datei"]


def test_the_names_of_a_merged_page_lead_to_the_other_and_come_back(wiki, write, author) -> None:
    kept = write("Bleibt", "Ein Text, der bleibt.")
    gone = write("Alter Titel", "Ganz anderer Text.", aliases=["AT"])
    gone = retitle(gone, "Geht", author)
    merge = merge_pages(kept, gone, author=author)
    for name in ("Geht", "Alter Titel", "AT", "alter-titel"):
        assert means(wiki, name) == ["bleibt"], name
    undo_merge(merge, author=author)
    for name in ("Geht", "Alter Titel", "AT", "alter-titel"):
        assert means(wiki, name) == ["alter-titel"], name
    assert not Redirect.objects.filter(page=kept).exists()


def test_the_names_of_a_trashed_page_lead_to_its_successor_and_come_back(
    wiki, write, author
) -> None:
    heir = write("Erbe")
    page = retitle(write("Früher", aliases=["F"]), "Später", author)
    page = trash_page(page, author=author, successor=heir)
    for name in ("Früher", "Später", "F"):
        assert means(wiki, name) == ["erbe"], name
    restore_page(page, author=author)
    for name in ("Früher", "Später", "F"):
        assert means(wiki, name) == ["früher"], name


def test_an_alias_that_is_taken_away_leads_on_until_it_is_removed_for_good(
    wiki, write, author, browser
) -> None:
    page = write("Seite", aliases=["Kürzel"])
    linking = write("Linking", "[[Kürzel]]")
    page = retitle(page, "Seite", author, aliases=[])
    assert leads_to(linking) == ["seite"]
    html = text(browser.get("/w/ops/seite"))
    assert "Former names" in html
    assert '<a href="/w/ops/k%C3%BCrzel?redirect=no">Kürzel</a>' in html
    remove_redirect(Redirect.objects.get(slug="kürzel"))
    assert leads_to(linking) == [None]


def test_another_page_takes_a_former_name(wiki, write, author) -> None:
    first = retitle(write("Name"), "Anders", author)
    linking = write("Linking", "[[Name]]")
    assert first.slug == "name"
    second = write("Zweite")
    retitle(second, "Name", author)
    assert leads_to(linking) == ["zweite"]
    retitle(second, "Wieder anders", author)
    assert means(wiki, "Name") == ["name"]


def test_the_order_of_a_wikilink_is_not_that_of_an_address(wiki, write, author) -> None:
    write("Anders", slug="foo")
    write("Foo", slug="bar")
    assert means(wiki, "Foo") == ["bar"]
    assert means(wiki, "foo") == ["bar"]
    assert resolve_page(wiki, "foo").page.slug == "foo"
    create_page(wiki, title="X", body="", author=author, slug="x", aliases=["anders"])
    assert means(wiki, "Anders") == ["foo"]
    trash_page(Page.objects.get(slug="foo"), author=author)
    assert means(wiki, "Anders") == ["x"]


def test_two_pages_of_one_name_are_a_choice(write, browser: Client, author, api) -> None:
    one, two = write("Runner"), write("Läufer", aliases=["Runner"])
    linking = write("Linking", "[[Runner]] [[runner]] [[Läufer]]")
    assert leads_to(linking) == ["runner", "runner", "läufer"]
    retitle(two, "Runner", author)
    assert leads_to(linking) == [None, None, "läufer"]
    html = article(browser, linking)
    assert '<a href="/w/ops/titles?name=Runner" class="several"' in html
    answer = browser.get("/w/ops/titles?name=Runner")
    assert answer.status_code == 300
    assert '<a href="/w/ops/runner">' in text(answer)
    assert '<a href="/w/ops/l%C3%A4ufer">' in text(answer)
    assert "Runner" not in text(browser.get("/w/ops/health?finding=dead-links")).partition("<h2")[2]
    # An address is one page's alone.
    assert browser.get("/w/ops/runner").status_code == 200
    retitle(one, "Rennen", author)
    assert leads_to(linking) == ["läufer", "läufer", "läufer"]
    assert browser.get("/w/ops/titles?name=Runner")["Location"] == "/w/ops/l%C3%A4ufer"


def test_the_api_names_the_pages_that_share_a_name(write, author, api: ApiClient) -> None:
    write("Eins", slug="a", aliases=["Beide"])
    write("Zwei", slug="b", aliases=["Beide"])
    answer = api.get("/pages/Beide")
    assert answer.status_code == 409
    assert "“Eins” (a)" in answer.json()["detail"]
    assert "“Zwei” (b)" in answer.json()["detail"]
    filed = api.post("/insights", {"text": "Ein Satz über beides.", "page": "Beide"})
    assert (filed.status_code, list(filed.json()["errors"])) == (422, ["page"])


def test_a_hash_in_a_title_is_no_heading(wiki, write, author, browser: Client) -> None:
    linking = write("Linking", "[[C# thing]] [[C#thing]] [[C# thing|so]]")
    write("C")
    assert set(leads_to(linking)) == {"c"}
    page = write("C# thing")
    assert leads_to(linking) == ["c-thing", "c"]
    html = article(browser, linking)
    drawn = re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', html)
    assert drawn == [
        ("/w/ops/c-thing", "C# thing"),
        ("/w/ops/c#thing", "C › thing"),
        ("/w/ops/c-thing", "so"),
    ]
    page = rename_page(page, 1, title="Csharp", author=author)
    rewrite_links(page.revisions.first())
    linking.refresh_from_db()
    assert linking.body == "[[Csharp]] [[C#thing]] [[Csharp|so]]"


@pytest.mark.parametrize(
    "written",
    [
        "[a](http://127.0.0.1:8494/w/ops/rel-b)",
        "http://127.0.0.1:8494/w/ops/rel-b",
        "<http://localhost:8494/w/ops/rel-b>",
        "[a](/w/ops/rel-b#h)",
        "[b](rel-b.md)",
        "[b](./rel-b.md)",
        "[b](rel-b)",
        "[c](../x/rel-b.md#h)",
        "[d][1]\n\n[1]: rel-b.md",
        "[e](<x y/rel-b.md>)",
        "[f](x%20y/Rel%20B.md)",
        "[[Rel B.md]]",
        "[[x/rel-b.md]]",
    ],
)
def test_whatever_leads_to_a_page_is_a_link(written, write, author, browser: Client) -> None:
    page = write("Rel B")
    linking = write("Linking", written)
    assert leads_to(linking) == ["rel-b"]
    assert [link.page.slug for link in find_backlinks(page, 5)[0]] == ["linking"]
    assert 'href="/w/ops/rel-b' in article(browser, linking)
    page = rename_page(page, 1, title="Rel C", author=author)
    assert rewrite_links(page.revisions.first()).pages == 1
    linking.refresh_from_db()
    assert "el-b" not in linking.body
    assert "el%20B" not in linking.body
    assert leads_to(linking) == ["rel-c"]
    trash_page(page, author=author)
    assert leads_to(linking) == [None]
    assert "dead-links" in text(browser.get("/w/ops/health?finding=dead-links"))


@pytest.mark.parametrize(
    "href",
    [
        "https://example.org/w/ops/rel-b",
        "http://127.0.0.1:9999/w/ops/rel-b",
        "/w/other/rel-b",
        "/w/ops/search",
        "/w/ops/rel-b/history",
        "/w/ops/rel-b.md",
        "/admin/",
        "mailto:a@b.example",
        "tel:+49123",
        "obsidian://open?vault=x",
        "#part",
        "files/Vertrag.pdf",
        "../up",
        "..",
        ".",
        "",
        "http://[",
    ],
)
def test_other_addresses_are_none_of_a_page(href) -> None:
    assert page_path(href, "ops") == ""


def test_links_of_earlier_pages_are_found_once(write, wiki) -> None:
    write("Ziel")
    page = write("Linking", "[z](ziel.md) [[Ziel]] [[Linking]]")
    Link.objects.filter(is_address=True).delete()
    # What was resolved by other rules is resolved anew.
    Link.objects.filter(target_text="Ziel").update(resolved_page=page)
    Page.objects.update(links_recipe=0)
    assert (fill_links(), fill_links()) == (2, 0)
    rows = page.links.order_by("target_text", "is_address")
    assert dict(rows.values_list("target_text", "resolved_page__slug")) == {
        "Linking": "linking",
        "Ziel": "ziel",
        "ziel.md": "ziel",
    }


def test_code_is_not_rewritten_with_an_address(write, author) -> None:
    page = write("Alt")
    linking = write("Linking", "[a](alt.md)\n\n```\n[a](alt.md)\n```\n")
    page = rename_page(page, 1, title="Neu", author=author)
    rewrite_links(page.revisions.first())
    linking.refresh_from_db()
    assert linking.body == "[a](neu.md)\n\n```\n[a](alt.md)\n```\n"


def test_an_agent_makes_no_second_page_of_one_name(write, api: ApiClient) -> None:
    write("Runner", aliases=["Läufer"])
    for title in ("Runner", "runner ", "Läufer"):
        answer = api.put("/pages/other-slug", {"title": title, "body": "x"})
        assert (answer.status_code, answer.json()["slug"]) == (409, "runner")
        assert "/pages/runner/append" in answer.json()["detail"]
    assert api.put("/pages/other-slug", {"title": "Runner 2", "body": "x"}).status_code == 201


def test_a_stale_red_link_opens_the_page(write, browser: Client) -> None:
    write("Runner")
    assert browser.get("/w/ops/new?title=Runner")["Location"] == "/w/ops/runner"
    assert browser.get("/w/ops/new?title=Noch+keine").status_code == 200


def test_a_template_is_neither_recalled_nor_on_the_map(write, wiki) -> None:
    write("Vorlage: Problem", "Der Drucker druckt nicht. [[Drucker]]")
    page = write("Drucker", "Der Drucker druckt nicht, weil Papier fehlt.")
    write("Papier", "[[Drucker]]")
    for mode in Mode:
        slugs = [hit.page.slug for hit in recall(wiki, "Der Drucker druckt nicht", mode).hits]
        assert page.slug in slugs
        assert "vorlage-problem" not in slugs
    assert {node.slug for node in collect_graph(wiki).nodes} == {"drucker", "papier"}


@pytest.mark.parametrize("is_other_there", [False, True])
def test_a_lost_title_with_a_hash_leads_on_where_its_address_stays(
    write, author, is_other_there: bool
) -> None:
    if is_other_there:
        write("C")
    page = write("C# thing")
    linking = write("Linking", "[[C# thing]]")
    retitle(page, "Otter", author)
    assert leads_to(linking) == ["c-thing"]
    retitle(page, "Badger", author)
    assert leads_to(linking) == ["c-thing"]
    page.refresh_from_db()
    rename_page(page, page.revision, title="Weasel", author=author)
    assert leads_to(linking) == ["weasel"]
