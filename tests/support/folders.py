"""What the tests of import, export and synchronised folders share."""

from pathlib import Path
from typing import Any

from tests.support.writing import revise_page
from wiki.files.import_export import ImportedFile, import_folder
from wiki.files.sync import Action, sync_folder
from wiki.models import Page, Wiki
from wiki.pages.author import Author


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run(wiki: Wiki, folder: Path) -> dict[str, ImportedFile]:
    """What became of the files of a folder, by their names."""
    return {
        str(file.path.relative_to(folder.resolve())): file for file in import_folder(wiki, folder)
    }


def sync_with(wiki: Wiki, folder: Path, **options: Any) -> dict[str, Action]:
    """What a synchronising run did, by file; what was only noted is left out."""
    done = list(sync_folder(wiki, folder, options.pop("author", Author.maintenance()), **options))
    return {file.path: file.action for file in done if file.action != Action.NOTE}


def told(wiki: Wiki, folder: Path) -> dict[str, str]:
    """The sentences of a synchronising run, by file."""
    return {
        file.path: file.sentence
        for file in sync_folder(wiki, folder, Author.maintenance())
        if file.sentence
    }


def change(page: Page, body: str, author: Author, title: str = "") -> Page:
    page.refresh_from_db()
    return revise_page(page, page.revision, title=title or page.title, body=body, author=author)
