"""Whether two texts that are near each other say the same, or only look alike. Rules about text
alone.

A difference is whatever distinguishes things in places that correspond, and everything that is
neither spelling, layout, inflection nor filling words: in doubt a difference, which costs a
proposal instead of knowledge. What one side merely says in addition, in a sentence of its own that
takes nothing back, is none: merging keeps it.
"""

from wiki.comparison.compare import find_differences
from wiki.comparison.difference import Difference, DifferenceKind, Text

__all__ = ["Difference", "DifferenceKind", "Text", "find_differences"]
