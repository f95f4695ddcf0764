"""Import and export: nothing that a file says is lost, and doing it twice changes nothing."""

import os
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.support.folders import put, run
from tests.support.search import recall
from tests.support.writing import create_page, revise_page
from wiki.files.front_matter import read_head, split_head
from wiki.files.import_export import export_folder, export_page, file_stem, import_folder
from wiki.models import Link, Page, Redirect, Revision, Wiki
from wiki.pages.status import mark_replaced
from wiki.pages.trash import trash_page
from wiki.pages.write import EditConflict
from wiki.search.retrieval import Mode
from wiki.text.slugs import slugify


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "in"


def problems(wiki, folder):
    return {name: file.problem for name, file in run(wiki, folder).items() if file.problem}


def test_a_page_is_its_slug_its_title_the_first_heading(wiki, folder):
    put(
        folder,
        "Erste Seite.md",
        "---\ntitle: Ein Titel\nslug: eigener-slug\ntype: Thema\ntags: [Alpha, beta]\n---\nText\n",
    )
    put(folder, "unter/Zweite Seite.md", "# Die *zweite* `Seite`\n\nUmlaute: äöüß, 日本語.\n")
    put(folder, "dritte.markdown", "Nur Text.")
    put(folder, "kein.txt", "Kein Markdown.")
    put(folder, ".versteckt/x.md", "Versteckt.")
    assert {file.outcome for file in run(wiki, folder).values()} == {"created"}
    rows = set(Page.objects.values_list("slug", "title", "type", "body"))
    assert rows == {
        ("eigener-slug", "Ein Titel", "topic", "Text"),
        (
            "zweite-seite",
            "Die zweite Seite",
            "",
            "# Die *zweite* `Seite`\n\nUmlaute: äöüß, 日本語.",
        ),
        ("dritte", "dritte", "", "Nur Text."),
    }
    assert Page.objects.get(slug="eigener-slug").tags == ["alpha", "beta"]


def test_a_second_import_changes_nothing(wiki, folder):
    put(folder, "a.md", "---\nowner: Team Blau\n---\nText mit [[b]].\n")
    put(folder, "b.md", "# B\n")
    run(wiki, folder)
    assert {file.outcome for file in run(wiki, folder).values()} == {"unchanged"}
    assert Revision.objects.count() == 2


def test_only_what_changed_in_the_file_is_imported_again(wiki, folder, author):
    put(folder, "a.md", "Aus der Datei.")
    put(folder, "b.md", "Auch aus der Datei.")
    run(wiki, folder)
    edited = revise_page(
        Page.objects.get(slug="a"), 1, title="a", body="Im Wiki verbessert.", author=author
    )
    put(folder, "b.md", "Neu aus der Datei.")
    assert {name: file.outcome for name, file in run(wiki, folder).items()} == {
        "a.md": "unchanged",
        "b.md": "changed",
    }
    edited.refresh_from_db()
    assert edited.body == "Im Wiki verbessert."
    assert Page.objects.get(slug="b").body == "Neu aus der Datei."


HEADS = [
    "owner: Team Blau\n",
    "# Kommentar\nowner: 'Team Blau'   # dahinter\ndate: 2026-01-02\n",
    "nested:\n  - a: 1\n    b: [x, y]\ntext: |\n  Zeile\n\n  noch eine\n",
    "aliases: [Eins, Zwei]\n'odd: key': ja\nzahl: 0o17\n",
    "title: T\nowner: x\ntags:\n  - a\n  - b\nlast: y\n",
]


@pytest.mark.parametrize("head", HEADS)
def test_unknown_front_matter_survives_as_it_was_written(wiki, folder, author, tmp_path, head):
    put(folder, "seite.md", f"---\n{head}---\n\nText\n")
    run(wiki, folder)
    page = Page.objects.get()
    page = revise_page(page, 1, title=page.title, body="Geändert.", author=author)
    exported = export_page(page)
    for line in head.splitlines():
        if not line.startswith(("title", "tags", "aliases", "  - a", "  - b")) or "a: 1" in line:
            assert line in exported.splitlines()
    out = tmp_path / "out"
    call_command("export_pages", str(out), wiki="ops", stdout=StringIO())
    first = (out / "seite.md").read_bytes()
    assert {(file.outcome, file.problem) for file in run(wiki, out).values()} == {("unchanged", "")}
    call_command("export_pages", str(out), wiki="ops", stdout=StringIO())
    assert (out / "seite.md").read_bytes() == first


def test_a_broken_file_is_named_and_the_rest_goes_in(wiki, folder):
    put(folder, "gut.md", "Gut.")
    put(folder, "utf8.md", b"\xff kein UTF-8")
    put(folder, "riesig.md", "x" * 400_000)
    os.symlink("/etc/passwd", folder / "link.md")
    (folder / "ordner.md").mkdir()
    os.mkfifo(folder / "rohr.md")
    found = problems(wiki, folder)
    assert set(found) == {name + ".md" for name in "utf8 riesig link rohr".split()}
    assert list(Page.objects.values_list("slug", flat=True)) == ["gut"]


HEADS = {
    "type: book": "",
    'type: ["[[Books]]"]': "",
    "standing: draft": "",
    "title: [a, b]": "",
    "tags: {a: 1}": "",
    "title: Foo: bar": "Foo: bar",
    "title: Foo: bar\ntype: system": "Foo: bar",
    "author: @anna": "",
    "author: @anna\ntitle: Drei": "Drei",
    "title:\tVier": "Vier",
    "owner:\n\t- a\ntitle: Sechs": "Sechs",
    "title: [offen": "",
    "a: &x [1]\nb: *x": "",
    "a: " + "[" * 5000 + "]" * 5000: "",
    "title: a\uffff": "a\uffff",
    "asked_as: {a: b}": "",
    "asked_as: [[a]]": "",
    "title: " + "x" * 300: "",
    "tags: [" + ", ".join(map(str, range(101))) + "]": "",
    "tags: [" + "x" * 120 + "]": "",
    "aliases: [" + "x" * 220 + "]": "",
}


def test_a_heading_too_long_for_a_title_gives_way_to_the_name_of_the_file(wiki, folder):
    put(folder, "Datei.md", f"# {'x' * 250}\n\nText")
    run(wiki, folder)
    assert Page.objects.get().title == "Datei"


def test_a_new_file_of_the_same_name_does_not_take_the_page_of_another(wiki, folder):
    put(folder, "b/Readme.md", "Text of B")
    run(wiki, folder)
    put(folder, "a/Readme.md", "Text of A")
    outcomes = {name: file.outcome for name, file in run(wiki, folder).items()}
    assert outcomes == {"a/Readme.md": "created", "b/Readme.md": "unchanged"}
    assert dict(Page.objects.values_list("slug", "body")) == {
        "readme": "Text of B",
        "a-readme": "Text of A",
    }


@pytest.mark.parametrize("head", HEADS)
def test_no_page_is_left_out_over_its_head(wiki, folder, tmp_path, head):
    put(folder, "Datei.md", f"---\n{head}\n---\nText")
    [file] = run(wiki, folder).values()
    assert (file.outcome, file.problem) == ("created", "")
    page = Page.objects.get()
    assert (page.title, page.body) == (HEADS[head] or "Datei", "Text")
    understood = ("title:",) if HEADS[head] else ()
    for line in head.split("\n"):
        if not line.startswith((*understood, "type: system")):
            assert line in page.front_matter
    for outcome in run(wiki, folder).values():
        assert outcome.outcome == "unchanged"
    exported = export_page(page)
    kept = [line for line in head.split("\n") if not line.startswith(("title:", "type: system"))]
    assert all(line in exported for line in kept)


@pytest.mark.parametrize(
    "head", ["type: book", "standing: draft", "title: [a, b]", "tags: {a: 1}", "asked_as: {a: b}"]
)
def test_what_was_not_understood_is_said_by_its_key(wiki, folder, head):
    put(folder, "a.md", f"---\n{head}\n---\nText")
    [file] = run(wiki, folder).values()
    [note] = file.notes
    assert f"“{head.split(':')[0]}”" in note


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\n\nText.\n\n---\n\nMehr.", "---\n\nText.\n\n---\n\nMehr."),
        ("---\n- a\n---\nText", "---\n- a\n---\nText"),
        ("\n\n---\ntitle: X\n---\nText", "Text"),
        ("---\n\nNote: we met.\n\n---\nMore", "---\n\nNote: we met.\n\n---\nMore"),
        ("---\nDear all: we met\n---\nMore", "---\nDear all: we met\n---\nMore"),
        ("---\n---\nText", "Text"),
        ("---\n# only a comment\n---\nText", "Text"),
        ("---\nKein Ende", "---\nKein Ende"),
    ],
)
def test_a_rule_is_no_head(wiki, folder, text, body):
    put(folder, "X.md", text)
    run(wiki, folder)
    page = Page.objects.get()
    assert (page.title, page.body) == ("X", body)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Up: [[alpha]]\n\n## Goals", "Design"),
        ("## Goals\n\nText", "Design"),
        ("# Ziele\n\nText", "Ziele"),
        ("Ziele\n=====\n\nText", "Ziele"),
        ("Text\n\n# Ziele", "Design"),
        ("---\ntitle: Plan\n---\n# Ziele", "Plan"),
    ],
)
def test_a_title_is_that_of_the_head_or_begins_the_text_or_names_the_file(
    wiki, folder, text, title
):
    put(folder, "Design.md", text)
    run(wiki, folder)
    assert Page.objects.get().title == title


def test_files_of_one_name_in_several_folders_each_become_a_page(wiki, folder):
    put(folder, "Readme.md", "Oben. [[Areas/Readme]]")
    put(folder, "Areas/Readme.md", "Unten.")
    put(folder, "Areas/Sub/Readme.md", "Tief.")
    put(folder, "Other/Areas/Readme.md", "Daneben.")
    assert problems(wiki, folder) == {}
    bodies = dict(Page.objects.values_list("slug", "body"))
    assert bodies == {
        "readme": "Oben. [[areas-readme]]",
        "areas-readme": "Unten.",
        "sub-readme": "Tief.",
        "other-areas-readme": "Daneben.",
    }
    assert {file.outcome for file in run(wiki, folder).values()} == {"unchanged"}


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("created: 2019-03-26", "2019-03-26"),
        ("date: 2019-03-26T08:47:11+01:00", "2019-03-26"),
        ('date: "2019-03-26 08:47"', "2019-03-26"),
        ("date: 26.03.2019", "2019-03-26"),
        ("created_at: 2019-03-26", "2019-03-26"),
    ],
)
def test_an_old_note_is_as_old_as_its_head_says(wiki, folder, line, day):
    put(folder, "a.md", f"---\n{line}\n---\nText")
    run(wiki, folder)
    page = Page.objects.get()
    assert timezone.localdate(page.created_at).isoformat() == day
    assert timezone.localdate(page.updated_at).isoformat() == day
    assert page.front_matter == line


def test_a_note_without_a_date_is_as_old_as_its_file(wiki, folder):
    put(folder, "a.md", "Text")
    os.utime(folder / "a.md", (1_500_000_000, 1_500_000_000))
    run(wiki, folder)
    assert Page.objects.get().created_at.timestamp() == 1_500_000_000


@pytest.mark.parametrize(
    "line", ['tags: ["#eins", zwei, drei]', "tags: eins zwei drei", "tags: '#eins, zwei, #drei'"]
)
def test_tags_as_others_write_them(wiki, folder, line):
    put(folder, "a.md", f"---\n{line}\n---\nText")
    run(wiki, folder)
    assert Page.objects.get().tags == ["eins", "zwei", "drei"]


def test_what_was_written_in_the_wiki_stays_where_the_file_changed_elsewhere(wiki, folder, author):
    put(folder, "a.md", "---\ntags: [eins]\n---\nText")
    run(wiki, folder)
    revise_page(Page.objects.get(), 1, title="Neu", body="Text. Mehr.", author=author)
    put(folder, "a.md", "---\ntags: [eins, zwei]\n---\nText")
    run(wiki, folder)
    page = Page.objects.get()
    assert (page.title, page.body, page.tags) == ("Neu", "Text. Mehr.", ["eins", "zwei"])


def test_a_re_import_leaves_another_wiki_alone(wiki, folder, author):
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    page = create_page(other, title="readme", body="Meins.", author=author)
    put(folder, "readme.md", "Fremdes.")
    run(wiki, folder)
    page.refresh_from_db()
    assert page.body == "Meins."


def test_type_and_tags_that_a_file_does_not_name_stay(wiki, folder, author):
    put(folder, "a.md", "Eins.")
    run(wiki, folder)
    revise_page(
        Page.objects.get(), 1, title="a", body="Eins.", type="system", tags=["x"], author=author
    )
    put(folder, "a.md", "Zwei.")
    run(wiki, folder)
    page = Page.objects.get()
    assert (page.body, page.type, page.tags) == ("Zwei.", "system", ["x"])


def test_a_long_slug_still_makes_a_file(wiki, author, tmp_path):
    create_page(wiki, title="語" * 200, body="x", author=author)
    call_command("export_pages", str(tmp_path), wiki="ops", stdout=StringIO())
    [path] = tmp_path.iterdir()
    assert len(path.name.encode()) <= 255
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]
    assert file_stem("kurz") == "kurz"


def test_the_command_names_skipped_files_and_says_so_by_its_status(db, folder):
    put(folder, "gut.md", "Gut.")
    put(folder, "schlecht.md", b"\xff")
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("import_pages", str(folder), wiki="neu", stdout=out, stderr=err)
    assert ended.value.code == 1
    assert "schlecht.md" in err.getvalue()
    assert "\n\n" not in err.getvalue()
    assert "1 created, 0 changed, 0 unchanged, 1 skipped" in out.getvalue()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("import_pages", ["/gibt/es/nicht", "--wiki", "ops"]),
        ("import_pages", ["/etc/hostname", "--wiki", "ops"]),
        ("export_pages", ["/tmp/x", "--wiki", "gibt-es-nicht"]),
        ("export_pages", ["/proc/nirgends", "--wiki", "ops"]),
        ("create_token", ["", "--wiki", "ops"]),
        ("create_token", ["x" * 101, "--wiki", "ops"]),
    ],
)
def test_commands_fail_with_one_clear_line(wiki, command, arguments):
    with pytest.raises(CommandError) as error:
        call_command(command, *arguments, stdout=StringIO())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "head", ["title: !!int abc", "title: !!bool x", "x: !!timestamp y", "<<: {a: b}"]
)
def test_type_tags_in_front_matter_are_not_read(wiki, folder, head):
    put(folder, "a.md", f"---\n{head}\n---\nText")
    assert [file.outcome for file in run(wiki, folder).values()] == ["created"]


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        ("title: x\u2028\nowner: a\ntags: [b]", "owner: a"),
        ("{title: a, owner: b}", "owner: b"),
        ("# only a comment", "# only a comment"),
    ],
)
def test_what_covey_does_not_know_in_a_head_is_kept(wiki, folder, tmp_path, head, kept):
    put(folder, "a.md", f"---\n{head}\n---\nText")
    run(wiki, folder)
    assert Page.objects.get().front_matter == kept
    list(export_folder(wiki, tmp_path / "out"))
    assert [file.outcome for file in import_folder(wiki, tmp_path / "out")] == ["unchanged"]


def test_a_page_that_somebody_else_writes_meanwhile_skips_one_file(
    wiki, folder, author, monkeypatch
):
    put(folder, "a.md", "Eins.")
    run(wiki, folder)
    put(folder, "a.md", "Zwei.")
    put(folder, "b.md", "Text")

    def conflict(page, *args, **more):
        raise EditConflict(page)

    monkeypatch.setattr("wiki.files.import_export.revise_page", conflict)
    assert {name: file.outcome for name, file in run(wiki, folder).items()} == {
        "a.md": "skipped",
        "b.md": "created",
    }


def test_an_unchanged_file_leaves_its_page_in_the_trash(wiki, folder, author):
    put(folder, "a.md", "Aus der Datei.")
    run(wiki, folder)
    trash_page(Page.objects.get(), author=author)
    assert [file.outcome for file in run(wiki, folder).values()] == ["trashed"]
    assert not Page.objects.live().exists()
    put(folder, "a.md", "Neues aus der Datei.")
    assert [file.outcome for file in run(wiki, folder).values()] == ["created"]


def test_an_export_into_a_folder_with_other_files_says_so(wiki, author, tmp_path):
    create_page(wiki, title="Seite", body="Text", author=author)
    put(tmp_path, "fremd.md", "Fremdes.")
    err = StringIO()
    call_command("export_pages", str(tmp_path), wiki="ops", stdout=StringIO(), stderr=err)
    assert "1 other Markdown file was in" in err.getvalue()
    assert (tmp_path / "fremd.md").read_text() == "Fremdes."


def rows(wiki):
    """What a page is to its readers."""
    names = (
        "slug",
        "title",
        "body",
        "type",
        "tags",
        "standing",
        "replaced_by__slug",
        "created_at",
        "updated_at",
    )
    links = Link.objects.filter(from_page__wiki=wiki).order_by("from_page__slug", "target_text")
    return [
        list(Page.objects.live().filter(wiki=wiki).order_by("slug").values(*names)),
        list(links.values_list("from_page__slug", "target_text", "resolved_page__slug")),
    ]


def test_an_export_makes_the_same_wiki_elsewhere(wiki, author, tmp_path):
    for number, title in enumerate(
        ["Übung & Maße", "日本語", "e\u0301 𝔘", "search", "C++ & C#", "Alt", "2024", "no"]
    ):
        page = create_page(
            wiki,
            title=title,
            body=f"Wort{number} über [[Maße]], [[alt|das Alte]] und [[Fehlt]].",
            author=author,
        )
        then = timezone.now() - timedelta(days=100 * number + 1)
        Page.objects.filter(pk=page.pk).update(created_at=then, updated_at=then + timedelta(days=1))
    create_page(
        wiki,
        title="Maße",
        body="Mit\n\n```\ncode\n```",
        slug="masse-und-zahl",
        type="topic",
        author=author,
    )
    Redirect.objects.create(wiki=wiki, slug="frueher", page=page)
    mark_replaced(Page.objects.get(slug="alt"), page, author=author)
    list(export_folder(wiki, tmp_path))
    other = Wiki.objects.create(slug="leer", name="Leer")
    assert {file.outcome for file in run(other, tmp_path).values()} == {"created"}
    assert rows(other) == rows(wiki)
    # Both come to the same files, and a second import to nothing.
    again = tmp_path.with_name("again")
    list(export_folder(other, again))
    assert texts(again) == texts(tmp_path)
    assert {file.outcome for file in run(other, again).values()} == {"unchanged"}
    for page in Page.objects.filter(
        wiki=wiki, slug__in=["übung-maße", "日本語", "c-c", "2024", "no"]
    ):
        for mode in Mode:
            assert page.body in [
                hit.page.body for hit in recall(other, f"{page.title} {page.body}", mode=mode).hits
            ]


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}


VAULT = {
    "Plain.md": "No head at all, but [[With head]] and [[Plain|itself]].\n",
    "With head.md": "---\ntitle: With head\ncreated: 2021-05-04\naliases:\n  - WH\n  - 'w "
    "h'\n---\n\n[[Plain]] #tag\n",
    "sub/Größe.md": "---\n# a comment\nowner: Team Blau\ntags: [Alpha, beta]\nupdated_at: "
    "now\n---\n\n> [[Nowhere]]\n",
    "Rule.md": "First.\n\n---\n\nSecond: [[Größe#part]].\n",
    "Crlf.md": "---\r\nx: 1\r\n---\r\n\r\nOne.\r\nTwo.\r\n",
}


def test_a_vault_comes_out_as_it_went_in(wiki, folder, tmp_path):
    for name, content in VAULT.items():
        put(folder, name, content)
    assert {file.outcome for file in run(wiki, folder).values()} == {"created"}
    list(export_folder(wiki, tmp_path / "one"))
    assert {file.outcome for file in run(wiki, tmp_path / "one").values()} == {"unchanged"}
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    run(other, tmp_path / "one")
    list(export_folder(other, tmp_path / "two"))
    out = texts(tmp_path / "one")
    assert texts(tmp_path / "two") == out
    for name, content in VAULT.items():
        head, body = split_head(content.replace("\r\n", "\n"))
        exported_head, exported_body = split_head(out[f"{slugify(Path(name).stem)}.md"])
        assert exported_body.strip("\n") == body.strip("\n")
        unknown = [
            line
            for line in head.split("\n")
            if line and not line.startswith(("title:", "tags:", "aliases:", "  - "))
        ]
        assert [line for line in unknown if line not in exported_head.split("\n")] == []


@pytest.mark.parametrize("line", ["created_at: gestern", "updated_at: [1, 2]", "created: 2021"])
def test_a_date_of_another_program_is_kept_as_it_is(wiki, folder, tmp_path, line):
    put(folder, "a.md", f"---\n{line}\n---\nText\n")
    run(wiki, folder)
    page = Page.objects.get()
    assert page.front_matter == line
    assert timezone.now() - page.created_at < timedelta(minutes=5)
    exported = export_page(page, with_dates=True)
    assert exported.count(line) == 1
    assert exported.count(line.split(":")[0] + ":") == 1
    assert read_head(split_head(exported)[0]).extra == line


def test_no_page_is_from_tomorrow(wiki, folder):
    put(folder, "a.md", "---\nupdated_at: 2999-01-01T00:00:00+00:00\n---\nText\n")
    run(wiki, folder)
    assert Page.objects.get().updated_at <= timezone.now()
