"""A wiki as a folder of Markdown files: import and export."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db.models import Prefetch
from django.utils import timezone

from wiki.files.front_matter import DATE_KEYS, Head, write_head
from wiki.files.front_matter_status import apply_status, awaits_successor
from wiki.files.image_files import FolderPictures, export_pictures
from wiki.files.page_file import (
    FolderAddresses,
    Unreadable,
    find_files,
    read_page_file,
    slug_of_file,
    title_of,
)
from wiki.files.redact_file import mask_file
from wiki.files.relative_links import FolderLinks
from wiki.files.safe_paths import replace_file
from wiki.models import AskedAs, Page, Revision, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage, PageFields, clean_type, fold_aliases
from wiki.pages.links import find_at_address, find_trashed
from wiki.pages.protection_guard import PageProtected
from wiki.pages.status import attach_successors
from wiki.pages.write import EditConflict, PageGone, SlugTaken, create_page, revise_page
from wiki.recall.questions import keep_questions

MAX_FILE_NAME_BYTES = 200


@dataclass(frozen=True)
class ImportedFile:
    """The outcome of a file: `created`, `changed`, `unchanged`, `trashed` (its page stays there),
    or skipped with a `problem`. `left_out` names pictures that stayed behind, and why; `removed`
    the secrets; `notes` what was not understood and kept."""

    path: Path
    outcome: str = "skipped"
    problem: str = ""
    left_out: Sequence[str] = ()
    removed: Sequence[str] = ()
    notes: Sequence[str] = ()


def import_folder(
    wiki: Wiki, folder: Path, files: Sequence[Path] | None = None, author: Author | None = None
) -> Iterator[ImportedFile]:
    """Import file by file; a broken file is skipped. Files whose page is replaced by one of a later
    file come last."""
    author = author or Author.maintenance()
    waiting: list[tuple[Path, _Read]] = []
    source = _Source.of(wiki, folder.resolve(), author)
    for path in find_files(folder) if files is None else files:
        with _problem_of(path) as problems:
            read = _import_file(source, path)
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
    except (Unreadable, EditConflict, SlugTaken, PageGone, PageProtected) as error:
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
        return ImportedFile(
            path,
            outcome,
            left_out=self.left_out,
            removed=self.removed,
            notes=self.head.notes,
        )


@dataclass(frozen=True)
class _Source:
    """A folder on its way into a wiki."""

    wiki: Wiki
    author: Author
    pictures: FolderPictures
    addresses: FolderAddresses
    links: FolderLinks

    @classmethod
    def of(cls, wiki: Wiki, root: Path, author: Author) -> "_Source":
        addresses = FolderAddresses(wiki, root)
        pictures = FolderPictures(wiki, root, author)
        return cls(wiki, author, pictures, addresses, addresses.links())


def _import_file(source: _Source, path: Path) -> _Read:
    wiki = source.wiki
    head, body = read_page_file(source.addresses.root, path)
    slug = source.addresses.slug_of(path) or slug_of_file(head, path)
    body, left_out = source.pictures.bring_in(path, body)
    masked_head, masked_body, removed = mask_file(
        head, body, Page.objects.live().filter(wiki=wiki, slug=slug).first()
    )
    dated = _date_by_file(masked_head, path)
    linked_body = source.links.bring_in(path, masked_body)
    read = _import_page(wiki, slug, path, dated, linked_body, masked_body, source.author)
    return replace(read, left_out=left_out, removed=removed)


def _date_by_file(head: Head, path: Path) -> Head:
    """With the dates of the head, and those of the file where it names none."""
    if not (head.created_at or head.updated_at):
        saved = datetime.fromtimestamp(path.stat().st_mtime, tz=timezone.get_current_timezone())
        return replace(head, created_at=saved, updated_at=saved)
    return replace(
        head,
        created_at=head.created_at or head.updated_at,
        updated_at=head.updated_at or head.created_at,
    )


def keep_dates(page: Page, head: Head) -> None:
    """A page that was exported is as old as it was; nothing is from tomorrow."""
    now = timezone.now()
    dates = {name: min(date, now) for name in DATE_KEYS if (date := getattr(head, name))}
    if dates:
        Page.objects.filter(pk=page.pk).update(**dates)


def _import_page(
    wiki: Wiki, slug: str, path: Path, head: Head, body: str, written: str, author: Author
) -> _Read:
    """`written` is the body with its links as the file has them: so an import took it before links
    were brought in."""
    title = title_of(head, body, path)
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
    fields = _fields_now(page, head, title, body, written)
    before = (page.revision, page.front_matter)
    page = revise_page(page, page.revision, fields, change, front_matter=head.extra)
    is_same = (page.revision, page.front_matter) == before
    return _Read(head, "unchanged" if is_same else "changed", page)


def _fields_now(page: Page, head: Head, title: str, body: str, written: str) -> PageFields:
    """What the file says, and the page's own where the file says what it said at the last import,
    or nothing."""
    last = page.revisions.filter(kind=RevisionKind.IMPORT).first()
    is_old_text = last is not None and _has_text(last, body, written) and body == written
    # How a text ends is lost between an editor and a file; it is no change.
    if is_old_text or body.strip("\n") == page.body.strip("\n"):
        body = page.body
    # A name that the file gives by its text or its own is no reason to rename a page back.
    if last is not None and (last.title == title or not head.title and page.title != last.title):
        title = page.title
    return PageFields(
        title,
        body,
        page.type if head.type is None else head.type,
        page.tags if head.tags is None else head.tags,
        page.aliases if head.aliases is None else head.aliases,
    )


def _has_text(last: Revision, *bodies: str) -> bool:
    return last.body.strip("\n") in [body.strip("\n") for body in bodies]


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
    return same_facts and last.title == title and _has_text(last, *bodies)


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
