"""Measure the speed of this installation: seconds per query, and pages embedded per second."""

import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from embeddings.client import EmbeddingError, embed_in_bulk, embed_query
from embeddings.text import MAX_CHARACTERS, Document

TYPICAL = 1500
LENGTHS = {"short": 200, "typical": TYPICAL, "long": MAX_CHARACTERS}
BATCHES = (1, 8, 32)
QUERY_CHARACTERS = 60
MOST_QUERIES = 200
# Warm-up, queries, and one per length.
STEPS = 2 + len(LENGTHS)

# From how many seconds on a unit is used, and its seconds.
UNITS = (
    (3600 * 48, 86_400, "days"),
    (7200, 3600, "hours"),
    (120, 60, "minutes"),
    (2, 1, "seconds"),
)

# Half German, half English; random letters mislead, because models count pieces of words.
WORDS = (
    "Wenn die nächtliche Sicherung mit einem Fehler endet, prüft man zuerst den freien Platz auf "
    "dem Server und danach "
    "das Protokoll der letzten Ausführung. Ein abgelaufenes Zertifikat erkennt man an der Meldung "
    "im Browser; es wird "
    "auf dem Verteiler erneuert, nicht auf jedem einzelnen Rechner. The build server keeps only "
    "the last twenty "
    "artefacts, so an older release must be built again from its tag. Restart the worker after "
    "every change of its "
    "configuration, and wait until the queue is empty before you upgrade the database to a new "
    "major version. "
).split()


class Unmeasurable(Exception):
    """The service refuses the measured texts; the message says why."""


@dataclass(frozen=True)
class Speed:
    """Seconds for a page of this many characters, in batches of the fastest size."""

    name: str
    characters: int
    batch: int
    seconds: float

    @property
    def pages_per_second(self) -> float:
        return 1 / self.seconds


@dataclass
class Measurement:
    """`waits` are the seconds of each query; empty for a service too slow for a search."""

    waits: list[float] = field(default_factory=list)
    speeds: list[Speed] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.waits)

    @property
    def p95(self) -> float:
        return float(np.percentile(self.waits, 95))

    def estimate(self, lengths: Iterable[int]) -> float:
        """Interpolate the seconds for pages of these lengths."""
        known = [speed.characters for speed in self.speeds]
        seconds = [speed.seconds for speed in self.speeds]
        return float(np.interp(list(lengths), known, seconds).sum())


def describe_duration(seconds: float) -> str:
    """For people, in the largest unit that has two of them."""
    for least, unit, name in UNITS:
        if seconds >= least:
            return f"about {seconds / unit:,.0f} {name}"
    return "about 1 second" if seconds >= 1 else "less than a second"


def measure(seconds: float, on_step: Callable[[], object]) -> Measurement:
    """Measure for about this long, but each length at least once.

    Calls `on_step` after each of STEPS steps. Raises EmbeddingError or Unmeasurable.
    """
    share = seconds / (STEPS - 1)
    texts = _Texts()
    # Unlike a query, this waits until the model is loaded.
    _embed(texts, LENGTHS["short"], 1)
    on_step()
    measurement = Measurement(_measure_queries(texts, share))
    on_step()
    for name, characters in LENGTHS.items():
        measurement.speeds.append(_measure_pages(texts, name, characters, share))
        on_step()
    return measurement


class _Texts:
    """The same texts at each run, none twice, because services cache."""

    def __init__(self) -> None:
        self._chance = random.Random(8495)

    def make(self, characters: int) -> str:
        text = ""
        while len(text) < characters:
            text += " ".join(self._chance.sample(WORDS, len(WORDS))) + " "
        return text[: characters - 1] + "."


def _measure_queries(texts: _Texts, share: float) -> list[float]:
    waits: list[float] = []
    end = time.perf_counter() + share
    while not waits or (time.perf_counter() < end and len(waits) < MOST_QUERIES):
        query = texts.make(QUERY_CHARACTERS)
        begun = time.perf_counter()
        try:
            embed_query(query)
        except EmbeddingError as error:
            if error.permanent:
                raise
            return []
        waits.append(time.perf_counter() - begun)
    return waits


def _measure_pages(texts: _Texts, name: str, characters: int, share: float) -> Speed:
    best = Speed(name, characters, 0, float("inf"))
    for batch in BATCHES:
        # One batch of this size would take longer than the whole share.
        if best.batch and best.seconds * batch > share:
            break
        taken: list[float] = []
        while not taken or sum(taken) < share / len(BATCHES):
            taken.append(_embed(texts, characters, batch))
        needed = sum(taken) / len(taken) / batch
        if needed < best.seconds:
            best = Speed(name, characters, batch, needed)
    return best


def _embed(texts: _Texts, characters: int, batch: int) -> float:
    """Return the seconds for one batch."""
    documents = [Document("", texts.make(characters)) for _ in range(batch)]
    begun = time.perf_counter()
    for result in embed_in_bulk(documents):
        if result.vector is None:
            raise Unmeasurable(f"A text of {characters} characters got no vector: {result.error}")
    return time.perf_counter() - begun
