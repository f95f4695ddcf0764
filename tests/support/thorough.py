"""How much a sweep tries: a tenth by day, all of it under COVEY_THOROUGH=1 (`make thorough`)."""

import gc
import os
import time
from collections.abc import Callable, Iterable
from itertools import product
from typing import TypeVar

IS_THOROUGH = os.environ.get("TESTS_ARE_THOROUGH", "") not in ("", "0")
# Shorter times are those of the machine, not of the code.
LEAST_SECONDS = 0.03
A, B = TypeVar("A"), TypeVar("B")


def share_of(count: int) -> int:
    return count if IS_THOROUGH else max(1, count // 10)


def pairs(ones: Iterable[A], others: Iterable[B]) -> list[tuple[A, B]]:
    """Each with each; by day as few as have each of both at least once."""
    firsts, seconds = list(ones), list(others)
    if IS_THOROUGH:
        return list(product(firsts, seconds))
    count = max(len(firsts), len(seconds))
    return [
        (firsts[number % len(firsts)], seconds[number % len(seconds)]) for number in range(count)
    ]


def assert_grows_linearly(work: Callable[[int], object], size: int) -> None:
    """For twice the size the work takes less than three times as long (quadratic work takes four
    times).

    Of both the quickest of up to five runs counts, in seconds of this thread: other processes do
    not matter.
    """
    one = other = float("inf")
    for _ in range(5):
        one, other = min(one, _seconds(work, size)), min(other, _seconds(work, 2 * size))
        if other < 3 * max(one, LEAST_SECONDS):
            return
    raise AssertionError(f"{size}: {one:.3f} s, {2 * size}: {other:.3f} s")


def _seconds(work: Callable[[int], object], size: int) -> float:
    # A full collection goes through all that the tests before left, however small the work is.
    gc.disable()
    try:
        begun = time.thread_time()
        work(size)
        return time.thread_time() - begun
    finally:
        gc.enable()
