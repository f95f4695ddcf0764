from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.base_command import CoveyCommand, counted
from wiki.merging.maintenance import Outcome, Report, maintain
from wiki.search.similarity import describe_similarity
from wiki.tasks import queue_maintenance


class Command(CoveyCommand):
    help = (
        "Looks for pages that are nearly the same: merges those that differ in no fact, proposes "
        "the others. "
        "Queued for the worker, or here with --now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="look here and wait for it")
        parser.add_argument(
            "--dry-run", action="store_true", help="only say what would be done, and change nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["now"] and not options["dry_run"]:
            queue_maintenance()
            self.stdout.write("The maintenance run is queued for the worker.")
            return
        reports = maintain(is_dry=options["dry_run"])
        if reports is None:
            raise CommandError("A maintenance run is under way. Try again when it has ended.")
        if not reports:
            self.stdout.write("No page has changed since the last run.")
        for report in reports:
            self._tell(report, is_dry=options["dry_run"])

    def _tell(self, report: Report, *, is_dry: bool) -> None:
        run, would = report.run, "would be " if is_dry else ""
        self.stdout.write(
            f"{run.wiki.slug}: {counted(run.compared, 'page')} compared, "
            f"{run.merged} {would}merged, {run.proposed} {would}proposed."
        )
        for outcome in report.outcomes:
            self.stdout.write(f"  {_line(outcome)}")


def _line(outcome: Outcome) -> str:
    assert outcome.pages
    first, second = outcome.pages
    similarity = (
        describe_similarity(outcome.pair.similarity) if outcome.pair.similarity is not None else ""
    )
    done = (
        "merge"
        if outcome.is_merged
        else f"propose ({outcome.reason.label if outcome.reason else ''})"
    )
    return f"{done}: {first.slug} ~ {second.slug} {similarity}".rstrip()
