"""The history of a page, and two of its revisions beside each other."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.screens import HOSTILE, Write, count_queries, revise, text
from wiki.models import Agent, Membership, Page, Redirect, Revision, RevisionKind, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.views.history.revisions import PER_SCREEN

ADDRESS = "/w/ops/runner/history"


def fill(page: Page, count: int) -> None:
    """Revisions as a long life leaves them; the last one is the page's."""
    last = page.revisions.get(number=page.revision)
    rows = []
    for number in range(page.revision + 1, page.revision + count + 1):
        row = Revision(
            **{f.attname: getattr(last, f.attname) for f in Revision._meta.fields if f.name != "id"}
        )
        row.number, row.body, row.kind = number, f"text {number}", RevisionKind.EDIT
        rows.append(row)
    Revision.objects.bulk_create(rows)
    Page.objects.filter(pk=page.pk).update(revision=rows[-1].number, body=rows[-1].body)


def rename(page: Page, title: str, slug: str, author: Author) -> Page:
    """What a rename leaves behind: another address, a redirect, a revision that says so."""
    Redirect.objects.create(wiki=page.wiki, slug=page.slug, page=page)
    page.slug = slug
    page.save(update_fields=["slug"])
    return revise(
        page, page.body, author, title=title, kind=RevisionKind.RENAME, summary=f"→ {title}"
    )


@pytest.mark.parametrize("order", ["from=1&to=3", "from=3&to=1"])
def test_any_two_revisions_are_compared(
    browser: Client, write: Write, author: Author, agent: Agent, order: str
) -> None:
    page = write("Runner", "Port 8080", tags=["ci"])
    page = revise(page, "Port 9090", Author.of_agent(agent))
    revise(page, "Port 8081", author, title="Läufer", type="system", tags=["ci", "eil"])
    html = text(browser.get(f"/w/ops/runner/compare?{order}"))
    assert "From revision 1 to 3" in html
    assert "<del>8080</del><ins>8081</ins>" in html
    assert "9090" not in html
    assert "<del>Runner</del> <ins>Läufer</ins>" in html
    assert "<ins>System</ins>" in html
    assert "<del>ci</del> <ins>ci, eil</ins>" in html
    assert "2 changes" in html
    assert re.search(
        r'who agent"><span class="unseen">Agent: </span>robin</span> <span class="num">1<', html
    )


def test_without_numbers_the_last_change_is_compared(
    browser: Client, write: Write, author: Author
) -> None:
    page = revise(write("Runner", "eins"), "zwei", author)
    revise(page, "drei", author)
    html = text(browser.get("/w/ops/runner/compare"))
    assert "From revision 2 to 3" in html


@pytest.mark.parametrize("query", ["from=1&to=9", "from=0&to=7", f"from={2**31}&to=1"])
def test_revisions_that_never_were_are_not_compared(
    browser: Client, write: Write, query: str
) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/runner/compare?{query}").status_code == 404


@pytest.mark.parametrize(
    "query", ["from=x&to=-1", "from=%00&to=", "from=1&to=1", f"from=1&to={10**30}", ""]
)
def test_odd_numbers_compare_something(browser: Client, write: Write, query: str) -> None:
    write("Runner", "text")
    html = text(browser.get(f"/w/ops/runner/compare?{query}"))
    assert "The text is the same." in html


def test_the_list_is_a_plain_form_that_compares(
    browser: Client, write: Write, author: Author
) -> None:
    page = revise(write("Runner", "eins"), "zwei", author)
    revise(page, "drei", author)
    html = text(browser.get(ADDRESS))
    assert '<form id="compare" class="comparing" action="/w/ops/runner/compare">' in html
    picked = re.findall(
        r'<input type="radio" form="compare" name="(from|to)" value="(\d)"( checked)?>', html
    )
    assert sorted(picked) == sorted(
        (name, number, " checked" if (name, number) in (("to", "3"), ("from", "2")) else "")
        for name in ("from", "to")
        for number in "123"
    )


def test_a_page_with_one_revision_offers_no_comparison(browser: Client, write: Write) -> None:
    write("Runner")
    assert 'type="radio"' not in text(browser.get(ADDRESS))


@pytest.mark.parametrize("kind", RevisionKind)
def test_every_kind_stands_in_the_list_in_words(
    browser: Client, write: Write, author: Author, kind: RevisionKind
) -> None:
    page = revise(write("Runner", "eins"), "zwei", author, kind=kind)
    assert f"<span>{kind.label} <time" in text(browser.get(ADDRESS))
    assert page.revision == 2


def test_every_old_permalink_answers_after_a_rename(
    browser: Client, write: Write, author: Author
) -> None:
    page = revise(write("Runner", "eins"), "zwei", author)
    page = rename(page, "Läufer", "läufer", author)
    revise(page, "drei", author)
    html = text(browser.get(ADDRESS, follow=True))
    assert re.findall(r'<span class="num">(\d)</span>', html) == ["4", "3", "2", "1"]
    for number in range(1, 5):
        for address in (
            f"{ADDRESS}/{number}",
            f"{ADDRESS}/{number}?changes",
            f"/w/ops/läufer/history/{number}",
        ):
            assert browser.get(address, follow=True).status_code == 200, address
    assert "From revision 1 to 4" in text(
        browser.get("/w/ops/runner/compare?from=1&to=4", follow=True)
    )
    assert "Address: <del>runner</del> <ins>läufer</ins>" in text(
        browser.get("/w/ops/läufer/history/3?changes")
    )


def test_a_restore_is_a_plain_form(write: Write, author: Author, person: User) -> None:
    revise(write("Runner", "erster Text"), "zweiter Text", author)
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    html = text(client.get(ADDRESS))
    form = re.search(r'<form method="post" action="([^"]+)">(.*?)</form>', html, re.DOTALL)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[2]))
    assert client.post(form[1], fields)["Location"] == "/w/ops/runner"
    assert Page.objects.get().body == "erster Text"


def test_a_long_history_is_paged_by_number(browser: Client, write: Write) -> None:
    fill(write("Runner", "text"), 2 * PER_SCREEN)
    seen: list[str] = []
    address = ADDRESS
    while address:
        html = text(browser.get(address))
        seen += re.findall(r'<li>.*?<span class="num">(\d+)</span>', html, re.DOTALL)
        older = re.search(r'rel="next" href="\?([^"]+)"', html)
        address = f"{ADDRESS}?{older[1]}" if older else ""
    assert seen == [str(number) for number in range(2 * PER_SCREEN + 1, 0, -1)]


@pytest.mark.parametrize("before", ["0", "-1", "x", "9" * 40, "%00"])
def test_an_odd_place_in_the_history_shows_the_newest(
    browser: Client, write: Write, before: str
) -> None:
    write("Runner")
    assert '<span class="num">1</span>' in text(browser.get(f"{ADDRESS}?before={before}"))


def test_the_queries_of_history_and_comparison_do_not_grow(browser: Client, write: Write) -> None:
    page = write("Runner", "text")
    fill(page, 2)
    addresses = [ADDRESS, "/w/ops/runner/compare?from=1&to=3"]
    few = [count_queries(browser, address) for address in addresses]
    page.refresh_from_db()
    fill(page, 40)
    assert [count_queries(browser, address) for address in addresses] == few
    assert max(few) <= 12


def test_a_reader_is_offered_nothing_that_changes(
    client: Client, write: Write, author: Author, wiki: Wiki
) -> None:
    revise(write("Runner", "eins"), "zwei", author)
    reader = User.objects.create_user("kim")
    Membership.objects.create(wiki=wiki, user=reader, role=Role.READER)
    client.force_login(reader)
    for address in (ADDRESS, f"{ADDRESS}/1", f"{ADDRESS}/2?changes"):
        html = text(client.get(address))
        assert "estore" not in html.split("<main")[1].split("</main")[0], address
        assert "/undo/" not in html
    assert client.get("/w/ops/runner/undo/2").status_code == 403
    assert client.get("/w/ops/runner/compare").status_code == 200


def test_no_comparison_for_whom_the_wiki_does_not_exist(
    client: Client, write: Write, author: Author
) -> None:
    revise(write("Runner", "geheim"), "auch geheim", author)
    client.force_login(User.objects.create_user("eve"))
    answer = client.get("/w/ops/runner/compare?from=1&to=2")
    assert answer.status_code == 404
    assert "geheim" not in text(answer)
    assert "Runner" not in text(answer)


def test_the_comparison_of_a_page_in_the_trash_is_not_found(
    browser: Client, write: Write, author: Author
) -> None:
    trash_page(write("Runner", "eins"), author=author)
    assert browser.get("/w/ops/runner/compare").status_code == 404


def test_hostile_words_are_text_in_history_and_comparison(
    browser: Client, write: Write, wiki: Wiki
) -> None:
    evil = Author.of_agent(Agent.objects.create(name=f"a{HOSTILE}", home_wiki=wiki))
    page = write(f"T{HOSTILE}", f"a {HOSTILE}")
    page = revise(
        page, f"b {HOSTILE} c", evil, title=f"U{HOSTILE}", tags=[HOSTILE], summary=HOSTILE
    )
    for address in ("history", "compare", "undo/2", "undo/1"):
        assert (
            "<script>alert" not in browser.get(f"/w/ops/{page.slug}/{address}").content.decode()
        ), address
