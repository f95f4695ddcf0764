"""Renaming a page and undoing it: addresses, redirects, links, and nothing but the page that was
meant."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django_q.models import OrmQ

from tests.support.screens import HOSTILE, Write, text
from tests.support.search import recall
from tests.support.writing import append_text, revise_page
from wiki.models import Confirmation, Link, Page, Redirect, Revision, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.link_rewriting import rewrite_links
from wiki.pages.links import find_backlinks, resolve_page
from wiki.pages.rename import NotUndoable, find_undoable, rename_page, undo_rename
from wiki.pages.trash import trash_page
from wiki.pages.write import SlugTaken
from wiki.tasks import relink


@pytest.fixture
def move(author: Author):
    """Renames a page and gives it as it is then: move(page, "Neu")"""

    def rename(page: Page, title: str, *, links: bool = False, **more: Any) -> Page:
        renamed = rename_page(page, page.revision, title=title, author=author, **more)
        if links:
            rewrite_links(renamed.revisions.get(number=renamed.revision))
        return Page.objects.get(pk=page.pk)

    return rename


def post(browser: Client, page: Page, title: str, **more: Any) -> Any:
    posted = {
        "page_id": page.pk,
        "base_revision": page.revision,
        "title": title,
        "action": "rename",
        **more,
    }
    return browser.post(f"/w/ops/{quote(page.slug)}/rename", posted)


def redirects() -> dict[str, int]:
    return dict(Redirect.objects.values_list("slug", "page_id"))


def last(page: Page) -> Revision:
    return Revision.objects.filter(page=page).first()


# -- title, address, redirect


def test_a_rename_moves_title_and_address_and_leaves_a_redirect(write: Write, move) -> None:
    page = move(write("Old", "Text."), "New name")
    assert (page.title, page.slug, page.body, redirects()) == (
        "New name",
        "new-name",
        "Text.",
        {"old": page.pk},
    )
    row = last(page)
    assert (row.kind, row.slug, row.title, row.summary) == (
        "rename",
        "new-name",
        "New name",
        "renamed Old → New name",
    )
    assert page.revisions.get(number=1).slug == "old"


def test_without_a_reason_the_summary_is_neutral(write: Write, move, author: Author) -> None:
    page = write("A", "Text.")
    page = revise_page(page, 1, title="A", body="Text!", author=author, summary="louder")
    page = move(page, "B")
    assert last(page).summary == "renamed A → B"
    assert last(move(page, "C", summary=" clearer ")).summary == "clearer"


def test_another_case_changes_the_title_alone(write: Write, move) -> None:
    page = move(write("NGINX"), "nginx")
    assert (page.title, page.slug, redirects()) == ("nginx", "nginx", {})


def test_there_and_back_again_leaves_no_redirect_of_itself(
    write: Write, move, browser: Client
) -> None:
    page = move(move(write("test"), "test2"), "test")
    assert (page.slug, redirects()) == ("test", {"test2": page.pk})
    assert browser.get("/w/ops/test").status_code == 200


def test_every_former_address_is_one_hop_away(write: Write, move, browser: Client) -> None:
    page = move(move(write("A"), "B"), "C")
    assert redirects() == {"a": page.pk, "b": page.pk}
    answer = browser.get("/w/ops/a", follow=True)
    assert [hop[0] for hop in answer.redirect_chain] == ["/w/ops/c?from=a"]
    assert answer.status_code == 200


def test_the_note_names_the_former_title_and_links_to_the_redirect(
    write: Write, move, browser: Client
) -> None:
    move(write("Über <b>alles</b>"), "C")
    answer = browser.get("/w/ops/%C3%BCber-b-alles-b", follow=True)
    assert (
        'Redirected from “<a href="/w/ops/%C3%BCber-b-alles-b?redirect=no">Über '
        "&lt;b&gt;alles&lt;/b&gt;</a>”." in (answer.content.decode())
    )


def test_the_redirect_itself_can_be_seen_and_removed(
    write: Write, move, browser: Client, wiki: Wiki
) -> None:
    page = move(write("Old"), "Neu")
    linking = write("Linking", "[[Old]]")
    html = text(browser.get("/w/ops/old?redirect=no"))
    assert '<code>old</code> leads to <a href="/w/ops/neu">Neu</a>' in html
    assert "Without it the links of 1 page would turn red." in html
    redirect_id = re.search(r'name="redirect_id" value="(\d+)"', html)[1]
    assert (
        browser.post("/w/ops/old/redirect/remove", {"redirect_id": redirect_id})["Location"]
        == "/w/ops/neu"
    )
    assert redirects() == {}
    assert linking.links.get().resolved_page is None
    assert (
        browser.post("/w/ops/old/redirect/remove", {"redirect_id": redirect_id}).status_code == 302
    )
    assert browser.post("/w/ops/old/redirect/remove", {"redirect_id": "../x"}).status_code == 302
    assert browser.get("/w/ops/neu?redirect=no").status_code == 200
    assert Page.objects.filter(pk=page.pk).exists()


def test_purged_revisions_do_not_break_old_addresses(write: Write, move, browser: Client) -> None:
    page = move(move(write("A"), "B"), "C")
    Revision.objects.filter(page=page, number__lt=page.revision).delete()
    assert browser.get("/w/ops/a", follow=True).status_code == 200
    assert 'Redirected from “<a href="/w/ops/b?redirect=no">B</a>”' in text(
        browser.get("/w/ops/b", follow=True)
    )
    assert find_undoable(page) is None
    assert browser.get("/w/ops/c/rename/undo").status_code == 302


def test_every_old_permalink_answers(write: Write, move, author: Author, browser: Client) -> None:
    page = write("Old", "1")
    page = revise_page(page, 1, title="Old", body="2", author=author)
    page = move(page, "Neu")
    revise_page(page, 3, title="Neu", body="3", author=author)
    assert [row.kind for row in page.revisions.all()] == ["edit", "rename", "edit", "create"]
    for number in range(1, 5):
        answer = browser.get(f"/w/ops/old/history/{number}", follow=True)
        assert answer.redirect_chain == [(f"/w/ops/neu/history/{number}", 302)]
        assert answer.status_code == 200
    assert browser.get("/w/ops/old/history")["Location"] == "/w/ops/neu/history"
    assert browser.get("/w/ops/old/rename")["Location"] == "/w/ops/neu/rename"
    assert browser.get("/w/ops/old.md").content == b"3"


def test_a_new_page_of_the_old_name_stands_there_with_a_hint(
    write: Write, move, browser: Client
) -> None:
    page = move(write("A", "first"), "B")
    linking = write("Linking", "[[A]]")
    assert linking.links.get().resolved_page == page
    posted = {"title": "A", "body": "second", "action": "save"}
    assert browser.post("/w/ops/new", posted)["Location"] == "/w/ops/a"
    html = text(browser.get("/w/ops/a"))
    assert "second" in html
    assert 'Formerly here: <a href="/w/ops/b">B</a>' in html
    assert linking.links.get().resolved_page == Page.objects.get(slug="a")
    assert "stands there, and comes first" in text(browser.get("/w/ops/a?redirect=no"))
    trash_page(Page.objects.get(slug="a"), author=Author.maintenance())
    assert browser.get("/w/ops/a")["Location"] == "/w/ops/b?from=a"
    assert linking.links.get().resolved_page == page


def test_a_title_that_another_page_has_gets_a_number_in_the_address(write: Write, move) -> None:
    write("Privacy")
    page = move(write("Other"), "Privacy")
    assert page.slug == "privacy-2"
    assert move(page, "Privacy").revision == page.revision
    assert resolve_page(page.wiki, "privacy-2").page == page


def test_a_page_whose_title_left_its_address_behind_is_reached_by_both(
    write: Write, move, author: Author
) -> None:
    page = write("First")
    page = revise_page(page, 1, title="Second", body="", author=author)
    linking = write("Linking", "[[Second]] [[First]]")
    page = move(page, "Third")
    assert redirects() == {"first": page.pk, "second": page.pk}
    assert set(linking.links.values_list("resolved_page", flat=True)) == {page.pk}


def test_an_address_that_was_renamed_to_leads_to_the_last_who_had_it(write: Write, move) -> None:
    first = move(write("A"), "B")
    second = write("A")
    assert redirects() == {"a": first.pk}
    second = move(second, "C")
    assert redirects() == {"a": second.pk}
    undo_rename(second, 2, 2, author=Author.maintenance())
    assert redirects() == {"a": first.pk}


def test_a_renamed_page_is_found_by_its_new_name_and_keeps_what_it_has(
    write: Write, move, wiki: Wiki, person
) -> None:
    page = write("Alpha", "Rechnungen im Januar.")
    Confirmation.objects.create(page=page, author_kind="person", author_name="pat", user=person)
    page = move(page, "Zertifikate")
    assert [hit.page for hit in recall(wiki, "Zertifikate").hits] == [page]
    assert page.embed_model == "builtin:hash:256"
    assert page.confirmations.count() == 1


# -- links


def test_a_link_shows_the_present_title_and_its_own_words_stay(
    write: Write, move, browser: Client
) -> None:
    linking = write("Linking", "[[Old]] and [[Old|my words]] and [[Old#Part]]")
    move(write("Old", "# Part"), "Neu")
    html = text(browser.get(linking.get_absolute_url()))
    assert '<a href="/w/ops/neu"' in html
    for words in (">Neu</a>", ">my words</a>", ">Neu › Part</a>"):
        assert words in html
    assert "[[Old]]" in Page.objects.get(pk=linking.pk).body


def test_the_links_of_other_pages_are_rewritten(write: Write, move, author: Author) -> None:
    linking = write(
        "Linking", "See [[Test-1 test2]], [[test-1-test2|alias]].\r\n`[[Test-1 test2]]`\n\n\n"
    )
    untouched = write("Untouched", "[[Test-1]]")
    page = move(write("Test-1 test2"), "New page", links=True)
    linking.refresh_from_db()
    assert linking.body == "See [[New page]], [[New page|alias]].\n`[[Test-1 test2]]`\n\n\n"
    row = last(linking)
    assert (row.kind, row.summary, row.author_name) == (
        "links",
        "link to Test-1 test2 → New page",
        author.name,
    )
    assert set(linking.links.values_list("target_text", "resolved_page")) == {("New page", page.pk)}
    assert linking.embed_model == "builtin:hash:256"
    untouched.refresh_from_db()
    assert untouched.revision == 1


def test_the_page_itself_says_its_new_name(write: Write, move) -> None:
    page = move(write("TestPage", "This is [[TestPage]]."), "Other", links=True)
    assert page.body == "This is [[Other]]."
    assert [row.kind for row in page.revisions.all()] == ["links", "rename", "create"]


def test_a_folded_spelling_of_a_former_name_leads_to_the_page(
    write: Write, move, browser: Client
) -> None:
    linking = write("Linking", "[[Uebung]] [[ubung]]")
    page = move(write("Übung"), "Training")
    assert set(linking.links.values_list("resolved_page", flat=True)) == {page.pk}
    assert browser.get("/w/ops/uebung")["Location"] == "/w/ops/training?from=%C3%BCbung"
    again = write("Übung")
    assert set(linking.links.values_list("resolved_page", flat=True)) == {again.pk}
    plain = move(write("Ubier"), "Germanen")
    assert resolve_page(page.wiki, "Übier").page == plain


def test_folded_spellings_and_older_names_are_rewritten_too(write: Write, move) -> None:
    page = write("Übung")
    Redirect.objects.create(wiki=page.wiki, slug="ältere", page=page)
    linking = write("Linking", "[[Uebung]] [[ubung|x]] [[ÜBUNG#Teil]] [[Ältere]] [[Fremd]]")
    page = move(page, "Training", links=True)
    linking = Page.objects.get(pk=linking.pk)
    assert linking.body == "[[Training]] [[Training|x]] [[Training#Teil]] [[Training]] [[Fremd]]"


@pytest.mark.parametrize(
    "title",
    ["Test (2026) - renamed", "a]b", "a+b", "a\\1", "100$", "[[", "a|b", "C#", HOSTILE, "`"],
)
def test_links_are_well_formed_whatever_the_title(
    write: Write, move, browser: Client, title: str
) -> None:
    linking = write("Linking", "See [[Test (2026)]] and [[Test (2026)|words]] and `code`.")
    page = move(write("Test (2026)"), title, links=True)
    linking.refresh_from_db()
    assert "2026)]]" not in linking.body
    assert linking.body.endswith("|words]] and `code`.")
    assert set(linking.links.values_list("resolved_page", flat=True)) == {page.pk}
    article = (
        text(browser.get("/w/ops/linking")).partition("<article")[2].partition("</article>")[0]
    )
    assert article.count(f'<a href="/w/ops/{quote(page.slug)}"') == 2


def test_a_name_that_means_another_page_is_not_written_into_links(write: Write, move) -> None:
    write("Privacy")
    linking = write("Linking", "[[Other]]")
    page = move(write("Other"), "Privacy", links=True)
    linking.refresh_from_db()
    assert linking.body == "[[privacy-2|Privacy]]"
    assert linking.links.get().resolved_page == page


def test_a_link_that_was_edited_by_hand_stays(write: Write, move, author: Author) -> None:
    linking = write("Linking", "[[Old]]")
    page = move(write("Old"), "Neu")
    linking = revise_page(linking, 1, title="Linking", body="[[Neu]] by hand", author=author)
    rewrite_links(last(page))
    assert Page.objects.get(pk=linking.pk).body == "[[Neu]] by hand"


def test_a_link_to_a_redirect_is_not_dead(write: Write, move) -> None:
    linking = write("Linking", "[[Old]]")
    page = move(write("Old"), "Neu")
    assert not Link.objects.filter(resolved_page=None).exists()
    assert [backlink.page for backlink in find_backlinks(page, 5)[0]] == [linking]


def test_a_page_that_somebody_saves_meanwhile_is_rewritten_on_its_fresh_text(
    write: Write, move, author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    linking = write("Linking", "[[Old]]")
    page = move(write("Old"), "Neu")

    def embed_slowly(documents):
        if Page.objects.get(pk=linking.pk).revision == 1:
            append_text(linking, "Meanwhile: [[Old|x]].", author=author)
        return [None] * len(documents)

    monkeypatch.setattr("wiki.pages.link_rewriting.embed_texts", embed_slowly)
    assert rewrite_links(last(page)).pages == 1
    assert Page.objects.get(pk=linking.pk).body == "[[Neu]]\n\nMeanwhile: [[Neu|x]]."


def test_a_page_without_room_for_the_longer_name_keeps_the_old_one(write: Write, move) -> None:
    full = write("Full", "[[Old]]" + "x" * (256 * 1024 - 7))
    move(write("Old"), "A longer name", links=True)
    full.refresh_from_db()
    assert full.revision == 1


def test_many_pages_are_left_to_the_worker(write: Write, browser: Client) -> None:
    page = write("Old")
    linking = [write(f"Linking {number}", "[[Old]]") for number in range(45)]
    assert "45 pages link here by the old name; rewrite their links" in text(
        browser.get("/w/ops/old/rename")
    )
    answer = post(browser, page, "Neu", rewrite_links="on")
    html = text(browser.get(answer["Location"]))
    assert "are being rewritten in the background" in html
    said = Link.objects.filter(target_text="Neu")
    assert said.count() == 20
    task = OrmQ.objects.get()
    assert task.func() == "wiki.tasks.relink"
    relink(*task.task["args"])
    assert said.count() == 45
    relink(*task.task["args"])
    assert set(
        Page.objects.filter(pk__in=[row.pk for row in linking]).values_list("revision", flat=True)
    ) == {2}
    relink(0, 0, "en")


# -- the form


def test_the_form_renames_and_tells(browser: Client, write: Write) -> None:
    page, linking = write("Old"), write("Linking", "[[Old]]")
    html = text(browser.get("/w/ops/old/rename"))
    assert '<input type="checkbox" name="rewrite_links" checked>' in html
    assert "1 page links here by the old name; rewrite its links" in html
    answer = post(browser, page, "Neu", rewrite_links="on")
    assert answer["Location"] == "/w/ops/neu"
    html = text(browser.get("/w/ops/neu"))
    assert "The links on 1 page were rewritten." in html
    assert "renamed Old → Neu" in html
    assert 'href="/w/ops/neu/rename/undo"' in html
    assert 'href="/w/ops/neu/rename"' in html
    linking.refresh_from_db()
    assert linking.body == "[[Neu]]"


def test_links_stay_without_the_check_mark(browser: Client, write: Write) -> None:
    page, linking = write("Old"), write("Linking", "[[Old]]")
    post(browser, page, "Neu")
    linking.refresh_from_db()
    assert linking.body == "[[Old]]"


@pytest.mark.parametrize("title", ["", "   ", "x" * 201])
def test_a_bad_title_comes_back_with_a_sentence(browser: Client, write: Write, title: str) -> None:
    page = write("Old")
    answer = post(browser, page, title, summary="my reason")
    assert answer.status_code == 422
    assert 'class="error" role="alert"' in text(answer)
    assert 'value="my reason"' in text(answer)
    assert Page.objects.get().title == "Old"


@pytest.mark.parametrize("odd", ["../x", "", "1e3", "٣", "-1", "9" * 40])
def test_garbage_in_the_form_is_refused(browser: Client, write: Write, odd: str) -> None:
    page = write("Old")
    assert post(browser, page, "Neu", page_id=odd).status_code == 400
    assert post(browser, page, "Neu", base_revision=odd).status_code == 400
    assert browser.post("/w/ops/old/rename").status_code == 400
    assert browser.get("/w/ops/..%2Fx/rename").status_code == 404
    assert Page.objects.get().title == "Old"


def test_a_stale_form_renames_nothing(browser: Client, write: Write, author: Author) -> None:
    page = write("Old", "1")
    revise_page(page, 1, title="Old", body="2", author=author, summary="looked at it")
    answer = post(browser, page, "Neu")
    assert answer.status_code == 409
    html = text(answer)
    assert "The page has changed since you opened this form." in html
    assert "looked at it" in html
    assert 'value="Neu"' in html
    assert 'name="base_revision" value="2"' in html
    assert Page.objects.get().title == "Old"


def test_a_form_never_renames_another_page(browser: Client, write: Write, move) -> None:
    page = write("A")
    moved = move(page, "B")
    other = write("A", "another")
    answer = browser.post(
        "/w/ops/a/rename",
        {"page_id": page.pk, "base_revision": 1, "title": "C", "action": "rename"},
    )
    assert answer.status_code == 409
    assert 'is called <a href="/w/ops/b">B</a> now' in text(answer)
    assert set(Page.objects.values_list("pk", "title")) == {(moved.pk, "B"), (other.pk, "A")}


def test_pressing_twice_renames_once(browser: Client, write: Write) -> None:
    page = write("Old")
    assert [post(browser, page, "Neu")["Location"] for _ in range(2)] == ["/w/ops/neu"] * 2
    assert Revision.objects.count() == 2


def test_of_two_tabs_the_second_is_told(browser: Client, write: Write) -> None:
    page = write("Old")
    post(browser, page, "Neu")
    answer = post(browser, page, "Newer")
    assert answer.status_code == 409
    assert "renamed Old → Neu" in text(answer)
    assert Page.objects.get().title == "Neu"


def test_a_name_that_another_page_has_is_asked_about_first(browser: Client, write: Write) -> None:
    write("Privacy")
    page = write("Other")
    answer = post(browser, page, "privacy")
    assert answer.status_code == 409
    assert "There is a page “Privacy” already." in text(answer)
    assert post(browser, page, "privacy", action="rename-anyway")["Location"] == "/w/ops/privacy-2"


def test_a_name_that_is_spelled_almost_alike_is_asked_about_first(
    browser: Client, write: Write
) -> None:
    write("Déjà Dup")
    page = write("Other")
    assert '<a href="/w/ops/d%C3%A9j%C3%A0-dup">Déjà Dup</a>' in text(
        post(browser, page, "Deja Dup")
    )
    assert post(browser, page, "Deja Dup", action="rename-anyway")["Location"] == "/w/ops/deja-dup"
    accents = write("Uebung")
    assert post(browser, accents, "Übung").status_code == 302


def test_renaming_to_the_same_name_changes_nothing(browser: Client, write: Write) -> None:
    page = write("Old")
    assert post(browser, page, " Old ")["Location"] == "/w/ops/old"
    assert Revision.objects.count() == 1


def test_a_page_that_went_to_the_trash_is_not_renamed(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Old")
    trash_page(page, author=author)
    assert post(browser, page, "Neu").status_code == 404
    assert browser.get("/w/ops/old/rename").status_code == 404


# -- undoing it


def test_a_rename_is_undone_with_its_links(browser: Client, write: Write) -> None:
    page, linking = write("Old"), write("Linking", "[[Old]] [[Old|x]]")
    post(browser, page, "Neu", rewrite_links="on")
    write("Later", "[[Neu]]")
    html = text(browser.get("/w/ops/neu/rename/undo"))
    assert "“Neu” is called “Old” again, at the address <code>old</code>." in html
    posted = dict(
        re.findall(r'type="hidden" name="(page_id|base_revision|number)" value="(\d+)"', html)
    )
    address = "/w/ops/neu/rename/undo"
    assert browser.post(address, {**posted, "rewrite_links": "on"})["Location"] == "/w/ops/old"
    page = Page.objects.get(pk=page.pk)
    assert (page.title, page.slug, redirects()) == ("Old", "old", {})
    assert (last(page).kind, last(page).summary) == (RevisionKind.UNDO, "rename undone: Neu → Old")
    linking.refresh_from_db()
    assert linking.body == "[[Old]] [[Old|x]]"
    assert Page.objects.get(slug="later").body == "[[Old]]"
    assert browser.get("/w/ops/neu").status_code == 404


def test_pressing_undo_twice_undoes_once(browser: Client, write: Write) -> None:
    page = write("Old")
    linking = write("Linking", "[[Neu]]")
    post(browser, page, "Neu")
    posted = {"page_id": page.pk, "base_revision": 2, "number": 2}
    for _ in range(2):
        assert browser.post("/w/ops/neu/rename/undo", posted)["Location"] == "/w/ops/old"
    assert Revision.objects.filter(page=page).count() == 3
    assert linking.links.get().resolved_page == page


def test_the_name_that_was_given_up_leads_here_while_links_say_it(
    write: Write, move, author: Author
) -> None:
    page = move(write("Old"), "Neu")
    linking = write("Linking", "[[Neu]]")
    undone = undo_rename(page, 2, 2, author=author)
    assert redirects() == {"neu": page.pk}
    rewrite_links(last(undone))
    linking.refresh_from_db()
    assert (linking.body, redirects()) == ("[[Old]]", {})


def test_an_undone_return_has_its_redirects_of_before(write: Write, move, author: Author) -> None:
    page = move(move(write("test"), "test2"), "test")
    undone = undo_rename(page, 3, 3, author=author)
    rewrite_links(last(undone))
    assert (undone.slug, redirects()) == ("test2", {"test": page.pk})


def test_what_was_written_since_stays(write: Write, move, author: Author) -> None:
    page = append_text(move(write("Old", "Eins."), "Neu"), "Zwei.", author=author)
    undone = undo_rename(page, 2, 3, author=author)
    assert (undone.title, undone.body) == ("Old", "Eins.\n\nZwei.")


def test_a_rename_whose_old_address_is_taken_is_not_undone(
    browser: Client, write: Write, move, author: Author
) -> None:
    page = move(write("A"), "B")
    write("A", "another")
    with pytest.raises(SlugTaken):
        undo_rename(page, 2, 2, author=author)
    html = text(browser.get("/w/ops/b/rename/undo"))
    assert 'the address <code>a</code> belongs to the page <a href="/w/ops/a">A</a> now' in html
    assert "Undo the rename</button>" not in html
    answer = browser.post(
        "/w/ops/b/rename/undo", {"page_id": page.pk, "base_revision": 2, "number": 2}, follow=True
    )
    assert "Nothing was undone: the page “A” has the old address now." in text(answer)


def test_only_the_last_rename_is_undone(
    browser: Client, write: Write, move, author: Author
) -> None:
    page = move(move(write("A"), "B"), "C")
    for number in (1, 2, 4):
        with pytest.raises(NotUndoable):
            undo_rename(page, number, 3, author=author)
    answer = browser.post(
        "/w/ops/c/rename/undo", {"page_id": page.pk, "base_revision": 3, "number": 2}, follow=True
    )
    assert "has been renamed since" in text(answer)
    assert browser.post("/w/ops/c/rename/undo", {"page_id": "x"}).status_code == 400


def test_the_history_offers_the_undoing_as_long_as_it_can_be_done(
    browser: Client, write: Write, move, author
) -> None:
    page = move(write("A", "1"), "B")
    page = revise_page(page, 2, title="B", body="2", author=author)
    assert 'href="/w/ops/b/rename/undo"' in text(browser.get("/w/ops/b/history"))
    assert 'href="/w/ops/b/rename/undo"' not in text(browser.get("/w/ops/b"))
    revise_page(page, 3, title="B2", body="2", author=author)
    assert "rename/undo" not in text(browser.get("/w/ops/b/history"))
    assert "There is no rename to undo." in text(browser.get("/w/ops/b/rename/undo", follow=True))
