"""Nothing is read or written through the links of a folder that others may write into."""

import json
import os
from functools import partial
from pathlib import Path

import pytest

from tests.support.folders import change, put, run, sync_with, told
from tests.support.image_files import file_of
from tests.support.screens import Write
from wiki.files.import_export import export_folder
from wiki.files.safe_paths import LeadsOut, below
from wiki.images.storage import store_picture
from wiki.models import Agent, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    return tmp_path / "outside"


def _point_at(folder: Path, path: str) -> None:
    """Change the state as everybody with access to the folder may."""
    file = folder / ".covey" / "state.json"
    state = json.loads(file.read_text())
    for entry in state["pages"].values():
        entry["path"] = path
    file.write_text(json.dumps(state))


def test_a_link_to_a_folder_leads_no_page_out_of_it(
    wiki: Wiki, write: Write, folder: Path, outside: Path
) -> None:
    page = write("Seite", "Alt.")
    sync_with(wiki, folder)
    (folder / "sub").symlink_to(outside)
    for path in ("sub/new.md", "sub/deep/new.md"):
        _point_at(folder, path)
        change(page, f"New for {path}.", Author.maintenance())
        list(told(wiki, folder))
        assert not list(outside.iterdir())


def test_a_file_behind_a_link_is_neither_written_nor_removed(
    wiki: Wiki, write: Write, folder: Path, outside: Path
) -> None:
    page = write("Seite", "Alt.")
    sync_with(wiki, folder)
    target = put(outside, "kept.md", (folder / "Seite.md").read_bytes())
    before = target.read_bytes()
    (folder / "Seite.md").unlink()
    (folder / "sub").symlink_to(outside)
    _point_at(folder, "sub/kept.md")
    page = change(page, "New.", Author.maintenance())
    told(wiki, folder)
    _point_at(folder, "sub/kept.md")
    trash_page(page, author=Author.maintenance())
    sync_with(wiki, folder, may_trash_many=True)
    assert target.read_bytes() == before
    assert os.listdir(outside) == ["kept.md"]


def test_pictures_are_not_written_through_a_link(
    wiki: Wiki, write: Write, folder: Path, outside: Path
) -> None:
    picture = store_picture(wiki, file_of(), "a.png", Author.of_agent(Agent(name="a")))
    write("Seite", f"![]({picture.address})")
    (folder / "pictures").symlink_to(outside)
    with pytest.raises(LeadsOut):
        list(export_folder(wiki, folder))
    assert not list(outside.iterdir())


def test_an_export_replaces_a_link_and_not_what_it_leads_to(
    wiki: Wiki, write: Write, folder: Path, outside: Path
) -> None:
    write("Seite", "Text.")
    target = put(outside, "kept.md", "kept")
    (folder / "seite.md").symlink_to(target)
    list(export_folder(wiki, folder))
    assert target.read_text() == "kept"
    assert not (folder / "seite.md").is_symlink()


def test_a_pipe_or_device_holds_nothing_up(wiki: Wiki, write: Write, folder: Path) -> None:
    write("Seite", "Text.")
    os.mkfifo(folder / "pipe.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "memory.md").symlink_to("/proc/self/mem")
    put(folder, "other.md", "Text of a file.")
    done = sync_with(wiki, folder)
    assert {"Seite.md", "other.md"} <= done.keys()
    assert not [path for path in ("pipe.md", "zero.md") if done.get(path) not in (None, "skipped")]
    assert {run(wiki, folder)[name].outcome for name in ("pipe.md", "zero.md")} == {"skipped"}


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o027, 0o640)])
def test_an_exported_file_has_the_rights_that_the_umask_leaves(
    wiki: Wiki, write: Write, folder: Path, umask: int, mode: int
) -> None:
    picture = store_picture(wiki, file_of(), "a.png", Author.of_agent(Agent(name="a")))
    write("Seite", f"![]({picture.address})")
    former = os.umask(umask)
    try:
        written = list(export_folder(wiki, folder))
    finally:
        os.umask(former)
    assert {path.stat().st_mode & 0o777 for path in written} == {mode}
    (folder / "seite.md").chmod(0o600)
    list(export_folder(wiki, folder))
    assert (folder / "seite.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", ["../x.md", "a/../../x.md", "/etc/x.md", "link/x.md"])
def test_a_path_that_leads_out_is_refused(folder: Path, outside: Path, path: str) -> None:
    (folder / "link").symlink_to(outside)
    with pytest.raises(LeadsOut):
        below(folder, path)
    inside = partial(below, folder)
    assert inside("a/b.md") == folder / "a/b.md"
