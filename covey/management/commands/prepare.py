from typing import Any

from django.core.management.base import CommandParser

from covey.base_command import CoveyCommand
from covey.bootstrap import prepare


class Command(CoveyCommand):
    help = (
        "Migrates the database, makes the first admin and a demo wiki, collects static files "
        "(part of `up`)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")

    def handle(self, *args: Any, no_demo: bool, **options: Any) -> None:
        prepare(demo=not no_demo, out=self.stdout)
