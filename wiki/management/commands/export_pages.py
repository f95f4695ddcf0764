from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from wiki.files.import_export import export_folder
from wiki.files.page_file import find_files, is_markdown
from wiki.images.storage import find_uses
from wiki.management.wiki_argument import find_wiki_named
from wiki.models import Page


class Command(CoveyCommand):
    help = (
        "Writes every page of a wiki as a Markdown file, with its pictures; importing them "
        "again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, help="the folder to write to; it is made if it is missing"
        )
        parser.add_argument("--wiki", required=True, help="the wiki's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        wiki = find_wiki_named(options["wiki"])
        total = Page.objects.live().filter(wiki=wiki).count()
        written = export_folder(wiki, options["path"].expanduser())
        try:
            files = list(tqdm(written, total=total, unit="page", disable=None))
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be written: {error.strerror}.") from error
        others = set(find_files(options["path"].expanduser())) - {path.resolve() for path in files}
        if others:
            were = counted(len(others), "other Markdown file was", "other Markdown files were")
            self.stderr.write(f"{were} in {options['path']} already and left there.")
        pictures = {path.name for path in files if not is_markdown(path)}
        for name in sorted(find_uses(wiki).keys() - pictures):
            self.stderr.write(f"The picture {name} is on a page, but not there.")
        self.stdout.write(
            f"{wiki.slug}: {counted(len(files) - len(pictures), 'page')} written to "
            f"{options['path']}" + (f", {counted(len(pictures), 'picture')}" if pictures else "")
        )
