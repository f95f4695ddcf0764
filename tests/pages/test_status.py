"""What still holds: marks, confirmations, and that pages which do not hold come after those that
do."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.screens import HOSTILE, Write, text
from tests.support.search import recall
from tests.support.writing import append_text, revise_page
from wiki.files.import_export import export_folder, import_folder
from wiki.models import Agent, Confirmation, Membership, Page, Role, Standing, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.rename import rename_page
from wiki.pages.status import (
    DoesNotHold,
    confirm_page,
    find_confirmed,
    mark_holds,
    mark_outdated,
    mark_replaced,
)
from wiki.pages.trash import trash_page
from wiki.search.retrieval import Mode


def click(browser: Client, page: Page, mark: str, **more: str):
    return browser.post(f"/w/ops/{page.slug}/standing", {"page_id": page.pk, "mark": mark, **more})


def trace(page: Page) -> list[tuple[str, str]]:
    return list(page.revisions.exclude(kind="create").values_list("kind", "summary"))


# -- the rules


def test_a_mark_is_a_revision_that_says_so(write: Write, author: Author) -> None:
    page, successor = write("Elder", "Text."), write("Young")
    vector = page.embedding
    page = mark_outdated(page, author=author)
    page = mark_replaced(page, successor, author=author)
    page = mark_holds(page, author=author)
    assert trace(page) == [
        ("mark", "marked as holding again"),
        ("mark", "replaced by Young"),
        ("mark", "marked as outdated"),
    ]
    page.refresh_from_db()
    assert (page.standing, page.replaced_by, page.body) == (Standing.HOLDS, None, "Text.")
    assert list(page.embedding) == pytest.approx(list(vector))


def test_the_same_mark_twice_is_one_revision(write: Write, author: Author) -> None:
    page, successor = write("Elder"), write("Young")
    for _ in range(2):
        mark_outdated(page, author=author)
    for _ in range(2):
        mark_replaced(page, successor, author=author)
    assert page.revisions.count() == 3


def test_no_page_replaces_itself_however_many_steps(write: Write, author: Author) -> None:
    a, b, c = write("A"), write("B"), write("C")
    with pytest.raises(InvalidPage):
        mark_replaced(a, a, author=author)
    mark_replaced(a, b, author=author)
    mark_replaced(b, c, author=author)
    with pytest.raises(InvalidPage, match="“A” is itself replaced by this page"):
        mark_replaced(c, a, author=author)
    mark_holds(b, author=author)
    assert mark_replaced(c, a, author=author).replaced_by == a


def test_a_confirmation_is_kept_once_for_each_with_its_last_time(
    write: Write, author: Author, agent: Agent
) -> None:
    page = write("Elder")
    first = confirm_page(page, author=author)
    confirm_page(page, author=Author.of_agent(agent))
    again = confirm_page(page, author=author)
    assert (again.pk, again.confirmed_at > first.confirmed_at) == (first.pk, True)
    confirmed = find_confirmed(page)
    assert (confirmed.count, confirmed.last_at) == (2, again.confirmed_at)
    assert [row.author_kind for row in confirmed.by] == ["person", "agent"]
    assert page.revisions.count() == 1
    assert find_confirmed(rename_page(page, 1, title="Other", author=author)).count == 2


def test_what_does_not_hold_is_not_confirmed(write: Write, author: Author) -> None:
    page = mark_outdated(write("Elder"), author=author)
    with pytest.raises(DoesNotHold):
        confirm_page(page, author=author)
    assert not Confirmation.objects.exists()


def test_a_mark_in_between_does_not_cost_somebody_their_text(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Elder", "Text.")
    mark_outdated(page, author=author)
    posted = {
        "title": "Elder",
        "body": "Text!",
        "page_id": page.pk,
        "base_revision": 1,
        "action": "save",
    }
    assert browser.post("/w/ops/elder/edit", posted).status_code == 302
    page.refresh_from_db()
    assert (page.body, page.standing) == ("Text!", Standing.OUTDATED)


# -- recall


@pytest.mark.parametrize("mode", list(Mode))
def test_pages_that_do_not_hold_come_last_in_every_mode(
    write: Write, wiki: Wiki, author: Author, mode: Mode
) -> None:
    pages = [
        write(f"Pipeline {number}", "Die Pipeline ist rot. " + "Füllung " * number)
        for number in range(4)
    ]
    before = {hit.page.pk: hit.similarity for hit in recall(wiki, "Pipeline rot", mode=mode).hits}
    mark_outdated(pages[0], author=author)
    mark_replaced(pages[1], pages[3], author=author)
    hits = recall(wiki, "Pipeline rot", mode=mode).hits
    assert [hit.page.pk for hit in hits] == [pages[2].pk, pages[3].pk, pages[0].pk, pages[1].pk]
    assert {hit.page.pk: hit.similarity for hit in hits} == before


def test_the_five_nearest_stay_the_five_nearest(write: Write, wiki: Wiki, author: Author) -> None:
    pages = [
        write(f"Seite {number}", "Pipeline rot " + f"anderes{number} " * number)
        for number in range(8)
    ]
    before = [hit.page.pk for hit in recall(wiki, "Pipeline rot").hits]
    mark_outdated(pages[0], author=author)
    assert before[0] == pages[0].pk
    assert [hit.page.pk for hit in recall(wiki, "Pipeline rot").hits] == [*before[1:], before[0]]
    for page in pages[1:]:
        mark_outdated(page, author=author)
    assert [hit.page.pk for hit in recall(wiki, "Pipeline rot").hits] == before


def test_the_search_says_what_does_not_hold_and_puts_it_last(
    browser: Client, write: Write, author: Author
) -> None:
    outdated, replaced = write("Pipeline", "Pipeline rot"), write("Pipeline rot", "Pipeline")
    successor = write("Joblog", "Was bei roter Pipeline zu tun ist")
    mark_outdated(outdated, author=author)
    mark_replaced(replaced, successor, author=author)
    html = text(browser.get("/w/ops/search?q=pipeline"))
    assert re.findall(r'<li><a href="/w/ops/([\w-]+)"><b>', html)[0] == "joblog"
    assert '<span class="amber">outdated</span>' in html
    assert 'replaced by <a href="/w/ops/joblog">Joblog</a>' in html


# -- the page


def test_a_page_says_who_marked_it_as_outdated(browser: Client, write: Write) -> None:
    page = write("Elder")
    html = text(browser.get("/w/ops/elder"))
    assert "marked as outdated" not in html
    assert "Nobody has confirmed yet that it still holds." in html
    assert click(browser, page, "outdated")["Location"] == "/w/ops/elder"
    note = (
        text(browser.get("/w/ops/elder"))
        .partition("This page is marked as outdated.")[2]
        .partition("</div>")[0]
    )
    assert 'class="who person"><span class="unseen">Person: </span>pat</span>' in note
    assert "marked <time" in note


def test_still_holds_takes_the_mark_away_and_counts(
    browser: Client, write: Write, agent: Agent
) -> None:
    page = write("Elder")
    confirm_page(page, author=Author.of_agent(agent))
    click(browser, page, "outdated")
    assert ">It holds</button>" in text(browser.get("/w/ops/elder"))
    click(browser, page, "holds")
    html = text(browser.get("/w/ops/elder"))
    assert "marked as outdated" not in html
    confirmed = html.partition("Last confirmed")[2].partition("<form")[0]
    assert re.search(r"just now</time> by 2<", confirmed)
    assert 'class="who agent"' in confirmed
    assert ">Still holds</button>" in html


def test_what_replaces_a_page_is_asked_and_shown(browser: Client, write: Write) -> None:
    page = write("Elder")
    write(f"Young {HOSTILE}")
    assert 'href="/w/ops/elder/standing"' in text(browser.get("/w/ops/elder"))
    assert "What replaces “Elder”?" in text(browser.get("/w/ops/elder/standing"))
    for name, sentence in (
        ("", "There is no page “”."),
        ("Nowhere", "There is no page “Nowhere”."),
        ("Elder", "cannot take its own place"),
    ):
        answer = click(browser, page, "replaced", successor=name)
        assert answer.status_code == 422
        assert sentence in text(answer)
        assert f'value="{name}"' in text(answer)
    assert (
        click(browser, page, "replaced", successor=f"young {HOSTILE}")["Location"] == "/w/ops/elder"
    )
    html = browser.get("/w/ops/elder").content.decode()
    assert 'Replaced by <a href="/w/ops/young-script-alert-1-script">Young &lt;script&gt;' in html


def test_a_successor_in_the_trash_is_not_shown(
    browser: Client, write: Write, author: Author
) -> None:
    page, successor = write("Elder"), write("Secret name")
    mark_replaced(page, successor, author=author)
    trash_page(successor, author=author)
    html = text(browser.get("/w/ops/elder"))
    assert "what replaced it is not in the wiki any more" in html
    assert "/w/ops/secret-name" not in html


def test_a_mark_is_for_the_page_that_was_seen(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Elder")
    for odd in ("", "../x", str(page.pk + 1)):
        answer = browser.post("/w/ops/elder/standing", {"page_id": odd, "mark": "outdated"})
        assert answer["Location"] == "/w/ops/elder"
    assert click(browser, page, "nonsense")["Location"] == "/w/ops/elder"
    page.refresh_from_db()
    assert (page.standing, page.revision) == ("", 1)


ADDRESSES = ["standing", "rename", "rename/undo", "redirect/remove"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_reader_may_neither_mark_nor_rename(
    client: Client, write: Write, wiki: Wiki, address: str
) -> None:
    reader, stranger = User.objects.create_user("rea"), User.objects.create_user("stra")
    Membership.objects.create(wiki=wiki, user=reader, role=Role.READER)
    page = write("Elder")
    posted = {"page_id": page.pk, "base_revision": 1, "mark": "outdated", "title": "Other"}
    client.force_login(reader)
    assert client.post(f"/w/ops/elder/{address}", posted).status_code == 403
    html = text(client.get("/w/ops/elder"))
    assert "Still holds" not in html
    assert "/rename" not in html
    client.force_login(stranger)
    assert client.post(f"/w/ops/elder/{address}", posted).status_code == 404
    page.refresh_from_db()
    assert page.revision == 1


# -- agents


def test_an_agent_sees_what_does_not_hold(api: ApiClient, write: Write, author: Author) -> None:
    page, successor, outdated = (
        write("Elder", "Pipeline rot"),
        write("Young", "Pipeline"),
        write("Old", "Pipeline"),
    )
    mark_replaced(page, successor, author=author)
    mark_outdated(outdated, author=author)
    rows = {row["slug"]: row for row in api.get("/recall?q=Pipeline rot").json()["pages"]}
    assert [*rows][0] == "young"
    assert {slug: (row["standing"], row["replaced_by"]) for slug, row in rows.items()} == {
        "young": ("", None),
        "elder": ("replaced", "young"),
        "old": ("outdated", None),
    }
    read = api.get("/pages/elder").json()
    assert (read["standing"], read["replaced_by"], read["confirmed_at"]) == (
        "replaced",
        "young",
        None,
    )
    trash_page(successor, author=author)
    assert api.get("/pages/elder").json()["replaced_by"] is None


def test_an_agent_confirms_a_page(api: ApiClient, write: Write, author: Author) -> None:
    page = write("Elder", "Text")
    answer = api.post("/pages/elder/confirm")
    assert answer.status_code == 200
    assert answer.json()["confirmed_at"] == page.confirmations.get().confirmed_at.isoformat()
    assert (page.confirmations.get().author_kind, answer.json()["revision"]) == ("agent", 1)
    mark_outdated(page, author=author)
    refused = api.post("/pages/elder/confirm")
    assert refused.status_code == 409
    assert "“Elder” is marked as outdated" in refused.json()["detail"]
    assert api.post("/pages/nowhere/confirm").status_code == 404


def test_an_agent_marks_what_holds_no_longer(api: ApiClient, write: Write) -> None:
    page, successor = write("Elder", "Text"), write("Young", "Text")
    assert api.post("/pages/elder/mark", {"standing": "outdated"}).json()["standing"] == "outdated"
    assert page.revisions.first().author_kind == "agent"
    for wrong in ({"standing": "replaced"}, {"standing": "replaced", "replaced_by": "nowhere"}):
        assert set(api.post("/pages/elder/mark", wrong).json()["errors"]) == {"replaced_by"}
    assert set(
        api.post("/pages/elder/mark", {"standing": "replaced", "replaced_by": "elder"}).json()[
            "errors"
        ]
    ) == {"replaced_by"}
    answer = api.post("/pages/elder/mark", {"standing": "replaced", "replaced_by": "Young"}).json()
    assert (answer["standing"], answer["replaced_by"]) == ("replaced", successor.slug)
    assert (
        api.post("/pages/young/mark", {"standing": "replaced", "replaced_by": "elder"}).status_code
        == 422
    )
    assert api.post("/pages/elder/mark", {"standing": ""}).status_code == 422
    assert api.post("/pages/nowhere/mark", {"standing": "outdated"}).status_code == 404


def test_marks_cost_a_recall_one_query(
    api: ApiClient, write: Write, author: Author, django_assert_max_num_queries
):
    successor = write("Young", "Pipeline")
    for number in range(4):
        mark_replaced(write(f"Elder {number}", "Pipeline"), successor, author=author)
    with django_assert_max_num_queries(18):
        assert len(api.get("/recall?q=Pipeline").json()["pages"]) == 5


# -- files


def test_marks_survive_export_and_import(
    write: Write, wiki: Wiki, author: Author, tmp_path
) -> None:
    outdated, replaced, successor = (
        write("Outdated", "x"),
        write("A replaced", "x"),
        write("Young", "x"),
    )
    mark_outdated(outdated, author=author)
    mark_replaced(replaced, successor, author=author)
    list(export_folder(wiki, tmp_path))
    assert "\nstanding: outdated\n" in (tmp_path / "outdated.md").read_text()
    assert "\nstanding: replaced\nreplaced_by: young\n" in (tmp_path / "a-replaced.md").read_text()
    assert "standing" not in (tmp_path / "young.md").read_text()
    before = sum(Page.objects.values_list("revision", flat=True))
    assert {file.outcome for file in import_folder(wiki, tmp_path)} == {"unchanged"}
    assert sum(Page.objects.values_list("revision", flat=True)) == before
    other = Wiki.objects.create(slug="two", name="Two")
    assert {file.outcome for file in import_folder(other, tmp_path)} == {"created"}
    copies = {page.slug: page for page in Page.objects.filter(wiki=other)}
    assert copies["outdated"].standing == Standing.OUTDATED
    assert copies["a-replaced"].replaced_by == copies["young"]
    assert {file.outcome for file in import_folder(other, tmp_path)} == {"unchanged"}
    trash_page(successor, author=author)
    list(export_folder(wiki, tmp_path / "again"))
    assert {file.outcome for file in import_folder(wiki, tmp_path / "again")} == {"unchanged"}
    replaced.refresh_from_db()
    assert replaced.replaced_by == successor


def test_a_later_mark_in_the_wiki_wins_over_the_file(wiki: Wiki, author: Author, tmp_path) -> None:
    (tmp_path / "a.md").write_text("---\nstanding: outdated\n---\nText\n")
    list(import_folder(wiki, tmp_path))
    page = Page.objects.get()
    assert page.standing == Standing.OUTDATED
    mark_holds(page, author=author)
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]
    assert Page.objects.get().standing == Standing.HOLDS


@pytest.mark.parametrize(
    ("head", "standing"),
    [
        ("standing: outdated", "outdated"),
        ("standing: Outdated", "outdated"),
        ("replaced_by: nowhere", "replaced"),
        ("standing:", ""),
        ("standing: holds", ""),
    ],
)
def test_a_file_marks_its_page(wiki: Wiki, tmp_path, head: str, standing: str) -> None:
    (tmp_path / "a.md").write_text(f"---\n{head}\n---\nText\n")
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["created"]
    assert Page.objects.get().standing == standing
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]


def test_a_mark_added_to_a_file_is_a_change(wiki: Wiki, tmp_path) -> None:
    (tmp_path / "a.md").write_text("Text")
    (tmp_path / "b.md").write_text("Text")
    list(import_folder(wiki, tmp_path))
    (tmp_path / "a.md").write_text("---\nreplaced_by: b\n---\nText")
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["changed", "unchanged"]


def test_marks_that_cannot_be_are_named(wiki: Wiki, tmp_path) -> None:
    (tmp_path / "b.md").write_text("---\nreplaced_by: c\n---\nText")
    (tmp_path / "c.md").write_text("---\nreplaced_by: b\n---\nText")
    problems = {
        file.path.name: file.problem for file in import_folder(wiki, tmp_path) if file.problem
    }
    assert len(problems) == 1
    assert Page.objects.filter(standing=Standing.REPLACED).count() == 1


def test_a_file_of_a_former_address_makes_no_second_page(
    wiki: Wiki, author: Author, tmp_path
) -> None:
    (tmp_path / "a.md").write_text("Text")
    list(import_folder(wiki, tmp_path))
    page = rename_page(Page.objects.get(), 1, title="B", author=author)
    page = append_text(page, "Mehr.", author=author)
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]
    (tmp_path / "a.md").write_text("Changed")
    [file] = import_folder(wiki, tmp_path)
    assert (file.outcome, "leads to the page “B” now" in file.problem) == ("skipped", True)
    page.refresh_from_db()
    assert (page.title, page.body) == ("B", "Text\n\nMehr.")
    assert Page.objects.count() == 1
    revise_page(page, page.revision, title="B", body="x", author=author)
    call_command("export_pages", str(tmp_path / "out"), wiki="ops", verbosity=0)
    assert [file.outcome for file in import_folder(wiki, tmp_path / "out")] == ["unchanged"]
