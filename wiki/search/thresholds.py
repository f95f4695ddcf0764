"""From which cosine on two texts count as related, near or the same. Two bounds are settings, the
others follow them, and whatever names or compares a similarity asks here."""

from django.conf import settings

# Below this a reader sees nothing in common.
NOTHING_IN_COMMON = 0.05
# A line on the map, and the word "related".
_RELATED = 0.60
# Two pages that people should look at; nothing is merged for it.
_SUSPECTED = 0.88
# Pages that differ in a word or two.
_SAME = 0.98
# Stored vectors are 32-bit: a cosine of exactly 0.80 may come back as 0.7999999.
ROUNDING = 1e-6


def related_from() -> float:
    return min(_RELATED, append_from())


def append_from() -> float:
    """An insight belongs to a page."""
    return float(settings.COVEY_APPEND_THRESHOLD)


def suspect_from() -> float:
    """Two pages are a pair that is looked at."""
    return min(_SUSPECTED, merge_from())


def merge_from() -> float:
    """Two pages may become one without anybody being asked."""
    return float(settings.COVEY_MERGE_THRESHOLD)


def same_from() -> float:
    return max(_SAME, merge_from())


def reaches(similarity: float | None, threshold: float) -> bool:
    return similarity is not None and similarity >= threshold - ROUNDING
