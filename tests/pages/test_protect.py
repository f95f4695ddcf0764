"""The fence around a page: agents suggest, people decide, and nothing else changes."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.screens import Write, count_queries, join, revise, text
from tests.support.writing import append_text, revise_page
from wiki.files.import_export import import_folder
from wiki.history.bulk_revert import undo_revision
from wiki.merging.maintenance import maintain
from wiki.merging.merge import MergeRefused, merge_pages, undo_merge
from wiki.models import (
    Agent,
    Merge,
    MergeProposal,
    Page,
    ProposalReason,
    Revision,
    Role,
    Suggestion,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.link_rewriting import rewrite_links
from wiki.pages.protect import find_protection, lift_protection, protect_page
from wiki.pages.protection_guard import PageProtected
from wiki.pages.rename import rename_page
from wiki.pages.status import confirm_page, mark_outdated
from wiki.pages.trash import restore_page, trash_page

TWIN = (
    "Restart the queue workers one after the other and look at the log of each of them before "
    "the next one."
)


@pytest.fixture
def robin(agent: Agent) -> Author:
    return Author.of_agent(agent)


@pytest.fixture
def fenced(write: Write, author: Author) -> Page:
    return protect_page(write("Runner", "The runner needs two cores."), author=author)


def test_protecting_is_a_revision_that_says_who_and_when(write: Write, author: Author) -> None:
    page = protect_page(write("Runner", "Text."), author=author)
    protection = find_protection(page)
    assert protection is not None
    assert (protection.author_name, protection.number, page.is_protected) == ("pat", 2, True)
    page = lift_protection(page, author=author)
    assert find_protection(page) is None
    kinds = list(page.revisions.values_list("kind", "summary")[:2])
    assert kinds == [
        ("unprotect", "agents write here again"),
        ("protect", "agents suggest, people decide"),
    ]
    assert page.embedding is not None


def test_protecting_twice_is_one_revision(fenced: Page, author: Author) -> None:
    protect_page(fenced, author=author)
    assert fenced.revisions.count() == 2
    lift_protection(fenced, author=author)
    lift_protection(fenced, author=author)
    assert fenced.revisions.count() == 3


def test_no_rule_lets_an_agent_write_on_a_protected_page(
    fenced: Page, robin: Author, author: Author
) -> None:
    before = Revision.objects.count()
    for change in (
        lambda: revise_page(fenced, 2, title="Runner", body="Mine.", author=robin),
        lambda: append_text(fenced, "Mine.", author=robin),
        lambda: trash_page(fenced, author=robin),
        lambda: rename_page(fenced, 2, title="Mine", author=robin),
        lambda: mark_outdated(fenced, author=robin),
    ):
        with pytest.raises(PageProtected):
            change()
    trash_page(fenced, author=author)
    with pytest.raises(PageProtected):
        restore_page(fenced, author=robin)
    fenced.refresh_from_db()
    assert (fenced.body, fenced.title, Revision.objects.count()) == (
        "The runner needs two cores.",
        "Runner",
        before + 1,
    )


def test_an_agent_may_say_that_it_still_holds_and_read_it(
    fenced: Page, robin: Author, api: ApiClient
) -> None:
    confirm_page(fenced, author=robin)
    assert api.post("/pages/runner/confirm").status_code == 200
    assert api.get("/pages/runner").json()["protected"] is True


def test_people_write_rename_trash_and_undo_as_everywhere(fenced: Page, author: Author) -> None:
    page = revise(fenced, "The runner needs four cores.", author)
    undo_revision(page, page.revision, author=author, summary="undone")
    page.refresh_from_db()
    assert page.body == "The runner needs two cores."
    page = rename_page(page, page.revision, title="Build runner", author=author)
    trash_page(page, author=author)
    assert restore_page(page, author=author).is_protected


def test_what_an_agent_wrote_before_can_be_undone(
    write: Write, robin: Author, author: Author
) -> None:
    page = append_text(write("Runner", "Two cores."), "It needs a lot.", author=robin)
    page = protect_page(page, author=author)
    undo_revision(page, 2, author=author, summary="undone")
    page.refresh_from_db()
    assert page.body == "Two cores."


def test_links_follow_a_rename_onto_a_protected_page(write: Write, author: Author) -> None:
    target = write("Old name")
    page = protect_page(write("Linking", "See [[Old name]]."), author=author)
    renamed = rename_page(target, 1, title="New name", author=author)
    rewrite_links(renamed.revisions.get(number=2))
    page.refresh_from_db()
    assert page.body == "See [[New name]]."


def test_a_folder_is_imported_onto_a_protected_page(fenced: Page, wiki: Wiki, tmp_path) -> None:
    (tmp_path / "runner.md").write_text(
        "---\ntitle: Runner\nstanding: outdated\n---\nSix cores.\n", encoding="utf-8"
    )
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["changed"]
    fenced.refresh_from_db()
    assert (fenced.body, fenced.is_protected, fenced.standing) == ("Six cores.", True, "outdated")


def test_maintenance_only_proposes_where_one_is_protected(
    write: Write, author: Author, settings
) -> None:
    settings.COVEY_MERGE_MODE = "auto"
    pages = [write("Workers", TWIN), write("Workers", TWIN)]
    protect_page(pages[1], author=author)
    maintain()
    assert not Merge.objects.exists()
    assert MergeProposal.objects.get().reason == ProposalReason.PROTECTED


def test_maintenance_would_have_merged_them_without_the_fence(
    write: Write, author: Author, settings, wiki: Wiki
) -> None:
    settings.COVEY_MERGE_MODE = "auto"
    robin = Author.of_agent(Agent.objects.create(name="wren", home_wiki=wiki))
    pages = [write("Workers", TWIN), write("Workers", TWIN)]
    Revision.objects.filter(page=pages[0]).update(
        author_kind="agent", author_name=robin.name, user=None
    )
    maintain()
    assert Merge.objects.count() == 1


@pytest.mark.parametrize("protected", [0, 1])
def test_maintenance_never_merges_a_protected_page_whatever_it_was_told(
    write: Write, author: Author, protected: int
) -> None:
    pages = [write("Alpha", "One."), write("Beta", "Two.")]
    pages[protected] = protect_page(pages[protected], author=author)
    with pytest.raises((MergeRefused, PageProtected)):
        merge_pages(*pages, author=Author.maintenance(), is_automatic=True)
    assert Page.objects.live().count() == 2


def test_an_owner_merges_and_what_was_protected_stays_so(write: Write, author: Author) -> None:
    survivor, source = write("Alpha", "One."), protect_page(write("Beta", "Two."), author=author)
    merge = merge_pages(survivor, source, author=author)
    survivor.refresh_from_db()
    assert survivor.is_protected
    undo_merge(merge, author=author)
    assert dict(Page.objects.values_list("title", "is_protected")) == {"Alpha": False, "Beta": True}


# -- screens


def test_undoing_a_merge_leaves_a_page_protected_that_was_protected_anew(
    write: Write, author: Author
) -> None:
    page, source = (
        write("Eins", "Ein Text."),
        protect_page(write("Zwei", "Noch ein Text."), author=author),
    )
    merge = merge_pages(page, source, author=author)
    page = lift_protection(Page.objects.get(pk=page.pk), author=author)
    protect_page(page, author=author)
    undo_merge(merge, author=author)
    assert Page.objects.get(pk=page.pk).is_protected
    assert Page.objects.get(pk=source.pk).is_protected


def test_owners_protect_and_lift_on_a_screen_that_asks(staff: Client, write: Write) -> None:
    page = write("Runner", "Text.")
    assert "/w/ops/runner/protection" in text(staff.get("/w/ops/runner"))
    assert "Protect “Runner”?" in text(staff.get("/w/ops/runner/protection"))
    answer = staff.post(
        "/w/ops/runner/protection", {"page_id": page.pk, "protect": "yes"}, follow=True
    )
    assert "Agents suggest, people decide." in text(answer)
    assert "Let agents write on “Runner” again?" in text(staff.get("/w/ops/runner/protection"))
    staff.post("/w/ops/runner/protection", {"page_id": page.pk, "protect": "no"})
    page.refresh_from_db()
    assert not page.is_protected


def test_the_form_sent_twice_does_not_turn_around(staff: Client, fenced: Page) -> None:
    for _ in range(2):
        staff.post("/w/ops/runner/protection", {"page_id": fenced.pk, "protect": "no"})
    fenced.refresh_from_db()
    assert not fenced.is_protected


def test_another_page_at_the_address_is_not_protected(staff: Client, write: Write) -> None:
    page = write("Runner", "Text.")
    staff.post("/w/ops/runner/protection", {"page_id": page.pk + 1, "protect": "yes"})
    page.refresh_from_db()
    assert not page.is_protected


def test_editors_and_readers_see_the_sign_and_cannot_change_it(
    browser: Client, fenced: Page, wiki: Wiki
) -> None:
    html = text(browser.get("/w/ops/runner"))
    assert "Agents suggest, people decide." in html
    assert "/w/ops/runner/protection" not in html
    assert browser.get("/w/ops/runner/protection").status_code == 403
    assert (
        browser.post(
            "/w/ops/runner/protection", {"page_id": fenced.pk, "protect": "no"}
        ).status_code
        == 403
    )
    assert "agents only suggest changes" in text(browser.get("/w/ops/runner/edit"))
    reader = Client()
    reader.force_login(join(wiki, "rita", Role.READER).user)
    assert "Agents suggest, people decide." in text(reader.get("/w/ops/runner"))
    assert reader.get("/w/ops/runner/protection").status_code == 403
    fenced.refresh_from_db()
    assert fenced.is_protected


def test_a_page_that_is_not_protected_says_nothing_of_it(browser: Client, write: Write) -> None:
    write("Runner", "Text.")
    assert "people decide" not in text(browser.get("/w/ops/runner"))
    assert "suggest" not in text(browser.get("/w/ops/runner/edit"))


def test_a_protected_page_stays_within_twelve_queries(
    browser: Client, fenced: Page, api: ApiClient, person: User, robin: Author, author: Author
) -> None:
    for number in range(3):
        api.post("/pages/runner/append", {"text": f"Paragraph {number}."})
    mark_outdated(fenced, author=author)
    assert Suggestion.objects.count() == 3
    browser.get("/w/ops/runner")
    assert count_queries(browser, "/w/ops/runner") <= 12


def test_the_history_names_the_fence(browser: Client, fenced: Page) -> None:
    html = text(browser.get("/w/ops/runner/history"))
    assert "agents suggest, people decide" in html
    # It has a way back of its own.
    assert f"/w/ops/runner/undo/{fenced.revision}" not in html
