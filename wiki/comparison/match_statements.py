"""Match the statements of two texts in any order."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from wiki.comparison.statements import Passage, Statement

S = TypeVar("S", bound=Statement)
# Words of a statement, the rarest, by which it is looked up.
_RAREST = 4
# Statements that are tried for each of these words.
_CANDIDATES = 20
# Share of common words below which statements do not correspond.
_ALIKE = 0.3


class Matched(NamedTuple):
    pairs: list[tuple[Statement, Statement]]
    left: list[Statement]
    right: list[Statement]


def match_passages(first: Sequence[Passage], second: Sequence[Passage]) -> Matched:
    """Match whole passages, then sentences: both may be divided in other ways."""
    whole, left, right = _match(first, second)
    said = [
        {sentence.identity for passage in side for sentence in _parts(passage)}
        for side in (first, second)
    ]
    parts, left_parts, right_parts = _match(_sentences(left), _sentences(right))
    pairs = [*whole, *parts]
    if left_parts and right_parts:
        return Matched(pairs, left_parts, right_parts)
    # What one text merely says once more than the other is nothing new.
    return Matched(
        pairs,
        [part for part in left_parts if part.identity not in said[1]],
        [part for part in right_parts if part.identity not in said[0]],
    )


def _parts(passage: Passage) -> Iterator[Statement]:
    yield passage
    yield from passage.sentences()


def _sentences(passages: Iterable[Passage]) -> list[Statement]:
    return [sentence for passage in passages for sentence in passage.sentences()]


def _match(first: Sequence[S], second: Sequence[S]) -> tuple[list[tuple[S, S]], list[S], list[S]]:
    places: dict[object, list[S]] = defaultdict(list)
    for statement in reversed(second):
        places[statement.identity].append(statement)
    pairs, left = [], []
    for statement in first:
        if same := places.get(statement.identity):
            pairs.append((statement, same.pop()))
        else:
            left.append(statement)
    taken = {id(other) for _, other in pairs}
    return pairs, left, [statement for statement in second if id(statement) not in taken]


def pair_alike(left: Sequence[Statement], right: Sequence[Statement]) -> Matched:
    """Pair statements by common words, the most alike first. It serves display alone."""
    index = _index(right)
    scored = sorted(
        (
            (-_likeness(one, right[j]), i, j)
            for i, one in enumerate(left)
            for j in _candidates(one, index)
        )
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in scored:
        if -score >= _ALIKE and i not in partner and j not in taken:
            partner[i] = j
            taken.add(j)
    return Matched(
        [(left[i], right[j]) for i, j in sorted(partner.items())],
        [one for i, one in enumerate(left) if i not in partner],
        [other for j, other in enumerate(right) if j not in taken],
    )


def _index(statements: Sequence[Statement]) -> dict[str, list[int]]:
    index: dict[str, list[int]] = defaultdict(list)
    for number, statement in enumerate(statements):
        for key in {token.key for token in statement.tokens}:
            index[key].append(number)
    return index


def _candidates(statement: Statement, index: dict[str, list[int]]) -> set[int]:
    places = sorted(
        (index[key] for key in {token.key for token in statement.tokens} if key in index), key=_size
    )
    return {number for found in places[:_RAREST] for number in found[:_CANDIDATES]}


def _size(found: list[int]) -> tuple[int, list[int]]:
    return len(found), found


def _likeness(first: Statement, second: Statement) -> float:
    """Return the share of common words (Dice)."""
    one, other = (Counter(token.key for token in statement.tokens) for statement in (first, second))
    return 2 * (one & other).total() / (one.total() + other.total())
