from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from covey.preparation import prepare


class Command(BaseCommand):
    help = (
        "Migrates the database, makes the first admin and a demo wiki, collects static files (part of `up`)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")

    def handle(self, *args: Any, no_demo: bool, **options: Any) -> None:
        try:
            prepare(demo=not no_demo, out=self.stdout)
        except CommandError:
            raise
        except Error as error:
            raise CommandError(f"The database refuses: {error}") from error
