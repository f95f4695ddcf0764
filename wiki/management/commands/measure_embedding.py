from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import CoveyCommand, counted
from embeddings.client import EmbeddingError, describe_provider
from embeddings.measurement import (
    STEPS,
    TYPICAL,
    Measurement,
    Unmeasurable,
    describe_duration,
    measure,
)
from wiki.indexing.counts import embedded_lengths


class Command(CoveyCommand):
    help = (
        "Measures this installation's embedding: ms per query, pages per second, and how long "
        "all pages would take."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--seconds", type=float, default=20, help="about how long to measure (default: 20)"
        )

    def handle(self, *args: Any, seconds: float, **options: Any) -> None:
        if not 0 < seconds <= 86_400:
            raise CommandError("--seconds is a number above 0 and up to 86400.")
        lengths = embedded_lengths()
        try:
            with tqdm(total=STEPS, unit="step", leave=False, disable=None) as bar:
                measurement = measure(seconds, bar.update)
        except (EmbeddingError, Unmeasurable) as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\n".join([*_findings(measurement), *_meaning(measurement, lengths)]))


def _findings(measurement: Measurement) -> list[str]:
    provider = describe_provider()
    lines = [f"{provider.fingerprint} {provider.address}".rstrip()]
    if measurement.waits:
        waits = (
            f"median {_milliseconds(measurement.median)}, 95 % within "
            f"{_milliseconds(measurement.p95)}"
        )
        lines.append(f"query    {waits} ({len(measurement.waits)} measured)")
    for speed in measurement.speeds:
        rate = f"{_pages(speed.pages_per_second)} a second"
        lines.append(
            f"{speed.name:<8} {rate}, of {speed.characters} characters, {speed.batch} at once"
        )
    return lines


def _meaning(measurement: Measurement, lengths: list[int]) -> list[str]:
    pages, characters = counted(len(lengths), "page"), counted(sum(lengths), "character")
    take = "takes" if len(lengths) == 1 else "take"
    thousand = f"1,000 pages take {describe_duration(measurement.estimate([TYPICAL] * 1000))}"
    search = (
        f"a search waits {_milliseconds(measurement.median)}."
        if measurement.waits
        else "a search does not wait for an answer as slow as this and goes by words alone."
    )
    return [
        f"This installation: {pages} with {characters} {take} "
        f"{describe_duration(measurement.estimate(lengths))}.",
        f"{thousand}; {search}",
    ]


def _number(value: float) -> str:
    """Three digits say all that such a measurement knows."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _pages(number: float) -> str:
    return f"{_number(number)} {'page' if _number(number) == '1' else 'pages'}"


def _milliseconds(seconds: float) -> str:
    return f"{_number(seconds * 1000)} ms" if seconds >= 0.0001 else "less than 0.1 ms"
