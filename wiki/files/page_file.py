"""The Markdown files of a folder, read one by one, and the addresses of their pages."""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path, PurePath

from wiki.files.front_matter import Head, read_head, split_head
from wiki.files.relative_links import FolderLinks
from wiki.files.safe_paths import read_regular
from wiki.markdown import title_heading
from wiki.models import Revision, RevisionKind, Wiki
from wiki.pages.fields import MAX_BODY_BYTES
from wiki.redaction import mask_secrets
from wiki.text.cleaning import MAX_TITLE, clean_line, clean_text
from wiki.text.slugs import slugify

# A page has at most 256 KiB of text, and its head may add some.
MAX_FILE_BYTES = MAX_BODY_BYTES + 64 * 1024


class Unreadable(Exception):
    """A file that cannot become a page; the message says why."""


def find_files(folder: Path) -> list[Path]:
    """The Markdown files of a folder and all below it, in a fixed order; hidden ones and links
    leading out are left."""
    root = folder.resolve()
    found: list[Path] = []
    for directory, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith("."))
        paths = [Path(directory) / name for name in sorted(files)]
        found.extend(path for path in paths if is_markdown(path) and not path.name.startswith("."))
    return found


def is_markdown(path: PurePath) -> bool:
    return path.suffix.lower() in (".md", ".markdown")


def read_page_file(root: Path, path: Path) -> tuple[Head, str]:
    """Head and body of a Markdown file. Raises Unreadable."""
    if not path.resolve().is_relative_to(root):
        raise Unreadable("It is a link that leads out of the folder.")
    try:
        if not path.is_file():
            raise Unreadable("It is not a regular file.")
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            raise Unreadable(
                f"It has {size // 1024} KiB; a page has at most {MAX_BODY_BYTES // 1024}."
            )
        text = read_regular(path, MAX_FILE_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"It is not UTF-8 (byte {error.start}).") from error
    except OSError as error:
        raise Unreadable(f"It cannot be read: {error.strerror}.") from error
    head, body = split_head(clean_text(text))
    return read_head(head) if head.strip() else Head(), body.strip("\n")


def clean_stem(path: PurePath) -> str:
    """A file's name as it may become a title or an address."""
    return mask_secrets(path.stem).text


def slug_of_file(head: Head, path: PurePath) -> str:
    return slugify(clean_line(head.slug or clean_stem(path)))


def title_of(head: Head, body: str, path: PurePath, former: str = "") -> str:
    """The title of the head, else a heading of the first level that begins the text, else the name
    that the page has, else that of the file."""
    heading = title_heading(body)
    return clean_line(
        head.title
        or (heading if len(heading) <= MAX_TITLE else "")
        or former
        or clean_stem(path)[:MAX_TITLE]
    )


class FolderAddresses:
    """An address for each file of a folder. Of files that would share one the first has it, or the
    one that became the page before; the others take the names of their folders before it, since a
    second page is no reason to leave a file out."""

    def __init__(self, wiki: Wiki, root: Path) -> None:
        self.wiki, self.root = wiki, root

    def slug_of(self, path: Path) -> str:
        """Empty for a file that cannot become a page."""
        return self._slugs.get(path.resolve(), "")

    def links(self) -> FolderLinks:
        return FolderLinks(self.root, find_files, self.slug_of)

    @cached_property
    def _slugs(self) -> dict[Path, str]:
        namesakes: dict[str, list[Path]] = {}
        for path in find_files(self.root):
            with suppress(Unreadable):
                head, _body = read_page_file(self.root, path)
                namesakes.setdefault(slug_of_file(head, path), []).append(path)
        slugs: dict[Path, str] = {}
        for slug, paths in namesakes.items():
            if len(paths) > 1:
                paths.sort(key=lambda path: not self._was_imported(slug, path))
            slugs[paths[0].resolve()] = slug
        taken = set(slugs.values())
        for slug, paths in namesakes.items():
            for path in paths[1:]:
                slugs[path.resolve()] = free = self._free(slug, path, taken)
                taken.add(free)
        return slugs

    def _was_imported(self, slug: str, path: Path) -> bool:
        """Whether the page of this address came from the text of this file."""
        imports = Revision.objects.filter(page__wiki=self.wiki, page__slug=slug)
        last = imports.filter(kind=RevisionKind.IMPORT).order_by("-number").first()
        return last is not None and read_page_file(self.root, path)[1] == last.body.strip("\n")

    def _free(self, slug: str, path: Path, taken: set[str]) -> str:
        names = [slug]
        for folder in reversed(path.relative_to(self.root).parts[:-1]):
            if slug not in taken:
                return slug
            names.insert(0, mask_secrets(folder).text)
            slug = slugify(" ".join(names))
        number, free = 1, slug
        while free in taken:
            number += 1
            free = f"{slug}-{number}"
        return free
