"""A folder and a wiki that follow each other: what changes in one comes into the other."""

import os
import re
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.folders import change, put, sync_with
from tests.picture_files import file_of
from wiki.asked import forget_question, keep_question
from wiki.models import Agent, Page, Revision
from wiki.renaming import rename_page
from wiki.standing import mark_outdated
from wiki.syncing import Deed


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vault"


@pytest.fixture
def sync(wiki, folder):
    return partial(sync_with, wiki, folder)


def test_pages_are_written_out_and_a_second_run_does_nothing(write, folder, sync):
    write("Erste Seite", "Text mit [[zweite]].\n")
    write("Zweite", "Noch einer.", type="topic", tags=["a"])
    assert sync() == {"erste-seite.md": Deed.WRITE, "zweite.md": Deed.WRITE}
    assert (
        folder / "zweite.md"
    ).read_text() == "---\ntitle: Zweite\nslug: zweite\ntype: topic\ntags:\n- a\n---\n\nNoch einer.\n"
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.md")}
    assert sync() == {}
    assert before == {path.name: path.stat().st_mtime_ns for path in folder.glob("*.md")}
    assert Revision.objects.count() == 2


def test_a_changed_file_becomes_a_revision_and_is_left_as_it_was_written(write, folder, sync):
    page = write("Seite", "Alt.")
    sync()
    text = (folder / "seite.md").read_text().replace("Alt.", "Neu, mit „ä“ und 日本語.\r\n\r\n* zweite Zeile")
    put(folder, "seite.md", text)
    assert sync() == {"seite.md": Deed.REVISE}
    page.refresh_from_db()
    assert page.body == "Neu, mit „ä“ und 日本語.\n\n* zweite Zeile"
    assert (folder / "seite.md").read_bytes() == text.encode()
    assert sync() == {}


def test_a_changed_page_is_written_into_its_file(write, folder, sync, author):
    page = write("Seite", "Alt.")
    sync()
    change(page, "Neu.", author, title="Neuer Titel")
    assert sync() == {"seite.md": Deed.WRITE}
    assert "title: Neuer Titel\n" in (folder / "seite.md").read_text()
    assert (folder / "seite.md").read_text().endswith("\nNeu.\n")
    assert sync() == {}


def test_changes_in_different_lines_are_put_together_on_both_sides(write, folder, sync, author):
    page = write("Seite", "Eins.\n\nMitte.\n\nDrei.")
    sync()
    put(folder, "seite.md", (folder / "seite.md").read_text().replace("Eins.", "Eins aus der Datei."))
    change(page, "Eins.\n\nMitte.\n\nDrei aus dem Wiki.", author)
    assert sync() == {"seite.md": Deed.REVISE}
    page.refresh_from_db()
    assert page.body.strip() == "Eins aus der Datei.\n\nMitte.\n\nDrei aus dem Wiki."
    assert (folder / "seite.md").read_text().endswith("\nEins aus der Datei.\n\nMitte.\n\nDrei aus dem Wiki.\n")
    assert sync() == {}


def test_new_files_become_pages_wherever_they_lie(wiki, folder, sync):
    put(folder, "Tagebuch/Über uns.md", "# Über uns\n\nText.")
    put(folder, ".obsidian/x.md", "Nicht gemeint.")
    put(folder, "Leer.md", "")
    assert sync() == {"Leer.md": Deed.CREATE, "Tagebuch/Über uns.md": Deed.CREATE}
    assert set(Page.objects.values_list("slug", "title")) == {("über-uns", "Über uns"), ("leer", "Leer")}
    assert sync() == {}
    put(folder, "Tagebuch/Über uns.md", "# Über uns\n\nMehr.")
    assert sync() == {"Tagebuch/Über uns.md": Deed.REVISE}
    assert Page.objects.count() == 2


def test_a_moved_file_stays_its_page_also_when_it_was_changed(write, folder, sync):
    _first, second = write("Erste", "Eins."), write("Zweite", "Zwei.")
    sync()
    (folder / "unter").mkdir()
    os.rename(folder / "erste.md", folder / "unter/Umbenannt.md")
    text = (folder / "zweite.md").read_text()
    (folder / "zweite.md").unlink()
    put(folder, "unter/anders.md", text.replace("Zwei.", "Zwei, neu."))
    assert sync() == {"unter/anders.md": Deed.REVISE}
    second.refresh_from_db()
    assert (second.slug, second.body.strip()) == ("zweite", "Zwei, neu.")
    assert Page.objects.live().count() == 2
    assert sync() == {}


def test_pictures_come_along_both_ways(write, folder, sync, settings, tmp_path):
    settings.COVEY_DATA_DIR = tmp_path / "var"
    page = write("Seite", "Text.")
    sync()
    put(folder, "bild.png", file_of("PNG"))
    put(folder, "seite.md", (folder / "seite.md").read_text() + "![Ein Bild](bild.png)\n")
    assert sync() == {"seite.md": Deed.REVISE}
    page.refresh_from_db()
    [address] = re.findall(r"!\[Ein Bild\]\((pictures/.+?\.png)\)", page.body)
    assert (folder / address).is_file()
    assert "![Ein Bild](bild.png)" in (folder / "seite.md").read_text()
    assert sync() == {}


def test_a_renamed_page_renames_its_file(write, folder, sync, author):
    page = write("Alter Name", "Text.")
    sync()
    rename_page(page, title="Neuer Name", author=author, base_revision=page.revision)
    assert sync() == {"neuer-name.md": Deed.WRITE}
    assert [path.name for path in folder.glob("*.md")] == ["neuer-name.md"]
    assert sync() == {}


def test_marks_of_the_head_go_both_ways(write, folder, sync, author):
    old, new = write("Alt", "Text."), write("Neu", "Besserer Text.")
    sync()
    put(folder, "alt.md", (folder / "alt.md").read_text().replace("slug: alt\n", "slug: alt\nreplaced_by: neu\n"))
    assert sync() == {"alt.md": Deed.REVISE}
    old.refresh_from_db()
    assert old.replaced_by == new
    mark_outdated(new, author=author)
    assert sync() == {"neu.md": Deed.WRITE}
    assert "standing: outdated\n" in (folder / "neu.md").read_text()
    assert sync() == {}


def test_a_dry_run_changes_nothing(write, folder, sync):
    write("Seite", "Text.")
    assert sync(is_dry=True) == {"seite.md": Deed.WRITE}
    assert not folder.exists()


def run_command(folder, *options):
    out, errors = StringIO(), StringIO()
    code = 0
    try:
        call_command("sync", str(folder), "--wiki", "ops", *options, stdout=out, stderr=errors)
    except SystemExit as ended:
        code = ended.code
    return code, out.getvalue(), errors.getvalue()


def test_the_command_says_what_it_did_and_whose_change_it_was(wiki, write, folder):
    page = write("Seite", "Text.")
    Agent.objects.create(name="robin", home_wiki=wiki)
    assert run_command(folder) == (0, "ops: 1 written\n", "")
    put(folder, "seite.md", (folder / "seite.md").read_text() + "Mehr.\n")
    assert run_command(folder, "--agent", "robin") == (0, "ops: 1 changed\n", "")
    assert page.revisions.first().author_name == "robin"
    assert run_command(folder) == (0, "ops: nothing to do\n", "")
    put(folder, "kaputt.md", b"\xff\xfe")
    code, _out, errors = run_command(folder)
    assert code == 1
    assert "kaputt.md: It is not UTF-8" in errors


@pytest.mark.parametrize("options", [("--agent", "niemand"), ("--person", "niemand")])
def test_the_command_takes_only_authors_that_exist(wiki, folder, options):
    with pytest.raises(CommandError, match="There is no"):
        run_command(folder, *options)


HEAD = "---\ntitle: Alt\nslug: alt\n"


def test_questions_go_both_ways_and_stay_away_when_they_were_taken_away(write, folder, sync, author):
    page = write("Seite", "Text.")
    sync()
    question, _is_new = keep_question(page, "Welchen Port hat der Runner?", author=author)
    assert sync() == {"seite.md": Deed.WRITE}
    assert "asked_as:\n- Welchen Port hat der Runner?\n" in (folder / "seite.md").read_text()
    text = (folder / "seite.md").read_text()
    put(folder, "seite.md", text.replace("asked_as:\n", "asked_as:\n- Wo steht der Runner?\n"))
    assert sync() == {"seite.md": Deed.REVISE}
    assert page.asked_as.count() == 2
    forget_question(page, question.pk)
    put(folder, "seite.md", (folder / "seite.md").read_text() + "Mehr.\n")
    assert sync() == {"seite.md": Deed.REVISE}
    assert sync() == {"seite.md": Deed.WRITE}
    assert sync() == {}
    assert list(page.asked_as.values_list("text", flat=True)) == ["Wo steht der Runner?"]
    assert "Port" not in (folder / "seite.md").read_text()


def test_a_new_file_keeps_its_dates(wiki, folder, sync, author):
    put(folder, "alt.md", f"{HEAD}created_at: '2020-01-02T03:04:05+00:00'\n---\n\nText.\n")
    sync()
    page = Page.objects.get(slug="alt")
    assert page.created_at.year == 2020
    change(page, "Neu.", author)
    assert sync() == {"alt.md": Deed.WRITE}
    assert "created_at: '2020-01-02T03:04:05+00:00'\n" in (folder / "alt.md").read_text()


def test_a_file_whose_mark_is_wrong_makes_no_page_until_it_is_right(wiki, folder, sync):
    put(folder, "alt.md", f"{HEAD}standing: outdatet\n---\n\nText.\n")
    assert sync() == {"alt.md": Deed.LEAVE}
    assert not Page.objects.exists()
    put(folder, "alt.md", f"{HEAD}standing: outdated\n---\n\nText.\n")
    assert sync() == {"alt.md": Deed.CREATE}
    assert Page.objects.get().standing == "outdated"


def test_a_page_that_replaces_itself_is_told_and_corrected(wiki, folder, sync):
    put(folder, "alt.md", f"{HEAD}replaced_by: alt\n---\n\nText.\n")
    assert sync() == {"alt.md": Deed.LEAVE}
    put(folder, "alt.md", f"{HEAD}standing: outdated\n---\n\nText.\n")
    assert sync() == {"alt.md": Deed.REVISE}
    assert Page.objects.get().standing == "outdated"
    assert sync() == {}
