"""Whether two titles denote the same."""

from collections.abc import Iterator

from wiki.comparison.difference import Difference, DifferenceKind, Text
from wiki.comparison.tokenizer import read_tokens


def judge_titles(first: Text, second: Text, language: str) -> Iterator[Difference]:
    """Forms of a word count here: "mount" and "mounts" may be two commands. A missing title says
    nothing."""
    one, other = title_words(first.title, language), title_words(second.title, language)
    if one and other and one != other:
        yield Difference(DifferenceKind.TITLE, first.title, second.title)


def title_words(title: str, language: str) -> list[str]:
    """What a title says, to compare it with others."""
    tokens = read_tokens(title, language).tokens
    if not tokens:
        return title.lower().split()
    return [
        token.key if token.kind is DifferenceKind.CODE else token.raw.lower() for token in tokens
    ]
