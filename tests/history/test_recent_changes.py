"""Recent changes of a wiki, and what is new since a person was last there."""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.support.screens import HOSTILE, Write, count_queries, revise, text
from tests.support.writing import create_page
from wiki.history.unread_changes import AWAY, COUNTED, FRESH, note_visit
from wiki.models import Agent, Membership, Page, Revision, RevisionKind, Role, Visit, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.views.history.recent_changes import PER_SCREEN

ADDRESS = "/w/ops/changes"


@pytest.fixture
def robin(agent: Agent) -> Author:
    return Author.of_agent(agent)


@pytest.fixture
def kim(wiki: Wiki) -> Client:
    """A reader of the wiki."""
    client, reader = Client(), User.objects.create_user("kim")
    Membership.objects.create(wiki=wiki, user=reader, role=Role.READER)
    client.force_login(reader)
    return client


def titles(answer) -> list[str]:
    return re.findall(r'<p class="title"><a href="[^"]+">([^<]*)</a>', text(answer))


def visited(wiki: Wiki, user: User, last: timedelta, before: timedelta | None = None) -> None:
    now = timezone.now()
    moments = {"last_at": now - last, "before_at": now - before if before else None}
    Visit.objects.update_or_create(wiki=wiki, user=user, defaults=moments)


# -- the list


def test_every_revision_stands_there_newest_first(
    browser: Client, write: Write, robin: Author
) -> None:
    page = write("Runner", "eins")
    write("Spiegel", "Text")
    revise(page, "eins zwei", robin, summary="ergänzt")
    answer = browser.get(ADDRESS)
    assert titles(answer) == ["Runner", "Spiegel", "Runner"]
    html = text(answer)
    assert "ergänzt" in html
    assert "+5 characters" in html
    assert '<a href="/w/ops/runner/history/2?changes">changes' in html
    assert '<a href="/w/ops/runner/undo/2">undo' in html
    assert re.search(r'href="\?by=agent:robin"><span class="who agent">', html)
    assert "<h2>Today</h2>" in html


def test_changes_are_grouped_by_day(browser: Client, write: Write) -> None:
    for number, days in enumerate([400, 1, 1, 0]):
        page = write(f"Seite {number}")
        Revision.objects.filter(page=page).update(created_at=timezone.now() - timedelta(days=days))
    html = text(browser.get(ADDRESS))
    days = re.findall(r'class="day"><h2>([^<]+)</h2>(.*?)</section>', html, re.DOTALL)
    assert [(day, rows.count('class="title"')) for day, rows in days[:2]] == [
        ("Today", 1),
        ("Yesterday", 2),
    ]
    assert len(days) == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("by=agent", ["Von Robin"]),
        ("by=person", ["Von Pat", "Von Pat"]),
        ("by=maintenance", ["Von covey"]),
        ("by=agent:robin", ["Von Robin"]),
        ("by=agent:pat", []),
        ("kind=trash", []),
        ("kind=append", ["Von Pat"]),
        ("by=person&kind=create", ["Von Pat"]),
        ("by=nobody&kind=nothing", ["Von Pat", "Von covey", "Von Robin", "Von Pat"]),
        ("before=x&since=visit", ["Von Pat", "Von covey", "Von Robin", "Von Pat"]),
        ("by=agent:%00", []),
    ],
)
def test_the_list_is_narrowed(
    browser: Client,
    wiki: Wiki,
    write: Write,
    author: Author,
    robin: Author,
    query: str,
    expected: list[str],
) -> None:
    page = write("Von Pat", "a")
    create_page(wiki, title="Von Robin", body="b", author=robin)
    create_page(wiki, title="Von covey", body="c", author=Author.maintenance())
    revise(page, "a b", author, kind=RevisionKind.APPEND)
    answer = browser.get(f"{ADDRESS}?{query}")
    assert titles(answer) == expected
    assert expected or "No change fits." in text(answer)


def test_an_empty_wiki_says_so(browser: Client, wiki: Wiki) -> None:
    assert "Nothing has been written here yet." in text(browser.get(ADDRESS))


def test_the_list_is_paged_without_gaps_and_keeps_its_filter(
    browser: Client, write: Write, robin: Author
) -> None:
    page = write("Runner", "text")
    last = page.revisions.get()
    for number in range(2, 2 * PER_SCREEN + 12):
        last.pk, last.number = None, number
        last.author_kind, last.author_name, last.user = ("agent", "robin", None)
        last.save()
    Page.objects.update(revision=last.number)
    seen, address = [], f"{ADDRESS}?by=agent:robin"
    while address:
        html = text(browser.get(address))
        seen += [
            int(number) for number in re.findall(r"/w/ops/runner/history/(\d+)\?changes", html)
        ]
        older = re.search(r'rel="next" href="\?([^"]+)"', html)
        address = f"{ADDRESS}?{older[1]}" if older else ""
    assert seen == list(range(2 * PER_SCREEN + 11, 1, -1))


def test_the_queries_do_not_grow_with_the_changes(
    browser: Client, wiki: Wiki, write: Write, robin: Author, person: User
) -> None:
    visited(wiki, person, timedelta(0), timedelta(days=1))
    addresses = [ADDRESS, f"{ADDRESS}?by=agent:robin", f"{ADDRESS}?since=visit"]
    page = create_page(wiki, title="Runner", body="0", author=robin)
    few = [count_queries(browser, address) for address in addresses]
    for number in range(1, 20):
        page = revise(page, str(number), robin)
        trash_page(create_page(wiki, title=f"Weg {number}", body="x", author=robin), author=robin)
    assert [count_queries(browser, address) for address in addresses] == few
    assert max(few) <= 12


def test_pages_in_the_trash_are_shown_as_such_to_editors_alone(
    browser: Client, kim: Client, write: Write, author: Author
) -> None:
    page = trash_page(write("Geheimplan", "Text", tags=["x"]), author=author)
    write("Runner")
    html = text(browser.get(ADDRESS))
    assert (
        f'<a href="/w/ops/trash/{page.pk}">Geheimplan</a> <span class="chip">in the trash</span>'
        in html
    )
    assert "moved to the trash" in html
    assert titles(kim.get(ADDRESS)) == ["Runner"]
    assert "Geheimplan" not in text(kim.get(ADDRESS))


def test_a_reader_is_not_offered_to_undo(kim: Client, write: Write) -> None:
    write("Runner")
    assert "/undo" not in text(kim.get(f"{ADDRESS}?by=person:pat"))
    assert kim.get(f"{ADDRESS}/undo?by=person:pat").status_code == 403
    assert kim.post(f"{ADDRESS}/undo", {"by": "person:pat"}).status_code == 403
    assert kim.post("/w/ops/runner/undo/1").status_code == 403
    assert not Page.objects.get().is_trashed


def test_no_changes_for_whom_the_wiki_does_not_exist(client: Client, write: Write) -> None:
    write("Geheimplan")
    assert client.get(ADDRESS)["Location"].startswith("/login")
    client.force_login(User.objects.create_user("eve"))
    for address in (
        ADDRESS,
        f"{ADDRESS}?by=person:pat",
        f"{ADDRESS}/undo?by=person:pat",
        "/w/ops/feed/address",
    ):
        answer = client.get(address)
        assert answer.status_code == 404, address
        assert "Geheimplan" not in text(answer)
    assert client.post(f"{ADDRESS}/seen").status_code == 404


def test_nothing_crosses_from_another_wiki(browser: Client, wiki: Wiki, author: Author) -> None:
    other = Wiki.objects.create(slug="other", name="Other")
    create_page(other, title="Geheimplan", body="x", author=Author.maintenance())
    html = text(browser.get(ADDRESS))
    assert "Geheimplan" not in html
    assert "covey</option>" not in html


def test_hostile_words_are_text_in_the_list(browser: Client, wiki: Wiki) -> None:
    evil = Author.of_agent(Agent.objects.create(name=f'a"{HOSTILE}', home_wiki=wiki))
    page = create_page(wiki, title=f'"{HOSTILE}', body="x", author=evil, summary=HOSTILE)
    by = quote(f"agent:{evil.name}")
    for address in (ADDRESS, f"{ADDRESS}?by={by}", f"{ADDRESS}/undo?by={by}"):
        answer = browser.get(address)
        assert "<script>alert" not in answer.content.decode(), address
        assert page.title in text(answer)


def test_the_menu_leads_to_the_changes(browser: Client, write: Write) -> None:
    write("Runner")
    for address in ("/w/ops/", "/w/ops/runner"):
        assert f'<li><a href="{ADDRESS}">Recent changes</a></li>' in text(browser.get(address))
    assert f'<a href="{ADDRESS}" aria-current="page">Recent changes</a>' in text(
        browser.get(ADDRESS)
    )


# -- since the last visit


def test_a_first_visit_has_no_news(
    browser: Client, wiki: Wiki, write: Write, robin: Author, person: User
) -> None:
    create_page(wiki, title="Runner", body="x", author=robin)
    for address in ("/w/ops/", ADDRESS):
        assert "since your last visit" not in text(browser.get(address))
    assert Visit.objects.get(user=person).before_at is None


def test_who_comes_back_is_told_what_others_changed(
    browser: Client, wiki: Wiki, write: Write, author: Author, robin: Author, person: User
) -> None:
    old, mine = write("Alt"), write("Meins")
    Revision.objects.update(created_at=timezone.now() - timedelta(days=3))
    Page.objects.update(updated_at=timezone.now() - timedelta(days=3))
    visited(wiki, person, last=timedelta(days=1))
    revise(old, "neu", robin)
    revise(Page.objects.get(pk=old.pk), "neuer", robin)
    revise(mine, "von mir", author)
    create_page(wiki, title="Frisch", body="x", author=robin)
    assert "2 pages have changed since your last visit" in text(browser.get("/w/ops/"))
    assert "2 pages have changed since your last visit" in text(browser.get(ADDRESS))
    assert titles(browser.get(f"{ADDRESS}?since=visit")) == ["Frisch", "Alt", "Alt"]


@pytest.mark.parametrize(
    ("away", "is_new_visit"),
    [(AWAY + timedelta(seconds=5), True), (AWAY - timedelta(seconds=5), False)],
)
def test_a_visit_begins_after_half_an_hour_away(
    wiki: Wiki, person: User, away: timedelta, is_new_visit: bool
) -> None:
    visited(wiki, person, last=away, before=timedelta(days=7))
    before = Visit.objects.get()
    since = note_visit(wiki, person)
    visit = Visit.objects.get()
    assert visit.last_at > before.last_at
    assert since == visit.before_at == (before.last_at if is_new_visit else before.before_at)


def test_a_visit_is_written_at_most_every_five_minutes(
    wiki: Wiki, person: User, django_assert_num_queries
) -> None:
    visited(wiki, person, last=FRESH - timedelta(seconds=5))
    with django_assert_num_queries(1):
        note_visit(wiki, person)
    visited(wiki, person, last=FRESH + timedelta(seconds=5))
    with django_assert_num_queries(2):
        note_visit(wiki, person)


def test_reading_pages_is_a_visit_that_costs_no_query(
    browser: Client, wiki: Wiki, write: Write, person: User
) -> None:
    write("Runner")
    first = count_queries(browser, "/w/ops/runner")
    assert Visit.objects.get().user == person
    again = count_queries(browser, "/w/ops/runner")
    Visit.objects.all().delete()
    assert again < first
    assert count_queries(browser, "/w/ops/runner") == again
    assert not Visit.objects.exists()


def test_all_is_marked_as_seen_up_to_what_was_shown(
    browser: Client, wiki: Wiki, robin: Author, person: User
) -> None:
    visited(wiki, person, last=timedelta(0), before=timedelta(days=1))
    create_page(wiki, title="Gesehen", body="x", author=robin)
    html = text(browser.get(ADDRESS))
    until = timezone.now()
    assert re.search(r'name="until" value="\d{4}-[^"]+"', html)
    create_page(wiki, title="Danach", body="y", author=robin)
    answer = browser.post(f"{ADDRESS}/seen", {"until": until.isoformat()}, follow=True)
    assert "1 page has changed since your last visit" in text(answer)
    assert titles(browser.get(f"{ADDRESS}?since=visit")) == ["Danach"]
    browser.post(f"{ADDRESS}/seen", {"until": "2999-01-01T00:00:00Z"})
    assert Visit.objects.get().before_at <= timezone.now()
    assert "since your last visit" not in text(browser.get(ADDRESS))


@pytest.mark.parametrize(
    "until", ["", "x", "2026-13-45", "0001-01-01T00:00:00", "9999-12-31T23:59:59-12:00"]
)
def test_an_odd_moment_marks_nothing_as_seen(
    browser: Client, wiki: Wiki, person: User, until: str
) -> None:
    visited(wiki, person, last=timedelta(0), before=timedelta(days=1))
    before = Visit.objects.get().before_at
    assert browser.post(f"{ADDRESS}/seen", {"until": until}).status_code == 302
    assert Visit.objects.get().before_at == before


def test_many_news_are_not_counted_to_the_end(
    browser: Client, wiki: Wiki, robin: Author, person: User
) -> None:
    visited(wiki, person, last=timedelta(0), before=timedelta(days=1))
    page = create_page(wiki, title="Runner", body="x", author=robin)
    row = page.revisions.get()
    fields = {
        f.attname: getattr(page, f.attname)
        for f in Page._meta.fields
        if f.name not in ("id", "slug", "search")
    }
    pages = Page.objects.bulk_create(Page(**fields, slug=f"p{number}") for number in range(COUNTED))
    attributes = {
        f.attname: getattr(row, f.attname)
        for f in Revision._meta.fields
        if f.name not in ("id", "page")
    }
    Revision.objects.bulk_create(Revision(**attributes, page=page) for page in pages)
    assert f"More than {COUNTED} pages" in text(browser.get(ADDRESS))


def test_trashed_pages_are_no_news_to_a_reader(kim: Client, wiki: Wiki, robin: Author) -> None:
    visited(wiki, User.objects.get(username="kim"), last=timedelta(0), before=timedelta(days=1))
    trash_page(create_page(wiki, title="Weg", body="x", author=robin), author=robin)
    assert "since your last visit" not in text(kim.get(ADDRESS))
