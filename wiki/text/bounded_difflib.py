"""difflib with a bound: two texts of few different lines or words would take it minutes."""

from collections.abc import Callable, Sequence
from difflib import Match, SequenceMatcher

# Comparisons of two equal pieces: under a second. A page of prose rewritten from its first word to
# its last takes nine million.
MAX_LOOKS = 10_000_000


class Effort:
    """A budget of looks, shared by several comparisons."""

    def __init__(self, looks: int = MAX_LOOKS) -> None:
        self.left = looks

    def spend(self, looks: int) -> bool:
        self.left -= looks
        return self.left >= 0


class BoundedMatcher(SequenceMatcher[str]):
    """Find fewer matches when the effort is spent, never wrong ones.

    A common beginning and end are set aside: of a long page most changes concern a few lines.
    """

    def __init__(
        self,
        isjunk: Callable[[str], bool] | None,
        a: Sequence[str],
        b: Sequence[str],
        autojunk: bool = True,
        effort: Effort | None = None,
    ) -> None:
        self.head = count_common(a, b)
        self.tail = count_common(a[self.head :][::-1], b[self.head :][::-1])
        self.ends = len(a) - self.tail, len(b) - self.tail
        self.effort, self.pieces = effort or Effort(), a[self.head : self.ends[0]]
        super().__init__(isjunk, self.pieces, b[self.head : self.ends[1]], autojunk)

    def get_matching_blocks(self) -> list[Match]:
        between = [
            Match(self.head + i, self.head + j, size)
            for i, j, size in super().get_matching_blocks()
            if size
        ]
        blocks = [Match(0, 0, self.head), *between, Match(*self.ends, self.tail)]
        end = self.ends[0] + self.tail, self.ends[1] + self.tail
        return [*(block for block in blocks if block.size), Match(*end, 0)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        places: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]
        pieces = self.pieces[alo:ahi] if self.effort.left > 0 else ()
        if pieces and self.effort.spend(
            len(pieces) + sum(len(places.get(piece, ())) for piece in pieces)
        ):
            return super().find_longest_match(alo, ahi, blo, bhi)
        return Match(alo, blo, 0)


def count_common(a: Sequence[str], b: Sequence[str]) -> int:
    """Count the equal pieces at the beginning of both."""
    return next(
        (number for number, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
        min(len(a), len(b)),
    )
