"""The similarities within a wiki: the meaning of a threshold depends on the model."""

from dataclasses import asdict, dataclass

import numpy as np

from wiki.models import MaintenanceRun, Wiki
from wiki.search.all_pairs import Vectors
from wiki.search.thresholds import append_from, merge_from

# Pages that are compared with each other; 500,000 pairs.
SAMPLE = 1_000
# With fewer pairs a share says nothing.
MIN_PAIRS = 1_000
# A threshold above which more of all pairs lie tells nothing apart.
TOO_MANY = 0.01
BINS, LOWEST = 44, -0.1
_PERCENTILES = (50, 90, 99, 99.9)


@dataclass(frozen=True)
class Spread:
    """Of sampled pairs: percentiles of their similarity, the shares from the two thresholds on, and
    how many lie in each of `BINS` equal steps from `LOWEST` to 1."""

    pairs: int
    percentiles: dict[str, float]
    above_append: float
    above_merge: float
    bins: list[int]

    @property
    def is_telling(self) -> bool:
        return self.pairs >= MIN_PAIRS

    @property
    def misfits(self) -> list[str]:
        """The settings that do not fit the model: too many of all pairs lie above them."""
        shares = {
            "COVEY_APPEND_THRESHOLD": self.above_append,
            "COVEY_MERGE_THRESHOLD": self.above_merge,
        }
        return [name for name, share in shares.items() if self.is_telling and share > TOO_MANY]


def measure_spread(vectors: Vectors) -> Spread:
    """Of the pairs of a sample of these pages, always the same for the same pages."""
    chosen = vectors
    if len(vectors) > SAMPLE:
        chosen = vectors[np.random.default_rng(1).choice(len(vectors), SAMPLE, replace=False)]
    similarities = (chosen @ chosen.T)[np.triu_indices(len(chosen), k=1)]
    if not len(similarities):
        return Spread(0, {}, 0.0, 0.0, [0] * BINS)
    points = np.percentile(similarities, _PERCENTILES)
    counts, _edges = np.histogram(
        np.clip(similarities, LOWEST, 1.0), bins=BINS, range=(LOWEST, 1.0)
    )
    return Spread(
        pairs=len(similarities),
        percentiles={
            str(name): round(float(point), 3)
            for name, point in zip(_PERCENTILES, points, strict=True)
        },
        above_append=float((similarities >= append_from()).mean()),
        above_merge=float((similarities >= merge_from()).mean()),
        bins=[int(count) for count in counts],
    )


def to_json(spread: Spread) -> dict[str, object]:
    return asdict(spread)


def last_spread(wiki: Wiki, fingerprint: str) -> Spread | None:
    """As the last run with this model measured it."""
    runs = (
        MaintenanceRun.objects.filter(wiki=wiki, fingerprint=fingerprint)
        .exclude(spread={})
        .order_by("-id")
    )
    found = runs.values_list("spread", flat=True).first()
    return Spread(**found) if found else None
