"""Distributions as pictures, drawn on the server."""

from dataclasses import dataclass
from math import log1p

from embeddings.client import active_fingerprint
from wiki.models import Wiki
from wiki.search.similarity_distribution import BINS, LOWEST, Spread, last_spread
from wiki.search.thresholds import append_from, merge_from


@dataclass(frozen=True)
class Plot:
    """The distribution of similarities as bars: place and height in a picture of 100 by 40."""

    spread: Spread
    bars: list[tuple[float, float, float]]
    marks: list[tuple[float, float]]

    @property
    def width(self) -> float:
        return 100 / BINS

    @property
    def percentile_50(self) -> float:
        return self.spread.percentiles["50"]

    @property
    def percentile_99(self) -> float:
        return self.spread.percentiles["99"]

    @property
    def above_append(self) -> float:
        return self.spread.above_append * 100

    @property
    def above_merge(self) -> float:
        return self.spread.above_merge * 100


def draw_spread(wiki: Wiki) -> Plot | None:
    spread = last_spread(wiki, active_fingerprint())
    if spread is None or not spread.pairs:
        return None
    # Rare pairs matter most, so the heights are those of logarithms.
    top = log1p(max(spread.bins))
    heights = [round(38 * log1p(count) / top, 2) for count in spread.bins]
    bars = [
        (round(number * 100 / BINS, 2), round(40 - height, 2), height)
        for number, height in enumerate(heights)
    ]
    thresholds = (append_from(), merge_from())
    marks = [(value, round((value - LOWEST) / (1 - LOWEST) * 100, 2)) for value in thresholds]
    return Plot(spread, bars, marks)
