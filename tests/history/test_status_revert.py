"""Undoing what somebody said of a page: outdated, replaced, holds again."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from tests.support.screens import Write, revise, text
from wiki.history.bulk_revert import Effect, plan_contributions, undo_contributions, undo_revision
from wiki.history.contributions import Contributions
from wiki.merging.merge import merge_pages
from wiki.models import Agent, Confirmation, Page, RevisionKind, Standing, Wiki
from wiki.pages.author import Author
from wiki.pages.rename import rename_page
from wiki.pages.status import (
    confirm_page,
    find_status_revision,
    mark_holds,
    mark_outdated,
    mark_replaced,
)
from wiki.pages.trash import trash_page

ALL = "/w/ops/changes/undo"


@pytest.fixture
def robin(agent: Agent) -> Author:
    return Author.of_agent(agent)


def contributions_of(wiki: Wiki, author: Author) -> Contributions:
    day = timedelta(days=1)
    return Contributions(wiki, author.kind, author.name, timezone.now() - day, timezone.now() + day)


def fates(wiki: Wiki, author: Author) -> dict[str, Effect]:
    contributions = contributions_of(wiki, author)
    return {
        plan.page.title: plan.effect
        for plan in plan_contributions(contributions, contributions.pages())
    }


def undo_all_of(wiki: Wiki, robin: Author, author: Author) -> None:
    undo_contributions(
        contributions_of(wiki, robin), author=author, summary="Undone", after=0, seconds=60
    )


def mark_of(page: Page) -> tuple[str, Page | None]:
    page.refresh_from_db()
    return page.standing, page.replaced_by


def hidden(html: str) -> dict[str, str]:
    return dict(
        re.findall(r'<input type="hidden" name="(by|kind|since|until)" value="([^"]*)"', html)
    )


def test_the_marks_of_an_agent_are_taken_back_and_the_preview_says_so(
    browser: Client, wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    young = write("Jung")
    outdated, replaced, again, both = (
        write("Veraltet"),
        write("Ersetzt"),
        write("Wieder gültig"),
        write("Beides", "a"),
    )
    mark_outdated(outdated, author=robin)
    mark_replaced(replaced, young, author=robin)
    mark_replaced(again, young, author=author)
    mark_holds(again, author=robin)
    revise(both, "b", robin)
    mark_outdated(both, author=robin)
    html = text(browser.get(f"{ALL}?by=agent:robin"))
    assert html.count("its mark becomes what it was before") == 4
    assert html.count("the change is taken out of the text, and its mark") == 1
    assert "nothing to do" not in html
    assert 'class="btn main">Undo on 4 pages' in html
    html = text(browser.post(ALL, hidden(html), follow=True))
    assert "4 of 4 pages are undone." in html
    assert [mark_of(page) for page in (outdated, replaced, again, both)] == [
        ("", None),
        ("", None),
        ("replaced", young),
        ("", None),
    ]
    assert both.body == "a"
    assert set(fates(wiki, robin).values()) == {Effect.NOTHING}

    html = text(browser.get(ALL + re.search(r'href="(\?[^"]+)">Undo this in turn', html)[1]))
    assert "4 of 4 pages are undone." in text(browser.post(ALL, hidden(html), follow=True))
    assert [mark_of(page) for page in (outdated, replaced, again, both)] == [
        ("outdated", None),
        ("replaced", young),
        ("", None),
        ("outdated", None),
    ]
    assert both.body == "b"


def test_what_an_agent_confirmed_is_not_confirmed_by_it_any_more(
    browser: Client, wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    once, both = write("Once"), write("Both", "a")
    for page, by in ((once, robin), (both, robin), (both, author)):
        confirm_page(page, author=by)
    html = text(browser.get(f"{ALL}?by=agent:robin"))
    assert "2 confirmations are taken back as well." in html
    assert "changed no page" not in html
    assert 'class="btn main">Take the confirmations back' in html
    assert "The confirmations are taken back." in text(browser.post(ALL, hidden(html), follow=True))
    assert [row.author_name for row in Confirmation.objects.all()] == [author.name]
    assert "robin changed no page in this time." in text(browser.get(f"{ALL}?by=agent:robin"))

    revise(both, "b", robin)
    confirm_page(both, author=robin)
    html = text(browser.get(f"{ALL}?by=agent:robin&kind=edit"))
    assert "taken back as well" not in html
    html = text(browser.get(f"{ALL}?by=agent:robin"))
    assert "1 confirmation is taken back as well." in html
    assert "1 of 1 page is undone." in text(browser.post(ALL, hidden(html), follow=True))
    assert Confirmation.objects.get().author_name == author.name


def test_a_mark_is_undone_from_the_history(
    browser: Client, write: Write, author: Author, robin: Author
) -> None:
    page = write("Elder")
    mark_outdated(page, author=author)
    mark_replaced(page, write("Young"), author=robin)
    assert "/w/ops/elder/undo/3" in text(browser.get("/w/ops/elder/history"))
    html = text(browser.get("/w/ops/elder/undo/3"))
    assert "The mark becomes what it was before. The text stays as it is." in html
    assert re.search(r"Mark: <del>replaced by Young</del>\s*<ins>outdated</ins>", html)
    assert "Revision 3 is undone." in text(browser.post("/w/ops/elder/undo/3", follow=True))
    assert mark_of(page) == ("outdated", None)
    undone = page.revisions.get(number=4)
    assert (undone.kind, undone.summary) == (
        RevisionKind.UNDO,
        "marked as outdated (Revision 3 by robin undone)",
    )
    assert find_status_revision(page) == undone
    browser.post("/w/ops/elder/undo/4")
    assert mark_of(page)[0] == Standing.REPLACED


def test_a_mark_that_somebody_else_set_since_stays(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page = mark_outdated(write("Elder"), author=robin)
    young = write("Young")
    mark_replaced(page, young, author=author)
    assert fates(wiki, robin) == {"Elder": Effect.NOTHING}
    undo_all_of(wiki, robin, author)
    assert undo_revision(page, 2, author=author, summary="").effect == Effect.NOTHING
    assert mark_of(page) == ("replaced", young)


def test_a_mark_goes_even_where_the_text_must_stay(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page = write("Elder", "eins")
    revise(page, "zwei", robin)
    mark_outdated(page, author=robin)
    revise(page, "drei", author)
    assert fates(wiki, robin) == {"Elder": Effect.HALF}
    undo_all_of(wiki, robin, author)
    assert (*mark_of(page), page.body) == ("", None, "drei")


def test_a_mark_on_a_page_that_was_thrown_away_too_is_taken_back(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page = mark_outdated(write("Elder"), author=robin)
    trash_page(page, author=robin)
    undo_all_of(wiki, robin, author)
    assert mark_of(page) == ("", None)
    assert not page.is_trashed


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_replaced_a_page_is_found_again_under_any_name_and_in_any_language(
    wiki: Wiki, write: Write, author: Author, robin: Author, language: str
) -> None:
    page, young = write("Elder"), write("Young (new) (x")
    with override(language):
        mark_replaced(page, young, author=author)
        rename_page(young, young.revision, title="Renamed", author=author)
        write("Young (new) (x", slug="other")
        mark_outdated(page, author=robin)
    undo_all_of(wiki, robin, author)
    assert mark_of(page) == ("replaced", young)
    mark_holds(page, author=robin)
    undo_all_of(wiki, robin, author)
    assert mark_of(page) == ("replaced", young)


def test_a_mark_whose_successor_is_gone_for_good_is_put_back_without(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page, young = write("Elder"), write("Young")
    mark_replaced(page, young, author=author)
    mark_holds(page, author=robin)
    Page.objects.filter(pk=young.pk).delete()
    undo_all_of(wiki, robin, author)
    assert mark_of(page) == ("replaced", None)


def test_a_successor_that_was_merged_is_no_new_status(
    wiki: Wiki, write: Write, author: Author, robin: Author
) -> None:
    page, young, younger = write("Elder"), write("Young", "a b c"), write("Younger", "a b c")
    mark_replaced(page, young, author=robin)
    merge_pages(younger, young, author=author)
    trash_page(page, author=robin)
    setting = page.revisions.setting_status().values_list("number", flat=True)
    assert list(setting) == [2]
    assert (page.revisions.get(number=2).replaced_by, mark_of(page)[1]) == (younger, younger)
    undo_all_of(wiki, robin, author)
    assert mark_of(page) == ("", None)
