"""A folder and a wiki at odds: nothing that either side wrote is lost, nothing that is gone
comes back."""

import json
import os
from functools import partial

import pytest

from tests.support.folders import change, put, sync_with, told
from wiki.files.sync import Action, SyncRefused, sync_folder
from wiki.merging.merge import merge_pages, undo_merge
from wiki.models import Page, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page
from wiki.pages.trash import restore_page, trash_page


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vault"


@pytest.fixture
def sync(wiki, folder):
    return partial(sync_with, wiki, folder)


def test_changes_in_the_same_line_are_a_conflict_that_damages_neither(
    wiki, write, folder, sync, author
):
    page = write("Seite", "Port 80.")
    sync()
    mine = (folder / "Seite.md").read_text().replace("80", "8080")
    put(folder, "Seite.md", mine)
    change(page, "Port 443.", author)
    assert sync() == {"Seite.md": Action.CONFLICT}
    page.refresh_from_db()
    assert page.body == "Port 443."
    assert (folder / "Seite.md").read_text() == mine
    assert (folder / "Seite.covey.md").read_text().endswith("\nPort 443.\n")
    assert "Seite.covey.md" in told(wiki, folder)["Seite.md"]
    assert Page.objects.count() == 1
    # Somebody settles it: the file says what shall hold, and the page's text beside it is taken
    # away.
    put(folder, "Seite.md", mine.replace("8080.", "443, früher 80 und 8080."))
    (folder / "Seite.covey.md").unlink()
    assert sync() == {"Seite.md": Action.REVISE}
    page.refresh_from_db()
    assert page.body.strip() == "Port 443, früher 80 und 8080."
    assert sync() == {}


def test_a_conflict_shows_the_page_as_it_is_now(write, folder, sync, author):
    page = write("Seite", "Eins.")
    sync()
    put(folder, "Seite.md", (folder / "Seite.md").read_text().replace("Eins", "Datei"))
    change(page, "Wiki.", author)
    sync()
    change(page, "Wiki, noch einmal.", author)
    assert sync() == {"Seite.md": Action.CONFLICT}
    assert (folder / "Seite.covey.md").read_text().endswith("\nWiki, noch einmal.\n")


def test_a_conflict_ends_when_the_file_gives_in(write, folder, sync, author):
    page = write("Seite", "Eins.")
    sync()
    before = (folder / "Seite.md").read_text()
    put(folder, "Seite.md", before.replace("Eins", "Datei"))
    change(page, "Wiki.", author)
    sync()
    put(folder, "Seite.md", (folder / "Seite.covey.md").read_bytes())
    assert sync() == {}
    assert not (folder / "Seite.covey.md").exists()
    page.refresh_from_db()
    assert page.body == "Wiki."


@pytest.mark.parametrize("is_merged", [False, True])
def test_what_went_off_the_wiki_goes_and_does_not_come_back_from_its_file(
    write, folder, sync, author, is_merged
):
    page, other = write("Alt", "Der Text."), write("Bleibt", "Anderer Text.")
    sync()
    stale = (folder / "Alt.md").read_bytes()
    if is_merged:
        merge_pages(other, page, author=author)
    else:
        trash_page(page, author=author)
    assert sync()["Alt.md"] == Action.REMOVE
    assert not (folder / "Alt.md").exists()
    # A second computer, or a backup, lays the old file back.
    put(folder, "Alt.md", stale)
    assert sync() == {"Alt.md": Action.LEAVE}
    page.refresh_from_db()
    assert page.is_trashed
    assert Page.objects.count() == 2


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_file_changed_since_its_page_went_is_kept_and_told(
    wiki, write, folder, sync, author, is_merged
):
    page, other = write("Alt", "Der Text."), write("Bleibt", "Anderer Text.")
    sync()
    mine = (folder / "Alt.md").read_text() + "Ein neuer Satz.\n"
    put(folder, "Alt.md", mine)
    if is_merged:
        merge_pages(other, page, author=author)
    else:
        trash_page(page, author=author)
    assert sync()["Alt.md"] == Action.CONFLICT
    assert (folder / "Alt.md").read_text() == mine
    sentence = told(wiki, folder)["Alt.md"]
    assert ("merged into “Bleibt”" if is_merged else "went to the trash") in sentence
    page.refresh_from_db()
    assert page.is_trashed


def test_pages_that_came_back_have_their_files_again(write, folder, sync, author):
    page, other = write("Alt", "Der Text."), write("Bleibt", "Anderer Text.")
    merge = merge_pages(other, page, author=author)
    third = write("Dritte", "Text.")
    trash_page(third, author=author)
    assert sync() == {"Bleibt.md": Action.WRITE}
    undo_merge(merge, author=author)
    restore_page(third, author=author)
    assert sync() == {"Alt.md": Action.WRITE, "Dritte.md": Action.WRITE, "Bleibt.md": Action.WRITE}


def test_a_removed_file_takes_its_page_to_the_trash_unless_the_page_has_changed(
    write, folder, sync, author
):
    gone, changed, *_rest = (
        write(name, f"Text {name}.") for name in ("Gone", "Changed", "C", "D", "E", "F", "G", "H")
    )
    sync()
    (folder / "Gone.md").unlink()
    (folder / "Changed.md").unlink()
    change(changed, "Wichtig.", author)
    assert sync() == {"Gone.md": Action.TRASH, "Changed.md": Action.WRITE}
    gone.refresh_from_db()
    assert gone.is_trashed
    assert "Gone.md was removed" in gone.revisions.first().summary
    assert (folder / "Changed.md").read_text().endswith("\nWichtig.\n")


def test_an_emptied_folder_does_not_empty_the_wiki(write, folder, sync):
    for name in "ABCDE":
        write(name, f"Text {name}.")
    sync()
    for path in folder.glob("*.md"):
        path.unlink()
    with pytest.raises(SyncRefused, match="5 files are gone"):
        sync()
    assert Page.objects.live().count() == 5
    assert set(sync(may_trash_many=True).values()) == {Action.TRASH}
    assert Page.objects.live().count() == 0


def test_a_copied_file_is_told_and_never_swaps_pages(wiki, write, folder, sync):
    write("Seite", "Text.")
    sync()
    put(folder, "Seite 1.md", (folder / "Seite.md").read_text() + "Mehr.\n")
    assert sync() == {"Seite 1.md": Action.LEAVE}
    assert "same address (seite)" in told(wiki, folder)["Seite 1.md"]
    assert Page.objects.count() == 1


def test_a_lost_memory_loses_nothing(write, folder, sync, author):
    same, stale, edited = (write(name, f"Text {name}.") for name in ("Gleich", "Alt", "Anders"))
    sync()
    old = (folder / "Alt.md").read_text()
    change(stale, "Weiter geschrieben.", author)
    put(folder, "Anders.md", (folder / "Anders.md").read_text() + "Ein Satz mehr.\n")
    (folder / ".covey/state.json").unlink()
    assert sync() == {"Alt.md": Action.WRITE, "Anders.md": Action.CONFLICT}
    assert (folder / "Alt.md").read_text() != old
    assert (folder / "Anders.md").read_text().endswith("Ein Satz mehr.\n")
    assert sync() == {"Anders.md": Action.CONFLICT}
    (folder / "Anders.covey.md").unlink()
    assert sync() == {"Anders.md": Action.REVISE}
    edited.refresh_from_db()
    assert edited.body.endswith("Ein Satz mehr.")


@pytest.mark.parametrize("step", range(1, 7))
def test_a_run_broken_off_anywhere_is_gone_on_with(write, folder, sync, author, monkeypatch, step):
    pages = [write(name, f"Text {name}.\n\nEnde.") for name in "ABCDEFGHIJKL"]
    sync()
    for name in "AB":
        put(folder, f"{name}.md", (folder / f"{name}.md").read_text().replace("Text", "Datei"))
    change(pages[1], "Text B.\n\nWiki.", author)
    change(pages[2], "Wiki.", author)
    (folder / "D.md").unlink()
    put(folder, "neu.md", "Neu.")
    trash_page(pages[4], author=author)
    run = sync_folder(pages[0].wiki, folder, Author.maintenance())
    monkeypatch.setattr("wiki.files.sync.Memory.save", lambda memory: None)
    for _number in range(step):
        next(run, None)
    run.close()
    monkeypatch.undo()
    sync()
    bodies = dict(Page.objects.live().values_list("slug", "body"))
    assert bodies["a"].strip() == "Datei A.\n\nEnde."
    assert bodies["b"].strip() == "Datei B.\n\nWiki."
    assert bodies["neu"] == "Neu."
    assert "d" not in bodies
    assert "e" not in bodies
    assert (folder / "C.md").read_text().endswith("\nWiki.\n")
    assert sync() == {}


def test_a_file_saved_at_this_moment_is_left(wiki, write, folder, sync, author):
    pages = [write("A", "Text."), write("B", "Text.")]
    sync()
    for page in pages:
        change(page, "Wiki.", author)
    run = sync_folder(wiki, folder, author)
    assert next(run).path == "A.md"
    mine = (folder / "B.md").read_text().replace("Text.", "Eben gespeichert.")
    put(folder, "B.md", mine)
    assert "saved at this moment" in next(run).sentence
    run.close()
    assert (folder / "B.md").read_text() == mine
    assert sync() == {"B.md": Action.CONFLICT}


def test_broken_files_are_told_and_the_rest_goes_on(wiki, write, folder, sync):
    page = write("Seite", "Text.")
    sync()
    put(folder, "Seite.md", b"---\nslug: seite\n---\n\xff")
    put(folder, "latin.md", "ä".encode("latin-1"))
    put(folder, "gut.md", "Gut.")
    os.symlink("/etc/hostname", folder / "link.md")
    assert sync() == {
        "Seite.md": Action.LEAVE,
        "latin.md": Action.LEAVE,
        "link.md": Action.LEAVE,
        "gut.md": Action.CREATE,
    }
    page.refresh_from_db()
    assert page.body == "Text."


@pytest.mark.parametrize("path", ["../außen.md", "/etc/passwd.md", "a/../../b.md", "notiz.txt"])
def test_a_memory_that_leads_out_of_the_folder_is_refused(write, folder, sync, path):
    page = write("Seite", "Text.")
    sync()
    state = json.loads((folder / ".covey/state.json").read_text())
    state["pages"][str(page.pk)]["path"] = path
    put(folder, ".covey/state.json", json.dumps(state))
    with pytest.raises(SyncRefused, match="cannot be read"):
        sync()


def test_a_folder_belongs_to_one_wiki(write, folder, sync):
    write("Seite", "Text.")
    sync()
    other = Wiki.objects.create(slug="andere", name="Andere")
    with pytest.raises(SyncRefused, match="belongs to another wiki"):
        list(sync_folder(other, folder, Author.maintenance()))


def test_two_runs_keep_out_of_each_others_way(wiki, write, folder, sync):
    write("A", "Text.")
    write("B", "Text.")
    first = sync_folder(wiki, folder, Author.maintenance())
    next(first)
    with pytest.raises(SyncRefused, match="another process"):
        sync()
    first.close()
    assert "B.md" in sync()


def test_an_agent_changes_no_protected_page_by_its_file(wiki, write, folder, sync, author, agent):
    page = protect_page(write("Seite", "Text."), author=author)
    sync()
    put(folder, "Seite.md", (folder / "Seite.md").read_text() + "Mehr.\n")
    put(folder, "neu.md", "Neu.")
    assert sync(author=Author.of_agent(agent)) == {
        "Seite.md": Action.LEAVE,
        "neu.md": Action.CREATE,
    }
    page.refresh_from_db()
    assert page.body == "Text."
    assert (folder / "Seite.md").read_text().endswith("Mehr.\n")
    (folder / "Seite.md").unlink()
    assert sync(author=Author.of_agent(agent)) == {"Seite.md": Action.LEAVE}
    assert sync(author=author) == {"Seite.md": Action.TRASH}


def test_an_agent_changes_nothing_of_a_protected_page_by_the_head_of_its_file(
    wiki, write, folder, sync, author, agent
):
    page = protect_page(write("Seite", "Text."), author=author)
    sync()
    for line in ("owner: mallory\n", "asked_as:\n- Wie heißt der Port?\n", "standing: outdated\n"):
        before = (folder / "Seite.md").read_text()
        put(folder, "Seite.md", before.replace("slug: seite\n", f"slug: seite\n{line}"))
        assert sync(author=Author.of_agent(agent)) == {"Seite.md": Action.LEAVE}, line
        put(folder, "Seite.md", before)
    page.refresh_from_db()
    assert (page.front_matter, page.standing, page.asked_as.count()) == ("", "", 0)
