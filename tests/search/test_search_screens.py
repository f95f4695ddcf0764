"""Searching, jumping, and what was found why."""

import re
from urllib.parse import quote, unquote

import pytest
from django.test import Client

from embeddings.client import EmbeddingError
from tests.support.screens import Write, count_queries, text
from tests.support.writing import create_page
from wiki.accounts.wikis import create_wiki
from wiki.models import Page
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.search.matcher import Matcher
from wiki.text.excerpts import quote_link
from wiki.text.plain_text import plain_text


def test_search_marks_words_and_says_how_it_found_them(browser: Client, write: Write) -> None:
    write("Pipeline rot", "Für uns steht die Pipeline still.")
    html = text(browser.get("/w/ops/search?q=pipeline+steht"))
    assert "<mark>Pipeline</mark> rot" in html
    assert "uns <mark>steht</mark> die <mark>Pipeline</mark>" in html
    assert re.search(r"loosely related 0\.\d\d", html)
    assert "meaning" not in html


def test_search_says_which_pages_a_model_found_by_meaning(
    use, browser: Client, write: Write
) -> None:
    use("ollama")
    write("Pipeline rot", "Für uns steht die Pipeline still.")
    assert "meaning and words" in text(browser.get("/w/ops/search?q=pipeline+steht"))


def test_what_builtin_finds_by_chance_is_not_shown(browser: Client, write: Write) -> None:
    for number in range(20):
        write(f"Notiz {number}", f"Kurzer Text {number}")
    assert hits(browser.get("/w/ops/search?q=xyzzyplugh")) == []


def hits(response) -> list[str]:
    return [
        unquote(slug) for slug in re.findall(r'<li><a href="/w/ops/([^"]+)"><b>', text(response))
    ]


def instantly(browser: Client, typed: str) -> list[str]:
    html = browser.get("/find/ops", {"q": typed}).json()["html"]
    return [unquote(slug) for slug in re.findall(r'data-url="/w/ops/([^"?]+)"', html)]


def test_the_page_of_that_name_is_offered_first(browser: Client, write: Write) -> None:
    write("Greetings", "hello hello hello")
    write("hello")
    answer = browser.get("/w/ops/search?q=Hello")
    assert hits(answer) == ["hello", "greetings"]
    assert "found in the title" in text(answer)
    assert "Create the page" not in text(answer)


@pytest.mark.parametrize("typed", ['"no space left"', "„no space left“", "«no space left»"])
def test_a_page_for_a_phrase_is_offered_without_its_quotes(
    browser: Client, write: Write, typed: str
) -> None:
    for answer in (
        browser.get("/w/ops/search", {"q": typed}),
        browser.get("/find/ops", {"q": typed}),
    ):
        shown = (
            answer.json()["html"] if answer["Content-Type"] == "application/json" else text(answer)
        )
        assert "Create the page “no space left”" in shown
        assert "/w/ops/new?title=no%20space%20left" in shown


@pytest.mark.parametrize(
    ("typed", "slug"),
    [
        ("warteschl", "warteschlange-neu-starten"),
        ("WARTESCHLANGE NEU", "warteschlange-neu-starten"),
        ("schlange start", "warteschlange-neu-starten"),
        ("backu", "nightly-backup-fails"),
        ("ubung", "große-übung"),
        ("uebung gros", "große-übung"),
        ("!!!", "page-e84c53"),
    ],
)
def test_pages_are_found_by_what_their_titles_begin_with(
    browser: Client, write: Write, typed: str, slug: str
) -> None:
    for title in ("Warteschlange neu starten", "Nightly backup fails", "Große Übung"):
        write(title, "Es geht um etwas.")
    write("!!!", slug="page-e84c53")
    write("Elsewhere", f"{typed} {typed}")
    assert hits(browser.get("/w/ops/search", {"q": typed}))[0] == slug
    assert instantly(browser, typed)[0] == slug


def test_titles_come_by_how_well_they_fit(browser: Client, write: Write) -> None:
    for title in ("Rebackup", "Nightly backup", "Backup plan", "Backup"):
        write(title)
    assert instantly(browser, "backup") == ["backup", "backup-plan", "nightly-backup", "rebackup"]
    assert hits(browser.get("/w/ops/search?q=backup")) == [
        "backup",
        "backup-plan",
        "nightly-backup",
        "rebackup",
    ]


def test_short_words_do_not_stand_inside_of_others(browser: Client, write: Write) -> None:
    write("Protokoll")
    assert instantly(browser, "rot") == []


def test_instant_titles_are_few_live_and_of_this_wiki(
    browser: Client, write: Write, author: Author
) -> None:
    trash_page(write("Runner 0"), author=author)
    create_page(create_wiki("Other"), title="Runner x", body="", author=author)
    for number in range(1, 12):
        write(f"Runner {number}", type="system")
    found = instantly(browser, "runner")
    assert found[:8] == [
        "runner-1",
        "runner-10",
        "runner-11",
        *(f"runner-{number}" for number in range(2, 7)),
    ]
    assert {"runner-0", "runner-x"}.isdisjoint(found)
    assert count_queries(browser, "/find/ops?q=runner") <= 10
    assert browser.post("/find/ops").status_code == 405


@pytest.mark.parametrize(
    "query", ["%00", "%ff", "'", "%25", "_", "(", "a" * 20_000, "%F0%9F%98%80", "a+" * 500]
)
def test_no_beginning_of_a_title_is_an_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert "/w/ops/runner" not in browser.get(f"/find/ops?q={query}").json()["html"]


@pytest.mark.parametrize("name", ["Große Übung", "große  übung", "große-übung"])
def test_the_header_opens_the_page_of_that_name(browser: Client, write: Write, name: str) -> None:
    write("Große Übung")
    assert 'name="jump"' in text(browser.get("/w/ops/"))
    assert (
        browser.get("/w/ops/search", {"q": name, "jump": 1})["Location"]
        == f"/w/ops/{quote('große-übung')}"
    )
    assert browser.get("/w/ops/search", {"q": name}).status_code == 200
    assert browser.get("/w/ops/search", {"q": "übung", "jump": 1}).status_code == 200


def test_a_search_for_what_is_not_there_offers_to_write_it(browser: Client, write: Write) -> None:
    write("Runner")
    html = text(browser.get("/w/ops/search?q=Kaffeemaschine"))
    assert "Nothing was found for “Kaffeemaschine”." in html
    assert 'href="/w/ops/new?title=Kaffeemaschine"' in html


def test_search_says_when_only_words_could_answer(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Runner", "Pipeline")

    def away(query: str) -> None:
        raise EmbeddingError("nobody answers", permanent=False)

    monkeypatch.setattr("wiki.search.retrieval.embed_query", away)
    html = text(browser.get("/w/ops/search?q=pipeline"))
    assert "Words only." in html
    assert "nobody answers" in html
    assert ">Runner<" in html


def test_search_says_how_many_pages_wait_for_their_embedding(browser: Client, write: Write) -> None:
    write("Runner", "Pipeline")
    Page.objects.update(embed_model="", embedding=None)
    assert "1 page is not embedded yet." in text(browser.get("/w/ops/search?q=pipeline"))


@pytest.mark.parametrize(
    "query", ["%00", "%ff", "'", '"', "(", "!", "a" * 20_000, "%F0%9F%98%80", "x:* | & !"]
)
def test_no_query_is_an_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/search?q={query}").status_code == 200


def marked(words: str, query: str) -> list[str]:
    return [part.text for part in Matcher(query).mark(words) if part.is_marked]


def test_words_are_marked_whatever_their_accents() -> None:
    for query in ("Büchelberg", "buechelberg", "Buchelberg"):
        assert marked("In Büchelberg, am Berg.", query) == ["Büchelberg"]
    assert marked("Für uns steht es", "steht") == ["steht"]
    assert marked("The tests and a test", "Tests") == ["tests", "test"]
    assert marked("so also", "so") == ["so"]


def test_an_excerpt_reads_as_words() -> None:
    listed = "## Plan\n\n- [ ] see [[A|b]]\n1. *one*\n\n"
    markdown = (
        f"{listed}| x | y |\n|---|:-:|\n| 1 | 2 |\n\n::: insight robin | 2026-01-01\nText\n:::"
    )
    assert " ".join(plain_text(markdown).split()) == "Plan see b one x · y 1 · 2 Text"


def test_an_excerpt_has_the_words_of_links_and_pictures_without_their_addresses() -> None:
    markdown = (
        "See [the docs](https://example.org/a) ![a fan](pictures/x.png), [below](#now), "
        "calls[0](it) and ![](b.png)."
    )
    assert plain_text(markdown) == "See the docs a fan, below, calls[0](it) and ."


def test_the_language_of_code_is_no_word_of_the_text() -> None:
    markdown = (
        "Renew:\n\n```bash title=x\nsudo certbot\n```\n- ~~~ sh\n  ls ~/x\n  ~~~\n\n``a`` ```b``` c"
    )
    assert " ".join(plain_text(markdown).split()) == "Renew: sudo certbot ls /x a b c"


def test_a_quote_from_a_table_keeps_its_cells_apart() -> None:
    body = "| Service | Time |\n|---|---|\n| The [[Log store]] | 4 h |\n\n- [[Runner]] | - too"
    assert [part.text for part in quote_link(body, ["Log store"])] == [
        "The ",
        "Log store",
        " · 4 h",
    ]
    assert [part.text for part in quote_link(body, ["Runner"])] == ["Runner", " · - too"]
