from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from embeddings.client import active_fingerprint
from wiki.indexing.reindex import (
    Tally,
    embed_everything_anew,
    is_work_left,
    measure_progress,
    resume,
    retry_failures,
    work_off,
)
from wiki.indexing.vector_sets import count_kept, drop_vectors
from wiki.models import Page
from wiki.tasks import queue_reembed

# After each stretch the bar moves on.
STRETCH_SECONDS = 1.0

# Failures that are named; the embedding page of the admin lists more.
NAMED = 5


class Command(CoveyCommand):
    help = (
        "Embeds stale pages: queued for the worker, or here with --now. Also goes on after the "
        "run had given up. With --now the exit status is 1 if a page failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="embed here and wait for it")
        parser.add_argument(
            "--all", action="store_true", help="embed every page anew, not only stale ones"
        )
        parser.add_argument(
            "--failed",
            action="store_true",
            help="try pages again that failed with the active model",
        )

        parser.add_argument(
            "--drop-kept",
            action="store_true",
            help="delete the vectors of other models, kept for a switch to them or back, and "
            "embed nothing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["drop_kept"]:
            self._drop_kept()
            return
        if options["all"]:
            embed_everything_anew()
        elif options["failed"]:
            retry_failures()
        left = _count_left()
        if not is_work_left():
            self.stdout.write(_name_failures() or "Every page is embedded with the active model.")
        elif options["now"]:
            self._embed_here(left)
        else:
            queue_reembed()
            self.stdout.write(
                f"{counted(left, 'stale page is', 'stale pages are')} queued for the worker."
            )

    def _drop_kept(self) -> None:
        sets = count_kept()
        for fingerprint, count in sets.items():
            drop_vectors(fingerprint)
            self.stdout.write(f"{counted(count, 'vector')} of {fingerprint} dropped.")
        if not sets:
            self.stdout.write("No vectors of other models are kept.")

    def _embed_here(self, left: int) -> None:
        resume()
        tally = Tally()
        with tqdm(total=left, unit="page", disable=None) as bar:
            while work_off(STRETCH_SECONDS, tally):
                bar.update(left - bar.n - _count_left())
        done = _describe(tally)
        if is_work_left():
            run = measure_progress().run
            why = f"{run.error} {run.remedy}".strip() or "The worker is embedding at this moment."
            raise CommandError(
                f"{counted(_count_left(), 'page is', 'pages are')} still stale; {done} {why}"
            )
        self.stdout.write(done)
        if tally.failed:
            raise SystemExit(1)
        if earlier := _name_failures():
            self.stdout.write(earlier)


def _describe(tally: Tally) -> str:
    adopted = f", {tally.adopted:,} had a kept vector" if tally.adopted else ""
    if tally.failed:
        failed = f"{len(tally.failed):,} failed: {_shorten(tally.failed)}"
        return f"{tally.embedded:,} embedded{adopted}, {failed}."
    return f"{counted(tally.embedded, 'page')} embedded{adopted}."


def _count_left() -> int:
    return measure_progress().left


def _name_failures() -> str:
    """Name the pages that failed with the active model and are not tried by themselves."""
    failed = Page.objects.failed(active_fingerprint()).order_by("-updated_at", "-id")
    titles = list(failed.values_list("title", flat=True))
    if not titles:
        return ""
    count = counted(len(titles), "page has", "pages have")
    return f"{count} failed earlier: {_shorten(titles)}. --failed tries again."


def _shorten(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
