from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.commands import CoveyCommand
from wiki.files import find_files, import_folder
from wiki.tokens import InvalidName, ensure_wiki


class Command(CoveyCommand):
    help = "Imports a folder of Markdown files into a wiki; what has not changed is left alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder, read with all below it, or one file")
        parser.add_argument("--wiki", required=True, help="the wiki's slug; it is made if it is missing")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"].expanduser().resolve()
        if not path.exists():
            raise CommandError(f"{path} does not exist.")
        folder, files = (path, find_files(path)) if path.is_dir() else (path.parent, [path])
        if not files:
            raise CommandError(f"There is no Markdown file (.md) in {path}.")
        try:
            wiki = ensure_wiki(options["wiki"])
        except InvalidName as error:
            raise CommandError(str(error)) from error
        counts: Counter[str] = Counter()
        for file in tqdm(import_folder(wiki, folder, files), total=len(files), unit="page", disable=None):
            counts[file.outcome] += 1
            if file.problem:
                tqdm.write(f"skipped {file.path.relative_to(folder)}: {file.problem}", file=self.stderr)
        self.stdout.write(
            f"{wiki.slug}: {counts['created']} created, {counts['changed']} changed, "
            f"{counts['unchanged']} unchanged, {counts['skipped']} skipped"
        )
        if counts["skipped"]:
            raise SystemExit(1)
