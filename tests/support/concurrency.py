"""Work that several threads do at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection


def at_once(count: int, threads: int, work: Callable[[int], object]) -> list[object]:
    """What `work` answers for 0 to `count` - 1, each thread with a connection of its own."""

    def run(number: int) -> object:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(count)))
