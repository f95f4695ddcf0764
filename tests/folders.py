"""What the tests of import and export share."""

from pathlib import Path

from wiki.files import ImportedFile, import_folder
from wiki.models import Wiki


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run(wiki: Wiki, folder: Path) -> dict[str, ImportedFile]:
    """What became of the files of a folder, by their names."""
    return {str(file.path.relative_to(folder.resolve())): file for file in import_folder(wiki, folder)}
