"""Anchors as people write them, and those that were handed out before."""

import re
from pathlib import Path

import pytest
from django.test import Client

from tests.support.screens import Write, text
from wiki.markdown import anchor_in, heading_id, render_with_headings
from wiki.markdown.headings import RESERVED_IDS


@pytest.fixture
def browser(client: Client, person) -> Client:
    client.force_login(person)
    return client


def draw(body: str) -> str:
    return render_with_headings(body, has_permalinks=True).html


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Third", "third"),
        ("Über uns", "über-uns"),
        ("A & B", "a--b"),
        ("C++ / C#", "c--c"),
        ("What's new?", "whats-new"),
        ("v2.4.7", "v247"),
        ("snake_case-here", "snake_case-here"),
        ("log   STORE", "log-store"),
        ("日本語", "日本語"),
        ("main", "h-main"),
        ("Body", "h-body"),
        ("fn1", "h-fn1"),
    ],
)
def test_a_heading_has_the_anchor_of_the_common_forges(heading, anchor) -> None:
    assert heading_id(heading) == anchor
    assert f' id="{anchor}"' in draw(f"## {heading}")


def test_a_heading_without_a_letter_has_an_anchor_too() -> None:
    assert re.search(r' id="h-page-[0-9a-f]{6}"', draw("## !?"))


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        ("[x](#third)", "third"),
        ("[x](#Third)", "third"),
        ("[x](#h-third)", "third"),
        ("[x](#third-1)", "third-1"),
        ("[x](#über-uns)", "%C3%BCber-uns"),
        ("[x](#%C3%BCber-uns)", "%C3%BCber-uns"),
        ("[x](#A--B)", "a--b"),
        ("[x](#a-b)", "a--b"),
        ("[[#Third]]", "third"),
        ("[[#A & B|so]]", "a--b"),
        ("[[#Über uns#Third]]", "third-1"),
        ("[x](#main)", "h-main"),
        ("[x](#nowhere)", "nowhere"),
    ],
)
def test_a_link_within_a_text_finds_its_heading(written, anchor) -> None:
    body = f"{written}\n\n## Third\n## Über uns\n### Third\n## A & B\n## Main\n"
    assert f'href="#{anchor}"' in draw(body).partition("</p>")[0]


def test_a_former_anchor_still_leads_to_its_heading() -> None:
    html = draw("## Über uns\n\n## A & B\n\n## A & B\n")
    for former in ("h-über-uns", "h-a-b", "h-a-b-1"):
        assert f'<span id="{former}"></span>' in html


def test_a_part_under_another_heading_is_that_one(write: Write, browser: Client) -> None:
    write("Plan", "## A\n### B\n## C\n### B\n")
    linking = write("Linking", "[[Plan#C#B]] [[Plan#A#B]] [[Plan#b]] [x](plan.md#C)")
    html = text(browser.get(linking.get_absolute_url()))
    found = re.findall(r'href="/w/ops/plan#([^"]*)"', html.partition("<article")[2])
    assert found == ["b-1", "b", "b", "c"]
    assert anchor_in("## A\n### B\n## C\n", "C#B") == "b"


def test_the_anchor_of_a_title_left_out_stays(write: Write, browser: Client) -> None:
    page = write("Log store", "# Log store\n\nText")
    html = text(browser.get(page.get_absolute_url()))
    assert '<h1 id="log-store">Log store</h1>' in html
    assert '<span id="h-log-store"></span>' in html


def test_no_heading_takes_an_id_of_the_page_around_it() -> None:
    templates = Path(__file__).parents[2].joinpath("templates").rglob("*.html")
    ids = {id for path in templates for id in re.findall(r'\bid="([^"{}]+)"', path.read_text())}
    assert {id for id in ids if not id.startswith("id_")} <= RESERVED_IDS


def test_the_preview_has_the_same_anchors(write: Write, browser: Client) -> None:
    sent = {"title": "Neu", "body": "[x](#third)\n\n## Third"}
    html = text(browser.post("/w/ops/preview", sent))
    assert 'href="#third"' in html
    assert '<h2 id="third"' in html
