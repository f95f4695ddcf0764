"""Comparing texts comes to an end, whatever they are made of."""

import random

import pytest

from wiki.text.bounded_difflib import MAX_LOOKS, BoundedMatcher, Effort


def test_an_addition_to_a_long_page_costs_nothing() -> None:
    effort, lines = Effort(), [f"line {number}" for number in range(2000)]
    blocks = BoundedMatcher(None, lines, [*lines, "more"], False, effort).get_matching_blocks()
    assert blocks == [(0, 0, 2000), (2000, 2001, 0)]
    assert effort.left == MAX_LOOKS


@pytest.mark.parametrize("looks", [0, 3, 30, MAX_LOOKS])
def test_matches_are_true_and_in_order_however_little_effort_there_is(looks: int) -> None:
    chance = random.Random(looks)
    for _ in range(300):
        a, b = ([chance.choice("abc") for _ in range(chance.randrange(12))] for _ in range(2))
        matcher = BoundedMatcher(None, a, b, False, Effort(looks))
        rebuilt: list[str] = []
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            assert (tag == "equal") == (a[i1:i2] == b[j1:j2])
            rebuilt += a[i1:i2] if tag == "equal" else b[j1:j2]
        assert rebuilt == b
