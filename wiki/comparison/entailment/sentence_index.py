"""Index the sentences of texts by their words in any order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from wiki.comparison import Text
from wiki.comparison.difference import DifferenceKind
from wiki.comparison.entailment.attribution_phrases import Keys, is_attribution_word, narrows
from wiki.comparison.entailment.normalise import DIGITS, REPLACED, spell_alike
from wiki.comparison.statements import SEPARATOR, Statement, points_back, read_passages
from wiki.comparison.tokenizer import Token, tokenize

_NO_DIGITS: dict[str, str] = {}
# Attributions stand in the first part of a sentence; its words are looked for behind this share,
_PROBED_FROM = 0.4
# and at least so many of the last.
_PROBED = 4
# Characters.
_SHORTEST_PROBE = 3
_LONGEST_PROBE = 40
_SPELLED_ONE_WAY = frozenset(
    (DifferenceKind.IDENTIFIER, DifferenceKind.ADDRESS, DifferenceKind.PATH, DifferenceKind.VERSION)
)
# Words; so long a title is a statement.
_SENTENCE = 4


class Sentence(NamedTuple):
    """A sentence and its context: headings, the line that introduces it, the step before.

    `probes` are beginnings of words on every page with the sentence; only an insight's has them.
    """

    statement: Statement
    context: tuple[Keys, ...]
    probes: tuple[str, ...] = ()


@dataclass
class PageIndex:
    """The sentences of a page. `above` is its title if that narrows all of it: "Never do this".

    `taken_back` has, by sentence, those behind it that take it back: "That is no longer true."
    """

    title: Keys
    above: tuple[Keys, ...] = ()
    taken_back: dict[Keys, set[Keys]] = field(default_factory=lambda: defaultdict(set))
    said: dict[Keys, list[Sentence]] = field(default_factory=lambda: defaultdict(list))

    def add(self, said: Sentence) -> None:
        keys = keys_of(said.statement.tokens)
        self.said[tuple(sorted(keys))].append(said)
        if said.context and narrows(keys) and points_back(said.statement.tokens):
            self.taken_back[said.context[-1]].add(keys)

    def find(self, statement: Statement) -> Sequence[Sentence]:
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
    return keys_of(_with_digits(tokenize(spell_alike(title), language).tokens, language))


def read_sentences(body: str, title: str, language: str) -> Iterator[Sentence]:
    """Yield the sentences of a text. Raises TooLong."""
    for passage in read_passages(spell_alike(body), title, language):
        for sentence in passage.sentences():
            said = _sentence(sentence, language)
            yield said._replace(probes=tuple(_probes(said.statement.tokens, language)))


def read_page(page: Text, language: str) -> PageIndex:
    """Index the sentences and whole blocks of a page, as another text may divide them elsewhere.

    Raises TooLong.
    """
    place = PageIndex(read_title(page.title, language))
    title = tokenize(spell_alike(page.title), language).tokens
    if len(title) >= _SENTENCE:
        place.add(_sentence(Statement(title, text=page.title), language))
    is_repeated = False
    for passage in read_passages(spell_alike(page.body), page.title, language):
        sentences = list(passage.sentences())
        is_repeated = is_repeated or keys_of(passage.tokens)[: len(place.title)] == place.title
        for statement in sentences if len(sentences) < 2 else [passage, *sentences]:
            place.add(_sentence(statement, language))
    # A page made of an insight repeats its first sentence as the title, which narrows nothing else.
    if narrows(place.title) and not is_repeated:
        place.above = (place.title,)
    return place


def _sentence(statement: Statement, language: str) -> Sentence:
    tokens = _with_digits(statement.tokens, language)
    digits = DIGITS.get(language, _NO_DIGITS)
    context = tuple(
        tuple(digits.get(key, key) for key in above.split(SEPARATOR)) for above in statement.context
    )
    own = Statement(tokens, text=statement.text, tail=statement.tail, is_code=statement.is_code)
    return Sentence(own, context)


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
            is_on_the_page = token.raw.lower() not in REPLACED and not is_attribution_word(
                token.key, language
            )
            if len(probe) >= _SHORTEST_PROBE and is_on_the_page:
                yield probe
