"""A similarity in words and number, for people."""

from math import floor

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from wiki.search.thresholds import ROUNDING, append_from, merge_from, related_from


def two_decimals(similarity: float) -> float:
    """Never up: 0.929 is below a threshold of 0.93, and would seem to reach it as 0.93."""
    return floor((similarity + ROUNDING) * 100) / 100


def similarity_word(similarity: float) -> str:
    """The word for the number as it is shown, with two decimals."""
    shown = two_decimals(similarity)
    if shown >= merge_from():
        return _("nearly the same")
    if shown >= append_from():
        return _("very similar")
    if shown >= related_from():
        return _("related")
    return _("loosely related")


def describe_similarity(similarity: float) -> str:
    """Such as “very similar 0.89”, the decimal sign by language."""
    return f"{similarity_word(similarity)} {number_format(two_decimals(similarity), 2)}"
