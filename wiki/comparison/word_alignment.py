"""Align the words of two sentences."""

from collections.abc import Iterator, Sequence

from wiki.comparison.tokenizer import Token
from wiki.text.bounded_difflib import count_common

# Two sentences with more cells than this are not compared word by word.
MAX_CELLS = 250_000

Replaced = tuple[Sequence[Token], Sequence[Token]]


def find_replaced(first: Sequence[Token], second: Sequence[Token]) -> Iterator[Replaced]:
    """Yield the runs of tokens that differ, side by side."""
    keys, others = [token.key for token in first], [token.key for token in second]
    head = count_common(keys, others)
    tail = count_common(keys[head:][::-1], others[head:][::-1])
    left, right = first[head : len(first) - tail], second[head : len(second) - tail]
    if not left or not right or len(left) * len(right) > MAX_CELLS:
        if left or right:
            yield left, right
        return
    i = j = 0
    for next_i, next_j in [*_matches(left, right), (len(left), len(right))]:
        if next_i > i or next_j > j:
            yield left[i:next_i], right[j:next_j]
        i, j = next_i + 1, next_j + 1


def _matches(first: Sequence[Token], second: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield a longest common subsequence, by the table of lengths: its time does not depend on the
    words."""
    keys, others = [token.key for token in first], [token.key for token in second]
    table = [[0] * (len(others) + 1)]
    for key in reversed(keys):
        below, row = table[-1], [0] * (len(others) + 1)
        for j in range(len(others) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if key == others[j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    i = j = 0
    while i < len(keys) and j < len(others):
        if keys[i] == others[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
