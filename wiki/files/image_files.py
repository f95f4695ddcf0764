"""The pictures of a folder of Markdown files: import and export."""

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import quote

from wiki.files.safe_paths import below, replace_file
from wiki.images.formats import MAX_PICTURE_BYTES, PictureRefused, PictureTooLarge
from wiki.images.storage import (
    address_of,
    find_picture,
    find_pictures,
    find_uses,
    picture_path,
    store_picture,
)
from wiki.markdown import (
    PictureReference,
    find_picture_names,
    is_outside,
    picture_address,
    picture_name,
    replace_pictures,
    rewrite_pictures,
)
from wiki.models import Wiki
from wiki.pages.author import Author

# A name in double brackets with another ending is a page or a file of another kind.
_ENDINGS = frozenset(".png .jpg .jpeg .gif .webp .svg .bmp .avif .heic .tif .tiff".split())


class LeftOut(Exception):
    """A picture that does not come along; the message says why."""


class FolderPictures:
    """Finds the pictures in the files of a folder, stores them (unless `is_dry`), and writes their
    new addresses into the texts."""

    def __init__(self, wiki: Wiki, root: Path, author: Author, *, is_dry: bool = False) -> None:
        self.wiki, self.root, self.author, self.is_dry = wiki, root, author, is_dry
        self._addresses: dict[Path, str] = {}

    def bring_in(self, path: Path, body: str) -> tuple[str, Sequence[str]]:
        """Return the text of a file with the wiki's addresses of its pictures, and a sentence for
        each that is left out."""
        left_out: dict[str, None] = {}

        def choose(reference: PictureReference) -> str:
            if not _is_in_folder(reference):
                return ""
            try:
                address = self._store(path, reference.target)
            except (LeftOut, PictureRefused) as error:
                left_out[f"{reference.target}: {error}"] = None
                return ""
            # It may stand there with "./" in front.
            return address if picture_name(address) != picture_name(reference.target) else ""

        rewritten = rewrite_pictures(body, choose)
        # What an export has written because a link leads to it, or code names it.
        for name in sorted(find_picture_names(rewritten)):
            with suppress(LeftOut, PictureRefused):
                self._store(path, picture_address(name))
        return rewritten, list(left_out)

    def _store(self, path: Path, target: str) -> str:
        file = self._find(path, target)
        if file is None:
            return picture_address(self._name_in_wiki(path, target))
        if file not in self._addresses:
            data = self._read(file)
            is_kept = not self.is_dry
            address = (
                store_picture(self.wiki, data, file.name, self.author).address
                if is_kept
                else address_of(data)
            )
            self._addresses[file] = address
        return self._addresses[file]

    def take_out(self, path: Path, body: str, former: str) -> str:
        """Return a page's text with the picture names of its file. Pictures that the `former` text
        of the file has keep their names there; others get the path to the place of an export."""
        if not find_picture_names(body):
            return body
        written, named = self._names_in(path, former)
        way = PurePosixPath(os.path.relpath(self.root, path.parent))

        def write(reference: PictureReference) -> str:
            name = picture_name(reference.target)
            if not name:
                return ""
            if whole := written.get((reference.before, name, reference.after)):
                return whole
            address = named.get(name) or (way / picture_address(name)).as_posix()
            return f"{reference.before}{address}{reference.after}"

        return replace_pictures(body, write)

    def _names_in(
        self, path: Path, former: str
    ) -> tuple[dict[tuple[str, str, str], str], dict[str, str]]:
        """Return how a file writes its pictures: whole references by name and surroundings, and
        names alone."""
        written: dict[tuple[str, str, str], str] = {}
        named: dict[str, str] = {}

        def note(reference: PictureReference) -> str:
            with suppress(LeftOut, PictureRefused):
                file = self._find(path, reference.target) if _is_in_folder(reference) else None
                if file:
                    name = picture_name(self._addresses.get(file) or address_of(self._read(file)))
                    # In a table its bar needs a backslash.
                    if "|" not in reference.written or reference.written in former:
                        written.setdefault(
                            (reference.before, name, reference.after), reference.written
                        )
                    way = quote(PurePath(os.path.relpath(file, path.parent)).as_posix())
                    named.setdefault(name, way if reference.is_embedded else reference.destination)
            return ""

        replace_pictures(former, note)
        return written, named

    def _name_in_wiki(self, path: Path, target: str) -> str:
        """The name of a picture that lies where an export puts it, from the top of the folder or
        from the file."""
        beside = Path(os.path.normpath(path.parent / target))
        from_top = (
            beside.relative_to(self.root).as_posix() if beside.is_relative_to(self.root) else ""
        )
        return picture_name(target) or picture_name(from_top)

    def _find(self, path: Path, target: str) -> Path | None:
        """Search beside the file, from the top of the folder, then anywhere by its name; None for a
        picture that only the wiki has. Raises LeftOut."""
        # An anchor is a drive, a share, or a slash in front.
        if PureWindowsPath(target).anchor:
            raise LeftOut("It is an absolute name. Put the picture into the folder.")
        beside, below = (
            Path(os.path.normpath(start / target)) for start in (path.parent, self.root)
        )
        if not beside.is_relative_to(self.root):
            raise LeftOut("It leads out of the folder.")
        for file in (beside, below):
            if file.is_relative_to(self.root) and os.path.lexists(file):
                return file
        named, in_wiki = (
            self._by_name.get(_key(PurePosixPath(target).name)),
            self._name_in_wiki(path, target),
        )
        if named and ("/" not in target or in_wiki):
            return named
        if find_picture(self.wiki, in_wiki):
            return None
        raise LeftOut("There is no such file.")

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        """Of several files of one name the one nearest to the top."""
        found: dict[str, Path] = {}
        for directory, names, files in os.walk(self.root):
            names[:] = sorted(name for name in names if not name.startswith("."))
            for path in (Path(directory) / name for name in sorted(files)):
                if path.suffix.lower() in _ENDINGS:
                    other = found.setdefault(_key(path.name), path)
                    if len(path.parts) < len(other.parts):
                        found[_key(path.name)] = path
        return found

    def _read(self, file: Path) -> bytes:
        steps = [file, *file.parents[: len(file.relative_to(self.root).parts) - 1]]
        if any(step.is_symlink() for step in steps):
            raise LeftOut("It is a link. Put the picture itself into the folder.")
        try:
            # What is no file, such as a pipe, must not make the import wait.
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, "rb") as opened:
                facts = os.fstat(descriptor)
                if not stat.S_ISREG(facts.st_mode):
                    raise LeftOut("It is not a regular file.")
                if facts.st_size > MAX_PICTURE_BYTES:
                    raise PictureTooLarge(facts.st_size)
                return opened.read(MAX_PICTURE_BYTES + 1)
        except OSError as error:
            raise LeftOut(f"It cannot be read: {error.strerror}.") from error


def _is_in_folder(reference: PictureReference) -> bool:
    target = reference.target
    if reference.is_embedded:
        return PurePosixPath(target).suffix.lower() in _ENDINGS
    return bool(target) and not is_outside(target) and not target.startswith("data:")


def _key(name: str) -> str:
    """Some systems write the dots of an ä as a character of its own."""
    return unicodedata.normalize("NFC", name).casefold()


def export_pictures(wiki: Wiki, folder: Path) -> Iterator[Path]:
    """Write the pictures of live pages into `pictures/` and yield their paths; lost ones are left
    out."""
    for picture in find_pictures(wiki, find_uses(wiki)).values():
        path = folder / picture.address
        try:
            data = picture_path(picture).read_bytes()
        except FileNotFoundError:
            continue
        if not (path.is_file() and path.stat().st_size == len(data)):
            below(folder, picture.address).parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, data)
        yield path
