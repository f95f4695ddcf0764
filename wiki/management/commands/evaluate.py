import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from wiki.management.wiki_argument import find_wiki_named
from wiki.models import Wiki
from wiki.recall.evaluation import (
    Case,
    Evaluation,
    Unusable,
    answer_case,
    find_unknown,
    read_cases,
    sum_up,
)
from wiki.search.retrieval import Mode, default_mode

NAMED = 5


class Command(CoveyCommand):
    help = (
        "Says how well recall finds what it should: recall@1, 5 and 10 (the share of the expected "
        "pages among the "
        "first so many), the mean reciprocal rank within ten, and the latency. A question that a "
        "page is also asked as "
        "does not count for itself. Keeps no receipts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help='lines of {"query": "…", "expected": "slug" or ["slug", …]}'
        )
        parser.add_argument("--wiki", required=True, help="the wiki's slug")
        parser.add_argument(
            "--mode", choices=[mode.value for mode in Mode], default=default_mode().value
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        wiki, mode = find_wiki_named(options["wiki"]), Mode(options["mode"])
        cases = self._read(options["file"].expanduser())
        unknown = find_unknown(wiki, cases)
        try:
            answers = [
                answer_case(wiki, case, mode) for case in tqdm(cases, unit="query", disable=None)
            ]
        except Unusable as error:
            raise CommandError(str(error)) from error
        if unknown:
            more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
            counts = "it counts" if len(unknown) == 1 else "they count"
            self.stderr.write(
                f"No page of {wiki.slug} is {', '.join(unknown[:NAMED])}{more}; {counts} as not "
                f"found."
            )
        figures = _figures(wiki, sum_up(mode, answers), len(unknown))
        self.stdout.write(json.dumps(figures) if options["json"] else _table(figures))

    def _read(self, path: Path) -> list[Case]:
        try:
            with path.open(encoding="utf-8-sig") as file:
                cases = list(read_cases(file))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{path} is not UTF-8 (byte {error.start}).") from error
        except Unusable as error:
            raise CommandError(f"{path}: {error}") from error
        if not cases:
            raise CommandError(f"{path} has no line.")
        return cases


def _figures(wiki: Wiki, found: Evaluation, unknown: int) -> dict[str, Any]:
    return {
        "wiki": wiki.slug,
        "mode": found.mode.value,
        "model": found.model,
        "queries": found.queries,
        "unknown_pages": unknown,
        **{f"recall@{place}": round(share, 4) for place, share in found.recall_at.items()},
        "mrr": round(found.reciprocal_rank, 4),
        "latency_ms": {"median": round(found.median, 1), "p95": round(found.slowest_twentieth, 1)},
    }


def _table(figures: dict[str, Any]) -> str:
    latency = figures["latency_ms"]
    queries = counted(figures["queries"], "query", "queries")
    head = f"{queries} in {figures['wiki']}, by {figures['mode']}, {figures['model']}"
    shares = [
        f"{name:<10} {figures[name]:.3f}" for name in ("recall@1", "recall@5", "recall@10", "mrr")
    ]
    return "\n".join(
        [head, *shares, f"{'latency':<10} {latency['median']} ms, p95 {latency['p95']} ms"]
    )
