"""What a new page begins with, by its type."""

import pytest
from django.test import Client

from tests.pages.test_edit_conflicts import in_form
from tests.support.screens import Write, text
from tests.support.writing import create_page
from wiki.accounts.wikis import create_wiki
from wiki.models import Page, PageType, Wiki
from wiki.pages.author import Author
from wiki.pages.page_templates import find_template, template_title
from wiki.pages.trash import trash_page

GERMAN = {"Accept-Language": "de"}


@pytest.mark.parametrize("type", PageType.values)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_type_has_a_short_template_in_both_languages(
    wiki: Wiki, type: str, language: str
) -> None:
    body = find_template(wiki, type, language).body
    assert 3 <= body.count("## ") <= 6
    assert body.startswith("## ")
    assert len(body) < 900
    other = find_template(wiki, type, "de" if language == "en" else "en").body
    assert body != other
    assert body.count("## ") == other.count("## ")


def test_a_template_comes_by_an_address_without_a_script(browser: Client, wiki: Wiki) -> None:
    shown = browser.get("/w/ops/new?type=problem&template=1&title=Fan")
    assert in_form(shown)["body"].startswith("## How it shows")
    assert in_form(shown)["title"] == "Fan"
    assert '<option value="problem" selected>' in text(shown)
    german = browser.get("/w/ops/new?type=problem&template=1", headers=GERMAN)
    assert in_form(german)["body"].startswith("## Woran man es merkt")
    assert in_form(browser.get("/w/ops/new?type=problem"))["body"] == ""


def test_the_button_fills_an_empty_text_and_keeps_the_other_fields(
    browser: Client, wiki: Wiki
) -> None:
    posted = {
        "title": "Fan",
        "tags": "a, b",
        "type": "system",
        "body": " \n",
        "summary": "why",
        "action": "template",
    }
    answer = browser.post("/w/ops/new", posted)
    assert in_form(answer)["body"].startswith("## What it does")
    assert in_form(answer)["title"] == "Fan"
    html = text(answer)
    assert 'value="a, b"' in html
    assert 'value="why"' in html
    assert Page.objects.count() == 0


def test_a_template_never_replaces_what_somebody_wrote(browser: Client, wiki: Wiki) -> None:
    answer = browser.post(
        "/w/ops/new", {"title": "Fan", "type": "system", "body": "mine", "action": "template"}
    )
    assert in_form(answer)["body"] == "mine"
    assert "Your text stays as it is" in text(answer)


def test_without_a_type_the_button_says_what_to_do(browser: Client, wiki: Wiki) -> None:
    assert "Choose a type first" in text(
        browser.post("/w/ops/new", {"title": "Fan", "action": "template"})
    )
    answer = browser.post("/w/ops/new", {"title": "Fan", "type": "psychic", "action": "template"})
    assert in_form(answer)["body"] == ""


@pytest.mark.parametrize("title", ["Template: Problem", "Vorlage: Problem", "template:  problem"])
def test_a_page_of_that_name_takes_the_place_of_the_template(
    browser: Client, write: Write, title: str
) -> None:
    write(title, "## Ours\n")
    asked = browser.get("/w/ops/new/template?type=problem").json()
    assert asked["body"] == "## Ours\n"
    assert asked["url"].endswith("/edit")
    assert in_form(browser.get("/w/ops/new?type=problem&template=1"))["body"] == "## Ours\n"
    assert (
        browser.get("/w/ops/new/template?type=system").json()["body"].startswith("## What it does")
    )


def test_of_two_such_pages_the_one_in_the_readers_language_counts(
    browser: Client, write: Write
) -> None:
    write("Template: Person", "english")
    write("Vorlage: Person", "deutsch")
    assert browser.get("/w/ops/new/template?type=person").json()["body"] == "english"
    assert (
        browser.get("/w/ops/new/template?type=person", headers=GERMAN).json()["body"] == "deutsch"
    )


def test_such_a_page_counts_in_its_own_wiki_and_out_of_the_trash(
    browser: Client, wiki: Wiki, write: Write, author: Author
) -> None:
    create_page(create_wiki("Other"), title="Template: Topic", body="secret", author=author)
    trash_page(write("Template: Topic", "gone"), author=author)
    assert browser.get("/w/ops/new/template?type=topic").json()["body"].startswith("## In short")


def test_the_page_that_changes_a_template_begins_with_it(browser: Client, wiki: Wiki) -> None:
    for headers, prefix in (({}, "Template: "), (GERMAN, "Vorlage: ")):
        asked = browser.get("/w/ops/new/template?type=customer", headers=headers).json()
        shown = in_form(browser.get(asked["url"], headers=headers))
        assert shown["title"].startswith(prefix)
        assert shown["body"] == asked["body"]
    assert {template_title("customer", code) for code in ("en", "de")} == {
        "Template: Customer",
        "Vorlage: Kunde",
    }


@pytest.mark.parametrize("type", ["", "psychic", "../problem", "problem.en", "%00", "x" * 5000])
def test_what_is_no_type_has_no_template(browser: Client, wiki: Wiki, type: str) -> None:
    assert browser.get(f"/w/ops/new/template?type={type}").status_code == 404
    assert in_form(browser.get(f"/w/ops/new?type={type}&template=1"))["body"] == ""
    assert browser.post("/w/ops/new/template").status_code == 405


def test_a_page_that_is_there_is_offered_no_template(browser: Client, write: Write) -> None:
    write("Runner", "text")
    assert 'id="template-offer"' not in text(browser.get("/w/ops/runner/edit"))
    assert 'id="template-offer"' in text(browser.get("/w/ops/new"))
