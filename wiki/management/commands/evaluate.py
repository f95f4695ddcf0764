import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from wiki.management.candidate_argument import add_candidate_arguments, trying
from wiki.management.wiki_argument import find_wiki_named
from wiki.models import Wiki
from wiki.recall.evaluation import (
    Case,
    Evaluation,
    Unusable,
    answer_case,
    find_unknown,
    marked_cases,
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
        "does not count for itself. Keeps no receipts. With --provider another provider is tried "
        "beside the active one: its vectors are kept, and a switch takes them over."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            nargs="?",
            help='lines of {"query": "…", "expected": "slug" or ["slug", …]}; without it, the '
            "pages that were marked as useful",
        )
        parser.add_argument("--wiki", required=True, help="the wiki's slug")
        parser.add_argument(
            "--mode", choices=[mode.value for mode in Mode], default=default_mode().value
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        add_candidate_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wiki, mode = find_wiki_named(options["wiki"]), Mode(options["mode"])
        cases = self._read(options["file"].expanduser()) if options["file"] else _marked(wiki)
        self._tell_unknown(wiki, unknown := find_unknown(wiki, cases))
        found = [_evaluate(wiki, cases, mode)]
        if options["provider"]:
            with trying(wiki, options):
                found.append(_evaluate(wiki, cases, mode))
        figures = [_figures(wiki, each, len(unknown)) for each in found]
        if options["json"]:
            names = ("live", "candidate")
            told = dict(zip(names, figures, strict=True)) if len(figures) > 1 else figures[0]
            self.stdout.write(json.dumps(told))
        else:
            self.stdout.write(_table(figures))

    def _tell_unknown(self, wiki: Wiki, unknown: list[str]) -> None:
        if unknown:
            more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
            counts = "it counts" if len(unknown) == 1 else "they count"
            self.stderr.write(
                f"No page of {wiki.slug} is {', '.join(unknown[:NAMED])}{more}; {counts} as not "
                f"found."
            )

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


def _marked(wiki: Wiki) -> list[Case]:
    cases = list(marked_cases(wiki))
    if not cases:
        raise CommandError(f"No page of {wiki.slug} is marked as useful yet: name a file.")
    return cases


def _evaluate(wiki: Wiki, cases: list[Case], mode: Mode) -> Evaluation:
    try:
        return sum_up(
            mode,
            [answer_case(wiki, case, mode) for case in tqdm(cases, unit="query", disable=None)],
        )
    except Unusable as error:
        raise CommandError(str(error)) from error


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
        "missed": found.missed,
    }


def _table(figures: list[dict[str, Any]]) -> str:
    """One column for each model."""
    first = figures[0]
    queries = counted(first["queries"], "query", "queries")
    models = " / ".join(each["model"] for each in figures)
    lines = [f"{queries} in {first['wiki']}, by {first['mode']}, {models}"]
    for name in ("recall@1", "recall@5", "recall@10", "mrr"):
        lines.append(f"{name:<10} " + "   ".join(f"{each[name]:.3f}" for each in figures))
    latencies = [each["latency_ms"] for each in figures]
    told = [f"{latency['median']} ms, p95 {latency['p95']} ms" for latency in latencies]
    lines.append(f"{'latency':<10} " + " / ".join(told))
    if len(figures) > 1:
        for each, other in (figures, figures[::-1]):
            lines += _missed_alone(each, other)
    return "\n".join(lines)


def _missed_alone(each: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Name the queries that one model misses among the first ten and the other does not."""
    alone = [query for query in each["missed"] if query not in other["missed"]]
    lines = [f"missed by {each['model']} alone: {len(alone)} of {len(each['missed'])}"]
    lines += [f"  {query[:80]}" for query in alone[:NAMED]]
    return [*lines, f"  and {len(alone) - NAMED} more"] if len(alone) > NAMED else lines
