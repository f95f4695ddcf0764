"""Texts as sentences that can be looked up by their words, whatever their order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from wiki.comparison import Text
from wiki.comparison.difference import DifferenceKind
from wiki.comparison.entailment.attribution_phrases import Keys, is_dress_word
from wiki.comparison.entailment.normalise import DIGITS, REPLACED, spell_alike
from wiki.comparison.lexicon import RESTRICTIONS
from wiki.comparison.statements import Statement, points_back, read_passages
from wiki.comparison.tokenizer import Token, read_tokens

_SEPARATOR = "\x1f"
_NO_DIGITS: dict[str, str] = {}
# Dress stands in the first part of a sentence, so its words are looked for from here on; at least
# the last four.
_PROBED_FROM, _PROBED = 0.4, 4
_SHORTEST_PROBE, _LONGEST_PROBE = 3, 40
_SPELLED_ONE_WAY = frozenset(
    (DifferenceKind.IDENTIFIER, DifferenceKind.ADDRESS, DifferenceKind.PATH, DifferenceKind.VERSION)
)
# A title of so many words says something.
_SENTENCE = 4


class Said(NamedTuple):
    """A sentence and what it holds under: headings, the line that introduces it, the step before.

    `probes`: beginnings of words that a page with this sentence has; only of what is looked for.
    """

    statement: Statement
    context: tuple[Keys, ...]
    probes: tuple[str, ...] = ()


@dataclass
class Place:
    """A page to find sentences on. `above` is its title where that narrows all of it: "Never do
    this".

    `taken_back` has, by sentence, those behind it that take it back: "That is no longer true."
    """

    title: Keys
    above: tuple[Keys, ...] = ()
    taken_back: dict[Keys, set[Keys]] = field(default_factory=lambda: defaultdict(set))
    said: dict[Keys, list[Said]] = field(default_factory=lambda: defaultdict(list))

    def add(self, said: Said) -> None:
        keys = keys_of(said.statement.tokens)
        self.said[tuple(sorted(keys))].append(said)
        if said.context and narrows(keys) and points_back(said.statement.tokens):
            self.taken_back[said.context[-1]].add(keys)

    def find(self, statement: Statement) -> Sequence[Said]:
        return self.said.get(tuple(sorted(keys_of(statement.tokens))), ())


def keys_of(tokens: Sequence[Token]) -> Keys:
    return tuple(token.key for token in tokens)


def cut(statement: Statement, start: int, end: int) -> Statement:
    if start == 0 and end == len(statement.tokens):
        return statement
    tail = statement.tail if end == len(statement.tokens) else ()
    return Statement(
        statement.tokens[start:end], tail=tail, text=statement.text, is_code=statement.is_code
    )


@lru_cache(maxsize=256)
def read_title(title: str, language: str) -> Keys:
    return keys_of(_with_digits(read_tokens(spell_alike(title), language).tokens, language))


def read_said(body: str, title: str, language: str) -> Iterator[Said]:
    """The sentences of a text. Raises TooLong."""
    for passage in read_passages(spell_alike(body), title, language):
        for sentence in passage.sentences():
            said = _said(sentence, language)
            yield said._replace(probes=tuple(_probes(said.statement.tokens, language)))


def read_page(page: Text, language: str) -> Place:
    """Its sentences, and its blocks as a whole: another text may divide them elsewhere. Raises
    TooLong."""
    place = Place(read_title(page.title, language))
    title = read_tokens(spell_alike(page.title), language).tokens
    if len(title) >= _SENTENCE:
        place.add(_said(Statement(title, text=page.title), language))
    is_repeated = False
    for passage in read_passages(spell_alike(page.body), page.title, language):
        sentences = list(passage.sentences())
        is_repeated = is_repeated or keys_of(passage.tokens)[: len(place.title)] == place.title
        for statement in sentences if len(sentences) < 2 else [passage, *sentences]:
            place.add(_said(statement, language))
    # Of a page that an insight became the title is its first sentence, and narrows nothing else.
    if narrows(place.title) and not is_repeated:
        place.above = (place.title,)
    return place


def narrows(keys: Sequence[str]) -> bool:
    return any(key.lower() in RESTRICTIONS for key in keys)


def _said(statement: Statement, language: str) -> Said:
    tokens = _with_digits(statement.tokens, language)
    digits = DIGITS.get(language, _NO_DIGITS)
    context = tuple(
        tuple(digits.get(key, key) for key in above.split(_SEPARATOR))
        for above in statement.context
    )
    own = Statement(tokens, text=statement.text, tail=statement.tail, is_code=statement.is_code)
    return Said(own, context)


def _with_digits(tokens: Sequence[Token], language: str) -> list[Token]:
    digits = DIGITS.get(language, _NO_DIGITS)
    return [
        token._replace(key=digits[token.key]) if token.key in digits else token for token in tokens
    ]


def _probes(tokens: Sequence[Token], language: str) -> Iterator[str]:
    for token in tokens[min(int(len(tokens) * _PROBED_FROM), max(len(tokens) - _PROBED, 0)) :]:
        if token.kind in _SPELLED_ONE_WAY:
            yield token.raw.lower()[:_LONGEST_PROBE]
        elif token.kind in (DifferenceKind.WORD, DifferenceKind.NAME) and token.key.isalpha():
            # Of "policies" the stem is "policy".
            probe = token.key.lower()[:-1]
            is_on_the_page = token.raw.lower() not in REPLACED and not is_dress_word(
                token.key, language
            )
            if len(probe) >= _SHORTEST_PROBE and is_on_the_page:
                yield probe
