from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.backup import BackupFailed, restore_backup
from covey.base_command import CoveyCommand


class Command(CoveyCommand):
    help = "Brings a file of `backup` back into a COVEY_DATA_DIR in which nothing is yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            restore_backup(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            "Brought back. Start covey with `up`, which also brings older tables up to date."
        )
