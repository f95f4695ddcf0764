"""From which cosine on two texts count as related, near or the same. Two bounds are settings, the
others follow them, and whatever names or compares a similarity asks here.

The same number means something else in each model: the two bounds are raised to what the
calibration of the active one advises (wiki/indexing/calibration.py), and with `auto` lowered too.
A number that somebody has set stands.
"""

from collections.abc import Callable

from django.conf import settings

from covey.environment import Auto, Default
from wiki.indexing.calibration import active_calibration

# Below this a reader sees nothing in common.
NOTHING_IN_COMMON = 0.05
# A line on the map, and the word "related".
_RELATED = 0.60
_CLOSER = 0.2
# Two pages that people should look at; nothing is merged for it.
_SUSPECTED = 0.88
# Pages that differ in a word or two.
_SAME = 0.98
# Stored vectors are 32-bit: a cosine of exactly 0.80 may come back as 0.7999999.
ROUNDING = 1e-6


def related_from() -> float:
    """Above all that the active model gives to texts that have nothing to do with each other."""
    calibration = active_calibration()
    apart = calibration.apart if calibration else None
    return min(max(_RELATED, apart or 0.0), append_from())


def append_from() -> float:
    """An insight belongs to a page."""
    return _demand(settings.COVEY_APPEND_THRESHOLD)


def restates_from() -> float | None:
    """Two texts that share words say the same thing: a fifth of the way from where texts belong
    together up to 1. None for a model that was not calibrated, such as builtin, which sees nothing
    but words."""
    advised = advised_from()
    return None if advised is None else advised + _CLOSER * (1 - advised)


def suspect_from() -> float:
    """Two pages are a pair that is looked at."""
    return min(max(_SUSPECTED, advised_from() or 0.0), merge_from())


def merge_from() -> float:
    """Two pages may become one without anybody being asked."""
    return _demand(settings.COVEY_MERGE_THRESHOLD)


def same_from() -> float:
    return max(_SAME, merge_from())


# The settings, and the bound that comes of each.
BOUNDS: dict[str, Callable[[], float]] = {
    "COVEY_APPEND_THRESHOLD": append_from,
    "COVEY_MERGE_THRESHOLD": merge_from,
}


def advised_from() -> float | None:
    """From where on texts belong together, by the calibration; None without one."""
    calibration = active_calibration()
    return calibration.advised if calibration else None


def is_settled() -> bool:
    """False while the bound for filing waits for a calibration."""
    if not isinstance(settings.COVEY_APPEND_THRESHOLD, Default):
        return True
    calibration = active_calibration()
    return calibration is None or calibration.advised is not None


def _demand(setting: float) -> float:
    advised = advised_from()
    if advised is None or not isinstance(setting, Default):
        return float(setting)
    return advised if isinstance(setting, Auto) else max(float(setting), advised)


def reaches(similarity: float | None, threshold: float) -> bool:
    return similarity is not None and similarity >= threshold - ROUNDING
