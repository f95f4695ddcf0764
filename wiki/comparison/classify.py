"""Classify differences between words that correspond."""

from collections import Counter
from collections.abc import Iterator, Sequence

from wiki.comparison.antonyms import OPPOSITES, are_opposites
from wiki.comparison.difference import Difference, DifferenceKind
from wiki.comparison.lexicon import HONORIFICS, NEGATIONS, RESTRICTIONS
from wiki.comparison.statements import Statement
from wiki.comparison.tokenizer import Token
from wiki.comparison.word_alignment import MAX_CELLS, find_replaced

_K = DifferenceKind
_SHOWN = 160
# Words as far apart as this may be one that moved.
_NEARBY = 4


def judge_inflections(first: Statement, second: Statement) -> Iterator[Difference]:
    """Compare statements of the same words: their inflections and filling words."""
    before = ""
    yield from _find_moved(first.tokens, second.tokens)
    for one, other in zip(first.tokens, second.tokens, strict=True):
        yield from _judge_light(one.light, other.light, one.raw, other.raw)
        if _are_two_names(one, other, before):
            yield Difference(_K.NAME, one.raw, other.raw)
        before = one.raw.lower()
    yield from _judge_light(first.tail, second.tail, "", "")


def _judge_light(
    first: Sequence[str], second: Sequence[str], word: str, other: str
) -> Iterator[Difference]:
    """Compare filling words: one may be missing, but not another: "to Ina" and "for Ina"."""
    only_first = [light for light in first if light not in second]
    only_second = [light for light in second if light not in first]
    if only_first and only_second:
        yield Difference(_K.WORD, " ".join([*only_first, word]), " ".join([*only_second, other]))


def _find_moved(first: Sequence[Token], second: Sequence[Token]) -> Iterator[Difference]:
    """Find filling words that moved: "send Ina to Ole" and "send to Ina Ole"."""
    missing: dict[tuple[str, bool], int] = {}
    for place, (one, other) in enumerate(zip(first, second, strict=True)):
        for light in {*one.light} ^ {*other.light}:
            is_ours = light in one.light
            if place - missing.get((light, not is_ours), -_NEARBY) < _NEARBY:
                yield Difference(_K.DIRECTION, _around(first, place), _around(second, place))
            missing[light, is_ours] = place


def _around(tokens: Sequence[Token], place: int) -> str:
    near = tokens[max(place - _NEARBY, 0) : place + 1]
    return " ".join(word for token in near for word in (*token.light, token.raw))


def _are_two_names(one: Token, other: Token, before: str) -> bool:
    """Tell names from forms of one word: William and Williams. German nouns seldom differ in an s
    alone."""
    name, other_name = one.raw.lower(), other.raw.lower()
    if not one.kind == other.kind == _K.NAME or name == other_name:
        return False
    return before in HONORIFICS or name == f"{other_name}s" or other_name == f"{name}s"


def judge_pair(first: Statement, second: Statement) -> Iterator[Difference]:
    """Compare statements that correspond; they have at least one difference."""
    if first.key == second.key:
        yield _judge_moved(first, second)
    elif _keys(first) == _keys(second):
        yield Difference(_K.DIRECTION, shorten(first.text), shorten(second.text))
    elif len(first.tokens) * len(second.tokens) > MAX_CELLS:
        yield Difference(_K.LENGTH, shorten(first.text), shorten(second.text))
    else:
        for removed, added in find_replaced(first.tokens, second.tokens):
            yield from _judge_replaced(removed, added)


def judge_addition(addition: Statement) -> Difference | None:
    """Judge an additional statement: it differs if it may narrow another, or is no sentence."""
    if addition.is_fragment:
        return Difference(_K.STATEMENT, shorten(addition.text), "")
    narrows = any(
        token.key in RESTRICTIONS or token.raw.lower() in RESTRICTIONS for token in addition.tokens
    )
    return (
        Difference(_K.NEGATION, shorten(addition.text), "")
        if narrows and not addition.is_code
        else None
    )


def _judge_moved(first: Statement, second: Statement) -> Difference:
    where = [f"{side.where} › {side.text}" if side.where else side.text for side in (first, second)]
    return Difference(_K.DIRECTION, *map(shorten, where))


def _keys(statement: Statement) -> Counter[str]:
    return Counter(token.key for token in statement.tokens)


def _judge_replaced(removed: Sequence[Token], added: Sequence[Token]) -> Iterator[Difference]:
    if len(removed) == len(added):
        for one, other in zip(removed, added, strict=True):
            if one.key != other.key:
                yield Difference(_kind_of([one], [other]), one.raw, other.raw)
        return
    yield Difference(_kind_of(removed, added), _join(removed), _join(added))


def _kind_of(removed: Sequence[Token], added: Sequence[Token]) -> DifferenceKind:
    ours, theirs = {token.key for token in removed}, {token.key for token in added}
    if any(key in NEGATIONS for key in ours ^ theirs):
        return _K.NEGATION
    if any(are_opposites(one, other) for one in ours for other in theirs):
        return _K.DIRECTION if ours | theirs <= _DIRECTIONS else _K.OPPOSITE
    if not (removed and added) and (ours | theirs) & OPPOSITES.keys():
        return _K.OPPOSITE
    return min((token.kind for token in [*removed, *added]), key=lambda kind: kind.rank)


_DIRECTIONS = frozenset("from to into von nach zu an → ←".split())


def _join(tokens: Sequence[Token]) -> str:
    return shorten(" ".join(token.raw for token in tokens))


def shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…"


def gather(differences: Iterator[Difference]) -> list[Difference]:
    """Join the differences of each kind."""
    sides: dict[DifferenceKind, tuple[dict[str, None], dict[str, None]]] = {}
    for kind, first, second in differences:
        ours, theirs = sides.setdefault(kind, ({}, {}))
        ours.update({first: None} if first else {})
        theirs.update({second: None} if second else {})
    return [
        Difference(kind, _list(sides[kind][0]), _list(sides[kind][1]))
        for kind in sorted(sides, key=_rank)
    ]


def _rank(kind: DifferenceKind) -> int:
    return kind.rank


_LISTED = 8


def _list(sayings: dict[str, None]) -> str:
    listed = list(sayings)
    return ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
