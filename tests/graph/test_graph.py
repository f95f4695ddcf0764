"""The map of a wiki and the neighbourhood of a page, as pictures and in words."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client

from embeddings.client import active_fingerprint
from tests.support.screens import HOSTILE, Write, count_queries, text
from wiki.accounts.wikis import create_wiki
from wiki.graph import MAX_NODES
from wiki.models import Link, Page, Redirect, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

SVG = "{http://www.w3.org/2000/svg}"


def picture(browser: Client, address: str) -> ElementTree.Element | None:
    """The drawing, which must also be well-formed XML."""
    html = browser.get(address).content.decode()
    found = re.search(r'<svg class="map".*?</svg>', html, re.DOTALL)
    if not found:
        return None
    return ElementTree.fromstring(
        found[0].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    )


def names(drawn: ElementTree.Element) -> list[str]:
    return [
        " ".join(text.text or "" for text in dot.iter(f"{SVG}text"))
        for dot in drawn.iter(f"{SVG}a")
    ]


def lines(drawn: ElementTree.Element) -> set[tuple[str, str, str]]:
    """From, to and kind of each line: "one", "both" or "similar"."""
    of = names(drawn)
    found = set()
    for edge in drawn.iter(f"{SVG}path"):
        if "data-from" in edge.attrib:
            kind = (
                "similar"
                if "marker-end" not in edge.attrib
                else "both"
                if "marker-start" in edge.attrib
                else "one"
            )
            found.add((of[int(edge.attrib["data-from"])], of[int(edge.attrib["data-to"])], kind))
    return found


def boxes(drawn: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(text.attrib["x"]), float(text.attrib["y"])) for text in drawn.iter(f"{SVG}text")]


def add_pages(wiki: Wiki, count: int, start: int = 0) -> list[Page]:
    return Page.objects.bulk_create(
        Page(wiki=wiki, slug=f"p-{n}", title=f"P {n}", title_key=f"p {n}", text_hash="")
        for n in range(start, start + count)
    )


def link(pairs: list[tuple[Page, Page]]) -> None:
    Link.objects.bulk_create(
        Link(
            from_page=a,
            resolved_page=b,
            target_text=b.title,
            target_key=b.slug,
            target_folds=[b.slug],
        )
        for a, b in pairs
    )


# -- the whole wiki


def test_the_map_shows_pages_and_the_direction_of_their_links(
    browser: Client, write: Write
) -> None:
    write("Runner", type="system")
    write("Pipeline", "[[Runner]] [[Pipeline]]", type="problem")
    write("Team", "[[Pipeline]] [[pipeline]]")
    write("Runner two", "[[Team]]")
    drawn = picture(browser, "/w/ops/map")
    assert sorted(names(drawn)) == ["Pipeline", "Runner", "Runner two", "Team"]
    assert lines(drawn) == {
        ("Pipeline", "Runner", "one"),
        ("Team", "Pipeline", "one"),
        ("Runner two", "Team", "one"),
    }


def test_two_pages_that_link_to_each_other_share_a_line(browser: Client, write: Write) -> None:
    write("A", "[[B]]")
    write("B", "[[A]]")
    assert {kind for _, _, kind in lines(picture(browser, "/w/ops/map"))} == {"both"}
    assert len(lines(picture(browser, "/w/ops/map"))) == 1


def test_a_link_to_a_redirect_leads_to_its_page(browser: Client, write: Write, wiki: Wiki) -> None:
    Redirect.objects.create(wiki=wiki, slug="old", page=write("New"))
    write("A", "[[Old]]")
    assert lines(picture(browser, "/w/ops/map")) == {("A", "New", "one")}


def test_every_dot_is_a_link_with_a_title_and_a_sign_of_its_type(
    browser: Client, write: Write
) -> None:
    write("Runner", type="system")
    write("Pipeline", "[[Runner]]", type="problem")
    write("Notes", "[[Runner]]")
    drawn = picture(browser, "/w/ops/map")
    dots = {dot.attrib["href"]: dot for dot in drawn.iter(f"{SVG}a")}
    assert set(dots) == {"/w/ops/runner", "/w/ops/pipeline", "/w/ops/notes"}
    assert dots["/w/ops/runner"].find(f"{SVG}title").text == "Runner · System · 2 pages link here"
    assert "of-system" in dots["/w/ops/runner"].attrib["class"]
    signs = {dot.find(f"{SVG}path").attrib["d"] for dot in dots.values()}
    assert len(signs) == 3
    assert drawn.find(f"{SVG}title").text == "Betrieb"
    assert "3 pages and 2 links" in drawn.find(f"{SVG}desc").text


def test_the_table_says_the_same(browser: Client, write: Write) -> None:
    write("Runner", type="system")
    write("Pipeline", "[[Runner]]")
    table = text(browser.get("/w/ops/map")).partition('id="as-table"')[2]
    row = re.search(r'<th scope="row"><a href="/w/ops/pipeline">.*?</tr>', table, re.DOTALL)[0]
    assert '<a href="/w/ops/runner">Runner</a>' in row
    assert 'href="/w/ops/pipeline/map"' in row


def test_pages_without_a_link_are_counted_not_drawn(browser: Client, write: Write) -> None:
    write("A", "[[B]]")
    write("B")
    write("Alone", "[[Alone]] [[Wanted]]")
    assert sorted(names(picture(browser, "/w/ops/map"))) == ["A", "B"]
    html = text(browser.get("/w/ops/map"))
    assert re.search(r'href="/w/ops/health\?finding=orphans">1 page has no link at all<', html)


def test_the_map_of_one_type(browser: Client, write: Write) -> None:
    write("Runner", "[[Log store]]", type="system")
    write("Log store", type="system")
    write("Pipeline", "[[Runner]] [[Notes]]", type="problem")
    write("Notes", "[[More notes]]")
    write("More notes")
    assert sorted(names(picture(browser, "/w/ops/map?type=system"))) == ["Log store", "Runner"]
    assert sorted(names(picture(browser, "/w/ops/map?type=none"))) == ["More notes", "Notes"]
    assert "No two pages of this type are connected." in text(
        browser.get("/w/ops/map?type=problem")
    )


def test_the_trash_and_other_wikis_are_not_on_the_map(
    browser: Client, write: Write, author: Author
) -> None:
    write("A", "[[B]] [[Secret]]")
    write("B")
    trash_page(write("Secret", "[[A]]"), author=author)
    other = create_wiki("Other")
    link([tuple(add_pages(other, 2))])
    assert sorted(names(picture(browser, "/w/ops/map"))) == ["A", "B"]
    assert picture(browser, "/w/other/map") is None


def test_a_change_is_on_the_map_at_once(browser: Client, write: Write, author: Author) -> None:
    write("A", "[[B]] [[C]]")
    write("B")
    assert sorted(names(picture(browser, "/w/ops/map"))) == ["A", "B"]
    c = write("C")
    assert sorted(names(picture(browser, "/w/ops/map"))) == ["A", "B", "C"]
    trash_page(c, author=author)
    assert sorted(names(picture(browser, "/w/ops/map"))) == ["A", "B"]


def test_the_same_links_give_the_same_picture(browser: Client, write: Write) -> None:
    for number in range(12):
        write(f"Page {number}", f"[[Page {number // 2}]] [[Page {number * 5 % 12}]]")
    first = browser.get("/w/ops/map").content
    Page.objects.filter(slug="page-0").update(updated_at="2030-01-01T00:00:00Z")
    again = browser.get("/w/ops/map").content
    cut = re.compile(rb'<svg class="map".*?</svg>', re.DOTALL)
    assert cut.search(first)[0] == cut.search(again)[0]


def test_no_name_covers_another(browser: Client, wiki: Wiki) -> None:
    pages = add_pages(wiki, 60)
    link([(page, pages[n * n % 17]) for n, page in enumerate(pages) if n != n * n % 17])
    places = boxes(picture(browser, "/w/ops/map"))
    near = [
        (a, b)
        for n, a in enumerate(places)
        for b in places[:n]
        if abs(a[0] - b[0]) < 30 and abs(a[1] - b[1]) < 13
    ]
    assert near == []


def test_names_stay_within_the_picture(browser: Client, wiki: Wiki) -> None:
    pages = add_pages(wiki, 100)
    link([(page, pages[0]) for page in pages[1:]])
    drawn = picture(browser, "/w/ops/map")
    assert all(0 < x < float(drawn.attrib["width"]) for x, _ in boxes(drawn))
    assert all(0 < y < float(drawn.attrib["height"]) for _, y in boxes(drawn))


def test_a_large_map_is_cut_to_the_most_linked_and_says_so(browser: Client, wiki: Wiki) -> None:
    pages = add_pages(wiki, MAX_NODES + 50)
    hub, second = pages[-1], pages[-2]
    link([(page, hub) for page in pages[:-2]] + [(page, second) for page in pages[:30]])
    drawn = picture(browser, "/w/ops/map")
    assert len(names(drawn)) == MAX_NODES
    assert {hub.title, second.title} <= set(names(drawn))
    assert (
        f"The {MAX_NODES} pages that most others link to, of {MAX_NODES + 50} with links."
        in text(browser.get("/w/ops/map"))
    )


def set_vectors(vectors: dict[Page, list[float]]) -> None:
    for page, head in vectors.items():
        vector = np.zeros(256, dtype=np.float32)
        vector[: len(head)] = head
        Page.objects.filter(pk=page.pk).update(embedding=vector, embed_model=active_fingerprint())


def test_similar_pages_are_dotted_from_0_60_on_when_asked_for(
    browser: Client, write: Write
) -> None:
    a, b, at, below = write("A", "[[B]]"), write("B"), write("At"), write("Below")
    set_vectors(
        {
            a: [1.0],
            b: [0.9, 0.0, 0.0, 0.19**0.5],
            at: [0.6, 0.8],
            below: [0.59, 0.0, (1 - 0.59**2) ** 0.5],
        }
    )
    assert lines(picture(browser, "/w/ops/map")) == {("A", "B", "one")}
    assert lines(picture(browser, "/w/ops/map?similar")) == {
        ("A", "B", "one"),
        ("A", "At", "similar"),
    }
    set_vectors({at: [0.0, 1.0]})
    Page.objects.filter(pk=at.pk).update(
        embed_model="another:model:256", updated_at="2030-01-01T00:00:00Z"
    )
    assert lines(picture(browser, "/w/ops/map?similar")) == {("A", "B", "one")}


def test_an_empty_wiki_and_one_with_a_single_page_have_no_map_yet(
    browser: Client, write: Write
) -> None:
    assert "There is no page in this wiki yet." in text(browser.get("/w/ops/map"))
    write("Only", "[[Only]]")
    for address in ("/w/ops/map", "/w/ops/map?similar"):
        assert "Nothing to draw yet" in text(browser.get(address))


# -- hostile and foreign titles

TITLES = [
    HOSTILE,
    "</title></svg><img src=x onerror=alert(1)>",
    "A & B ' \" <tspan>",
    "]]> <!-- x",
    "日本語の長い長い長い題名です長い",
    "Übung макет 위키 ñ",
    "👩‍👩‍👧 family",
    "e" + "\u0301" * 150,
    "x" * 200,
    "‮right to left",
]


@pytest.mark.parametrize("title", TITLES)
def test_any_title_is_text_in_a_picture(browser: Client, write: Write, title: str) -> None:
    page = write(title, "[[Hub]]", type="topic")
    write("Hub")
    for address in ("/w/ops/map", "/w/ops/hub/map", f"{page.get_absolute_url()}/map"):
        html = browser.get(address).content.decode()
        assert "<script>alert" not in html
        assert "<img" not in html
        assert "<tspan>" not in html
        drawn = picture(browser, address)
        assert page.title in [
            dot.find(f"{SVG}title").text.rpartition(" · Topic")[0] for dot in drawn.iter(f"{SVG}a")
        ]


def test_long_titles_are_cut_and_stay_whole_for_whoever_points(
    browser: Client, write: Write
) -> None:
    title = "A title of many words that nobody could ever place beside a dot on a map of anything"
    write(title, "[[Hub]]")
    write("Hub")
    for address in ("/w/ops/map", "/w/ops/hub/map"):
        drawn = picture(browser, address)
        label = next(name for name in names(drawn) if name != "Hub")
        assert len(label) < 60
        assert label.endswith("…")
        assert any(mark.text.startswith(title) for mark in drawn.iter(f"{SVG}title"))


def test_a_picture_has_no_style_of_its_own(browser: Client, write: Write) -> None:
    write("A", "[[B]]", type="topic")
    write("B")
    html = browser.get("/w/ops/map").content.decode()
    assert " style=" not in html
    assert "<style" not in html


# -- the neighbourhood


def test_the_neighbourhood_tells_directions_apart(browser: Client, write: Write) -> None:
    write("Runner", "[[Team]] [[Log store]] [[Runner]] [[Wanted]]")
    write("Team", "[[Runner]]")
    write("Log store")
    write("Pipeline", "[[Runner]] [[runner]] [[Log store]]")
    write("Far", "[[Pipeline]]")
    drawn = picture(browser, "/w/ops/runner/map")
    assert sorted(names(drawn)) == ["Log store", "Pipeline", "Runner", "Team"]
    assert {frozenset((a, b)): kind for a, b, kind in lines(drawn)} == {
        frozenset(("Runner", "Team")): "both",
        frozenset(("Runner", "Log store")): "one",
        frozenset(("Pipeline", "Runner")): "one",
        frozenset(("Pipeline", "Log store")): "one",
    }
    lists = text(browser.get("/w/ops/runner/map")).partition('id="as-lists"')[2]
    for heading, title in (
        ("Link here", "Pipeline"),
        ("Linked both ways", "Team"),
        ("links to", "Log store"),
    ):
        section = lists.partition(f"{heading} <span")[2].partition("</section>")[0]
        assert re.findall(r'<a href="/w/ops/[^"/]+">([^<]*)</a>', section) == [title]


def test_a_page_that_only_links_to_itself_has_nothing_around_it(
    browser: Client, write: Write
) -> None:
    write("Lonely", "[[Lonely]]")
    assert "Nothing around it yet" in text(browser.get("/w/ops/lonely/map"))


def test_similar_pages_that_are_not_linked_stand_below(browser: Client, write: Write) -> None:
    a, b, near = write("A", "[[B]]"), write("B"), write("Near")
    set_vectors({a: [1.0], b: [1.0], near: [0.7, 0.51**0.5]})
    assert ("A", "Near", "similar") not in lines(picture(browser, "/w/ops/a/map"))
    assert lines(picture(browser, "/w/ops/a/map?similar")) == {
        ("A", "B", "one"),
        ("A", "Near", "similar"),
    }
    assert "related 0.70" in text(browser.get("/w/ops/a/map?similar"))


def test_the_map_of_a_page_is_linked_from_it_and_follows_redirects(
    browser: Client, write: Write, wiki: Wiki
) -> None:
    page = write("Runner", "[[Runner]]")
    Redirect.objects.create(wiki=wiki, slug="old", page=page)
    assert 'href="/w/ops/runner/map"' in text(browser.get("/w/ops/runner"))
    assert browser.get("/w/ops/old/map")["Location"] == "/w/ops/runner/map"
    assert browser.get("/w/ops/nothing/map").status_code == 404


def test_a_public_wiki_is_drawn_for_a_reader_and_a_closed_one_for_nobody_else(
    client: Client, write: Write, wiki: Wiki
) -> None:
    write("A", "[[B]]")
    write("B")
    client.force_login(User.objects.create_user("olaf"))
    assert client.get("/w/ops/map").status_code == 404
    Wiki.objects.filter(pk=wiki.pk).update(is_public=True)
    assert client.get("/w/ops/map").status_code == 200


def test_the_number_of_queries_does_not_grow_with_the_map(browser: Client, write: Write) -> None:
    addresses = [
        "/w/ops/map",
        "/w/ops/map?similar",
        "/w/ops/page-0/map",
        "/w/ops/page-0/map?similar",
    ]

    def fill(start: int) -> dict[str, int]:
        for number in range(start, start + 4):
            write(f"Page {number}", f"[[Page 0]] [[Page {number - 1}]]", type="topic")
        return {address: count_queries(browser, address) for address in addresses}

    few = fill(0) and fill(4)
    assert fill(10) == few
    assert max(few.values()) <= 18
    kept = {address: count_queries(browser, address) for address in addresses[:2]}
    assert max(kept.values()) <= 8
