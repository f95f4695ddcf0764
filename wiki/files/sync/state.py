"""The state of a synchronised folder in `.covey/`: the page of each file, and both texts at their
last agreement. Everybody with access to the folder may write it, so it is not trusted."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from wiki.files.import_export import write_whole
from wiki.files.page_file import is_markdown
from wiki.models import Wiki

OWN_FOLDER, _FILE = ".covey", "state.json"


class SyncRefused(Exception):
    """The folder cannot be synchronised; the message says why. Nothing was changed."""


@dataclass
class Entry:
    """A page's file. `path` is below the folder, `revision` and `digest` (SHA-256 of the file) are
    of the last agreement; `marks` is the rest of the file's head, `asked` the keys of the questions
    of either. `conflict` is the revision shown beside the file, 0 for none."""

    path: str
    revision: int
    digest: str
    marks: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    conflict: int = 0


@dataclass
class Memory:
    wiki: Wiki
    root: Path
    entries: dict[int, Entry] = field(default_factory=dict)

    @classmethod
    def load(cls, wiki: Wiki, root: Path) -> "Memory":
        """Raises SyncRefused for a folder of another wiki."""
        memory = cls(wiki, root)
        try:
            kept = json.loads(memory._file.read_text())
            entries = {int(page): _entry(row) for page, row in kept["pages"].items()}
            belongs_to = kept["wiki"]
        except FileNotFoundError:
            return memory
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            raise SyncRefused(
                f"{memory._file} cannot be read. Remove it, and the files are compared anew."
            ) from error
        if belongs_to != memory._wiki_name:
            raise SyncRefused(
                f"{root} belongs to another wiki ({str(belongs_to).split()[0]}), not to "
                f"{wiki.slug}."
            )
        memory.entries = entries
        return memory

    def save(self) -> None:
        pages = {str(page): vars(entry) for page, entry in sorted(self.entries.items())}
        write_whole(
            self._file,
            json.dumps({"wiki": self._wiki_name, "pages": pages}, ensure_ascii=False, indent=1),
        )

    @property
    def _file(self) -> Path:
        return self.root / OWN_FOLDER / _FILE

    @property
    def _wiki_name(self) -> str:
        """Another installation may have a wiki of this name too."""
        return f"{self.wiki.slug} {self.wiki.created_at.isoformat()}"


def is_bound(root: Path) -> bool:
    """Whether the folder remembers a wiki."""
    return (root / OWN_FOLDER / _FILE).exists()


def _entry(row: dict[str, Any]) -> Entry:
    entry = Entry(**row)
    path = PurePosixPath(entry.path)
    if path.is_absolute() or ".." in path.parts or not is_markdown(path):
        raise ValueError(entry.path)
    numbers, texts = (entry.revision, entry.conflict), (entry.digest, *entry.marks, *entry.asked)
    if not all(isinstance(number, int) for number in numbers) or not all(
        isinstance(text, str) for text in texts
    ):
        raise ValueError("not as it was written")
    return entry


@contextmanager
def alone_in(root: Path, *, may_write: bool) -> Iterator[None]:
    """Keep a second run out of the folder. Raises SyncRefused."""
    own = root / OWN_FOLDER
    if own.is_symlink():
        raise SyncRefused(f"{own} is a link; it must be a folder.")
    if not may_write and not (own / "lock").exists():
        yield
        return
    own.mkdir(exist_ok=True)
    descriptor = os.open(own / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise SyncRefused(f"{root} is being synchronised by another process.") from error
    finally:
        os.close(descriptor)
