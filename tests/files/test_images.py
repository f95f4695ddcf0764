"""Pictures in import and export: they come along, nothing else does, and doing it twice changes
nothing."""

import hashlib
import os
from io import StringIO

import pytest
from django.core.management import call_command

from tests.support.folders import put, run
from tests.support.image_files import file_of, image, photograph, stored_files
from tests.support.writing import create_page
from wiki.files.import_export import export_folder, import_folder
from wiki.images.formats import MAX_PICTURE_BYTES, clean_picture
from wiki.images.storage import picture_path, remove_picture, store_picture
from wiki.markdown import rewrite_pictures
from wiki.models import Page, Picture, Revision, Wiki

PNG, OTHER = file_of("PNG"), file_of("PNG", image(seed=2))


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.COVEY_DATA_DIR = tmp_path / "var"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "in"


def address_of(data):
    [picture] = Picture.objects.filter(hash=hashlib.sha256(clean_picture(data).data).hexdigest())
    return picture.address


def files_below(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# -- import


def test_pictures_are_found_as_obsidian_finds_them(wiki, folder):
    put(folder, "img/one.png", PNG)
    put(folder, "sub/attachments/zwei drei.png", OTHER)
    put(
        folder,
        "sub/page.md",
        "![beside](../img/one.png) ![top](img/one.png 'Title') ![[one.png]] ![[zwei drei.png|300]] "
        "![[img/one.png|the *rack*]] ![bare](zwei%20drei.png) ![angles](<attachments/zwei "
        "drei.png>)",
    )
    assert run(wiki, folder)["sub/page.md"].left_out == []
    one, two = address_of(PNG), address_of(OTHER)
    assert Page.objects.get().body == (
        f"![beside]({one}) ![top]({one} 'Title') ![one]({one}) ![zwei drei]({two}) "
        f"![the *rack*]({one}) ![bare]({two}) ![angles]({two})"
    )
    assert {picture.name for picture in Picture.objects.all()} == {"one.png", "zwei drei.png"}


def test_of_several_files_of_one_name_the_nearest_is_meant(wiki, folder):
    put(folder, "a/b/x.png", PNG)
    put(folder, "z/x.png", OTHER)
    put(folder, "page.md", "![[x.png]]")
    put(folder, "a/b/near.md", "![[x.png]]")
    run(wiki, folder)
    assert Page.objects.get(slug="page").body == f"![x]({address_of(OTHER)})"
    assert Page.objects.get(slug="near").body == f"![x]({address_of(PNG)})"


def test_a_name_with_its_dots_as_characters_of_their_own_is_found(wiki, folder):
    put(folder, "img/u\u0308bersicht.PNG", PNG)
    put(folder, "page.md", "![[Übersicht.png]]")
    assert run(wiki, folder)["page.md"].left_out == []
    assert Picture.objects.count() == 1


def test_a_second_import_changes_nothing(wiki, folder):
    put(folder, "img/one.png", photograph("PNG"))
    put(
        folder,
        "page.md",
        "---\nowner: x\n---\n![a](img/one.png) ![[one.png]] ![gone](img/gone.png)\n",
    )
    run(wiki, folder)
    assert {file.outcome for file in run(wiki, folder).values()} == {"unchanged"}
    assert (Revision.objects.count(), Picture.objects.count()) == (1, 1)
    assert b"Phonemaker" not in picture_path(Picture.objects.get()).read_bytes()


def test_a_picture_that_changed_changes_its_page(wiki, folder):
    put(folder, "one.png", PNG)
    put(folder, "page.md", "![a](one.png)")
    run(wiki, folder)
    put(folder, "one.png", OTHER)
    assert run(wiki, folder)["page.md"].outcome == "changed"
    assert Page.objects.get().body == f"![a]({address_of(OTHER)})"


def test_what_must_not_come_along_is_left_out_with_the_reason(wiki, folder, tmp_path):
    secret = put(tmp_path, "secret.png", PNG)
    put(folder, "img/huge.png", PNG + b"x" * MAX_PICTURE_BYTES)
    put(folder, "img/vector.svg", "<svg/>")
    put(folder, "img/fake.png", "<html>")
    put(folder, "img/cut.png", PNG[:-30])
    (folder / "img/folder.png").mkdir()
    os.mkfifo(folder / "img/pipe.png")
    os.symlink(secret, folder / "img/link.png")
    os.symlink(put(folder, "img/real.png", OTHER), folder / "img/inner.png")
    os.symlink(tmp_path, folder / "outside")
    os.symlink(folder / "img/loop.png", folder / "img/loop.png")
    reasons = {
        "../secret.png": "leads out of the folder",
        "img/../../secret.png": "leads out of the folder",
        str(secret): "absolute name",
        "C:\\secret.png": "absolute name",
        "outside/secret.png": "It is a link",
        "img/link.png": "It is a link",
        "img/inner.png": "It is a link",
        "img/loop.png": "It is a link",
        "img/huge.png": "at most 5",
        "img/vector.svg": "SVG can run scripts",
        "img/fake.png": "no picture",
        "img/cut.png": "damaged or cut off",
        "img/folder.png": "It cannot be read",
        "img/pipe.png": "not a regular file",
        "img/gone.png": "There is no such file",
        "x" * 5000: "There is no such file",
    }
    body = "\n".join(f"![x](<{target}>)" for target in reasons) + "\n![ok](img/real.png)"
    put(folder, "page.md", body)
    found = run(wiki, folder)["page.md"]
    assert found.outcome == "created"
    told = dict(sentence.split(": ", 1) for sentence in found.left_out)
    assert {target: reason in told[target] for target, reason in reasons.items()} == dict.fromkeys(
        reasons, True
    )
    assert Page.objects.get().body == body.replace("img/real.png", address_of(OTHER))
    assert Picture.objects.count() == 1


def test_what_is_no_picture_of_the_folder_stays_as_it_is_written(wiki, folder):
    body = (
        "![far](https://x.test/a.png) ![far](//x.test/a.png) ![](data:image/png;base64,AAAA) ![[A "
        "page]] ![[a.pdf]] "
        "![[]] ![]() [link](one.png) [[one.png]] \\![[one.png]]"
    )
    put(folder, "one.png", PNG)
    put(folder, "page.md", body)
    assert run(wiki, folder)["page.md"].left_out == []
    assert Page.objects.get().body == body
    assert not Picture.objects.exists()


def test_a_picture_in_the_wiki_need_not_lie_in_the_folder(wiki, folder, author):
    picture = store_picture(wiki, PNG, "a.png", author)
    put(folder, "page.md", f"![x]({picture.address})")
    assert run(wiki, folder)["page.md"].left_out == []
    remove_picture(picture)
    assert "There is no such file" in run(wiki, folder)["page.md"].left_out[0]


def test_the_command_names_what_was_left_out_and_says_so_by_its_status(db, folder):
    put(folder, "page.md", "![x](../out.png)")
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("import_pages", str(folder), wiki="neu", stdout=out, stderr=err)
    assert ended.value.code == 1
    assert "left out of page.md: ../out.png: It leads out of the folder." in err.getvalue()
    assert "1 created, 0 changed, 0 unchanged, 0 skipped, 1 picture left out" in out.getvalue()


def rewritten(body):
    return rewrite_pictures(body, lambda reference: "NEW")


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("![a](x.png)", "![a](NEW)"),
        ("![a]( x.png  'T' )", "![a]( NEW  'T' )"),
        ('![a](\nx.png\n"T")', '![a](\nNEW\n"T")'),
        ("![a](<x y.png>)", "![a](NEW)"),
        ("![a](x(1).png)", "![a](NEW)"),
        ("![a [b] c](x.png)", "![a [b] c](NEW)"),
        ("![a ![b](y.png)](x.png)", "![a ![b](y.png)](NEW)"),
        ("[![a](x.png)](https://x.test)", "[![a](NEW)](https://x.test)"),
        ("![a][r]\n\n[r]: x.png", "![a](NEW)\n\n[r]: x.png"),
        ("![r]\n\n[r]: x.png 'T'", "![r](NEW)\n\n[r]: x.png 'T'"),
        ("|a|b|\n|-|-|\n|![[x.png\\|300]]|![[x.png|w]]|", "|a|b|\n|-|-|\n|![x](NEW)|![w](NEW)|"),
        ("> - ![a](x.png)\n>   ![[y.png]]", "> - ![a](NEW)\n>   ![y](NEW)"),
        ("# ![a](x.png)\n\n::: insight r | 2026-01-01\n![b](y.png)\n:::", None),
        (
            "```\n![a](x.png)\n```\n\n    ![a](x.png)\n\n![a](x.png)",
            "```\n![a](x.png)\n```\n\n    ![a](x.png)\n\n![a](NEW)",
        ),
        ("`![b](x.png)` \\![c](x.png)", "`![b](x.png)` \\![c](x.png)"),
        ("`![a](x.png)` makes ![a](x.png)", "`![a](x.png)` makes ![a](NEW)"),
        (
            "|`` ![[x.png\\|9]] ` ``|\n|-|\n|![[x.png\\|9]]|",
            "|`` ![[x.png\\|9]] ` ``|\n|-|\n|![x](NEW)|",
        ),
        ("` ![a](x.png) `` `![a](x.png)", "` ![a](x.png) `` `![a](NEW)"),
        ("![a](x.png)\n\n\n\ttail  \n\n", "![a](NEW)\n\n\n\ttail  \n\n"),
        ("![" * 50_000, "![" * 50_000),
        ("![[" * 50_000, "![[" * 50_000),
        ("no picture", "no picture"),
    ],
)
def test_only_addresses_are_rewritten(body, result):
    if result is None:
        result = body.replace("x.png", "NEW").replace("y.png", "NEW")
    assert rewritten(body) == result


# -- export


def test_an_export_carries_the_pictures_and_comes_back_whole(wiki, folder, author, tmp_path):
    used, unused = (
        store_picture(wiki, PNG, "a.png", author),
        store_picture(wiki, OTHER, "b.png", author),
    )
    photo = store_picture(wiki, photograph("JPEG"), "c.jpg", author)
    linked = store_picture(wiki, file_of("GIF"), "d.gif", author)
    bodies = [
        f"![one]({used.address}) and `![code]({photo.address})`",
        f'- ![two](./{photo.address} "T")\n\n```\n![x]({used.address})\n```',
        f"Only [linked]({linked.address}).",
    ]
    for number, body in enumerate(bodies):
        create_page(wiki, title=f"Page {number}", body=body, author=author)
    out, err = StringIO(), StringIO()
    call_command("export_pages", str(folder), wiki="ops", stdout=out, stderr=err)
    assert "3 pages written" in out.getvalue()
    assert ", 3 pictures" in out.getvalue()
    assert err.getvalue() == ""
    names = {f"page-{number}.md" for number in range(3)} | {
        used.address,
        photo.address,
        linked.address,
    }
    first = files_below(folder)
    assert set(first) == names
    assert first[used.address] == picture_path(used).read_bytes()
    assert unused.address not in first
    assert os.stat(folder / used.address).st_mode & 0o777 == 0o644

    assert {(file.outcome, *file.left_out) for file in import_folder(wiki, folder)} == {
        ("unchanged",)
    }
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    assert {(file.outcome, *file.left_out) for file in import_folder(other, folder)} == {
        ("created",)
    }
    assert (
        list(Page.objects.filter(wiki=other).order_by("slug").values_list("body", flat=True))
        == bodies
    )
    assert set(stored_files(other)) == {picture_path(each).name for each in (used, photo, linked)}
    again = tmp_path / "again"
    list(export_folder(other, again))
    assert files_below(again) == first


def test_an_export_removes_nothing_and_takes_no_picture_of_another_wiki(wiki, folder, author):
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    foreign = store_picture(other, PNG, "a.png", author)
    create_page(wiki, title="Page", body=f"![x]({foreign.address})", author=author)
    put(folder, "pictures/mine.png", OTHER)
    err = StringIO()
    call_command("export_pages", str(folder), wiki="ops", stdout=StringIO(), stderr=err)
    assert set(files_below(folder)) == {"page.md", "pictures/mine.png"}
    assert f"The picture {foreign.file_name} is on a page, but not there." in err.getvalue()


def test_a_lost_file_is_named_and_the_rest_is_written(wiki, folder, author):
    lost, kept = (
        store_picture(wiki, PNG, "a.png", author),
        store_picture(wiki, OTHER, "b.png", author),
    )
    create_page(
        wiki, title="Page", body=f"![x]({lost.address}) ![y]({kept.address})", author=author
    )
    picture_path(lost).unlink()
    err = StringIO()
    call_command("export_pages", str(folder), wiki="ops", stdout=StringIO(), stderr=err)
    assert set(files_below(folder)) == {"page.md", kept.address}
    assert lost.file_name in err.getvalue()
