"""A similarity in words and number, for people."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def similarity_word(similarity: float) -> str:
    if similarity >= 0.93:
        return _("nearly the same")
    if similarity >= 0.80:
        return _("very similar")
    if similarity >= 0.60:
        return _("related")
    return _("loosely related")


def describe_similarity(similarity: float) -> str:
    """Such as “very similar 0.89”, the decimal sign by language."""
    return f"{similarity_word(similarity)} {number_format(similarity, 2)}"
