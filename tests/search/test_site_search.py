"""Finding: while somebody types, filters, phrases, what was meant, and several wikis."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.screens import HOSTILE, Write, count_queries, text
from tests.support.writing import create_page
from wiki.models import Membership, Page, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.search.matcher import Matcher
from wiki.text.query_syntax import parse_query, split_filters


@pytest.fixture
def elsewhere(person: User) -> Wiki:
    """A second wiki that the person reads but does not write in."""
    wiki = Wiki.objects.create(slug="lab", name="Labor")
    Membership.objects.create(wiki=wiki, user=person, role=Role.READER)
    return wiki


@pytest.fixture
def write_in(author: Author) -> Callable[..., Page]:
    def make(wiki: Wiki, title: str, body: str = "", **more: object) -> Page:
        return create_page(wiki, title=title, body=body, author=author, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def secret(write_in: Callable[..., Page]) -> Wiki:
    """A wiki that the person may not read, full of what they look for."""
    wiki = Wiki.objects.create(slug="secret", name="Geheimes Labor")
    write_in(
        wiki, "Zeppelin", "Der Zeppelin faehrt mit Zyankali.", type="problem", tags=["geheimsache"]
    )
    return wiki


def hits(response) -> list[str]:
    return [
        unquote(address) for address in re.findall(r'<li><a href="([^"]+)"><b>', text(response))
    ]


def rows(response) -> list[str]:
    return [
        unquote(address) for address in re.findall(r'data-url="([^"]+)"', response.json()["html"])
    ]


# -- while somebody types


def test_titles_come_before_words_while_somebody_types(browser: Client, write: Write) -> None:
    write("Freigabe", "Ist die Pipeline rot, wird nicht freigegeben.", type="topic")
    write("Pipeline rot", "Zuerst das Log.", type="problem")
    answer = browser.get("/find/ops?q=pipel").json()
    assert rows(browser.get("/find/ops?q=pipel")) == [
        "/w/ops/pipeline-rot",
        "/w/ops/freigabe",
        "/w/ops/new?title=pipel",
    ]
    assert "Problem" in answer["html"]
    assert "2 pages" in answer["said"]
    whole = browser.get("/find/ops?q=Pipeline").json()["html"]
    assert "<mark>Pipeline</mark> rot" in whole
    assert "Ist die <mark>Pipeline</mark> rot" in whole


def test_the_page_with_more_of_the_words_comes_first_while_somebody_types(
    browser: Client, write: Write
) -> None:
    write("A", "Der Runner steht.")
    write("B", "Der Runner läuft.")
    write("C", "Die Pumpe läuft.")
    assert rows(browser.get("/find/ops?q=runner steht"))[:2] == ["/w/ops/a", "/w/ops/b"]
    assert "/w/ops/c" not in rows(browser.get("/find/ops?q=runner steht"))


@pytest.mark.parametrize(
    "typed", ["Büchelb", "buechelb", "buchelb", "Büchelberg", "buechelberg", "Buchelberg"]
)
def test_the_beginning_of_a_word_is_found_in_every_spelling(
    browser: Client, write: Write, typed: str
) -> None:
    write("Standorte", "Das Lager in Büchelberg.")
    assert rows(browser.get("/find/ops", {"q": typed}))[0] == "/w/ops/standorte"


def test_nothing_typed_shows_what_changed_last(browser: Client, write: Write) -> None:
    write("Older")
    write("Newer")
    assert rows(browser.get("/find/ops")) == ["/w/ops/newer", "/w/ops/older"]
    assert "Recently changed" in browser.get("/find/ops").json()["html"]


def test_no_embedding_is_asked_for_while_somebody_types(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Runner", "Pipeline")

    def asked(query: str) -> None:
        raise AssertionError("the provider was asked")

    monkeypatch.setattr("wiki.search.retrieval.embed_query", asked)
    assert rows(browser.get("/find/ops?q=pipeline"))[0] == "/w/ops/runner"
    with pytest.raises(AssertionError):
        browser.get("/w/ops/search?q=pipeline")


def test_only_who_may_write_is_offered_a_new_page(
    browser: Client, write: Write, elsewhere: Wiki
) -> None:
    write("Runner")
    assert "/w/ops/new?title=Kaffee" in rows(browser.get("/find/ops?q=Kaffee"))
    assert rows(browser.get("/find/ops?q=runner")) == ["/w/ops/runner"]
    assert rows(browser.get("/find/lab?q=Kaffee")) == []
    assert "/w/lab/new?title" not in text(browser.get("/w/lab/search?q=Kaffee"))
    everywhere = text(browser.get("/search?q=Kaffee"))
    assert "/w/ops/new?title=Kaffee" in everywhere
    assert "/w/lab/new" not in everywhere


def test_typing_costs_the_same_few_queries_for_any_number_of_wikis(
    browser: Client, write: Write, write_in: Callable[..., Page], person: User
) -> None:
    write("Runner", "Pipeline")
    before = (
        count_queries(browser, "/find?q=pipeline"),
        count_queries(browser, "/search?q=pipeline"),
    )
    for number in range(5):
        wiki = Wiki.objects.create(slug=f"w{number}", name=f"W{number}")
        Membership.objects.create(wiki=wiki, user=person)
        for page in range(5):
            write_in(wiki, f"Runner {page}", "Pipeline")
    assert count_queries(browser, "/find?q=pipeline") == before[0]
    # The questions of a single wiki have a mean, which is looked up.
    assert count_queries(browser, "/search?q=pipeline") <= before[1]
    assert before[0] <= 7
    assert before[1] <= 13
    assert count_queries(browser, "/w/ops/search?q=pipeline") <= 18


def test_a_query_is_no_program(browser: Client, write: Write) -> None:
    write("Runner", "alpha")
    write("Other", "beta")
    assert rows(browser.get("/find/ops", {"q": "!alpha"}))[0] == "/w/ops/runner"
    assert hits(browser.get("/w/ops/search", {"q": "!alpha"})) == ["/w/ops/runner"]
    for query in ("alpha | beta", "'alpha' & 'beta'", "alpha & !beta", "alpha <-> beta", "alpha:*"):
        assert rows(browser.get("/find/ops", {"q": query}))[0] == "/w/ops/runner"


# -- rights


@pytest.mark.parametrize(
    "query",
    ["Zeppelin", "zeppel", "Zeplin", "zyankali", '"mit Zyankali"', "tag:geheimsache", "Zyankaly"],
)
def test_nothing_leaks_from_a_wiki_that_somebody_may_not_read(
    browser: Client, write: Write, secret: Wiki, query: str
) -> None:
    write("Runner", "Pipeline")
    words = ("zeppelin", "zyankali", "/w/secret", "geheimes labor", "geheimsache")
    for address in ("/find", "/find/ops", "/search", "/w/ops/search", "/w/ops/titles/links"):
        answer = text(browser.get(address, {"q": query}))
        assert "Did you mean" not in answer
        assert [
            word for word in words if word in answer.lower() and word not in query.lower()
        ] == []
    assert hits(browser.get("/search", {"q": query})) == []
    assert rows(browser.get("/find", {"q": query})) == []
    for address in ("/find/secret", "/w/secret/search", "/w/secret/titles/links"):
        assert browser.get(address, {"q": query}).status_code == 404


def test_pages_in_the_trash_are_found_nowhere(
    browser: Client, write: Write, author: Author
) -> None:
    write("Runner")
    trash_page(write("Zeppelin", "Zyankali", tags=["geheim"]), author=author)
    for address in ("/find/ops", "/find", "/search", "/w/ops/search"):
        for query in ("zeppelin", "zyankali", "Zepelin"):
            assert "/zeppelin" not in text(browser.get(address, {"q": query}))
            assert "Did you mean" not in text(browser.get(address, {"q": query}))


def test_strangers_are_asked_to_sign_in(client: Client, wiki: Wiki) -> None:
    for address in ("/find", "/find/ops", "/search"):
        assert client.get(address, {"q": "x"}).status_code == 302
        assert client.post(address).status_code in (302, 405)


# -- several wikis


def test_all_my_wikis_are_searched_at_once(
    browser: Client, write: Write, write_in: Callable[..., Page], elsewhere: Wiki
) -> None:
    write("Runner", "Pipeline")
    write_in(elsewhere, "Waage", "Pipeline der Waage")
    answer = browser.get("/search?q=pipeline")
    assert sorted(hits(answer)) == ["/w/lab/waage", "/w/ops/runner"]
    assert "Labor · " in text(answer)
    assert hits(browser.get("/w/ops/search?q=pipeline")) == ["/w/ops/runner"]
    assert re.search(
        r'href="/w/lab/search\?q=pipeline"[^>]*>Labor <span class="num">1', text(answer)
    )
    assert 'href="/search?q=pipeline"' in text(browser.get("/w/ops/search?q=pipeline"))


def test_the_start_page_searches_all_wikis(browser: Client, wiki: Wiki) -> None:
    html = text(browser.get("/"))
    assert 'action="/search"' in html
    assert 'data-find="/find"' in html
    assert 'data-find="/find/ops"' in text(browser.get("/w/ops/"))


def test_who_has_one_wiki_is_not_asked_where_to_search(browser: Client, write: Write) -> None:
    write("Runner")
    assert "All my wikis" not in text(browser.get("/w/ops/search?q=runner"))


# -- filters


def test_filters_stand_in_the_address_with_their_counts(browser: Client, write: Write) -> None:
    write("Runner one", "Pipeline", type="system", tags=["ci", "build"])
    write("Runner two", "Pipeline", type="problem", tags=["ci"])
    write("Runner three", "Pipeline", type="problem")
    html = text(browser.get("/w/ops/search?q=runner"))
    assert re.search(r'href="\?q=runner&type=problem">Problem <span class="num">2<', html)
    assert re.search(r'href="\?q=runner&tag=ci">ci <span class="num">2<', html)
    narrowed = browser.get("/w/ops/search?q=runner&type=problem&tag=ci")
    assert hits(narrowed) == ["/w/ops/runner-two"]
    assert 'href="?q=runner&tag=ci"' in text(narrowed)
    assert '<input type="hidden" name="type" value="problem">' in text(narrowed)


def test_filters_can_be_typed(browser: Client, write: Write) -> None:
    write("Runner one", "Pipeline", type="system")
    write("Runner two", "Pipeline", type="problem", tags=["ci"])
    write("Something", "Pipeline", type="problem")
    assert hits(browser.get("/w/ops/search", {"q": "runner type:problem"})) == ["/w/ops/runner-two"]
    assert hits(browser.get("/w/ops/search", {"q": "tag:CI"})) == ["/w/ops/runner-two"]
    assert split_filters("a type:problem  b tag:ci-x c:d") == (
        "a b c:d",
        {"type": "problem", "tag": "ci-x"},
    )


def test_a_narrowed_search_without_hits_offers_the_whole(browser: Client, write: Write) -> None:
    write("Runner", type="system")
    html = text(browser.get("/w/ops/search?q=runner&type=person"))
    assert "The search is narrowed." in html
    assert 'href="?q=runner">Search in all pages' in html


def test_more_than_a_screen_is_paged(browser: Client, write: Write) -> None:
    for number in range(23):
        write(f"Note {number}", "Pipeline", type="topic")
    first, second = (
        browser.get("/w/ops/search?q=pipeline"),
        browser.get("/w/ops/search?q=pipeline&page=2"),
    )
    assert (len(hits(first)), len(hits(second))) == (20, 3)
    assert not set(hits(first)) & set(hits(second))
    assert "23 pages" in text(first)
    assert 'href="?q=pipeline&page=2"' in text(first)
    assert len(hits(browser.get("/w/ops/search?q=pipeline&page=999"))) == 3


# -- words, phrases, marks


def test_the_exact_one_of_three_alike_is_first(browser: Client, write: Write) -> None:
    for title in ("hello", "hello.", "hello/"):
        write(title, "Some text.")
    exact = Page.objects.get(title="hello.")
    assert hits(browser.get("/w/ops/search?q=hello."))[0] == exact.get_absolute_url()
    assert rows(browser.get("/find/ops?q=hello."))[0] == exact.get_absolute_url()
    assert browser.get("/w/ops/search?q=hello.&jump=1")["Location"] == exact.get_absolute_url()
    assert browser.get("/w/ops/search?q=hello&jump=1")["Location"] == "/w/ops/hello"


@pytest.mark.parametrize("quoted", ['"and free"', "„and free“", "“and free”", '"AND  Free"'])
def test_a_phrase_is_found_and_marked_whole(browser: Client, write: Write, quoted: str) -> None:
    write("Beer", "Open source is free and open. It is open and\n**free** for all.")
    write("Other", "It is free, and it is open. And it stays.")
    answer = browser.get("/w/ops/search", {"q": quoted})
    assert hits(answer) == ["/w/ops/beer"]
    assert re.findall("<mark>(.*?)</mark>", text(answer)) == ["and free"]
    assert rows(browser.get("/find/ops", {"q": quoted}))[0] == "/w/ops/beer"


def test_words_beside_a_phrase_are_marked_too() -> None:
    marked = [
        part.text
        for part in Matcher('"and free" beer').mark("Free beer, and free speech.")
        if part.is_marked
    ]
    assert marked == ["beer", "and free"]
    assert [part.text for part in Matcher('"and free').mark("and free") if part.is_marked] == [
        "and",
        "free",
    ]
    assert parse_query('a "b c" d "" "!"').phrases == [["b", "c"]]
    assert "and free" in Matcher('"and free"').snippet("free " * 200 + "and free " + "free " * 200)


@pytest.mark.parametrize("query", ["steht", "Büchelberg", "buechelberg", "Buchelberg"])
def test_german_words_are_found_and_the_right_one_is_marked(
    browser: Client, write: Write, query: str
) -> None:
    write("Standorte", "Für uns steht das Lager in Büchelberg, nicht in Buchen.")
    answer = browser.get("/w/ops/search", {"q": query})
    assert hits(answer) == ["/w/ops/standorte"]
    assert re.findall("<mark>(.*?)</mark>", text(answer)) == [
        "steht" if query == "steht" else "Büchelberg"
    ]


def test_what_pages_say_is_text(browser: Client, write: Write) -> None:
    write(
        "<b>x",
        f'{HOSTILE} xuxu <img src=x onerror=alert(1)> {{{{ 7*7 }}}} <div hx-get="/logout">',
        tags=["<i>t"],
    )
    for address in ("/w/ops/search?q=xuxu", "/search?q=xuxu", "/find?q=xuxu", "/find/ops?q=xuxu"):
        answer = browser.get(address)
        html = answer.json()["html"] if address.startswith("/find") else answer.content.decode()
        assert "&lt;b&gt;x" in html
        assert "<mark>xuxu</mark>" in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
        for tag in ("<script>alert", "<b>x", "<img", '<div hx-get="/logout"', "<i>t"):
            assert tag not in html


# -- what was meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Zertifkat", "zertifikat"),
        ("pipelnie rot", "pipeline rot"),
        ("bakcup", "backup"),
        ("Wartungsfesnter", "wartungsfenster"),
        ("Plattfromteam", "plattformteam"),
    ],
)
def test_a_typo_is_asked_back(browser: Client, write: Write, typed: str, meant: str) -> None:
    write("Pipeline rot", "Das Zertifikat ist abgelaufen, sagt das Plattformteam.", tags=["backup"])
    write("Wartungsfenster", "Sonntags.")
    html = text(browser.get("/w/ops/search", {"q": typed}))
    assert f'Did you mean <a href="?q={meant.replace(" ", "%20")}">{meant}</a>?' in html
    assert hits(browser.get("/w/ops/search", {"q": meant}))


@pytest.mark.parametrize(
    "query",
    [
        "pipeline",
        "pipel",
        "zertifikat rot",
        "xyzzyplugh",
        "12345",
        "rto",
        '"a"',
        "Zertifikate",
        "dass",
    ],
)
def test_nothing_is_asked_back_for_words_that_are_there_or_near_none(
    browser: Client, write: Write, query: str
) -> None:
    write("Pipeline rot", "Das Zertifikat ist abgelaufen, Nummer 12346.")
    assert "Did you mean" not in text(browser.get("/w/ops/search", {"q": query}))


def test_a_suggestion_is_escaped(browser: Client, write: Write) -> None:
    write("Zertifikat")
    html = browser.get("/w/ops/search", {"q": "<b>Zertifkat</b>"}).content.decode()
    assert "&lt;b&gt;zertifikat&lt;/b&gt;</a>?" in html


@pytest.mark.parametrize("path", ["/find/ops", "/find"])
def test_the_palette_asks_back_too_before_it_offers_a_new_page(
    browser: Client, write: Write, path: str
) -> None:
    write("Pipeline rot", "Das Zertifikat ist abgelaufen.")
    answer = browser.get(path, {"q": "<Zertifkat>"}).json()
    assert "Did you mean <b>&lt;zertifikat&gt;</b>?" in answer["html"]
    assert 'data-query="&lt;zertifikat&gt;"' in answer["html"]
    search = "/w/ops/search" if path.endswith("ops") else "/search"
    assert f'data-url="{search}?q=%3Czertifikat%3E"' in answer["html"]
    assert answer["said"] == "No page has these words. Did you mean <zertifikat>?"
    rows = re.findall(r'id="(row-[^"]+)"', answer["html"])
    assert rows == (["row-meant", "row-new"] if path.endswith("ops") else ["row-meant"])


@pytest.mark.parametrize("typed", ["", "pipel", "xyzzyplugh", "pipeline rot"])
def test_the_palette_asks_nothing_back_without_need(
    browser: Client, write: Write, typed: str
) -> None:
    write("Pipeline rot")
    assert "row-meant" not in browser.get("/find/ops", {"q": typed}).json()["html"]


def test_nothing_found_is_said_above_the_offer_of_a_new_page(browser: Client, write: Write) -> None:
    write("Pipeline rot")
    html = browser.get("/find/ops", {"q": "xyzzyplugh"}).json()["html"]
    assert html.index("No page has these words.") < html.index("row-new")


# -- many pages with the same words


def test_a_rare_word_is_found_among_common_ones(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wiki.search.word_search.CANDIDATES", 3)
    write("Oldest", "Der Server kennt die Waschbärin.")
    for number in range(6):
        write(f"Note {number}", "Der Server läuft.")
    assert hits(browser.get("/w/ops/search?q=server waschbärin"))[0] == "/w/ops/oldest"
    assert len(hits(browser.get("/w/ops/search?q=server"))) == 7


# -- the frame


def test_the_field_and_the_rows_are_named_for_those_who_listen(
    browser: Client, write: Write
) -> None:
    html = text(browser.get("/w/ops/"))
    for label in ('for="q">Search or jump to', 'for="palette-q">Search or jump to'):
        assert label in html
    assert 'role="combobox"' in html
    assert 'aria-controls="palette-rows"' in html
    assert 'for="bigq">Search for' in text(browser.get("/w/ops/search"))


def test_the_screens_load_no_foreign_or_inline_script(browser: Client, write: Write) -> None:
    answer = browser.get("/w/ops/search?q=x")
    scripts = re.findall(r"<script[^>]*>", text(answer))
    assert all(' src="/static/' in script for script in scripts)
    assert any("django_htmx/htmx-2" in script for script in scripts)
    config = re.search(r"htmx-config\" content='([^']+)'", answer.content.decode())
    assert config
    assert '"allowEval":false' in config[1]
    assert '"includeIndicatorStyles":false' in config[1]
    assert "htmx" not in text(browser.get("/w/ops/"))
    assert "style=" not in text(answer)


def test_a_misspelt_address_shows_what_was_probably_meant(browser: Client, write: Write) -> None:
    write("Wenn die Pipeline rot ist", "Die Pipeline ist rot.")
    answer = browser.get("/w/ops/pipline")
    assert answer.status_code == 404
    html = text(answer)
    assert "Did you mean" in html
    assert "Wenn die Pipeline rot ist" in html
    assert "/new?title=pipline" in html
