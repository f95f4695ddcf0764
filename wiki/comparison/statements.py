"""Read a text as statements, block by block and sentence by sentence, each with its context."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from wiki.comparison.block_splitter import Block, BlockKind, read_blocks
from wiki.comparison.difference import DifferenceKind
from wiki.comparison.lexicon import CASES, POINTERS, POINTING_VERBS
from wiki.comparison.titles import title_words
from wiki.comparison.tokenizer import MAX_TOKENS, Token, Tokens, TooLong, tokenize

# Words; a shorter sentence says nothing without the one before it.
FRAGMENT = 3
# Words; a paragraph of no more, without a full stop, is a label of the next block.
LABEL = 3
SEPARATOR = "\x1f"
_ARTICLES = frozenset(" ".join(CASES).split())


@dataclass
class Statement:
    """Tokens and their context: headings, the line that introduces them, the step before.

    Statements of equal `key` and `context` say the same. `where` and `text` are for display.
    """

    tokens: list[Token]
    context: tuple[str, ...] = ()
    where: str = ""
    text: str = ""
    tail: tuple[str, ...] = ()
    is_code: bool = False
    is_fragment: bool = False
    key: str = field(init=False)

    def __post_init__(self) -> None:
        self.key = key_of(self.tokens)

    @property
    def identity(self) -> tuple[str, tuple[str, ...]]:
        return self.key, self.context


@dataclass
class Passage(Statement):
    """A block as one statement, and its sentences."""

    read: Tokens = field(kw_only=True)

    def sentences(self) -> Iterator[Statement]:
        previous, before, starts = "", "", self.read.starts
        for start, end in zip(starts, [*starts[1:], len(self.tokens)], strict=True):
            tokens, text = self.tokens[start:end], cut_text(self.read, start, end)
            is_fragment = start > 0 and len(tokens) < FRAGMENT
            depends = start > 0 and (
                is_fragment or start in self.read.unended or points_back(tokens)
            )
            context = (*self.context, previous) if depends else self.context
            tail = self.tail if end == len(self.tokens) else ()
            yield Statement(
                tokens,
                context,
                before if depends else self.where,
                text,
                tail,
                self.is_code,
                is_fragment,
            )
            previous, before = key_of(tokens), text


def cut_text(read: Tokens, start: int, end: int) -> str:
    """Return the text of some tokens in one line."""
    text = read.text[read.tokens[start].begin : read.tokens[end - 1].end]
    return " ".join(text.split()).lstrip(".,:;!?) ")


def key_of(tokens: list[Token]) -> str:
    return SEPARATOR.join(token.key for token in tokens)


def points_back(tokens: list[Token]) -> bool:
    """Tell whether a sentence begins with a pronoun or the like."""
    words = [*tokens[0].light, tokens[0].raw.lower()]
    first = next(word for word in words if word not in _ARTICLES or word == words[-1])
    return first in POINTERS or first in POINTING_VERBS


def read_passages(body: str, title: str, language: str) -> list[Passage]:
    """Return the blocks of a text, without a heading equal to the title. Raises TooLong."""
    reader, repeated = _Passages(), title_words(title, language)
    count = 0
    for number, block in enumerate(read_blocks(body)):
        read = _read(block, language)
        count += len(read.tokens)
        if count > MAX_TOKENS:
            raise TooLong
        if block.kind is BlockKind.EDGE:
            reader.cross(block)
        elif not read.tokens:
            continue
        elif (
            number > 0
            or block.kind is not BlockKind.HEADING
            or title_words(block.text, language) != repeated
        ):
            reader.take(block, read)
    return reader.passages


# Insights are added to a page below blocks that were read for the one before.
_read_short = lru_cache(maxsize=1024)(tokenize)
_SHORT = 1_000


def _read(block: Block, language: str) -> Tokens:
    if block.kind is not BlockKind.CODE:
        read = _read_short if len(block.text) <= _SHORT else tokenize
        return read(block.text, language)
    lines, end = [], 0
    for line in block.lines:
        lines.append(Token(DifferenceKind.CODE, f"`{line}", line.strip(), (), end, end + len(line)))
        end += len(line) + 1
    return Tokens(lines, [0], frozenset(), (), block.text)


class _Passages:
    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.headings: list[tuple[int, Passage]] = []
        self.outside: list[tuple[int, Passage]] = []
        self._forget()

    def _forget(self) -> None:
        self.items: list[tuple[int, Statement]] = []
        # What a paragraph before a list, an item before a block, the step and the row above say.
        self.lead: Statement | None = None
        self.cue: Statement | None = None
        self.step: Statement | None = None
        self.header: Statement | None = None
        self.sentence: Statement | None = None
        self.last: BlockKind | None = None

    def cross(self, edge: Block) -> None:
        """Enter or leave an insight; behind it the page goes on below its last heading."""
        self._forget()
        if edge.level:
            self.outside, self.headings = self.headings, []
        else:
            self.headings, self.outside = self.outside or self.headings, []

    def take(self, block: Block, read: Tokens) -> None:
        if block.kind is BlockKind.HEADING:
            self.headings = [above for above in self.headings if above[0] < block.level]
        if block.kind is not BlockKind.ITEM:
            self.step = None
            self.lead = None if self.last is BlockKind.ITEM else self.lead
        above = [statement for statement in self._dependences(block, read) if statement]
        context = tuple(statement.key for statement in above)
        passage = Passage(
            read.tokens,
            context,
            above[-1].text if above else "",
            cut_text(read, 0, len(read.tokens)),
            read.tail,
            block.kind is BlockKind.CODE,
            read=read,
        )
        self.passages.append(passage)
        self._remember(block, passage)

    def _dependences(self, block: Block, read: Tokens) -> Iterator[Statement | None]:
        yield from (heading for _, heading in self.headings)
        if block.kind is BlockKind.HEADING:
            return
        yield self.lead
        if block.kind is BlockKind.ITEM:
            yield from self._place_in_list(block)
        else:
            yield self.cue
            yield self.items[-1][1] if block.level and self.items else None
        if block.kind is BlockKind.ROW and self.last is BlockKind.ROW:
            yield self.header
        if block.kind is BlockKind.PROSE and points_back(read.tokens):
            yield self.sentence

    def _place_in_list(self, block: Block) -> Iterator[Statement | None]:
        """Yield the item above this one, and the step before it."""
        self.items = [item for item in self.items if item[0] < block.level]
        yield self.items[-1][1] if self.items else None
        yield self.step if block.is_step else None

    def _remember(self, block: Block, passage: Passage) -> None:
        kind, introduces = block.kind, _introduces(block, passage)
        if kind is BlockKind.HEADING:
            self.headings.append((block.level, passage))
        if kind is BlockKind.HEADING or (kind is not BlockKind.ITEM and not block.level):
            self.items = []
        if kind is BlockKind.ITEM:
            self.items.append((block.level, passage))
            self.step = passage if block.is_step else self.step
        else:
            self.lead = passage if kind is BlockKind.PROSE and introduces else None
        self.cue = passage if kind is BlockKind.ITEM and introduces else None
        if kind is BlockKind.ROW and self.last is not BlockKind.ROW:
            self.header = passage
        self.last = kind
        *_, self.sentence = passage.sentences()


def _introduces(block: Block, passage: Passage) -> bool:
    """Tell whether a block introduces the next: it ends with a colon, or is no sentence."""
    text = block.text.rstrip(" *_")
    is_label = (
        len(passage.tokens) <= LABEL and block.kind is BlockKind.PROSE and text[-1:] not in ".!?;…"
    )
    return text.endswith(":") or (
        is_label and not any(token.kind is DifferenceKind.CODE for token in passage.tokens)
    )
