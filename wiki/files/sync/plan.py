"""The steps that make a folder and a wiki agree, page by page, from their last agreement. Planning
changes nothing. Agreement is only noted, so a run can break off anywhere, and the next continues.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from wiki.files.front_matter_status import standing_of
from wiki.files.page_file import Unreadable
from wiki.files.sync.file_names import is_named_after
from wiki.files.sync.folder import FileNow, Folder, find_moved
from wiki.files.sync.state import Entry, Memory, SyncRefused
from wiki.models import AskedAs, Page, Wiki
from wiki.pages.edit_conflicts import combine_edits
from wiki.pages.fields import InvalidPage, PageFields
from wiki.pages.links import find_at_address, find_trashed
from wiki.pages.write import fields_of


class Action(StrEnum):
    WRITE = "written"
    REMOVE = "removed"
    NOTE = "noted"
    CREATE = "created"
    REVISE = "changed"
    TRASH = "trashed"
    CONFLICT = "in conflict"
    LEAVE = "skipped"


@dataclass(frozen=True)
class Step:
    """One thing to be done. `seen` is the file's SHA-256 at the time of planning; `target` where it
    shall be written, if it moves; `is_combined` says that `fields` are not only the file's."""

    action: Action
    path: str
    page: Page | None = None
    file: FileNow | None = None
    fields: PageFields | None = None
    seen: str = ""
    target: str = ""
    is_combined: bool = False
    sentence: str = ""

    @property
    def awaits_successor(self) -> bool:
        return bool(self.file and self.file.head.replaced_by)


class TooManyMissing(SyncRefused):
    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count} files are gone from the folder. Should their pages go to the trash, say so "
            f"with "
            "--allow-deletions; if not, look whether the folder is the right one."
        )


class Plan:
    def __init__(self, wiki: Wiki, folder: Folder, memory: Memory) -> None:
        self.wiki, self.folder, self.memory = wiki, folder, memory
        rows = Page.objects.filter(wiki=wiki).select_related("merged_into").defer("embedding")
        self.pages = {
            page.pk: page for page in rows if not page.is_trashed or page.pk in memory.entries
        }
        self.files = folder.find()
        self.asked: dict[int, set[str]] = defaultdict(set)
        for page_id, key in AskedAs.objects.filter(page__wiki=wiki).values_list("page", "key"):
            self.asked[page_id].add(key)
        for page in self.pages.values():
            page.wiki = wiki
        slugs = {page.pk: page.slug for page in self.pages.values()}
        for page_id, path in find_moved(folder, memory.entries, self.files, slugs).items():
            memory.entries[page_id].path = path

    def steps(self, *, may_trash_many: bool) -> Iterator[Step]:
        """Raises TooManyMissing before the first step."""
        known = list(self.memory.entries.items())
        missing = [
            page_id
            for page_id, entry in known
            if entry.path not in self.files and self._is_live(page_id)
        ]
        # A disk that is not there, or a folder that was emptied by mistake, must not empty the
        # wiki.
        if not may_trash_many and len(missing) > max(1, len(known) // 4):
            raise TooManyMissing(len(missing))
        for page_id, entry in known:
            yield from self._known(self.pages.get(page_id), entry)
        done = {page_id for page_id, _entry in known}
        bound = {entry.path for _page_id, entry in known}
        for path in (path for path in self.files if path not in bound):
            yield self._unbound(path, done)
        for page in self.pages.values():
            if not page.is_trashed and page.pk not in done:
                yield Step(Action.WRITE, "", page)

    def _unbound(self, path: str, done: set[int]) -> Step:
        """A file of which nothing is known; the page it turns out to belong to is `done` with
        it."""
        step = self._careful(path, self._new_file)
        if step.page and step.page.pk in done:
            return _leave(path, f"It has the same address ({step.page.slug}) as another file.")
        if step.page:
            done.add(step.page.pk)
        return step

    def _is_live(self, page_id: int) -> bool:
        return page_id in self.pages and not self.pages[page_id].is_trashed

    def _known(self, page: Page | None, entry: Entry) -> Iterator[Step]:
        seen = self.files.get(entry.path)
        if page is None or page.is_trashed:
            yield self._gone(page, entry, seen)
        elif seen is None:
            is_untouched = page.revision == entry.revision
            yield Step(Action.TRASH if is_untouched else Action.WRITE, entry.path, page)
        elif seen != entry.digest:
            yield self._careful(entry.path, lambda path: self._changed_file(path, page, entry))
        elif page.revision != entry.revision or self.asked[page.pk] != set(entry.asked):
            yield Step(Action.WRITE, entry.path, page, seen=seen, target=self._renamed(page, entry))

    def _gone(self, page: Page | None, entry: Entry, seen: str | None) -> Step:
        """The page is off the wiki. An unchanged file goes with it, and never brings it back."""
        if seen is None or seen == entry.digest:
            return Step(Action.REMOVE, entry.path, page, seen=seen or "")
        where = (
            f"was merged into “{page.merged_into.title}”"
            if page and page.merged_into
            else "went to the trash"
        )
        return Step(
            Action.CONFLICT,
            entry.path,
            sentence=f"Its page {where}, and the file was changed since. Carry over what is new "
            f"and remove the file, "
            "or give it a slug of its own.",
        )

    def _careful(self, path: str, plan: Callable[[str], Step]) -> Step:
        try:
            return plan(path)
        except InvalidPage as error:
            return _leave(path, " ".join(error.errors.values()))
        except Unreadable as error:
            return _leave(path, str(error))

    def _changed_file(self, path: str, page: Page, entry: Entry) -> Step:
        file, seen = self.folder.read(path, page), self.files[path]
        if self._say_the_same(file, page, entry):
            return Step(Action.NOTE, path, page, file, seen=seen)
        is_shown = self.folder.is_shown_beside(path)
        if entry.conflict and is_shown:
            return _conflict(path, page, file)
        # Whoever takes the page's text away from beside the file has looked at it: the file goes on
        # from there.
        base = page.revisions.filter(number=entry.conflict or entry.revision).first()
        mine = file.fields(base or page)
        if base and base.number == page.revision:
            return Step(Action.REVISE, path, page, file, mine, seen=seen)
        if base and (combined := combine_edits(base, mine, page)):
            target = self._renamed(page, entry)
            return Step(Action.REVISE, path, page, file, combined, seen, target, is_combined=True)
        return _conflict(path, page, file)

    def _new_file(self, path: str) -> Step:
        file, seen = self.folder.read(path), self.files[path]
        page = find_at_address(self.wiki, file.slug)
        if page is None:
            if trashed := find_trashed(self.wiki, file.slug):
                return _leave(
                    path,
                    f"The page “{trashed.title}” with its address is in the trash. Restore it "
                    f"there, "
                    "or give the file another slug.",
                )
            return Step(Action.CREATE, path, None, file, file.fields(None), seen=seen)
        page.wiki = self.wiki
        file = self.folder.read(path, page)
        if page.slug != file.slug:
            return _leave(
                path,
                f"Its address leads to the page “{page.title}” now. Give it a slug of its own.",
            )
        if self._say_the_same(file, page, None):
            return Step(Action.NOTE, path, page, file, seen=seen)
        if _was_said(file, page):
            return Step(Action.WRITE, path, page, seen=seen)
        return _conflict(path, page, file)

    def _say_the_same(self, file: FileNow, page: Page, entry: Entry | None) -> bool:
        standing = standing_of(file.head)
        successor = page.replaced_by.slug if page.replaced_by else ""
        is_marked = standing is None or (standing, file.head.replaced_by) == (
            page.standing,
            successor,
        )
        is_asked = file.new_questions(entry).keys() <= self.asked[page.pk]
        same_head = is_marked and is_asked and file.head.extra == page.front_matter
        return same_head and file.fields(page) == fields_of(page)

    def _renamed(self, page: Page, entry: Entry) -> str:
        """Where the file of a page belongs that got another address; empty where it shall stay."""
        base = page.revisions.filter(number=entry.revision).first()
        if not base or base.slug in ("", page.slug):
            return ""
        is_named_so = is_named_after(PurePosixPath(entry.path).stem, base)
        return self.folder.free_path(page, self.files, entry.path) if is_named_so else ""


def _leave(path: str, sentence: str) -> Step:
    return Step(Action.LEAVE, path, sentence=sentence)


def _conflict(path: str, page: Page, file: FileNow) -> Step:
    return Step(Action.CONFLICT, path, page, file)


def _was_said(file: FileNow, page: Page) -> bool:
    """Whether an earlier revision of the page reads like the file: then the file is old, not new. A
    revision does not know of marks, so a file that brings one is new."""
    if any(file.marks()):
        return False
    bodies = page.revisions.filter(title=file.fields(page).title).values_list("body", flat=True)
    return any(body.strip("\n") == file.body.strip("\n") for body in bodies.iterator())
