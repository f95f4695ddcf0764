"""Feeds: what is in them, who may read them, and how cheaply they are asked for again."""

import logging
import re
from datetime import datetime
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from covey import gunicorn_settings
from tests.support.screens import HOSTILE, Write, count_queries, revise, text
from tests.support.writing import create_page
from wiki.accounts.feed_keys import find_key, find_reader, renew_key
from wiki.models import (
    Agent,
    FeedKey,
    Membership,
    Page,
    Redirect,
    Revision,
    RevisionKind,
    Role,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.views.feed_entries import ENTRIES

FEED, PAGE_FEED = "/w/ops/feed", "/w/ops/runner/feed"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def key(person: User) -> str:
    renew_key(person)
    return find_key(person)


def read(answer) -> ElementTree.Element:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(answer.content)


def entries(answer) -> list[dict[str, str]]:
    found = []
    for entry in read(answer).findall(f"{ATOM}entry"):
        one = {child.tag.removeprefix(ATOM): child.text or "" for child in entry}
        one["author"] = entry.findtext(f"{ATOM}author/{ATOM}name")
        one["link"] = entry.find(f"{ATOM}link").get("href")
        found.append(one)
    return found


# -- what is in them


def test_a_change_is_an_entry_with_author_reason_and_words(
    browser: Client, write: Write, author: Author, agent: Agent
) -> None:
    page = write("Runner", "Port 8080 steht\n\nüberall.")
    revise(page, "Port 8081 steht\n\nüberall.", Author.of_agent(agent), summary="Port berichtigt")
    first, second = entries(browser.get(FEED))
    assert first["title"] == "Runner: edited"
    assert first["author"] == "robin (Agent)"
    assert first["link"] == f"{settings.COVEY_PUBLIC_URL}/w/ops/runner/history/2?changes"
    assert "<p>Port berichtigt</p>" in first["summary"]
    assert "Port<del> 8080</del><ins> 8081</ins> steht<br><br>überall." in first["summary"]
    assert datetime.fromisoformat(first["updated"]) == page.revisions.get(number=2).created_at
    assert second["title"] == "Runner: created"
    assert second["link"] == f"{settings.COVEY_PUBLIC_URL}/w/ops/runner/history/1"


def test_every_address_is_absolute_and_none_has_the_key(
    client: Client, write: Write, key: str
) -> None:
    write("Runner", "[[x]]")
    for address in (FEED, PAGE_FEED):
        answer = client.get(f"{address}?key={key}")
        links = [link.get("href") for link in read(answer).iter(f"{ATOM}link")]
        assert len(links) == 3
        assert all(link.startswith(f"{settings.COVEY_PUBLIC_URL}/w/ops/") for link in links)
        assert key not in answer.content.decode()


def test_ids_stay_through_a_rename_and_every_link_answers(
    browser: Client, client: Client, write: Write, author: Author, key: str
) -> None:
    page = revise(write("Runner", "eins"), "zwei", author)
    before = {entry["id"] for entry in entries(browser.get(PAGE_FEED))}
    feed_id = read(browser.get(PAGE_FEED)).findtext(f"{ATOM}id")
    Redirect.objects.create(wiki=page.wiki, slug="runner", page=page)
    Page.objects.filter(pk=page.pk).update(slug="läufer")
    page.refresh_from_db()
    page = revise(page, "zwei", author, title="Läufer", kind=RevisionKind.RENAME)
    revise(page, "drei", author)
    stranger = Client()
    answer = stranger.get(f"{PAGE_FEED}?key={key}", follow=True)
    assert answer.redirect_chain[0][0] == f"/w/ops/l%C3%A4ufer/feed?key={key}"
    found = entries(answer)
    assert len(found) == 4
    assert before <= {entry["id"] for entry in found}
    assert read(answer).findtext(f"{ATOM}id") == feed_id
    assert len({entry["id"] for entry in found}) == 4
    assert all(
        re.fullmatch(r"tag:[a-z0-9.-]+,\d{4}-\d\d-\d\d:page/\d+/revision/\d+", entry["id"])
        for entry in found
    )
    for entry in found:
        assert browser.get(entry["link"].removeprefix(settings.COVEY_PUBLIC_URL)).status_code == 200


def test_hostile_words_are_inert(browser: Client, wiki: Wiki) -> None:
    evil = Author.of_agent(Agent.objects.create(name=f"a{HOSTILE}", home_wiki=wiki))
    page = create_page(wiki, title=f"T{HOSTILE}", body=f"]]> {HOSTILE} &lt;b&gt;", author=evil)
    revise(
        page,
        f"]]> {HOSTILE} <img src=x onerror=y>",
        evil,
        summary=HOSTILE,
        title=f"U{HOSTILE}",
        tags=[HOSTILE],
    )
    for address in (FEED, f"/w/ops/{page.slug}/feed"):
        answer = browser.get(address)
        assert "<script>" not in answer.content.decode()
        for entry in entries(answer):
            assert not re.search(r"<(?!/?(?:p|ins|del|br)>)", entry["summary"]), entry["summary"]
            assert HOSTILE in entry["author"]
            assert HOSTILE in entry["title"]


@pytest.mark.parametrize("bad", ["\x0b", "\x00", "\ufffe", "\uffff", "\x1b", "\ud800"])
def test_characters_that_no_xml_may_have_do_not_break_it(
    browser: Client, write: Write, person: User, bad: str
) -> None:
    page = write(f"Titel {bad} zu", f"Text {bad} Ende", summary=f"Grund {bad} Ende")
    if bad not in ("\x00", "\ud800"):
        Revision.objects.update(
            author_name=f"n{bad}m", title=f"t{bad}", body=f"b{bad}", summary=f"s{bad}"
        )
        Page.objects.update(title=f"t{bad}")
        Wiki.objects.update(name=f"w{bad}")
    for address in (FEED, f"/w/ops/{page.slug}/feed"):
        assert len(entries(browser.get(address))) == 1


def test_an_empty_wiki_has_a_whole_feed_that_stays_the_same(browser: Client, wiki: Wiki) -> None:
    feed = read(browser.get(FEED))
    assert feed.findtext(f"{ATOM}title") == "Betrieb"
    assert datetime.fromisoformat(feed.findtext(f"{ATOM}updated")) == wiki.created_at
    assert entries(browser.get(FEED)) == []


def test_only_the_newest_are_in_a_feed_and_its_queries_do_not_grow(
    browser: Client, write: Write
) -> None:
    write("Runner", "text")
    browser.get(FEED)
    few = [count_queries(browser, address) for address in (FEED, PAGE_FEED)]
    for number in range(ENTRIES + 2):
        write(f"Seite {number}", "text")
    assert [count_queries(browser, address) for address in (FEED, PAGE_FEED)] == few
    assert max(few) <= 11
    found = entries(browser.get(FEED))
    assert len(found) == ENTRIES
    assert found[0]["title"] == f"Seite {ENTRIES + 1}: created"


def test_large_texts_are_named_but_not_compared(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", "wort " * 10_000)
    revise(page, "anderes " * 10_000, author, summary="alles neu")
    answer = browser.get(FEED)
    assert entries(answer)[0]["summary"] == "<p>alles neu</p>"
    assert len(answer.content) < 5_000


def test_a_long_change_is_cut(browser: Client, write: Write) -> None:
    write("Runner", "wort " * 1_500)
    summary = entries(browser.get(FEED))[0]["summary"]
    assert len(summary) < 2_200
    assert summary.endswith("…</p>")


def test_a_feed_takes_the_filters_of_the_list(
    browser: Client, write: Write, wiki: Wiki, agent: Agent
) -> None:
    write("Von Pat")
    create_page(wiki, title="Von Robin", body="x", author=Author.of_agent(agent))
    assert [entry["title"] for entry in entries(browser.get(f"{FEED}?by=agent"))] == [
        "Von Robin: created"
    ]


def test_pages_and_index_name_their_feeds_without_a_key(
    browser: Client, write: Write, key: str
) -> None:
    write("Runner")
    for address, feeds in {
        "/w/ops/": [FEED],
        "/w/ops/runner": [FEED, PAGE_FEED],
        "/w/ops/changes": [FEED],
    }.items():
        html = text(browser.get(address))
        assert (
            re.findall(
                r'<link rel="alternate" type="application/atom\+xml"[^>]* href="([^"]+)"', html
            )
            == feeds
        )
        assert key not in html


# -- who may read them


def test_a_key_opens_the_feeds_of_its_person(write: Write, key: str) -> None:
    write("Runner")
    for address in (FEED, PAGE_FEED):
        assert entries(Client().get(f"{address}?key={key}"))[0]["title"] == "Runner: created"
        assert Client().head(f"{address}?key={key}").status_code == 200
        assert Client().post(f"{address}?key={key}").status_code == 405


def refused(answer) -> bool:
    return answer.status_code == 404 and not re.search("Geheim|pat|Betrieb|<", text(answer))


def test_without_a_right_no_feed_says_anything(
    client: Client, write: Write, wiki: Wiki, person: User, key: str
) -> None:
    write("Geheimplan", slug="runner")
    eve = User.objects.create_user("eve")
    renew_key(eve)
    strange = [
        "", "x", "1-", f"{person.pk}-", f"{key}x", key[:-1], key.replace("-", "_", 1), f"0{key}", f" {key}",
        f"{eve.pk}-{key.split('-', 1)[1]}", f"{10**17}-{key.split('-', 1)[1]}", find_key(eve), "%00", "ü" * 300,
    ]  # fmt: skip
    for address in (FEED, PAGE_FEED):
        assert client.get(f"{address}?key={key}").status_code == 200
        for other in strange:
            assert refused(client.get(address, {"key": other})), other
        assert refused(client.get(f"/w/none{address.removeprefix('/w/ops')}?key={key}"))
    client.force_login(eve)
    assert refused(client.get(FEED))


@pytest.mark.parametrize("loss", ["disabled", "membership", "renewed", "wiki"])
def test_what_was_lost_closes_the_feed(write: Write, person: User, key: str, loss: str) -> None:
    write("Geheimplan", slug="runner")
    client = Client()
    etag = client.get(f"{FEED}?key={key}")["ETag"]
    match loss:
        case "disabled":
            User.objects.filter(pk=person.pk).update(is_active=False)
        case "membership":
            Membership.objects.all().delete()
        case "renewed":
            renew_key(person)
        case "wiki":
            Wiki.objects.update(slug="elsewhere")
    for address in (FEED, PAGE_FEED):
        for headers in ({}, {"If-None-Match": etag}, {"If-None-Match": "*"}):
            assert refused(client.get(f"{address}?key={key}", headers=headers))


def test_a_dead_key_is_not_made_good_by_a_session(
    browser: Client, write: Write, person: User, key: str
) -> None:
    write("Geheimplan")
    renew_key(person)
    assert refused(browser.get(f"{FEED}?key={key}"))
    assert browser.get(FEED).status_code == 200


def test_a_key_opens_nothing_but_feeds_and_signs_nobody_in(write: Write, key: str) -> None:
    write("Runner")
    client = Client()
    answer = client.get(f"{FEED}?key={key}")
    assert not answer.cookies
    for address in ("/w/ops/", "/w/ops/runner", "/w/ops/changes", "/w/ops/feed/address"):
        assert client.get(f"{address}?key={key}")["Location"].startswith("/login")


def test_a_public_wiki_needs_no_key(write: Write, wiki: Wiki) -> None:
    write("Runner")
    Wiki.objects.update(is_public=True)
    assert len(entries(Client().get(FEED))) == len(entries(Client().get(PAGE_FEED))) == 1


def test_what_lies_in_the_trash_is_in_the_feeds_of_editors_alone(
    browser: Client, write: Write, wiki: Wiki, author: Author
) -> None:
    page = trash_page(write("Geheimplan"), author=author)
    kim = User.objects.create_user("kim")
    Membership.objects.create(wiki=wiki, user=kim, role=Role.READER)
    renew_key(kim)
    assert [entry["link"] for entry in entries(browser.get(FEED))] == [
        f"{settings.COVEY_PUBLIC_URL}/w/ops/trash/{page.pk}"
    ] * 2
    assert entries(Client().get(f"{FEED}?key={find_key(kim)}")) == []
    assert browser.get(f"/w/ops/{page.slug}/feed").status_code == 404


def test_a_key_is_signed_with_the_secret_of_the_installation(key: str, settings) -> None:
    assert find_reader(key)
    settings.SECRET_KEY = "another"
    assert find_reader(key) is None


# -- the address


def test_a_person_asks_for_an_address_and_can_renew_it(
    browser: Client, write: Write, person: User
) -> None:
    write("Runner")
    assert '<a href="/w/ops/feed/address">Feed address</a>' in text(browser.get("/w/ops/changes"))
    html = text(browser.get("/w/ops/feed/address"))
    assert "Make my feed address" in html
    assert not FeedKey.objects.exists()
    addresses = []
    for _time in range(2):
        html = text(browser.post("/w/ops/feed/address", follow=True))
        addresses.append(re.search(r'value="([^"]+key=[^"]+)" readonly', html)[1])
        assert "gets nothing any more" in html
    old, new = (address.removeprefix(settings.COVEY_PUBLIC_URL) for address in addresses)
    assert old != new
    assert Client().get(new).status_code == 200
    assert refused(Client().get(old))
    assert browser.get("/w/ops/feed/address").status_code == 200
    assert FeedKey.objects.count() == 1


# -- asked for again


def test_an_unchanged_feed_is_not_sent_again(write: Write, author: Author, key: str) -> None:
    page = write("Runner", "eins")
    client = Client()
    for path in (FEED, PAGE_FEED):
        address = f"{path}?key={key}"
        answer = client.get(address)
        known = {"If-None-Match": answer["ETag"]}
        since = {"If-Modified-Since": answer["Last-Modified"]}
        for headers in (known, since):
            for ask in (client.get, client.head):
                again = ask(address, headers=headers)
                assert (again.status_code, again.content) == (304, b"")
                assert again["ETag"] == answer["ETag"]
        page = revise(page, f"{page.body} mehr", author)
        changed = client.get(address, headers=known)
        assert changed.status_code == 200
        assert changed["ETag"] != answer["ETag"]


def test_a_feed_changes_with_the_name_of_its_wiki_and_its_language(
    browser: Client, write: Write
) -> None:
    write("Runner")
    known = {"If-None-Match": browser.get(FEED)["ETag"]}
    assert browser.get(FEED, headers=known).status_code == 304
    assert browser.get(FEED, headers={**known, "Accept-Language": "de"}).status_code == 200
    assert browser.get(f"{FEED}?by=agent", headers=known).status_code == 200
    Wiki.objects.update(name="Neuer Name")
    assert browser.get(FEED, headers=known).status_code == 200


def test_an_unchanged_feed_looks_at_no_text(
    write: Write, key: str, django_assert_num_queries
) -> None:
    for number in range(5):
        write(f"Seite {number}", "text")
    client = Client()
    known = {"If-None-Match": client.get(f"{FEED}?key={key}")["ETag"]}
    with django_assert_num_queries(4):
        assert client.get(f"{FEED}?key={key}", headers=known).status_code == 304


# -- the key stays where it is


def test_neither_a_cache_nor_another_site_is_told_the_key(write: Write, key: str) -> None:
    write("Runner")
    for asked in (key, "dead"):
        answer = Client().get(f"{FEED}?key={asked}")
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["Cache-Control"] == "private, no-cache"


def test_no_log_says_the_key(
    write: Write, key: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write("Runner")
    caplog.set_level(logging.DEBUG)
    client = Client(raise_request_exception=False)
    client.get(f"{FEED}?key={key}")
    client.get(f"/w/none/feed?key={key}")

    def fail(*_arguments: object, **_more: object) -> None:
        raise RuntimeError("the database is away")

    monkeypatch.setattr("wiki.views.feeds.make_feed", fail)
    answer = client.get(f"{FEED}?key={key}")
    assert answer.status_code == 500
    assert "Internal Server Error: /w/ops/feed" in caplog.text
    assert key not in caplog.text
    assert key not in answer.content.decode()
    assert not hasattr(gunicorn_settings, "accesslog")


def test_a_broken_feed_is_no_half_feed(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Runner")
    client = Client(raise_request_exception=False)
    client.cookies = browser.cookies
    monkeypatch.setattr("wiki.views.feed_entries._describe", lambda *_: 1 / 0)
    assert client.get(FEED).status_code == 500
