from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from wiki.accounts.wikis import WikiRefused, ensure_wiki
from wiki.files.import_export import import_folder
from wiki.files.page_file import find_files, is_markdown


class Command(CoveyCommand):
    help = (
        "Imports a folder of Markdown files and the pictures they show; what has not changed is "
        "left alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder, read with all below it, or one file")
        parser.add_argument(
            "--wiki", required=True, help="the wiki's slug; it is made if it is missing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"].expanduser().resolve()
        if not path.exists():
            raise CommandError(f"{path} does not exist.")
        folder = path if path.is_dir() else path.parent
        files = find_files(path) if path.is_dir() else [path] if is_markdown(path) else []
        if not files:
            raise CommandError(f"There is no Markdown file (.md) in {path}.")
        try:
            wiki, is_new = ensure_wiki(options["wiki"])
        except WikiRefused as error:
            raise CommandError(str(error)) from error
        if is_new:
            self.stderr.write(f"The wiki “{wiki.slug}” was made.")
        counts: Counter[str] = Counter()
        for file in tqdm(
            import_folder(wiki, folder, files), total=len(files), unit="page", disable=None
        ):
            counts[file.outcome] += 1
            counts["left out"] += len(file.left_out)
            counts["masked"] += bool(file.removed)
            for sentence in file.notes:
                self._tell(f"{file.path.relative_to(folder)}: {sentence}")
            for sentence in file.left_out:
                self._tell(f"left out of {file.path.relative_to(folder)}: {sentence}")
            if file.removed:
                what = ", ".join(file.removed)
                self._tell(f"secrets removed from {file.path.relative_to(folder)}: {what}")
            if file.problem:
                self._tell(f"skipped {file.path.relative_to(folder)}: {file.problem}")
        self.stdout.write(
            f"{wiki.slug}: {counts['created']} created, {counts['changed']} changed, "
            f"{counts['unchanged']} unchanged, {counts['skipped']} skipped"
            + (f", {counts['trashed']} left in the trash" if counts["trashed"] else "")
            + (f", {counts['masked']} with secrets removed" if counts["masked"] else "")
            + (f", {counted(counts['left out'], 'picture')} left out" if counts["left out"] else "")
        )
        if counts["skipped"] or counts["left out"]:
            raise SystemExit(1)

    def _tell(self, line: str) -> None:
        """Print beside the bar. tqdm's own way would end a line that Django ends already."""
        with tqdm.external_write_mode(file=self.stderr):
            self.stderr.write(line)
