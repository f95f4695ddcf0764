"""A folder and a wiki that follow each other: what changes in one comes into the other."""

import os
import re
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.support.folders import change, put, sync_with
from tests.support.image_files import file_of, image
from wiki.files.sync import Action
from wiki.images.storage import store_picture
from wiki.models import Agent, Page, Picture, Revision, Wiki
from wiki.pages.rename import rename_page
from wiki.pages.status import mark_outdated
from wiki.recall.questions import forget_question, keep_question


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vault"


@pytest.fixture
def sync(wiki, folder):
    return partial(sync_with, wiki, folder)


def test_pages_are_written_out_and_a_second_run_does_nothing(write, folder, sync):
    write("Erste Seite", "Text mit [[zweite]].\n")
    write("Zweite", "Noch einer.", type="topic", tags=["a"])
    assert sync() == {"Erste Seite.md": Action.WRITE, "Zweite.md": Action.WRITE}
    assert (
        (folder / "Zweite.md").read_text()
        == "---\ntitle: Zweite\nslug: zweite\ntype: topic\ntags:\n- a\n---\n\nNoch einer.\n"
    )
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.md")}
    assert sync() == {}
    assert before == {path.name: path.stat().st_mtime_ns for path in folder.glob("*.md")}
    assert Revision.objects.count() == 2


def test_a_changed_file_becomes_a_revision_and_is_left_as_it_was_written(write, folder, sync):
    page = write("Seite", "Alt.")
    sync()
    text = (
        (folder / "Seite.md")
        .read_text()
        .replace("Alt.", "Neu, mit „ä“ und 日本語.\r\n\r\n* zweite Zeile")
    )
    put(folder, "Seite.md", text)
    assert sync() == {"Seite.md": Action.REVISE}
    page.refresh_from_db()
    assert page.body == "Neu, mit „ä“ und 日本語.\n\n* zweite Zeile"
    assert (folder / "Seite.md").read_bytes() == text.encode()
    assert sync() == {}


def test_a_changed_page_is_written_into_its_file(write, folder, sync, author):
    page = write("Seite", "Alt.")
    sync()
    change(page, "Neu.", author, title="Neuer Titel")
    assert sync() == {"Seite.md": Action.WRITE}
    assert "title: Neuer Titel\n" in (folder / "Seite.md").read_text()
    assert (folder / "Seite.md").read_text().endswith("\nNeu.\n")
    assert sync() == {}


def test_changes_in_different_lines_are_put_together_on_both_sides(write, folder, sync, author):
    page = write("Seite", "Eins.\n\nMitte.\n\nDrei.")
    sync()
    put(
        folder,
        "Seite.md",
        (folder / "Seite.md").read_text().replace("Eins.", "Eins aus der Datei."),
    )
    change(page, "Eins.\n\nMitte.\n\nDrei aus dem Wiki.", author)
    assert sync() == {"Seite.md": Action.REVISE}
    page.refresh_from_db()
    assert page.body.strip() == "Eins aus der Datei.\n\nMitte.\n\nDrei aus dem Wiki."
    assert (
        (folder / "Seite.md")
        .read_text()
        .endswith("\nEins aus der Datei.\n\nMitte.\n\nDrei aus dem Wiki.\n")
    )
    assert sync() == {}


def test_new_files_become_pages_wherever_they_lie(wiki, folder, sync):
    put(folder, "Tagebuch/Über uns.md", "# Über uns\n\nText.")
    put(folder, ".obsidian/x.md", "Nicht gemeint.")
    put(folder, "Leer.md", "")
    assert sync() == {"Leer.md": Action.CREATE, "Tagebuch/Über uns.md": Action.CREATE}
    assert set(Page.objects.values_list("slug", "title")) == {
        ("über-uns", "Über uns"),
        ("leer", "Leer"),
    }
    assert sync() == {}
    put(folder, "Tagebuch/Über uns.md", "# Über uns\n\nMehr.")
    assert sync() == {"Tagebuch/Über uns.md": Action.REVISE}
    assert Page.objects.count() == 2


def test_a_moved_file_stays_its_page_also_when_it_was_changed(write, folder, sync):
    _first, second = write("Erste", "Eins."), write("Zweite", "Zwei.")
    sync()
    (folder / "unter").mkdir()
    os.rename(folder / "Erste.md", folder / "unter/Umbenannt.md")
    text = (folder / "Zweite.md").read_text()
    (folder / "Zweite.md").unlink()
    put(folder, "unter/anders.md", text.replace("Zwei.", "Zwei, neu."))
    assert sync() == {"unter/anders.md": Action.REVISE}
    second.refresh_from_db()
    assert (second.slug, second.body.strip()) == ("zweite", "Zwei, neu.")
    assert Page.objects.live().count() == 2
    assert sync() == {}


def test_pictures_come_along_both_ways(write, folder, sync, settings, tmp_path):
    settings.COVEY_DATA_DIR = tmp_path / "var"
    page = write("Seite", "Text.")
    sync()
    put(folder, "bild.png", file_of("PNG"))
    put(folder, "Seite.md", (folder / "Seite.md").read_text() + "![Ein Bild](bild.png)\n")
    assert sync() == {"Seite.md": Action.REVISE}
    page.refresh_from_db()
    [address] = re.findall(r"!\[Ein Bild\]\((pictures/.+?\.png)\)", page.body)
    assert (folder / address).is_file()
    assert "![Ein Bild](bild.png)" in (folder / "Seite.md").read_text()
    assert sync() == {}


@pytest.fixture
def data_folder(settings, tmp_path):
    settings.COVEY_DATA_DIR = tmp_path / "var"


@pytest.mark.usefixtures("data_folder")
def test_a_file_keeps_the_names_of_its_pictures_and_leads_to_new_ones(wiki, folder, sync, author):
    put(folder, "sub/dot.png", file_of("PNG"))
    put(folder, "sub/über dot.gif", file_of("GIF"))
    put(folder, "sub/Gamma.md", "![a dot](./dot.png 'T')\n\n![[über dot.gif|300]]\n\nEnde.\n")
    sync()
    page = Page.objects.get()
    added = store_picture(wiki, file_of("PNG", image(seed=2)), "neu.png", author).address
    [dot, gif] = re.findall(r"pictures/\w+\.\w+", page.body)
    body = page.body.replace("Ende", f"Anders ![new]({added}) ![again]({dot}) ![gif]({gif})")
    change(page, f"{body}\n\n`![code]({dot})`", author)
    assert sync() == {"sub/Gamma.md": Action.WRITE}
    written = (folder / "sub/Gamma.md").read_text()
    assert "![a dot](./dot.png 'T')\n\n![[über dot.gif|300]]\n\n" in written
    assert f"Anders ![new](../{added}) ![again](./dot.png) ![gif](%C3%BCber%20dot.gif)." in written
    assert f"`![code]({dot})`" in written
    assert (folder / "sub" / ".." / added).is_file()
    assert sync() == {}
    put(folder, "sub/Gamma.md", written.replace("Anders", "Ganz anders"))
    assert sync() == {"sub/Gamma.md": Action.REVISE}
    was = Page.objects.get().body
    assert was.strip() == f"{body}\n\n`![code]({dot})`".replace("Anders", "Ganz anders").strip()


@pytest.mark.usefixtures("data_folder")
def test_a_picture_named_from_a_folder_is_known_before_it_lies_there(wiki, folder, sync, author):
    address = store_picture(wiki, file_of("PNG"), "neu.png", author).address
    put(folder, "sub/Gamma.md", f"![new](../{address})")
    assert sync() == {"sub/Gamma.md": Action.CREATE}
    assert Page.objects.get().body == f"![new]({address})"


@pytest.mark.usefixtures("data_folder")
def test_a_page_shown_beside_its_file_leads_to_its_pictures(wiki, write, folder, sync, author):
    page = write("Seite", "Alt.")
    sync()
    os.renames(folder / "Seite.md", folder / "sub/Seite.md")
    sync()
    address = store_picture(wiki, file_of("PNG"), "neu.png", author).address
    change(page, f"![new]({address})", author)
    put(folder, "sub/Seite.md", (folder / "sub/Seite.md").read_text().replace("Alt", "Neu"))
    assert sync() == {"sub/Seite.md": Action.CONFLICT}
    assert f"![new](../{address})" in (folder / "sub/Seite.covey.md").read_text()


@pytest.mark.usefixtures("data_folder")
def test_a_dry_run_reads_pictures_and_stores_none(folder, sync, author):
    put(folder, "dot.png", file_of("PNG"))
    put(folder, "gamma.md", "![a dot](dot.png)\n\nEins.\n\nMitte.\n")
    assert sync(is_dry=True) == {"gamma.md": Action.CREATE}
    assert not Picture.objects.exists()
    sync()
    page = Page.objects.get()
    change(page, page.body.replace("a dot", "another"), author)
    put(folder, "gamma.md", "![a dot](dot.png)\n\nEins.\n\nAnders.\n")
    assert sync(is_dry=True) == {"gamma.md": Action.REVISE}


def test_a_renamed_page_renames_its_file(write, folder, sync, author):
    page = write("Alter Name", "Text.")
    sync()
    rename_page(page, title="Neuer Name", author=author, base_revision=page.revision)
    assert sync() == {"Neuer Name.md": Action.WRITE}
    assert [path.name for path in folder.glob("*.md")] == ["Neuer Name.md"]
    assert sync() == {}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Übung 2: Größe", "übung-2-größe.md"),
        ("Übung 2 – Größe", "Übung 2 – Größe.md"),
        ("Version 1.2", "Version 1.2.md"),
        ("CON", "con.md"),
        (".versteckt", "versteckt.md"),
        ("Ende.", "ende.md"),
        ("a/b", "a-b.md"),
        ("Seite.covey", "seite-covey.md"),
        ("C# und [x]", "c-und-x.md"),
        ("日本語", "日本語.md"),
    ],
)
def test_a_file_is_named_by_the_title_where_a_file_can_be_named_so(
    write, folder, sync, author, title, name
):
    page = write(title, "Text.")
    assert sync() == {name: Action.WRITE}
    assert sync() == {}
    change(page, "Neu.", author)
    assert sync() == {name: Action.WRITE}
    put(folder, name, (folder / name).read_text().replace("Neu.", "Neuer."))
    assert sync() == {name: Action.REVISE}
    (folder / ".covey/state.json").unlink()
    assert sync() == {}
    assert Page.objects.get().body.strip() == "Neuer."


def test_a_file_that_was_named_by_the_slug_stays_so_until_its_page_is_renamed(
    write, folder, sync, author
):
    page = write("Alter Name", "Text.")
    sync()
    os.rename(folder / "Alter Name.md", folder / "alter-name.md")
    assert sync() == {}
    change(page, "Neu.", author)
    assert sync() == {"alter-name.md": Action.WRITE}
    rename_page(page, title="Neuer Name", author=author, base_revision=2)
    assert sync() == {"Neuer Name.md": Action.WRITE}
    assert [path.name for path in folder.glob("*.md")] == ["Neuer Name.md"]


def test_marks_of_the_head_go_both_ways(write, folder, sync, author):
    old, new = write("Alt", "Text."), write("Neu", "Besserer Text.")
    sync()
    put(
        folder,
        "Alt.md",
        (folder / "Alt.md").read_text().replace("slug: alt\n", "slug: alt\nreplaced_by: neu\n"),
    )
    assert sync() == {"Alt.md": Action.REVISE}
    old.refresh_from_db()
    assert old.replaced_by == new
    mark_outdated(new, author=author)
    assert sync() == {"Neu.md": Action.WRITE}
    assert "standing: outdated\n" in (folder / "Neu.md").read_text()
    assert sync() == {}


def test_a_dry_run_changes_nothing(write, folder, sync):
    write("Seite", "Text.")
    assert sync(is_dry=True) == {"Seite.md": Action.WRITE}
    assert not folder.exists()
    put(folder, "neu.md", "Text.")
    assert sync(is_dry=True) == {"neu.md": Action.CREATE, "Seite.md": Action.WRITE}
    assert [path.name for path in folder.rglob("*")] == ["neu.md"]


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
    put(folder, "Seite.md", (folder / "Seite.md").read_text() + "Mehr.\n")
    assert run_command(folder, "--agent", "robin") == (0, "ops: 1 changed\n", "")
    assert page.revisions.first().author_name == "robin"
    assert run_command(folder) == (0, "ops: nothing to do\n", "")
    put(folder, "kaputt.md", b"\xff\xfe")
    code, _out, errors = run_command(folder)
    assert code == 1
    assert "kaputt.md: It is not UTF-8" in errors


def test_the_watching_command_tells_of_a_conflict_only_when_it_changes(
    wiki, write, folder, author, monkeypatch
):
    page = write("Seite", "Alt.")
    run_command(folder)
    change(page, "Wiki.", author)
    path = put(folder, "Seite.md", (folder / "Seite.md").read_text().replace("Alt", "Datei"))
    looks = []

    def look(_seconds):
        looks.append(1)
        if len(looks) == 3:
            (folder / "Seite.covey.md").unlink()
            path.write_text(path.read_text().replace("Datei", "Wiki"))
        if len(looks) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("wiki.management.commands.sync.time.sleep", look)
    _code, out, errors = run_command(folder, "--watch", "1")
    assert out == "ops: 1 in conflict\nops: nothing to do\n"
    assert errors.count("It was changed here and in the wiki") == 1


@pytest.mark.django_db
def test_a_missing_wiki_is_made_unless_it_is_a_dry_run_or_the_folder_knows_another(folder):
    put(folder, "Seite.md", "Text.")
    assert run_command(folder, "--dry-run") == (
        0,
        "created: Seite.md\nops: would be: 1 created\n",
        "The wiki “ops” would be made.\n",
    )
    assert not Wiki.objects.exists()
    assert run_command(folder) == (0, "ops: 1 created\n", "The wiki “ops” was made.\n")
    assert run_command(folder) == (0, "ops: nothing to do\n", "")
    for options in ((), ("--dry-run",)):
        with pytest.raises(
            CommandError, match="There is no wiki “opps”, and .* belongs to another one"
        ):
            run_command(folder, "--wiki", "opps", *options)
    with pytest.raises(CommandError, match="cannot be made"):
        run_command(folder, "--wiki", " ")
    assert [wiki.slug for wiki in Wiki.objects.all()] == ["ops"]


@pytest.mark.parametrize("options", [("--agent", "niemand"), ("--person", "niemand")])
def test_the_command_takes_only_authors_that_exist(wiki, folder, options):
    with pytest.raises(CommandError, match="There is no"):
        run_command(folder, *options)


HEAD = "---\ntitle: Alt\nslug: alt\n"


def test_questions_go_both_ways_and_stay_away_when_they_were_taken_away(
    write, folder, sync, author
):
    page = write("Seite", "Text.")
    sync()
    question, _is_new = keep_question(page, "Welchen Port hat der Runner?", author=author)
    assert sync() == {"Seite.md": Action.WRITE}
    assert "asked_as:\n- Welchen Port hat der Runner?\n" in (folder / "Seite.md").read_text()
    text = (folder / "Seite.md").read_text()
    put(folder, "Seite.md", text.replace("asked_as:\n", "asked_as:\n- Wo steht der Runner?\n"))
    assert sync() == {"Seite.md": Action.REVISE}
    assert page.asked_as.count() == 2
    forget_question(page, question.pk)
    put(folder, "Seite.md", (folder / "Seite.md").read_text() + "Mehr.\n")
    assert sync() == {"Seite.md": Action.REVISE}
    assert sync() == {"Seite.md": Action.WRITE}
    assert sync() == {}
    assert list(page.asked_as.values_list("text", flat=True)) == ["Wo steht der Runner?"]
    assert "Port" not in (folder / "Seite.md").read_text()


def test_a_new_file_keeps_its_dates(wiki, folder, sync, author):
    put(folder, "Alt.md", f"{HEAD}created_at: '2020-01-02T03:04:05+00:00'\n---\n\nText.\n")
    sync()
    page = Page.objects.get(slug="alt")
    assert page.created_at.year == 2020
    change(page, "Neu.", author)
    assert sync() == {"Alt.md": Action.WRITE}
    assert "created_at: '2020-01-02T03:04:05+00:00'\n" in (folder / "Alt.md").read_text()


def test_a_file_whose_mark_is_wrong_is_a_page_without_it_until_it_is_right(wiki, folder, sync):
    put(folder, "Alt.md", f"{HEAD}standing: outdatet\n---\n\nText.\n")
    assert sync() == {"Alt.md": Action.CREATE}
    assert (Page.objects.get().standing, Page.objects.get().front_matter) == (
        "",
        "standing: outdatet",
    )
    put(folder, "Alt.md", f"{HEAD}standing: outdated\n---\n\nText.\n")
    assert sync() == {"Alt.md": Action.REVISE}
    assert Page.objects.get().standing == "outdated"


def test_a_page_that_replaces_itself_is_told_and_corrected(wiki, folder, sync):
    put(folder, "Alt.md", f"{HEAD}replaced_by: alt\n---\n\nText.\n")
    assert sync() == {"Alt.md": Action.LEAVE}
    put(folder, "Alt.md", f"{HEAD}standing: outdated\n---\n\nText.\n")
    assert sync() == {"Alt.md": Action.REVISE}
    assert Page.objects.get().standing == "outdated"
    assert sync() == {}
