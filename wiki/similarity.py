"""A similarity in words and number, for people."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

# Below this two texts have nothing in common that a reader would see.
NOTHING_IN_COMMON = 0.05


def similarity_word(similarity: float) -> str:
    """The word for the number as it is shown, with two decimals."""
    shown = round(similarity, 2)
    if shown >= 0.93:
        return _("nearly the same")
    if shown >= 0.80:
        return _("very similar")
    if shown >= 0.60:
        return _("related")
    return _("loosely related")


def describe_similarity(similarity: float) -> str:
    """Such as “very similar 0.89”, the decimal sign by language."""
    # The format alone would cut off: a cosine of 0.88 in 32 bits is 0.8799999.
    return f"{similarity_word(similarity)} {number_format(round(similarity, 2), 2)}"
