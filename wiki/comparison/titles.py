"""Compare two titles."""

from collections.abc import Iterator

from wiki.comparison.difference import Difference, DifferenceKind, Text
from wiki.comparison.tokenizer import tokenize


def compare_titles(first: Text, second: Text, language: str) -> Iterator[Difference]:
    """Compare titles by the exact words: "mount" and "mounts" may be two commands."""
    one, other = title_words(first.title, language), title_words(second.title, language)
    if one and other and one != other:
        yield Difference(DifferenceKind.TITLE, first.title, second.title)


def title_words(title: str, language: str) -> list[str]:
    """Return the words of a title for a comparison."""
    tokens = tokenize(title, language).tokens
    if not tokens:
        return title.lower().split()
    return [
        token.key if token.kind is DifferenceKind.CODE else token.raw.lower() for token in tokens
    ]
