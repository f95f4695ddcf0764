from typing import Any

from django.core.management.base import CommandParser

from covey.base_command import CoveyCommand
from covey.supervisor import Supervisor


class Command(CoveyCommand):
    help = "Runs covey: database, worker and web server. Ctrl-C or SIGTERM stops all of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")
        text = "look after the worker alone, as in a container"
        parser.add_argument("--only-worker", action="store_true", help=text)
        text = "run the semantic service (serve_embeddings) as well"
        parser.add_argument("--semantic", action="store_true", help=text)

    def handle(
        self, *args: Any, no_demo: bool, only_worker: bool, semantic: bool, **options: Any
    ) -> None:
        Supervisor(demo=not no_demo, only_worker=only_worker, semantic=semantic).run()
