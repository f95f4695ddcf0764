"""The health page: every finding with a page that is one and a page that just is not."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from embeddings.client import active_fingerprint
from tests.support.screens import HOSTILE, Write, count_queries, text
from wiki.accounts.wikis import create_wiki
from wiki.db.locks import COMPARING, only_one
from wiki.lint import STUB_CHARACTERS, duplicates
from wiki.models import Confirmation, Link, Membership, Page, Redirect, Role, Standing, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

LONG = (
    "This sentence is long enough to help somebody who comes here with a question in mind, and "
    "a bit longer."
)
YEAR = timedelta(days=365)
Listed = Callable[[str], list[str]]


@pytest.fixture
def number(browser: Client, wiki: Wiki) -> Callable[[str], str]:
    """What stands on the tile of a finding."""

    def read(finding: str) -> str:
        html = browser.get("/w/ops/health").content.decode()
        return re.search(rf'href="\?finding={finding}"[^>]*><b>([^<]*)</b>', html)[1]

    return read


@pytest.fixture
def listed(browser: Client, wiki: Wiki) -> Listed:
    """The titles in the list of a finding, and that the tile says how many they are."""

    def read(finding: str) -> list[str]:
        html = browser.get(f"/w/ops/health?finding={finding}").content.decode()
        table = html.partition('<table class="findings stack">')[2].partition("</table>")[0]
        titles = [
            unescape(title) for title in re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', table)
        ]
        tile = re.search(rf'href="\?finding={finding}"[^>]*><b>([^<]*)</b>', html)[1]
        assert int(tile) == len(titles)
        return titles

    return read


# -- links


def test_a_page_linked_only_by_itself_is_an_orphan(listed: Listed, write: Write) -> None:
    write("Lonely", f"[[Lonely]] {LONG}")
    write("Read")
    write("Start", "[[Read]] [[Lonely and new]]")
    assert listed("orphans") == ["Lonely", "Start"]


@pytest.mark.parametrize("finding", ["orphans", "stubs", "untyped", "unconfirmed"])
def test_a_template_needs_neither_links_nor_text_nor_type_nor_care(
    listed: Listed, write: Write, finding: str
) -> None:
    for title in ("Template: Problem", "Vorlage: Kunde", "Template: Nonsense"):
        write(title, "## How it shows")
    Page.objects.update(updated_at=timezone.now() - YEAR - timedelta(days=1))
    assert listed(finding) == ["Template: Nonsense"]


def test_a_link_from_the_trash_or_from_a_dead_end_saves_no_orphan(
    listed: Listed, write: Write, author: Author
) -> None:
    write("Read")
    trash_page(write("Gone", "[[Read]]"), author=author)
    assert listed("orphans") == ["Read"]


def test_what_was_replaced_may_be_without_links(listed: Listed, write: Write) -> None:
    Page.objects.filter(pk=write("Old").pk).update(standing=Standing.OUTDATED)
    assert listed("orphans") == []


def test_the_number_of_those_who_want_a_page_is_the_length_of_their_list(
    browser: Client, write: Write
) -> None:
    for number in range(7):
        write(f"Page {number}", "[[Test card]] and again [[test card]] [[Page 0]]")
    html = text(browser.get("/w/ops/health?finding=dead-links"))
    assert re.search(r'"count num">7</td>', html)
    assert 'href="/w/ops/new?title=Test%20card"' in html
    assert "and 2 more" in html
    wanting = text(browser.get("/w/ops/health?finding=dead-links&wanted=test-card"))
    assert len(re.findall(r'<th scope="row"><a href="/w/ops/page-\d"', wanting)) == 7


def test_dead_links_come_most_wanted_first(listed: Listed, write: Write) -> None:
    write("A", "[[Rare]] [[Often]]")
    write("B", "[[often]]")
    assert listed("dead-links") == ["Often", "Rare"]


def test_a_link_in_code_is_not_dead(listed: Listed, write: Write) -> None:
    write("A", "`[[ns:page]]`\n\n```\n[[ns:page]]\n```\n\n[[WantedPage]]")
    assert listed("dead-links") == ["WantedPage"]


def test_a_link_to_a_redirect_is_not_dead(listed: Listed, write: Write, wiki: Wiki) -> None:
    Redirect.objects.create(wiki=wiki, slug="old-name", page=write("New name"))
    write("A", "[[Old name]]")
    assert listed("dead-links") == []


def test_a_link_from_the_trash_wants_nothing(listed: Listed, write: Write, author: Author) -> None:
    trash_page(write("Gone", "[[WantedPage]]"), author=author)
    assert listed("dead-links") == []


def test_whom_a_page_replaces_it_may_name(listed: Listed, write: Write) -> None:
    old, new = write("Old"), write("New", "formerly [[Old]]")
    Page.objects.filter(pk=old.pk).update(standing=Standing.REPLACED, replaced_by=new)
    assert listed("outdated") == []
    write("Reader", "see [[Old]]")
    assert listed("outdated") == ["Old"]


def test_a_page_marked_as_outdated_shows_who_still_links_there(
    browser: Client, write: Write
) -> None:
    old, new = write("Old"), write("New")
    write("Reader", "see [[Old]] [[New]]")
    Page.objects.filter(pk=old.pk).update(standing=Standing.REPLACED, replaced_by=new)
    html = text(browser.get("/w/ops/health?finding=outdated"))
    assert 'replaced: <a href="/w/ops/new-page">New</a>' in html
    assert 'href="/w/ops/?to=old"' in html


# -- titles


DIARY = [
    "Protokoll 2026-11-03",
    "2026/11/03 standup",
    "Notizen vom 3.11.2026",
    "Sitzung 03.11.26",
    "Besprechung am 3.11. mit dem Team",
    "Stand 3.11.",
    "Protokoll 3. November",
    "3. Nov. Treffen",
    "Umzug im März 2027",
    "March 3",
    "Meeting March 3rd",
    "3 March 2026",
    "2nd of May",
    "May 3, 2026",
    "11/3/2026",
    "KW 45",
    "Kalenderwoche 45",
    "2026-W45",
    "week 45 notes",
    "Wir haben heute den Server neu gestartet.",
    "Wenn man morgens kommt und der Rechner nicht mehr startet dann hilft meist ein Neustart",
]
NO_DIARY = [
    "v2.4.7",
    "Ubuntu 24.04",
    "Ubuntu 24.04.1",
    "Python 3.11.12",
    "PostgreSQL 18.4",
    "Release 2026.11.3",
    "CVE-2026-11034",
    "Ticket 2026-1103",
    "10.11.12.13",
    "Kapitel 3.11 Netz",
    "ISO 8601-2:2019",
    "RFC 2119",
    "Port 8080",
    "Week 2 of the course",
    "Step 2 may fail",
    "Jobs may 3 times fail",
    "march of progress",
    "10. Marathon",
    "Freigabe am Freitag",
    "Mai",
    "Rechnungsmails verspätet usw.",
    "Was zu tun ist, wenn die Pipeline rot ist",
    "日本語の長い題名",
]


def test_titles_that_name_a_day_or_are_a_sentence_are_found_and_versions_are_not(
    listed: Listed, write: Write
) -> None:
    for title in (*DIARY, *NO_DIARY):
        write(title)
    assert set(listed("diary")) == set(DIARY)


def test_same_titles_are_found_whatever_their_case_blanks_and_accents(
    listed: Listed, write: Write
) -> None:
    for title in ("Déjà Dup", "Deja  dup", "Übung", "Uebung", "C", "C++", "Masse", "Mass"):
        write(title)
    assert sorted(listed("same-titles")) == ["Deja dup", "Déjà Dup", "Uebung", "Übung"]


def test_a_title_in_the_trash_or_in_another_wiki_is_no_second(
    listed: Listed, write: Write, author: Author
) -> None:
    write("Runner")
    trash_page(write("Runner"), author=author)
    Page.objects.create(
        wiki=create_wiki("Other"),
        slug="runner",
        title="Runner",
        title_key="runner",
        folds=["runner"],
    )
    assert listed("same-titles") == []


# -- texts and embeddings


def test_a_stub_has_less_text_than_a_sentence(listed: Listed, write: Write) -> None:
    write("Short", "ü" * (STUB_CHARACTERS - 1) + "\n  ")
    write("Enough", "ü" * STUB_CHARACTERS)
    write("Nothing")
    assert listed("stubs") == ["Nothing", "Short"]


def test_pages_without_a_type_are_listed(listed: Listed, write: Write) -> None:
    write("Typed", type="topic")
    write("Untyped")
    assert listed("untyped") == ["Untyped"]


def test_what_could_not_be_embedded_shows_its_error(browser: Client, write: Write) -> None:
    failed, stale = write("Failed", "text"), write("Stale", "text")
    nothing = {"embed_model": "", "embedding": None}
    Page.objects.filter(pk=stale.pk).update(**nothing)
    error = {"embed_error": f"too long {HOSTILE}", "failed_model": "builtin:hash:256"}
    Page.objects.filter(pk=failed.pk).update(**nothing, **error)
    html = browser.get("/w/ops/health?finding=failed").content.decode()
    assert "too long &lt;script&gt;" in html
    assert ">Stale</a>" not in html
    assert ">Stale</a>" in text(browser.get("/w/ops/health?finding=stale"))


def test_a_page_that_nobody_touched_or_confirmed_for_a_year_is_listed(
    listed: Listed, write: Write
) -> None:
    now = timezone.now()
    old, fresh, confirmed, forgotten = (
        write("Old"),
        write("Fresh"),
        write("Confirmed"),
        write("Confirmed long ago"),
    )
    Page.objects.exclude(pk=fresh.pk).update(updated_at=now - YEAR - timedelta(hours=1))
    Page.objects.filter(pk=fresh.pk).update(updated_at=now - YEAR + timedelta(hours=1))
    for page, age in ((confirmed, timedelta(days=300)), (forgotten, YEAR + timedelta(days=1))):
        who = {"author_kind": "person", "author_name": "pat"}
        Confirmation.objects.create(page=page, confirmed_at=now - age, **who)
    assert sorted(listed("unconfirmed")) == ["Confirmed long ago", "Old"]
    Page.objects.filter(pk=old.pk).update(standing=Standing.OUTDATED)
    assert listed("unconfirmed") == ["Confirmed long ago"]


# -- duplicates


def set_vectors(vectors: dict[Page, list[float]]) -> None:
    for page, head in vectors.items():
        vector = np.zeros(256, dtype=np.float32)
        vector[: len(head)] = head
        Page.objects.filter(pk=page.pk).update(embedding=vector, embed_model=active_fingerprint())


def beside(similarity: float) -> list[float]:
    return [similarity, (1 - similarity**2) ** 0.5]


def test_pages_are_suspected_from_a_similarity_of_0_88_on(browser: Client, write: Write) -> None:
    a, at, below = write("A", LONG), write("At", LONG), write("Below", LONG)
    set_vectors({a: [1.0], at: beside(0.88), below: [0.879, 0.0, (1 - 0.879**2) ** 0.5]})
    html = text(browser.get("/w/ops/health?finding=duplicates"))
    assert "very similar 0.88" in html
    assert 'href="/w/ops/a/beside?with=at"' in html
    assert ">Below</a>" not in html


def test_vectors_of_two_models_and_replaced_pages_are_not_compared(number, write: Write) -> None:
    a, b = write("A", LONG), write("B", LONG)
    set_vectors({a: [1.0], b: [1.0]})
    assert number("duplicates") == "1"
    Page.objects.filter(pk=b.pk).update(embed_model="another:model:256")
    assert number("duplicates") == "0"
    Page.objects.filter(pk=b.pk).update(
        embed_model=active_fingerprint(), standing=Standing.OUTDATED
    )
    assert number("duplicates") == "0"


def test_a_trashed_page_is_no_duplicate(number, write: Write, author: Author) -> None:
    write("A", LONG)
    again = write("A again", LONG)
    assert number("duplicates") == "1"
    trash_page(again, author=author)
    assert number("duplicates") == "0"


def test_in_a_large_wiki_pages_are_compared_when_somebody_asks(
    browser: Client, number, write: Write, monkeypatch
) -> None:
    monkeypatch.setattr(duplicates, "COMPARED_AT_ONCE", 1)
    write("A", LONG)
    write("A again", LONG)
    assert number("duplicates") == "?"
    assert "Look for duplicates" in text(browser.get("/w/ops/health?finding=duplicates"))
    assert browser.post("/w/ops/health")["Location"] == "/w/ops/health?finding=duplicates"
    assert number("duplicates") == "1"
    write("A third time", LONG)
    html = text(browser.get("/w/ops/health?finding=duplicates"))
    assert "Pages have changed since." in html
    assert "A third time" not in html


def test_what_is_too_much_to_compare_is_said(browser: Client, write: Write, monkeypatch) -> None:
    monkeypatch.setattr(duplicates, "MAX_COMPARED", 3)
    monkeypatch.setattr(duplicates, "MAX_PAIRS", 1)
    for number in range(5):
        write(f"Copy {number}", LONG)
    html = text(browser.get("/w/ops/health?finding=duplicates"))
    assert "The 1 most similar of 3 pairs." in html
    assert "2 pages were not compared" in html


def test_however_many_ask_only_one_compares_and_nothing_twice(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "COMPARED_AT_ONCE", 1)
    for number in range(3):
        write(f"Copy {number}", LONG)
    with only_one(COMPARING):
        assert "Look again in a moment" in text(browser.post("/w/ops/health", follow=True))
        assert not duplicates.known_duplicates(Page.objects.first().wiki)
    browser.post("/w/ops/health")
    monkeypatch.setattr(duplicates, "find_near_pairs", None)
    assert "Copy 0" in text(browser.post("/w/ops/health", follow=True))


def test_many_pages_give_the_same_pairs_as_one_by_one(write: Write, wiki: Wiki) -> None:
    chance = np.random.default_rng(1)
    vectors = chance.normal(size=(600, 3)).astype(np.float32)
    vectors = np.pad(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), ((0, 0), (0, 253)))
    Page.objects.bulk_create(
        Page(
            wiki=wiki,
            slug=f"p-{n}",
            title=f"P {n}",
            text_hash="",
            embed_model=active_fingerprint(),
            embedding=vector,
        )
        for n, vector in enumerate(vectors)
    )
    assert duplicates.find_duplicates(wiki)
    found = duplicates.known_duplicates(wiki)
    expected = np.triu(vectors @ vectors.T >= 0.88, k=1)
    assert found.total == expected.sum()
    assert len(found.pairs) == duplicates.MAX_PAIRS
    assert [pair.similarity for pair in found.pairs] == sorted(
        (p.similarity for p in found.pairs), reverse=True
    )
    assert all(pair.first < pair.second for pair in found.pairs)


def test_two_pages_are_compared(browser: Client, write: Write) -> None:
    write("A", "Port 8080 is taken.", tags=["net"])
    write("B", f"Port 8081 is taken. {HOSTILE}", type="system")
    html = browser.get("/w/ops/a/beside?with=b").content.decode()
    assert "<del>8080</del><ins>8081</ins>" in html
    assert "<script>alert" not in html
    assert browser.get("/w/ops/a/beside?with=a").status_code == 404
    assert browser.get("/w/ops/a/beside").status_code == 404
    assert browser.get("/w/ops/a/beside?with=nothing").status_code == 404


# -- the page itself


def test_an_empty_wiki_and_a_healthy_one_have_nothing_to_find(
    browser: Client, write: Write
) -> None:
    assert "There is no page in this wiki yet." in text(browser.get("/w/ops/health"))
    write("A", f"[[B]] {LONG} Something about machines.", type="topic")
    write("B", f"[[A]] {'Other words altogether, on gardens and the sea. ' * 3}", type="topic")
    assert "Nothing to find" in text(browser.get("/w/ops/health"))


def test_the_first_finding_with_something_in_it_is_shown(browser: Client, write: Write) -> None:
    write("Runner", LONG, type="system")
    html = text(browser.get("/w/ops/health"))
    assert '<h2 id="shown">Orphans</h2>' in html
    assert ">Runner</a>" in html


def test_looking_changes_nothing(browser: Client, write: Write) -> None:
    page = write("2026-11-03", "[[WantedPage]]")
    for finding in ("dead-links", "orphans", "diary", "stubs", "duplicates"):
        browser.get(f"/w/ops/health?finding={finding}")
    page.refresh_from_db()
    assert page.revision == 1
    assert Link.objects.count() == 1


def test_a_list_is_paged_at_a_hundred(browser: Client, wiki: Wiki, write: Write) -> None:
    Page.objects.bulk_create(
        Page(wiki=wiki, slug=f"p-{n}", title=f"P {n:03}", title_key=f"p {n:03}", text_hash="")
        for n in range(101)
    )
    first = text(browser.get("/w/ops/health?finding=untyped"))
    assert first.count('<th scope="row">') == 100
    assert 'href="?finding=untyped&page=2"' in first
    assert text(browser.get("/w/ops/health?finding=untyped&page=2")).count('<th scope="row">') == 1


@pytest.mark.parametrize(
    "query", ["finding=nonsense", "finding=orphans&page=x", "finding=dead-links&wanted=%00%ff"]
)
def test_an_odd_question_is_no_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/health?{query}").status_code == 200


def test_hostile_titles_are_text(browser: Client, write: Write) -> None:
    write(HOSTILE, f"[[<b>wanted</b>]] [[{HOSTILE}]]")
    for finding in ("orphans", "dead-links", "stubs"):
        html = browser.get(f"/w/ops/health?finding={finding}").content.decode()
        assert "<script>alert" not in html
        assert "<b>wanted" not in html


def test_who_may_not_see_a_wiki_learns_no_number(client: Client, write: Write) -> None:
    write("Secret", "[[WantedPage]]")
    write("Other")
    client.force_login(User.objects.create_user("olaf"))
    for address in (
        "health",
        "map",
        "tags",
        "secret/map",
        "secret/beside?with=other",
        "health?finding=orphans",
    ):
        answer = client.get(f"/w/ops/{address}")
        assert answer.status_code == 404
        assert "Secret" not in text(answer)
    assert client.post("/w/ops/health").status_code == 404


def test_a_reader_is_offered_nothing_to_write(client: Client, write: Write, wiki: Wiki) -> None:
    write("Runner", "[[WantedPage]]")
    reader = User.objects.create_user("rita")
    Membership.objects.create(wiki=wiki, user=reader, role=Role.READER)
    client.force_login(reader)
    for finding in ("dead-links", "orphans"):
        html = (
            text(client.get(f"/w/ops/health?finding={finding}"))
            .partition('class="broad"')[2]
            .partition("</main>")[0]
        )
        assert "/w/ops/runner" in html
        assert "/new?title" not in html
        assert "/edit" not in html


def test_the_number_of_queries_does_not_grow_with_the_findings(
    browser: Client, write: Write
) -> None:
    findings = [
        "dead-links",
        "orphans",
        "duplicates",
        "same-titles",
        "diary",
        "outdated",
        "unconfirmed",
    ]

    def fill(start: int) -> None:
        for number in range(start, start + 4):
            write(f"2026-01-{number:02}", f"[[WantedPage {number}]] [[2026-01-01]]")
            write(f"2026-01-{number:02}", "[[WantedPage]]")
        Page.objects.filter(title__endswith="2").update(standing=Standing.OUTDATED)

    def count() -> dict[str, int]:
        for finding in findings:
            browser.get(f"/w/ops/health?finding={finding}")
        return {
            finding: count_queries(browser, f"/w/ops/health?finding={finding}")
            for finding in findings
        }

    fill(1)
    few = count()
    fill(11)
    assert count() == few
    assert max(few.values()) <= 14
