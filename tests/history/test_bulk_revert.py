"""Undoing one change, and all that somebody changed since a moment."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.support.screens import Write, count_queries, revise, text
from tests.support.writing import append_text, create_page
from wiki.history import bulk_revert
from wiki.history.bulk_revert import Effect, plan_contributions, undo_contributions, undo_revision
from wiki.history.contributions import Contributions
from wiki.history.revert import reverse_step, reverse_text
from wiki.insights.intake import Handed, file_insight
from wiki.models import Agent, Page, Revision, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import PageFields
from wiki.pages.trash import restore_page, trash_page
from wiki.views.history import revert as views

LINES = "eins\nzwei\ndrei\nvier\nfünf"
LOUD = LINES.replace("zwei", "ZWEI")
ALL = "/w/ops/changes/undo"


@pytest.fixture
def robin(agent: Agent) -> Author:
    return Author.of_agent(agent)


def contributions_of(wiki: Wiki, author: Author, kind: str = "") -> Contributions:
    """All of them, as long as there is a wiki."""
    day = timedelta(days=1)
    return Contributions(
        wiki, author.kind, author.name, timezone.now() - day, timezone.now() + day, kind
    )


def undo_everything(contributions: Contributions, author: Author) -> None:
    assert undo_contributions(contributions, author=author, summary="", after=0, seconds=60) is None


def fates(contributions: Contributions) -> dict[str, Effect]:
    return {
        plan.page.title: plan.effect
        for plan in plan_contributions(contributions, contributions.pages())
    }


# -- the text


@pytest.mark.parametrize(
    ("before", "after", "present", "expected"),
    [
        (LINES, LOUD, LOUD.replace("fünf", "FÜNF"), LINES.replace("fünf", "FÜNF")),
        ("a", "a\n\nb", "a\n\nb\n\nc", "a\n\nc"),
        ("a", "a\n\nb", "a\n\nb", "a"),
        ("a\n\nb", "a", "a\n\nc", None),
        ("a\n\nb", "a", "a", "a\n\nb"),
        ("a\nb\nc", "a\nc", "x\na\nc", "x\na\nb\nc"),
        ("", "mein Text", "mein Text\n\nihr Text", "ihr Text"),
        ("", "mein Text", "ihr Text\n\nmein Text", "ihr Text"),
        ("a", "b", "c", None),
        ("a", "b", "a", "a"),
        ("a\n", "a\nb\n", "a\nb\nc\n", "a\nc\n"),
        ("a b", "a b c", "a b c d", None),
        ("eins", "eins\nzwei\ndrei", "eins\nzwei\nneu\ndrei", None),
    ],
)
def test_a_step_is_taken_out_of_the_present_text(
    before: str, after: str, present: str, expected: str | None
) -> None:
    assert reverse_text(before, after, present) == expected


def test_title_type_and_tags_are_taken_back_where_nobody_touched_them_since() -> None:
    before, after = PageFields("A", "x", "", ["a", "b"]), PageFields("B", "x", "system", ["b", "c"])
    present = PageFields("B", "y", "system", ["b", "c", "d"])
    assert reverse_step(before, after, present) == PageFields("A", "y", "", ["b", "d", "a"])
    assert reverse_step(before, after, PageFields("C", "x", "system", ["b", "c"])) is None


# -- one change


def test_a_single_change_is_undone_and_later_words_stay(
    browser: Client, write: Write, author: Author, robin: Author
) -> None:
    page = write("Runner", LINES)
    revise(page, LOUD, robin, tags=["laut"])
    revise(page, LOUD.replace("fünf", "FÜNF"), author)
    html = text(browser.get("/w/ops/runner/undo/2"))
    assert re.search(r"<del>\s*ZWEI</del><ins>\s*zwei</ins>", html)
    assert "what was written since stays" in html
    assert Page.objects.get().revision == 3
    assert browser.post("/w/ops/runner/undo/2")["Location"] == "/w/ops/runner/history"
    page.refresh_from_db()
    assert (page.body, page.tags) == (LINES.replace("fünf", "FÜNF"), [])
    undone = page.revisions.get(number=4)
    assert (undone.kind, undone.author_name, undone.summary) == (
        RevisionKind.UNDO,
        "pat",
        "Revision 2 by robin undone",
    )


def test_an_undoing_can_be_undone(browser: Client, write: Write, robin: Author) -> None:
    page = write("Runner", "eins")
    revise(page, "zwei", robin)
    browser.post("/w/ops/runner/undo/2")
    browser.post("/w/ops/runner/undo/3")
    page.refresh_from_db()
    assert (page.body, page.revision) == ("zwei", 4)


def test_one_of_several_insights_is_taken_out(
    write: Write, wiki: Wiki, agent: Agent, author: Author
) -> None:
    page = write("Runner", "Der Runner baut.")
    for text_ in ("Erste Einsicht steht.", "Zweite Einsicht steht.", "Dritte Einsicht steht."):
        file_insight(wiki, agent, Handed(text_, page="runner"))
    append_text(Page.objects.get(), "Wort eines Menschen.", author=author)
    assert undo_revision(page, 3, author=author, summary="").effect == Effect.TEXT
    body = Page.objects.get().body
    assert "Zweite" not in body
    assert all(
        kept in body for kept in ("Der Runner baut.", "Erste", "Dritte", "Wort eines Menschen.")
    )
    assert body.count(":::") == 4


def test_what_cannot_be_undone_by_itself_says_so_and_leads_on(
    browser: Client, write: Write, author: Author, robin: Author
) -> None:
    page = write("Runner", "eins")
    revise(page, "zwei", robin)
    revise(page, "drei", author)
    html = text(browser.get("/w/ops/runner/undo/2"))
    assert "This cannot be undone by itself." in html
    assert "/w/ops/runner/compare?from=2&to=3" in html
    assert 'class="btn main">Undo' not in html
    assert "Nothing was undone" in text(browser.post("/w/ops/runner/undo/2", follow=True))
    page.refresh_from_db()
    assert (page.body, page.revision) == ("drei", 3)


def test_who_stands_in_the_way_is_said_as_it_is(
    browser: Client, write: Write, author: Author, robin: Author
) -> None:
    own = write("Eigene", "eins")
    revise(own, "zwei", author)
    assert "pat wrote on it again since; nobody else did" in text(
        browser.get("/w/ops/eigene/undo/1")
    )
    revise(own, "drei", author, kind=RevisionKind.LINKS)
    assert "pat changed the same lines again since; nobody else did." in text(
        browser.get("/w/ops/eigene/undo/2")
    )
    revise(own, "vier", robin)
    html = text(browser.get("/w/ops/eigene/undo/2"))
    assert "The same lines were changed again since" in html
    assert "nobody else" not in html


@pytest.mark.parametrize(
    ("before", "after"),
    [("a", "a\n\nb\n"), ("a\n", "b"), ("\na\n\n", "b\n"), ("a\n\n", "a"), ("a", "")],
)
def test_undoing_the_last_change_gives_back_exactly_the_old_text(
    browser: Client, write: Write, author: Author, before: str, after: str
) -> None:
    page = write("Runner", before)
    before = page.body
    revise(page, after, author)
    browser.post("/w/ops/runner/undo/2")
    page.refresh_from_db()
    assert (page.body, page.revision) == (before, 3)
    assert "The text is the same." in text(browser.get("/w/ops/runner/compare?from=1&to=3"))


def test_a_change_of_which_nothing_is_left_is_not_undone_again(
    browser: Client, write: Write, robin: Author
) -> None:
    page = write("Runner", "eins")
    revise(page, "zwei", robin)
    browser.post("/w/ops/runner/undo/2")
    assert "There is nothing to undo" in text(browser.get("/w/ops/runner/undo/2"))
    browser.post("/w/ops/runner/undo/2")
    page.refresh_from_db()
    assert page.revision == 3


def test_undoing_the_first_revision_of_a_page_that_is_nobody_elses_trashes_it(
    browser: Client, wiki: Wiki, robin: Author
) -> None:
    page = create_page(wiki, title="Runner", body="x", author=robin)
    assert "moves to the trash" in text(browser.get("/w/ops/runner/undo/1"))
    assert browser.post("/w/ops/runner/undo/1")["Location"] == "/w/ops/trash"
    page.refresh_from_db()
    assert page.is_trashed
    assert "moved to the trash" in text(browser.get("/w/ops/trash"))


@pytest.mark.parametrize("kind", [RevisionKind.RENAME, RevisionKind.RESTORE])
def test_what_has_its_own_way_back_is_not_undone_here(
    browser: Client, write: Write, author: Author, kind: RevisionKind
) -> None:
    revise(write("Runner", "eins"), "zwei", author, kind=kind)
    assert "/undo/2" not in text(browser.get("/w/ops/runner/history"))
    for answer in (browser.get("/w/ops/runner/undo/2"), browser.post("/w/ops/runner/undo/2")):
        assert answer.status_code == 404


@pytest.mark.parametrize("number", [0, 9, 10**30])
def test_a_revision_that_never_was_is_not_undone(
    browser: Client, write: Write, number: int
) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/runner/undo/{number}").status_code == 404
    assert browser.post(f"/w/ops/runner/undo/{number}").status_code == 404


def test_undoing_keeps_what_is_written_at_the_same_moment(
    write: Write, author: Author, robin: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write("Runner", LINES)
    revise(page, LOUD, robin)
    plan = bulk_revert.plan_revision
    looks = []

    def write_in_between(fresh: Page, number: int):
        looks.append(plan(fresh, number))
        if len(looks) == 1:
            revise(Page.objects.get(), LOUD.replace("fünf", "FÜNF"), author)
        return looks[-1]

    monkeypatch.setattr(bulk_revert, "plan_revision", write_in_between)
    assert undo_revision(page, 2, author=author, summary="").effect == Effect.TEXT
    assert Page.objects.get().body == LINES.replace("fünf", "FÜNF")
    assert len(looks) == 2


def test_an_undone_page_is_found_again_at_once(write: Write, author: Author, robin: Author) -> None:
    page = write("Runner", "eins zwei")
    revise(page, "drei vier", robin)
    undo_revision(page, 2, author=author, summary="")
    assert Page.objects.get().embed_model == "builtin:hash:256"


# -- all that somebody changed


def test_all_that_an_agent_wrote_since_a_time_is_undone_and_peoples_words_stay(
    browser: Client, wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    create_page(wiki, title="Nur robin", body="von robin", author=robin)
    both = create_page(wiki, title="Beide", body="von robin", author=robin)
    append_text(both, "von pat", author=author)
    edited = write("Bearbeitet", LINES)
    revise(edited, LOUD, robin)
    revise(edited, LOUD.replace("fünf", "FÜNF"), author)
    revise(edited, LOUD.replace("fünf", "FÜNF").replace("drei", "DREI"), robin)
    stuck = write("Verstrickt", "eins")
    revise(stuck, "zwei", robin)
    revise(stuck, "drei", author)
    gone = write("Weggeworfen", "eins")
    trash_page(gone, author=robin)
    write("Unberührt", "von pat")

    address = f"{ALL}?by=agent:robin"
    html = text(browser.get(address))
    assert "5 pages are concerned." in html
    assert 'class="btn main">Undo on 4 pages' in html
    assert "Unberührt" not in html.split("<main")[1]
    assert fates(contributions_of(wiki, robin)) == {
        "Nur robin": Effect.TRASH,
        "Beide": Effect.TEXT,
        "Bearbeitet": Effect.TEXT,
        "Verstrickt": Effect.STUCK,
        "Weggeworfen": Effect.RESTORE,
    }
    fields = dict(
        re.findall(r'<input type="hidden" name="(by|kind|since|until)" value="([^"]*)"', html)
    )
    answer = browser.post(ALL, fields, follow=True)
    html = text(answer)
    assert "4 of 5 pages are undone." in html
    left = html.split("Left as they are")[1]
    assert "Verstrickt" in left
    assert "the same was changed again since" in left
    assert "Beide" not in left.split("<aside")[0]
    pages = {page.title: page for page in Page.objects.all()}
    assert pages["Nur robin"].is_trashed
    assert pages["Beide"].body == "von pat"
    assert pages["Bearbeitet"].body == LINES.replace("fünf", "FÜNF")
    assert (pages["Verstrickt"].body, pages["Verstrickt"].revision) == ("drei", 3)
    assert not pages["Weggeworfen"].is_trashed
    undone = Revision.objects.filter(kind=RevisionKind.UNDO)
    assert undone.count() == undone.values("page").distinct().count() == 4
    assert all(row.summary.startswith("Undone: what robin changed since ") for row in undone)

    again = re.search(r'href="(\?[^"]+)">Undo this in turn', html)[1]
    html = text(browser.get(ALL + again))
    assert "4 pages are concerned." in html
    fields = dict(
        re.findall(r'<input type="hidden" name="(by|kind|since|until)" value="([^"]*)"', html)
    )
    assert "4 of 4 pages are undone." in text(browser.post(ALL, fields, follow=True))
    pages = {page.title: page for page in Page.objects.all()}
    assert not pages["Nur robin"].is_trashed
    assert pages["Beide"].body == "von robin\n\nvon pat"
    assert "ZWEI" in pages["Bearbeitet"].body
    assert pages["Weggeworfen"].is_trashed


def test_only_the_chosen_span_is_undone(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page = write("Runner", "eins\n\nzwei\n\ndrei")
    revise(page, "EINS\n\nzwei\n\ndrei", robin)
    Revision.objects.update(created_at=timezone.now() - timedelta(days=5))
    revise(page, "EINS\n\nzwei\n\nDREI", robin)
    undo_everything(contributions_of(wiki, robin), author)
    assert Page.objects.get().body == "EINS\n\nzwei\n\ndrei"


def test_what_happened_after_the_preview_is_not_undone(
    browser: Client, wiki: Wiki, write: Write, robin: Author
) -> None:
    page = write("Runner", "eins")
    revise(page, "zwei", robin)
    html = text(browser.get(f"{ALL}?by=agent:robin"))
    fields = dict(
        re.findall(r'<input type="hidden" name="(by|kind|since|until)" value="([^"]*)"', html)
    )
    later = create_page(wiki, title="Später", body="x", author=robin)
    browser.post(ALL, fields)
    later.refresh_from_db()
    assert not later.is_trashed
    assert Page.objects.get(pk=page.pk).body == "eins"


def test_doing_it_twice_changes_nothing_more(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    create_page(wiki, title="Nur robin", body="von robin", author=robin)
    revise(write("Runner", "eins"), "zwei", robin)
    contributions = contributions_of(wiki, robin)
    for _time in range(2):
        undo_everything(contributions, author)
    assert Revision.objects.filter(kind=RevisionKind.UNDO).count() == 2
    assert set(fates(contributions).values()) == {Effect.NOTHING}


def test_a_page_on_which_others_only_rewrote_links_is_the_agents_own(
    wiki: Wiki, author: Author, robin: Author
) -> None:
    page = create_page(wiki, title="Nur robin", body="siehe [[A]]", author=robin)
    revise(page, "siehe [[B]]", author, kind=RevisionKind.LINKS)
    assert fates(contributions_of(wiki, robin)) == {"Nur robin": Effect.TRASH}


def test_a_page_that_an_agent_brought_back_goes_to_the_trash_again(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page = trash_page(write("Runner", "eins"), author=author)
    restore_page(page, author=robin)
    undo_everything(contributions_of(wiki, robin), author)
    page.refresh_from_db()
    assert page.is_trashed


def test_a_page_that_an_agent_changed_and_threw_away_is_whole_again(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page = write("Runner", "eins")
    revise(page, "zwei", robin)
    trash_page(Page.objects.get(), author=robin)
    undo_everything(contributions_of(wiki, robin), author)
    page.refresh_from_db()
    assert (page.is_trashed, page.body) == (False, "eins")


def test_a_page_whose_address_is_taken_stays_in_the_trash(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    trash_page(write("Runner", "alt"), author=robin)
    write("Runner", "neu")
    undo_everything(contributions_of(wiki, robin), author)
    assert Page.objects.live().get().body == "neu"


def test_many_pages_are_undone_in_parts_that_are_asked_for(
    browser: Client, wiki: Wiki, robin: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        create_page(wiki, title=f"Seite {number}", body="x", author=robin)
    monkeypatch.setattr(views, "SECONDS", -1.0)
    html = text(browser.get(f"{ALL}?by=agent:robin"))
    for done in range(1, 5):
        fields = dict(
            re.findall(
                r'<input type="hidden" name="(?!csrf)(\w+)" value="([^"]*)"', html.split("<main")[1]
            )
        )
        html = text(browser.post(ALL, fields, follow=True))
        assert f"{min(done, 3)} of 3 pages" in html
        assert Page.objects.trashed().count() == min(done, 3)
        if "Go on" not in html:
            break
    assert done == 3
    assert "Undo this in turn" in html


def test_the_preview_is_paged_and_its_queries_do_not_grow(
    browser: Client, wiki: Wiki, robin: Author
) -> None:
    address = f"{ALL}?by=agent:robin"
    create_page(wiki, title="Seite", body="x", author=robin)
    few = count_queries(browser, address)
    for number in range(views.PER_SCREEN + 2):
        create_page(wiki, title=f"Seite {number}", body="x", author=robin)
    assert count_queries(browser, address) == few <= 14
    html = text(browser.get(address))
    assert f"{views.PER_SCREEN + 3} pages are concerned." in html
    further = re.search(r'rel="next" href="(\?[^"]+)"', html)[1]
    assert text(browser.get(ALL + further)).count("nobody else has written on it") == 3


@pytest.mark.parametrize("query", ["", "by=agent", "by=robot:robin", "by=:robin", "by=%00"])
def test_nobodys_changes_cannot_be_undone(browser: Client, wiki: Wiki, query: str) -> None:
    assert browser.get(f"{ALL}?{query}").status_code == 404
    assert browser.post(f"{ALL}?{query}").status_code == 404


@pytest.mark.parametrize(
    "since", ["x", "2026-99-99", "0001-01-01T00:00", "9999-12-31T23:59:59-12:00", "%00", ""]
)
def test_an_odd_moment_is_the_last_day(
    browser: Client, wiki: Wiki, write: Write, since: str
) -> None:
    write("Alt")
    Revision.objects.update(created_at=timezone.now() - timedelta(days=2))
    write("Neu")
    html = text(browser.get(f"{ALL}?by=person:pat&since={since}"))
    assert "1 page is concerned." in html


def test_who_changed_nothing_is_said_to_have(browser: Client, write: Write) -> None:
    write("Runner")
    html = text(browser.get(f"{ALL}?by=agent:robin"))
    assert "robin changed no page in this time." in html
    assert "btn main" not in html.split("<main")[1].split("</main")[0]


def test_nothing_is_undone_in_another_wiki(
    browser: Client, wiki: Wiki, robin: Author, person: User
) -> None:
    other = Wiki.objects.create(slug="other", name="Other")
    page = create_page(other, title="Dort", body="x", author=robin)
    query = {"by": "agent:robin", "since": "2020-01-01T00:00"}
    assert "Dort" not in text(browser.get(f"{ALL}?{urlencode(query)}"))
    browser.post(ALL, query)
    assert browser.post("/w/other/changes/undo", query).status_code == 404
    page.refresh_from_db()
    assert not page.is_trashed


@pytest.mark.django_db(transaction=True)
def test_undoing_the_same_at_once_undoes_it_once(author_of_threads: tuple[Wiki, Author]) -> None:
    wiki, robin = author_of_threads
    for number in range(6):
        create_page(wiki, title=f"Nur robin {number}", body="x", author=robin)
        page = create_page(wiki, title=f"Alle {number}", body="eins", author=Author.maintenance())
        revise(page, "zwei", robin)
    contributions = contributions_of(wiki, robin)

    def work(_number: int) -> None:
        try:
            undo_everything(contributions, Author.maintenance())
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    undone = Revision.objects.filter(kind=RevisionKind.UNDO)
    assert undone.count() == undone.values("page").distinct().count() == 12
    assert set(Page.objects.live().values_list("body", flat=True)) == {"eins"}
