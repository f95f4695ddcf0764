"""Tell near texts that say the same from those that only look alike, by rules about text alone.

Everything but spelling, layout, inflection and filling words is a difference. In doubt there is
one: that costs a proposal instead of knowledge. An additional sentence that takes nothing back is
none, since merging keeps it.
"""

from wiki.comparison.compare import find_differences
from wiki.comparison.difference import Difference, DifferenceKind, Text

__all__ = ["Difference", "DifferenceKind", "Text", "find_differences"]
