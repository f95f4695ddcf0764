"""Wikilinks: one parser finds and draws them, and the table keeps up with pages that come and
go."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.writing import create_page, revise_page
from wiki.models import Link, Page, Wiki
from wiki.pages.fields import MAX_LINKS
from wiki.pages.trash import restore_page, trash_page


def targets(page: Page) -> dict[str, str | None]:
    rows = Link.objects.filter(from_page=page).values_list("target_text", "resolved_page__slug")
    return dict(rows)


def test_links_are_found_but_not_in_code(write):
    page = write(
        "Seite",
        "[[Eins]] [[Zwei|so]] [[Drei#Teil]] `[[Vier]]`\n\n```\n[[Fünf]]\n```\n\n    [[Sechs]]\n",
    )
    assert targets(page) == {"Eins": None, "Zwei": None, "Drei#Teil": None}


def test_a_link_finds_its_page_once_it_exists(write, author):
    page = write("Quelle", "Siehe [[Das Ziel]], [[das-ziel]] und [[DAS ZIEL]].")
    goal = write("Das Ziel")
    assert set(targets(page).values()) == {"das-ziel"}
    goal = trash_page(goal, author=author)
    assert set(targets(page).values()) == {None}
    restore_page(goal, author=author)
    assert set(targets(page).values()) == {"das-ziel"}


def test_a_link_by_title_follows_the_title(write, author):
    page = write("Quelle", "[[Neuer Titel]] und [[Alter Titel]]")
    goal = write("Alter Titel", slug="ziel")
    assert targets(page) == {"Neuer Titel": None, "Alter Titel": "ziel"}
    revise_page(goal, 1, title="Neuer Titel", body="", author=author)
    assert targets(page) == {"Neuer Titel": "ziel", "Alter Titel": "ziel"}


def test_the_better_match_takes_a_link_over(write):
    page = write("Quelle", "[[Übung]]")
    write("Ubung")
    assert targets(page) == {"Übung": "ubung"}
    write("Übung")
    assert targets(page) == {"Übung": "übung"}


def test_editing_adds_and_removes_links(write, author):
    page = write("Quelle", "[[Eins]] [[Zwei]]")
    revise_page(page, 1, title="Quelle", body="[[Zwei]] [[Drei]]", author=author)
    assert set(targets(page)) == {"Zwei", "Drei"}


def test_links_do_not_cross_wikis(write, wiki, author):
    create_page(Wiki.objects.create(slug="zwei", name="Zwei"), title="Ziel", body="", author=author)
    assert targets(write("Quelle", "[[Ziel]]")) == {"Ziel": None}


def test_many_links_cost_few_queries(write, django_assert_max_num_queries):
    for number in range(20):
        write(f"Ziel {number}")
    with django_assert_max_num_queries(25):
        page = write("Quelle", "\n".join(f"[[Ziel {number}]]" for number in range(MAX_LINKS)))
    assert sum(1 for slug in targets(page).values() if slug) == 20


@pytest.mark.parametrize(
    "title", ["Test (2026)", "a+b", "a\\1", "100$", "<b>x", "'; drop table", "{{ 7*7 }}"]
)
def test_any_title_can_be_linked(write, title):
    goal = write(title)
    assert targets(write("Quelle", f"Siehe [[{title}]].")) == {title: goal.slug}


def test_what_a_page_with_many_links_asks_of_the_database_does_not_grow(wiki, write, author):
    few, many = write("Wenige"), write("Viele")
    for number, named in enumerate(["Wenige", *["Viele"] * 40]):
        write(f"Quelle {number}", f"[[{named}]]")

    def longest_statement(page: Page) -> int:
        with CaptureQueriesContext(connection) as queries:
            restore_page(trash_page(page, author=author), author=author)
        assert set(page.incoming_links.values_list("resolved_page", flat=True)) == {page.pk}
        return max(len(query["sql"]) for query in queries if "wiki_link" in query["sql"])

    assert longest_statement(many) < longest_statement(few) + 100
