from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from wiki.indexing.reindex import (
    embed_everything_anew,
    is_work_left,
    measure_progress,
    resume,
    work_off,
)
from wiki.tasks import queue_reembed

# After each stretch the bar moves on.
STRETCH_SECONDS = 1.0


class Command(CoveyCommand):
    help = (
        "Embeds stale pages: queued for the worker, or here with --now. Also goes on after the "
        "run had given up."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="embed here and wait for it")
        parser.add_argument(
            "--all", action="store_true", help="embed every page anew, not only stale ones"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["all"]:
            embed_everything_anew()
        left = _count_left()
        if not is_work_left():
            self.stdout.write("Every page is embedded with the active model.")
        elif options["now"]:
            self._embed_here(left)
        else:
            queue_reembed()
            self.stdout.write(
                f"{counted(left, 'stale page is', 'stale pages are')} queued for the worker."
            )

    def _embed_here(self, left: int) -> None:
        resume()
        with tqdm(total=left, unit="page", disable=None) as bar:
            while work_off(STRETCH_SECONDS):
                bar.update(left - bar.n - _count_left())
        if is_work_left():
            run = measure_progress().run
            why = f"{run.error} {run.remedy}".strip() or "The worker is embedding at this moment."
            raise CommandError(
                f"{counted(_count_left(), 'page is', 'pages are')} still stale. {why}"
            )
        self.stdout.write(f"{counted(left, 'page')} embedded.")


def _count_left() -> int:
    return measure_progress().left
