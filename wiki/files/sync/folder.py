"""The files of a synchronised folder: found, read, written, and recognised again after they were
moved."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wiki.files.front_matter import Head
from wiki.files.image_files import FolderPictures
from wiki.files.import_export import export_page, write_whole
from wiki.files.page_file import (
    MAX_FILE_BYTES,
    FolderAddresses,
    Unreadable,
    find_files,
    read_page_file,
    slug_of_file,
    title_of,
)
from wiki.files.redact_file import mask_file
from wiki.files.safe_paths import LeadsOut, below, read_regular
from wiki.files.sync.file_names import BESIDE, page_stem
from wiki.files.sync.state import Entry
from wiki.models import AuthorKind, Page, Revision, Wiki
from wiki.pages.author import Author
from wiki.pages.fields import PageFields
from wiki.recall.questions import question_key
from wiki.text.cleaning import clean_line
from wiki.text.slugs import slugify

# A longer file becomes no page; what is behind does not count.
MAX_DIGEST_BYTES = 2 * MAX_FILE_BYTES


class ChangedMeanwhile(Exception):
    """The file was saved at this moment; it is left for the next run."""

    def __init__(self) -> None:
        super().__init__("It was saved at this moment. The next run looks at it.")


@dataclass(frozen=True)
class FileNow:
    """A file as it was read. `body` has its pictures under their addresses in the wiki."""

    path: str
    head: Head
    body: str
    left_out: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        return slug_of_file(self.head, Path(self.path))

    def marks(self) -> list[str]:
        return [self.head.standing or "", self.head.replaced_by]

    @property
    def questions(self) -> dict[str, str]:
        return {question_key(question): question for question in self.head.asked_as or ()}

    def new_questions(self, entry: Entry | None) -> dict[str, str]:
        """Questions that the file adds, by key. Missing ones stay with the page."""
        return {
            key: self.questions[key]
            for key in self.questions.keys() - set(entry.asked if entry else ())
        }

    def fields(self, base: Page | Revision | None) -> PageFields:
        """The content of the file; keys without a value come from `base`. Raises InvalidPage."""
        body = self.body
        # How a text ends is lost between an editor and a file; it is no change.
        if base and base.body.strip("\n") == body.strip("\n"):
            body = base.body
        type = (base.type if base else "") if self.head.type is None else self.head.type
        tags = (base.tags if base else []) if self.head.tags is None else self.head.tags
        aliases = (base.aliases if base else []) if self.head.aliases is None else self.head.aliases
        title = title_of(self.head, body, Path(self.path), base.title if base else "")
        return PageFields.clean(title, body, type, tags, aliases)


class Folder:
    def __init__(self, wiki: Wiki, root: Path, author: Author, *, is_dry: bool) -> None:
        self.root, self._author = root, author
        self._pictures = FolderPictures(wiki, root, author, is_dry=is_dry)
        self._links = FolderAddresses(wiki, root).links()

    def find(self) -> dict[str, str]:
        """SHA-256 of every Markdown file, by its path below the folder; empty for one that cannot
        be read."""
        paths = (path.relative_to(self.root).as_posix() for path in find_files(self.root))
        return {path: self.digest(path) for path in paths if not path.endswith(BESIDE)}

    def digest(self, path: str) -> str:
        try:
            data = read_regular(below(self.root, path), MAX_DIGEST_BYTES)
            return hashlib.sha256(data).hexdigest()
        except OSError:
            return ""

    def read(self, path: str, page: Page | None = None) -> FileNow:
        """A file, or the file of a page. Raises Unreadable."""
        head, body = read_page_file(self.root, self.root / path)
        removed: list[str] = []
        if self._author.kind != AuthorKind.PERSON:
            head, body, removed = mask_file(head, body, page)
        told = [f"Left out of the page: {', '.join(removed)}."] if removed else []
        body, left_out = self._pictures.bring_in(self.root / path, body)
        return FileNow(path, head, self._links.bring_in(self.root / path, body), (*told, *left_out))

    def write(self, page: Page, path: str, seen: str, former: str = "") -> str:
        """Give the file the page's text and return its SHA-256. `former` is the path of the file
        that it replaces, if that is another one. Raises ChangedMeanwhile if it no longer is as
        `seen`."""
        self._check(path, seen)
        target = below(self.root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        head, body = _read(self.root / (former or path))
        write_whole(target, self._text_for(page, target, body, with_dates=head.is_dated))
        return self.digest(path)

    def _text_for(self, page: Page, target: Path, former: str, *, with_dates: bool = False) -> str:
        body = self._links.take_out(
            target, self._pictures.take_out(target, page.body, former), former
        )
        return export_page(page, with_dates=with_dates, body=body)

    def remove(self, path: str, seen: str) -> None:
        self._check(path, seen)
        below(self.root, path).unlink(missing_ok=True)
        self.take_away_beside(path)

    def _check(self, path: str, seen: str) -> None:
        if self.digest(path) != seen:
            raise ChangedMeanwhile

    def show_beside(self, page: Page, path: str) -> str:
        """Write the page's text beside its file and return the name."""
        beside = self._beside(path)
        write_whole(beside, self._text_for(page, beside, _read(self.root / path)[1]))
        return beside.relative_to(self.root).as_posix()

    def is_shown_beside(self, path: str) -> bool:
        try:
            return self._beside(path).is_file()
        except LeadsOut:
            return False

    def take_away_beside(self, path: str) -> None:
        self._beside(path).unlink(missing_ok=True)

    def _beside(self, path: str) -> Path:
        return below(self.root, path).with_suffix(BESIDE)

    def free_path(self, page: Page, taken: Iterable[str], beside: str = "") -> str:
        """A name for a page's file in the folder of another one; numbered where there is such a
        file already."""
        parent, stem = Path(beside).parent, page_stem(page)
        folded = {path.casefold() for path in taken}
        number, path = 1, parent / f"{stem}.md"
        while path.as_posix().casefold() in folded or (self.root / path).exists():
            number += 1
            path = parent / f"{stem}-{number}.md"
        return path.as_posix()


def find_moved(
    folder: Folder, entries: Mapping[int, Entry], files: Mapping[str, str], slugs: Mapping[int, str]
) -> dict[int, str]:
    """The new path of each page's file that was moved: the same text, or the page's slug in its
    head."""
    lost = {page_id: entry for page_id, entry in entries.items() if entry.path not in files}
    if not lost:
        return {}
    by_digest = {entry.digest: page_id for page_id, entry in lost.items() if entry.digest}
    by_slug = {slugs[page_id]: page_id for page_id in lost if page_id in slugs}
    known = {entry.path for entry in entries.values()}
    moved: dict[int, str] = {}
    for path, digest in files.items():
        if path not in known:
            page_id = by_digest.get(digest) or by_slug.get(_slug_in(folder, path))
            if page_id and page_id not in moved:
                moved[page_id] = path
    return moved


def _slug_in(folder: Folder, path: str) -> str:
    head, _body = _read(folder.root / path)
    return slugify(clean_line(head.slug)) if head.slug else ""


def _read(path: Path) -> tuple[Head, str]:
    """Empty ones where there is nothing that can be read."""
    try:
        return read_page_file(path.parent, path)
    except Unreadable:
        return Head(), ""
