"""Every pattern and every function that reads a text, in runs of every sign that means something to
one of them. Both are found by themselves, so that a new one is tried too."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from functools import partial
from types import ModuleType
from typing import Any, get_type_hints

import pytest

import covey
import embeddings
import wiki
from tests.support.thorough import IS_THOROUGH, assert_grows_linearly
from wiki.markdown.insight_block import insight_block
from wiki.merging.combine_texts import unite_texts

SIGNS = [
    *" \t\n\r:[]()<>*_#-=~|/\\.,;!?'\"`{}+&@%^$aA0ä中\u0301\u200b\u2028",
    *(" \n", "\n ", ":::\n", "[[", "](", "**", "- \n", "| ", "\n> ", "<!--", "a ", "a-", "a. "),
    *("a\n", "A1", "1,", "a=", "a@", "a/", "![", "[!a", ">[", "$$", "%%", "==", "a'", ". ", "1."),
]
FRAMES = ["{}x", "x\n{}x", "{}\n", "({}"]
SIZE = 8_000 if IS_THOROUGH else 1_000
# What is about something else than a text of somebody's, or is not to be imported twice.
NOT_READ = ("migrations", "e5", "local_server", "setup_snippets.client")


def _modules() -> Iterator[ModuleType]:
    for package in (wiki, embeddings, covey):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part in module.name for part in NOT_READ):
                yield importlib.import_module(module.name)


def _patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        yield from _patterns_in([*value.values()], depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _patterns_in(item, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.startswith(("wiki.", "covey.")):
        yield from _patterns_in([*vars(value).values()], depth - 1)


def _find_patterns() -> dict[str, re.Pattern[Any]]:
    return {
        f"{pattern.pattern!r:.60} {pattern.flags}": pattern
        for module in _modules()
        for value in vars(module).values()
        for pattern in _patterns_in(value, 4)
    }


def _reads_texts(function: Callable[..., Any]) -> int:
    """How many texts a function takes; 0 if it needs something else too."""
    with suppress(Exception):
        hints = get_type_hints(function)
        needed = [
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.default is parameter.empty
        ]
        return len(needed) if all(hints.get(name) is str for name in needed) else 0
    return 0


def _find_readers() -> dict[str, Callable[[str], object]]:
    readers: dict[str, Callable[[str], object]] = {
        "insight_block": lambda text: insight_block(text, text, date(2026, 12, 1), text),
        "unite_texts": lambda text: unite_texts(text, f"{text}a", "Title", date(2026, 12, 1)),
    }
    for module in _modules():
        if module.__name__.startswith(
            ("wiki.text", "wiki.markdown", "wiki.redaction", "wiki.comparison")
        ):
            for name, function in vars(module).items():
                own = inspect.isfunction(function) and function.__module__ == module.__name__
                if own and not name.startswith("_") and (count := _reads_texts(function)):
                    readers[f"{module.__name__}.{name}"] = partial(_call, function, count)
    return readers


def _call(function: Callable[..., object], count: int, text: str) -> None:
    # A text that is refused took its time too.
    with suppress(Exception):
        function(text, *[text[:-1]] * (count - 1))


def _repeat(sign: str, frame: str, size: int) -> str:
    return frame.format(sign * (size // len(sign)))


PATTERNS, READERS = _find_patterns(), _find_readers()


def test_patterns_and_readers_are_found() -> None:
    assert len(PATTERNS) > 150
    assert len(READERS) > 50


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_linear_time(name: str) -> None:
    pattern = PATTERNS[name]
    for sign in SIGNS:

        def match(size: int, sign: str = sign) -> None:
            for frame in FRAMES:
                text = _repeat(sign, frame, size)
                pattern.match(text if isinstance(pattern.pattern, str) else text.encode())

        assert_grows_linearly(match, SIZE)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_linear_time(name: str) -> None:
    for sign in SIGNS:

        def read(size: int, sign: str = sign) -> None:
            for frame in FRAMES if IS_THOROUGH else FRAMES[:2]:
                READERS[name](_repeat(sign, frame, size))

        assert_grows_linearly(read, SIZE)
