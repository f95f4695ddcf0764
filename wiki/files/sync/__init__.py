"""A folder of Markdown files and a wiki that follow each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wiki.files.front_matter_status import apply_status
from wiki.files.image_files import export_pictures
from wiki.files.import_export import keep_dates
from wiki.files.sync.folder import ChangedMeanwhile, FileNow, Folder
from wiki.files.sync.plan import Action, Plan, Step, TooManyMissing
from wiki.files.sync.state import Entry, Memory, SyncRefused, alone_in, is_bound
from wiki.models import AuthorKind, Page, RevisionKind, Wiki
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import InvalidPage
from wiki.pages.protection_guard import PageProtected, check_protection
from wiki.pages.trash import trash_page
from wiki.pages.write import EditConflict, PageGone, SlugTaken, create_page, revise_page
from wiki.recall.questions import keep_questions

__all__ = ["Action", "Synced", "SyncRefused", "TooManyMissing", "is_bound", "sync_folder"]

# So often what was done is written down, in case the run is broken off.
NOTED_EVERY = 100


@dataclass(frozen=True)
class Synced:
    """The outcome of a file, by its path below the folder. A person should read `sentence`."""

    action: Action
    path: str
    sentence: str = ""


def sync_folder(
    wiki: Wiki, root: Path, author: Author, *, is_dry: bool = False, may_trash_many: bool = False
) -> Iterator[Synced]:
    """Synchronise, or in a dry run only report, file by file. Changes of different lines are
    combined; in a conflict the file stays, and the page's text is written beside it. Raises
    SyncRefused."""
    root = root.resolve()
    if not is_dry:
        root.mkdir(parents=True, exist_ok=True)
    with alone_in(root, may_write=not is_dry):
        memory = Memory.load(wiki, root)
        folder = Folder(wiki, root, author, is_dry=is_dry)
        plan = Plan(wiki, folder, memory)
        run = _Run(wiki, folder, memory, plan.files, author)
        # A page that replaces another has to be there first.
        steps = sorted(
            plan.steps(may_trash_many=may_trash_many), key=lambda step: step.awaits_successor
        )
        if is_dry:
            yield from (
                Synced(step.action, step.path or run.path_for(step), step.sentence)
                for step in steps
            )
            return
        try:
            for number, step in enumerate(steps, start=1):
                yield run.do(step)
                if number % NOTED_EVERY == 0:
                    memory.save()
        finally:
            memory.save()
        for _path in export_pictures(wiki, root):
            pass


class _Run:
    def __init__(
        self, wiki: Wiki, folder: Folder, memory: Memory, files: Mapping[str, str], author: Author
    ) -> None:
        self.wiki, self.folder, self.memory, self.author = wiki, folder, memory, author
        self.taken = {*files, *(entry.path for entry in memory.entries.values())}
        self.kind = (
            RevisionKind.IMPORT if author.kind == AuthorKind.MAINTENANCE else RevisionKind.EDIT
        )

    def do(self, step: Step) -> Synced:
        try:
            return self._done(step)
        except InvalidPage as error:
            return Synced(Action.LEAVE, step.path, " ".join(error.errors.values()))
        except (
            ChangedMeanwhile,
            EditConflict,
            PageGone,
            PageProtected,
            SlugTaken,
        ) as error:
            return Synced(Action.LEAVE, step.path, str(error))
        except OSError as error:
            return Synced(Action.LEAVE, step.path, f"It cannot be written: {error.strerror}.")

    def _done(self, step: Step) -> Synced:
        path, sentence = step.path, step.sentence
        match step.action:
            case Action.WRITE:
                path = self._write(step)
            case Action.REMOVE:
                self._remove(step)
            case Action.NOTE:
                self._note(step)
            case Action.CREATE:
                sentence = self._create(step)
            case Action.REVISE:
                path, sentence = self._revise(step)
            case Action.TRASH:
                self._trash(step)
            case Action.CONFLICT:
                sentence = sentence or self._show(step)
        return Synced(step.action, path, sentence)

    def _write(self, step: Step) -> str:
        assert step.page
        path = self.path_for(step)
        is_moved = bool(step.path) and path != step.path
        digest = self.folder.write(
            step.page, path, "" if is_moved or not step.path else step.seen, step.path
        )
        if is_moved:
            self.folder.remove(step.path, step.seen)
        self.folder.take_away_beside(path)
        self._keep(step.page, path, digest)
        return path

    def path_for(self, step: Step) -> str:
        if step.target or step.path:
            return step.target or step.path
        assert step.page
        path = self.folder.free_path(step.page, self.taken)
        self.taken.add(path)
        return path

    def _remove(self, step: Step) -> None:
        if step.seen:
            self.folder.remove(step.path, step.seen)
        self._forget(step.path)

    def _note(self, step: Step) -> None:
        assert step.page
        self.folder.take_away_beside(step.path)
        self._keep(step.page, step.path, step.seen, file=step.file)

    def _create(self, step: Step) -> str:
        assert step.file
        assert step.fields
        page = create_page(
            self.wiki,
            step.fields,
            Change(self.author, self.kind),
            slug=step.file.slug,
            front_matter=step.file.head.extra,
        )
        keep_dates(page, step.file.head)
        return self._brought_in(page, step.file, step)

    def _revise(self, step: Step) -> tuple[str, str]:
        assert step.page
        assert step.file
        assert step.fields
        page = revise_page(
            step.page,
            step.page.revision,
            step.fields,
            Change(self.author, self.kind),
            front_matter=step.file.head.extra,
        )
        sentence = self._brought_in(page, step.file, step)
        if not step.is_combined:
            return step.path, sentence
        return self._write(
            replace(step, action=Action.WRITE, page=Page.objects.get(pk=page.pk))
        ), sentence

    def _brought_in(self, page: Page, file: FileNow, step: Step) -> str:
        """Apply the changed marks of the file's head and return a sentence for a person."""
        page.wiki = self.wiki
        entry = self.memory.entries.get(page.pk)
        # What comes now may be refused; the text is in.
        self._keep(page, step.path, step.seen, entry.marks if entry else None, file)
        if questions := file.new_questions(entry):
            check_protection(page, Change(self.author, self.kind))
            keep_questions(page, questions.values(), author=self.author)
        if entry is None or entry.marks != file.marks():
            apply_status(page, file.head, self.author)
            page = Page.objects.get(pk=page.pk)
        self.folder.take_away_beside(step.path)
        self._keep(page, step.path, step.seen, file.marks(), file)
        sentences = list(file.left_out)
        if file.head.slug and file.slug != page.slug:
            sentences.append(
                f"The page keeps its address ({page.slug}); it is renamed in the wiki."
            )
        return " ".join(sentences)

    def _trash(self, step: Step) -> None:
        assert step.page
        trash_page(
            step.page,
            author=self.author,
            base_revision=step.page.revision,
            summary=f"{step.path} was removed",
        )
        self._forget(step.path)

    def _show(self, step: Step) -> str:
        assert step.page
        page = step.page
        beside = self.folder.show_beside(page, step.path)
        entry = self.memory.entries.setdefault(page.pk, Entry(step.path, page.revision, ""))
        entry.conflict = page.revision
        return (
            f"It was changed here and in the wiki. Bring {beside} into it, then remove that file."
        )

    def _keep(
        self,
        page: Page,
        path: str,
        digest: str,
        marks: list[str] | None = None,
        file: FileNow | None = None,
    ) -> None:
        """A question that only the file has is known too: the next run writes the file without
        it."""
        successor = page.replaced_by.slug if page.replaced_by else ""
        asked = sorted(
            {*page.asked_as.values_list("key", flat=True), *(file.questions if file else ())}
        )
        self.memory.entries[page.pk] = Entry(
            path, page.revision, digest, marks or [page.standing, successor], asked
        )

    def _forget(self, path: str) -> None:
        self.memory.entries = {
            key: entry for key, entry in self.memory.entries.items() if entry.path != path
        }
