"""A wiki as a folder of Markdown files: import and export."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from django.db.models import Prefetch
from django.utils import timezone

from wiki.files.front_matter import DATE_KEYS, BrokenHead, Head, read_head, split_head, write_head
from wiki.files.front_matter_status import apply_status, awaits_successor, standing_of
from wiki.files.image_files import FolderPictures, export_pictures
from wiki.files.redact_file import mask_file
from wiki.files.relative_links import FolderLinks
from wiki.files.safe_paths import read_regular, replace_file
from wiki.markdown import first_heading
from wiki.models import AskedAs, Page, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import MAX_BODY_BYTES, InvalidPage, PageFields, clean_type, fold_aliases
from wiki.pages.links import find_at_address, find_trashed
from wiki.pages.protection_guard import PageProtected
from wiki.pages.status import attach_successors
from wiki.pages.write import EditConflict, PageGone, SlugTaken, create_page, revise_page
from wiki.recall.questions import keep_questions
from wiki.redaction import mask_secrets
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.slugs import slugify

# A page has at most 256 KiB of text, and its head may add some.
MAX_FILE_BYTES = MAX_BODY_BYTES + 64 * 1024
MAX_FILE_NAME_BYTES = 200


@dataclass(frozen=True)
class ImportedFile:
    """The outcome of a file: `created`, `changed`, `unchanged`, `trashed` (its page stays there),
    or skipped with a `problem`. `left_out` names pictures that stayed behind, and why; `removed`
    the secrets."""

    path: Path
    outcome: str = "skipped"
    problem: str = ""
    left_out: Sequence[str] = ()
    removed: Sequence[str] = ()


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


def import_folder(
    wiki: Wiki, folder: Path, files: Sequence[Path] | None = None, author: Author | None = None
) -> Iterator[ImportedFile]:
    """Import file by file; a broken file is skipped. Files whose page is replaced by one of a later
    file come last."""
    author = author or Author.maintenance()
    seen: dict[str, Path] = {}
    waiting: list[tuple[Path, _Read]] = []
    shown = FolderPictures(wiki, folder.resolve(), author), find_links(folder.resolve())
    for path in find_files(folder) if files is None else files:
        with _problem_of(path) as problems:
            read = _import_file(wiki, folder.resolve(), path, seen, shown, author)
            if awaits_successor(wiki, read.head):
                waiting.append((path, read))
            else:
                yield read.filed(path, author)
        yield from problems
    for path, read in waiting:
        with _problem_of(path) as problems:
            yield read.filed(path, author)
        yield from problems


@contextmanager
def _problem_of(path: Path) -> Iterator[list[ImportedFile]]:
    """Collect the refusal of a file as its outcome."""
    problems: list[ImportedFile] = []
    try:
        yield problems
    except InvalidPage as error:
        problems.append(ImportedFile(path, problem=" ".join(error.errors.values())))
    except (Unreadable, BrokenHead, EditConflict, SlugTaken, PageGone, PageProtected) as error:
        problems.append(ImportedFile(path, problem=str(error)))


@dataclass(frozen=True)
class _Read:
    """A file that went in, as far as its text goes; no page where that stays in the trash."""

    head: Head
    outcome: str
    page: Page | None = None
    left_out: Sequence[str] = ()
    removed: Sequence[str] = ()

    def filed(self, path: Path, author: Author) -> ImportedFile:
        """Mark the page as the file says and return the outcome of the file."""
        outcome = self.outcome
        if self.page is not None:
            is_marked = apply_status(self.page, self.head, author)
            # What a file does not name stays: it was learned since.
            is_asked = keep_questions(self.page, self.head.asked_as or (), author=author) > 0
            outcome = "changed" if (is_marked or is_asked) and outcome == "unchanged" else outcome
            if outcome == "created":
                keep_dates(self.page, self.head)
        return ImportedFile(path, outcome, left_out=self.left_out, removed=self.removed)


def _import_file(
    wiki: Wiki,
    root: Path,
    path: Path,
    seen: dict[str, Path],
    shown: tuple[FolderPictures, FolderLinks],
    author: Author,
) -> _Read:
    pictures, links = shown
    head, body = read_page_file(root, path)
    standing_of(head)
    slug = slug_of_file(head, path)
    if slug in seen:
        other = seen[slug].relative_to(root)
        raise Unreadable(f"It has the same address ({slug}) as {other}. Give it a slug of its own.")
    seen[slug] = path
    body, left_out = pictures.bring_in(path, body)
    masked_head, masked_body, removed = mask_file(
        head, body, Page.objects.live().filter(wiki=wiki, slug=slug).first()
    )
    linked_body = links.bring_in(path, masked_body)
    read = _import_page(wiki, slug, clean_stem(path), masked_head, linked_body, masked_body, author)
    return replace(read, left_out=left_out, removed=removed)


def clean_stem(path: PurePath) -> str:
    """A file's name as it may become a title or an address."""
    return mask_secrets(path.stem).text


def slug_of_file(head: Head, path: PurePath) -> str:
    return slugify(clean_line(head.slug or clean_stem(path)))


def find_links(root: Path) -> FolderLinks:
    def slug_of(path: Path) -> str:
        with suppress(Unreadable, BrokenHead):
            return slug_of_file(read_page_file(root, path)[0], path)
        return ""

    return FolderLinks(root, find_files, slug_of)


def keep_dates(page: Page, head: Head) -> None:
    """A page that was exported is as old as it was; nothing is from tomorrow."""
    now = timezone.now()
    dates = {name: min(date, now) for name in DATE_KEYS if (date := getattr(head, name))}
    if dates:
        Page.objects.filter(pk=page.pk).update(**dates)


def _import_page(
    wiki: Wiki, slug: str, stem: str, head: Head, body: str, written: str, author: Author
) -> _Read:
    """`written` is the body with its links as the file has them: so an import took it before links
    were brought in."""
    title = clean_line(head.title or first_heading(body) or stem)
    change = Change(author, RevisionKind.IMPORT)
    page = Page.objects.live().filter(wiki=wiki, slug=slug).first()
    if page is None:
        trashed = find_trashed(wiki, slug)
        # Somebody threw this very text away; a file that has changed since is another matter.
        if trashed and _is_known(trashed, head, title, body, written):
            return _Read(head, "trashed")
        if moved := find_at_address(wiki, slug):
            return _read_of_moved(moved, head, title, body, written)
        fields = PageFields(title, body, head.type or "", head.tags or [], head.aliases or [])
        page = create_page(wiki, fields, change, slug=slug, front_matter=head.extra)
        return _Read(head, "created", page)
    # Links of a page that nobody has written on since may find their pages now.
    is_as_written = body != written and page.body.strip("\n") == written.strip("\n")
    if _is_known(page, head, title, body, written) and not is_as_written:
        return _Read(head, "unchanged", page)
    # How a text ends is lost between an editor and a file; it is no change.
    body = page.body if body.strip("\n") == page.body.strip("\n") else body
    before = (page.revision, page.front_matter)
    type = page.type if head.type is None else head.type
    tags = page.tags if head.tags is None else head.tags
    aliases = page.aliases if head.aliases is None else head.aliases
    fields = PageFields(title, body, type, tags, aliases)
    page = revise_page(page, page.revision, fields, change, front_matter=head.extra)
    is_same = (page.revision, page.front_matter) == before
    return _Read(head, "unchanged" if is_same else "changed", page)


def _read_of_moved(page: Page, head: Head, title: str, body: str, written: str) -> _Read:
    """A file by the former address of a page: neither a second page nor a reason to name it
    back."""
    if _is_known(page, head, title, body, written):
        return _Read(head, "unchanged", page)
    raise Unreadable(
        f"Its address leads to the page “{page.title}” now. Give it the slug {page.slug}, or one "
        f"of its own."
    )


def _is_known(page: Page, head: Head, title: str, *bodies: str) -> bool:
    """Whether the file is as at the last import: then later edits of the page win over it."""
    last = page.revisions.filter(kind=RevisionKind.IMPORT).first()
    if last is None or head.extra != page.front_matter:
        return False
    same_facts = (
        head.tags in (None, last.tags)
        and (head.aliases is None or fold_aliases(head.aliases, title) == last.aliases)
        and (head.type is None or clean_type(head.type) == last.type)
    )
    return (
        same_facts
        and last.title == title
        and last.body.strip("\n") in [body.strip("\n") for body in bodies]
    )


def read_page_file(root: Path, path: Path) -> tuple[Head, str]:
    """Head and body of a Markdown file. Raises Unreadable and BrokenHead."""
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


def export_page(page: Page, *, with_dates: bool = False, body: str | None = None) -> str:
    """The whole file. `body` is the page's text as the file has it, where its pictures have other
    names there."""
    attach_successors([page])
    head = Head(
        slug=page.slug,
        title=page.title,
        type=page.type,
        tags=page.tags,
        aliases=page.aliases,
        standing=page.standing,
        replaced_by=page.replaced_by.slug if page.replaced_by else "",
        # The oldest first: an import gives them their order again.
        asked_as=[asked.text for asked in reversed(page.asked_as.all())],
        created_at=page.created_at if with_dates else None,
        updated_at=page.updated_at if with_dates else None,
        extra=page.front_matter,
    )
    body = page.body if body is None else body
    ending = "" if body.endswith("\n") else "\n"
    return f"{write_head(head)}\n{body}{ending}" if body else write_head(head)


def export_folder(wiki: Wiki, folder: Path) -> Iterator[Path]:
    """Write a file for each live page, and the pictures beside them, and yield their paths. A file
    appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = Page.objects.live().filter(wiki=wiki).defer("embedding").order_by("slug")
    asked = Prefetch("asked_as", AskedAs.objects.only("page", "text"))
    for page in pages.prefetch_related(asked).iterator(chunk_size=200):
        path = folder / f"{file_stem(page.slug)}.md"
        write_whole(path, export_page(page, with_dates=True))
        yield path
    yield from export_pictures(wiki, folder)


def file_stem(slug: str) -> str:
    """The slug, shortened where a file system could not take it; the head says the whole one."""
    name = slug.encode()
    if len(name) <= MAX_FILE_NAME_BYTES:
        return slug
    ending = hashlib.sha256(name).hexdigest()[:8]
    return f"{name[:MAX_FILE_NAME_BYTES].decode(errors='ignore')}-{ending}"


def write_whole(path: Path, text: str) -> None:
    replace_file(path, text.encode())
