"""Find the differences of two texts."""

from collections.abc import Iterator, Sequence

from wiki.comparison.classify import gather, judge_addition, judge_inflections, judge_pair, shorten
from wiki.comparison.difference import Difference, DifferenceKind, Text
from wiki.comparison.match_statements import match_passages, pair_alike
from wiki.comparison.statements import Passage, Statement, read_passages
from wiki.comparison.stemming import find_language
from wiki.comparison.titles import compare_titles
from wiki.comparison.tokenizer import TooLong

# Longer bodies than any page may have.
MAX_CHARACTERS = 300_000
# With more statements that differ, the first ones say enough.
MAX_SHOWN = 40


def find_differences(first: Text, second: Text) -> list[Difference]:
    """Return one difference per kind, gravest first; none if one text says all that the other does.

    The order of the texts only exchanges the sides of the answer.
    """
    if first > second:
        return [difference.turned() for difference in find_differences(second, first)]
    if first == second:
        return []
    language = find_language(*first, *second)
    return gather(_compare(first, second, language))


def _compare(first: Text, second: Text, language: str) -> Iterator[Difference]:
    yield from compare_titles(first, second, language)
    try:
        passages = [_read(text, language) for text in (first, second)]
    except TooLong:
        yield Difference(DifferenceKind.LENGTH, shorten(first.title), shorten(second.title))
        return
    yield from _compare_bodies(*passages)


def _read(text: Text, language: str) -> list[Passage]:
    if len(text.body) > MAX_CHARACTERS:
        raise TooLong
    return read_passages(text.body, text.title, language)


def _compare_bodies(first: Sequence[Passage], second: Sequence[Passage]) -> Iterator[Difference]:
    if _words(first) == _words(second):
        # Only the ends of sentences and paragraphs are elsewhere, if anything.
        yield from judge_inflections(_whole(first), _whole(second))
        return
    shared, left, right = match_passages(first, second)
    for pair in shared:
        yield from judge_inflections(*pair)
    if left and right:
        yield from _compare_left(left, right)
    else:
        yield from _judge_additions(left, right)


def _judge_additions(left: Sequence[Statement], right: Sequence[Statement]) -> Iterator[Difference]:
    yield from filter(None, map(judge_addition, left))
    yield from (found.turned() for found in map(judge_addition, right) if found)


def _compare_left(left: Sequence[Statement], right: Sequence[Statement]) -> Iterator[Difference]:
    """Compare statements that only one side has. As both have some, the texts differ."""
    alike = pair_alike(left[:MAX_SHOWN], right[:MAX_SHOWN])
    for pair in alike.pairs:
        yield from judge_pair(*pair)
    if (alike.left and alike.right) or not alike.pairs:
        yield from (
            Difference(DifferenceKind.STATEMENT, shorten(one.text), "") for one in alike.left
        )
        yield from (
            Difference(DifferenceKind.STATEMENT, "", shorten(other.text)) for other in alike.right
        )
    else:
        yield from _judge_additions(alike.left, alike.right)


def _words(statements: Sequence[Statement]) -> list[str]:
    return [token.key for statement in statements for token in statement.tokens]


def _whole(statements: Sequence[Statement]) -> Statement:
    tokens = [token for statement in statements for token in statement.tokens]
    return Statement(tokens, tail=statements[-1].tail if statements else ())
