from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.backup import BackupFailed, create_backup
from covey.base_command import CoveyCommand


class Command(CoveyCommand):
    help = "Writes the whole installation (database, pictures, secret key) into one file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            create_backup(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"The backup is in {file}. Keep your .env beside it: its settings and keys are not in "
            f"there."
        )
