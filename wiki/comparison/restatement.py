"""Tell whether a page says what a short text says, in other words.

Words alone cannot prove it, so everything that may tell two facts apart speaks against it: a number
or date that the page does not have, another name, a sentence that is the same but for a word or two
("production" for "staging"). What is left is measured by the words that both have. The bounds were
chosen on four facts in 31 wordings each (benchmarks/one_fact.py), the pairs of the comparison's
tests and notes about other things; docs/finding.md has the figures.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from wiki.comparison.difference import DifferenceKind, Text
from wiki.comparison.lexicon import RESTRICTIONS
from wiki.comparison.statements import Passage, read_passages
from wiki.comparison.stemming import find_language
from wiki.comparison.tokenizer import Token, TooLong
from wiki.text.stop_words import STOP_WORDS
from wiki.text.terms import find_words, is_stop

# Shared words, in relation to all words of both.
ENOUGH = 0.34
# The same where both name a number, or where a model says that they belong together.
ENOUGH_WITH_NUMBER = 0.20
ENOUGH_WITH_MEANING = 0.15
ENOUGH_WITH_BOTH = 0.10
# Words that two sentences of one fact have in common at least.
LEAST = 2
# What most blocks of a page say is what it is about, and the text must say half of it.
_MOST = 0.7
_HALF = 0.5
# Words; a sentence that differs in no more is about something else, or says something else of it.
_CHANGED = 2
# Longer texts say more than one thing.
MAX_TERMS = 60
MAX_CHARACTERS = 2_000

_DIGITS = re.compile(r"\d+")
_DATED = frozenset((DifferenceKind.DATE, DifferenceKind.TIME, DifferenceKind.NUMBER))
_MOVABLE = _DATED | {DifferenceKind.NAME}
# Say when something was learnt, not what.
_LOOSE = frozenset("one ein eine einen einem einer today now yesterday heute jetzt gestern".split())
# Introduce what is said, and are none of it.
_LABELS = frozenset(
    "? q a til note question answer remember reminder remark tip fix learned learnt turned "
    "frage antwort merke hinweis notiz tipp gelernt lösung problem".split()
)


class Likeness(NamedTuple):
    """How alike: `words` from 0 to 1; whether a number, name of a day or the like is shared."""

    words: float
    has_number: bool

    @property
    def is_enough(self) -> bool:
        return self.words >= (ENOUGH_WITH_NUMBER if self.has_number else ENOUGH)

    @property
    def is_enough_with_meaning(self) -> bool:
        """For texts of which a model says that they belong together."""
        return self.words >= (ENOUGH_WITH_BOTH if self.has_number else ENOUGH_WITH_MEANING)


class Wording:
    """A text, compared with pages; what is read of it is read once."""

    def __init__(self, title: str, text: str) -> None:
        self.text = text
        self.language = find_language(title, text) or "en"

    def find_likeness(self, page: Text) -> Likeness | None:
        """Compare with the passages of a page; None where it says something else, or it is not
        known."""
        blocks = read_blocks_of(page, self.language)
        if not blocks or not self.is_comparable:
            return None
        ours, best = self._read, max(blocks, key=self._overlap)
        has_number = bool(ours.firm & best.firm)
        shared = ours.terms & best.terms
        if len(shared) < LEAST and not (shared and has_number):
            return None
        if ours.firm - _union(block.firm for block in blocks if block.terms & shared):
            return None
        core = _find_core(blocks)
        if self._names_another(blocks) or self._leaves_out(core):
            return None
        if self._is_variation(blocks, core):
            return None
        return Likeness(self._overlap(best), has_number)

    @property
    def is_comparable(self) -> bool:
        """False for a text that says more than one thing, or nothing in words."""
        return self._block is not None and 0 < len(self._block.terms) <= MAX_TERMS

    @cached_property
    def _block(self) -> "Block | None":
        # What is said in steps, below headings or as code depends on their order.
        if len(self.text) > MAX_CHARACTERS:
            return None
        blocks = read_blocks_of(Text("", self.text), self.language)
        return blocks[0] if len(blocks) == 1 else None

    def _overlap(self, block: "Block") -> float:
        terms = self._read.terms
        return len(terms & block.terms) / max(len(terms | block.terms), 1)

    def _names_another(self, blocks: Sequence["Block"]) -> bool:
        """Both name somebody or something, and not the same."""
        ours, theirs = self._read.names, _union(block.names for block in blocks)
        return bool(ours and theirs) and not ours & theirs

    def _leaves_out(self, core: frozenset[str]) -> bool:
        """It does not say what most of the page says."""
        return len(core & self._read.keys) < _HALF * len(core)

    def _is_variation(self, blocks: Sequence["Block"], core: frozenset[str]) -> bool:
        """A block is the same sentence but for a word or two, or for a negation or restriction.
        Of a page that says it in several ways, only words count that most of them have."""
        known, ours = _union(block.keys for block in blocks), self._read.keys
        for block in blocks:
            added, left = ours - block.keys, block.keys - ours
            is_part = not added or not left
            if len(added) + len(left) > len(ours & block.keys) and not is_part:
                continue
            new, gone = added - known, left & core if core else left
            if not added and not left and (block.order == self._read.order or block.may_swap):
                # Filling words tell them apart ("from the board", "to the board"), or who does what
                # to whom.
                return True
            if (new | gone) & RESTRICTIONS and (is_part or not new - RESTRICTIONS):
                return True
            if new and gone and max(len(new), len(left)) <= _CHANGED:
                return True
        return False

    @property
    def _read(self) -> "Block":
        assert self._block is not None
        return self._block


class Block(NamedTuple):
    """`terms` by which it is found, `order` by which it is compared, `firm`: numbers and dates.

    Where words `may_swap`, sentences, names or numbers in another order say something else.
    """

    terms: frozenset[str]
    order: tuple[str, ...]
    firm: frozenset[str]
    names: frozenset[str]
    may_swap: bool

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self.order)


@lru_cache(maxsize=512)
def read_blocks_of(page: Text, language: str) -> tuple[Block, ...]:
    """Read each passage of a page; none of one that is too long for a request."""
    try:
        passages = read_passages(page.body, page.title, language)
    except TooLong:
        return ()
    return tuple(_read_block(passage, language) for passage in passages)


def _read_block(passage: Passage, language: str) -> Block:
    text = passage.read.text
    found = (word.terms[0][0] for word in find_words(text))
    firm = {digits.lstrip("0") or "0" for digits in _DIGITS.findall(text)}
    firm.update(token.key for token in passage.tokens if _is_dated(token))
    # Every German noun looks like a name.
    names = (
        ()
        if language == "de"
        else (token.key for token in passage.tokens if token.kind is DifferenceKind.NAME)
    )
    return Block(
        frozenset(term for term in found if not is_stop(term)),
        tuple(token.key for token in passage.tokens if _is_telling(token)),
        frozenset(firm),
        frozenset(names),
        len(passage.read.starts) > 1 or sum(token.kind in _MOVABLE for token in passage.tokens) > 1,
    )


def _find_core(blocks: Sequence[Block]) -> frozenset[str]:
    """What most blocks of a page say; nothing for a single one."""
    if len(blocks) < LEAST:
        return frozenset()
    counts = Counter(key for block in blocks for key in block.keys)
    return frozenset(key for key, count in counts.items() if count >= _MOST * len(blocks))


def _is_telling(token: Token) -> bool:
    word = token.raw.lower()
    return token.key in RESTRICTIONS or (word not in STOP_WORDS and word not in _LABELS)


def _is_dated(token: Token) -> bool:
    if token.kind not in _DATED or token.raw.lower() in _LOOSE:
        return False
    return not _DIGITS.search(token.key)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
