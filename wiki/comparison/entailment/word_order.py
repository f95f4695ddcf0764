"""Compare statements of the same words in another order.

Three ways to turn a sentence leave its meaning alone: a subordinate clause before or after the main
one, a date or time at the beginning or later, and the German verb that comes first behind either.
Everything else may say who does what to whom, and is a difference.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from wiki.comparison.classify import judge_inflections
from wiki.comparison.difference import DifferenceKind
from wiki.comparison.lexicon import CONJUNCTIONS, DATES, RESTRICTIONS
from wiki.comparison.statements import Statement
from wiki.comparison.tokenizer import Token, tokenize

_PREPOSITIONS = frozenset(
    "on at in every each since from um am im jeden jede jedes an seit ab".split()
)
_REPEATED = frozenset(
    "daily weekly monthly yearly hourly täglich wöchentlich monatlich jährlich stündlich".split()
)
_DIRECTED = frozenset("to for of für".split())
_SEVERAL = re.compile(r"[,;:](?=\s)|\b(?:and|or|then|but|und|oder|dann|aber)\b", re.IGNORECASE)
_MAX_TOKENS = 60
# So far behind the beginning stands a verb that comes first when something is put before it.
_VERB_PLACE = 6

Tokens = Sequence[Token]


def is_same_statement(
    first: Statement, second: Statement, language: str, is_attributed: bool = False
) -> bool:
    """Compare statements of the same words; of an attributed one the attribution was removed."""
    if first.key == second.key:
        return not any(judge_inflections(first, second))
    if first.is_code or second.is_code or len(first.tokens) > _MAX_TOKENS:
        return False
    if _directed(first) != _directed(second):
        return False
    return any(
        _equal(one, other, language, is_attributed or is_turned or was_turned)
        for one, is_turned in _turned(first, language)
        for other, was_turned in _turned(second, language)
    ) or _is_dated(first, second, language)


def _equal(first: Tokens, second: Tokens, language: str, may_invert: bool) -> bool:
    one, other = _keys(first), _keys(second)
    return one == other or (
        may_invert and language == "de" and (_inverted(one, other) or _inverted(other, one))
    )


def _inverted(verb_first: list[str], straight: list[str]) -> bool:
    """Compare "Verwirft der Proxy große Antworten" and "der Proxy verwirft große Antworten"."""
    verb, rest = verb_first[0], verb_first[1:]
    return any(
        straight[place] == verb and [*straight[:place], *straight[place + 1 :]] == rest
        for place in range(1, min(_VERB_PLACE, len(straight)))
    )


def _turned(statement: Statement, language: str) -> Iterator[tuple[Tokens, bool]]:
    """Yield the tokens as they stand, and with a subordinate first clause at the end."""
    tokens = statement.tokens
    yield tokens, False
    head, comma, tail = statement.text.partition(", ")
    if comma and ", " not in tail and tokens[0].raw.lower() in CONJUNCTIONS:
        count = len(tokenize(head, language).tokens)
        yield [*tokens[count:], *tokens[:count]], True


def _is_dated(first: Statement, second: Statement, language: str) -> bool:
    texts = (first.text, second.text)
    if any(map(_SEVERAL.search, texts)) or any(_restricts(token) for token in first.tokens):
        return False
    return _date_moved(first.tokens, second.tokens, language) or _date_moved(
        second.tokens, first.tokens, language
    )


def _date_moved(dated: Tokens, other: Tokens, language: str) -> bool:
    length = 0
    while length < len(dated) and (_is_date(dated[length]) or dated[length].key in _PREPOSITIONS):
        length += 1
    phrase = _keys(dated[:length])
    if not any(map(_is_date, dated[:length])) or length == len(dated):
        return False
    keys = _keys(other)
    return any(
        keys[place : place + length] == phrase
        and _equal(dated[length:], [*other[:place], *other[place + length :]], language, True)
        for place in range(1, len(keys) - length + 1)
    )


def _is_date(token: Token) -> bool:
    return (
        token.kind in (DifferenceKind.DATE, DifferenceKind.TIME)
        or token.key in DATES
        or token.raw.lower() in DATES | _REPEATED
    )


def _restricts(token: Token) -> bool:
    return token.key in RESTRICTIONS or token.raw.lower() in RESTRICTIONS


def _directed(statement: Statement) -> Counter[tuple[str, ...]]:
    """Count the tokens with the filling words of direction before them."""
    return Counter(
        (token.key, *(light for light in token.light if light in _DIRECTED))
        for token in statement.tokens
    )


def _keys(tokens: Tokens) -> list[str]:
    return [token.key for token in tokens]
