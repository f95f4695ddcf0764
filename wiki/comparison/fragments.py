"""Split a Markdown text into pieces with keys, by which another text that says the same is known.

Pieces with known keys are left out of a merge, so in doubt keys differ: below another heading, in a
list after another line, behind another sentence that the piece points back to, or by one sign.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wiki.comparison.difference import DifferenceKind
from wiki.comparison.statements import FRAGMENT, LABEL, points_back
from wiki.comparison.tokenizer import Token, TooLong, tokenize
from wiki.markdown import SourceBlock, split_blocks
from wiki.text.sentences import split_sentences

# A sentence says the same with or without these; none tells an actor or a time.
_EMPTY_WORDS = frozenset(
    "a an the is are be also please der die das ein eine einer ist sind auch bitte".split()
)
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s+|$)")
_NUMBERED = re.compile(r"\s*\d{1,9}[.)]\s")
_INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r"\s*(?:[-*+>]\s+|\d+[.)]\s+)*(?:```|~~~)", re.MULTILINE)
_UNDERLINE = re.compile(r"\n[ \t]*(?:=+|-+)[ \t]*$")
# Written by a merge before the added text (wiki/merging/combine_texts.py).
_ORIGIN = re.compile(r"\*[^*\n]*“.+”[^*\n]*\d[^*\n]*:\*")

# Words and signs that can be compared; empty for a text without content.
Key = tuple[object, ...]


@dataclass(frozen=True)
class Piece:
    """A part of a block as written, and the keys of its statements, each in one or several
    forms."""

    source: str
    says: Sequence[set[Key]]
    needs_previous: bool = False


@dataclass
class Fragment:
    """A block with the headings above it, and the line that introduces it."""

    source: str
    pieces: list[Piece]
    glue: str
    headings: list["Fragment"] = field(default_factory=list)
    lead: str = ""
    is_heading: bool = False


def key_of(text: str) -> Key:
    """Return the key of a sentence: no case, no punctuation, no words such as "the"."""
    # A word counts as it is written, not by its stem: this is about leaving it out.
    said = [(token.key, token.raw.lower() if token.raw.isalpha() else "") for token in _read(text)]
    return tuple(part for part in said if part[1] not in _EMPTY_WORDS) or tuple(said)


def _read(text: str) -> list[Token]:
    try:
        return tokenize(text.replace("[ ]", "☐"), "").tokens
    except TooLong:
        return [Token(DifferenceKind.LENGTH, text, text, ())]


def read_fragments(body: str, title: str) -> Iterator[Fragment]:
    """Yield the blocks of a text in order, without a heading on top equal to the title."""
    headings: list[tuple[int, Key, Fragment]] = []
    previous: SourceBlock | None = None
    for number, block in enumerate(split_blocks(body)):
        if block.kind != "heading":
            lead, contexts = _lead(previous, block, tuple(above[1] for above in headings))
            pieces, glue = _pieces(block, contexts)
            yield Fragment(block.source, pieces, glue, [above[2] for above in headings], lead)
            previous = block
            continue
        previous = None
        key = key_of(_UNDERLINE.sub("", block.source))
        if number == 0 and key == key_of(title):
            continue
        headings = [above for above in headings if above[0] < _level(block.source)]
        piece = Piece(
            block.source, [{("heading", *(above[1] for above in headings), key)}] if key else []
        )
        fragment = Fragment(
            block.source, [piece], "", [above[2] for above in headings], is_heading=True
        )
        headings.append((_level(block.source), key, fragment))
        yield fragment


def _split(paragraph: str) -> list[str]:
    return split_sentences(paragraph, is_strict=True)


def _level(source: str) -> int:
    text = source.lstrip()
    return len(text) - len(text.lstrip("#")) or (1 if source.rstrip().endswith("=") else 2)


def _lead(previous: SourceBlock | None, block: SourceBlock, path: Key) -> tuple[str, list[Key]]:
    """Return the line that introduces a block, and the contexts for its keys.

    A line without a colon may introduce the block or not, so there is a context for either.
    """
    if (
        previous is None
        or previous.kind not in ("paragraph", "list")
        or _ORIGIN.fullmatch(previous.source)
    ):
        return "", [(path, ())]
    last = previous.source.rstrip()
    lines = last.splitlines() if previous.kind == "list" else _split(last)
    last = lines[-1].strip()
    key = key_of(last)
    is_label = (
        previous.kind == "paragraph"
        and len(_read(last)) <= LABEL
        and last.rstrip(" *_")[-1:] not in ".!?…"
    )
    is_prose = block.kind == "paragraph" and bool(key_of(_INLINE_CODE.sub(" ", block.source)))
    if last.rstrip(" *_").endswith(":") or (is_label and not is_prose):
        return last, [(path, key)]
    return "", [(path, ()), (path, key)]


def _pieces(block: SourceBlock, contexts: Sequence[Key]) -> tuple[list[Piece], str]:
    """Return the pieces of a block and their glue. Code, tables and quotes are one, to the sign."""
    if block.kind == "paragraph":
        return list(_sentences(block.source, contexts)), " "
    if block.kind == "list" and not _NUMBERED.match(block.source):
        return [Piece(item, _item_keys(item, contexts)) for item in _items(block.source)], "\n"
    if block.kind == "list" and not _FENCE.search(block.source):
        # A step is one only behind the step before it.
        said: Key = tuple(
            (_indent(line), key_of(_MARKER.sub("", line))) for line in block.source.splitlines()
        )
    else:
        said = (block.kind, _exact(block.source))
    return [
        Piece(
            block.source,
            [{(context, said) for context in contexts}] if key_of(block.source) else [],
        )
    ], ""


def _exact(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.splitlines())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _sentences(source: str, contexts: Sequence[Key]) -> Iterator[Piece]:
    previous: Key = ()
    is_open = False
    for sentence in _split(source):
        key = key_of(sentence)
        needs_previous = bool(previous) and (is_open or _hangs_on(sentence))
        before = previous if needs_previous else ()
        yield Piece(
            sentence,
            [{(context, before, key) for context in contexts}] if key else [],
            needs_previous,
        )
        # What follows a question is an answer.
        previous, is_open = key or previous, sentence.rstrip('"”“»)*_').endswith("?")


def _hangs_on(sentence: str) -> bool:
    """Tell whether a sentence is no statement without the one before it."""
    tokens = _read(sentence)
    return len(tokens) < FRAGMENT or points_back(tokens)


def _items(source: str) -> Iterator[str]:
    """Yield the items of a list, each with the lines below it."""
    item: list[str] = []
    for line in source.splitlines():
        if item and _MARKER.match(line) and _indent(line) <= _indent(item[0]):
            yield "\n".join(item)
            item = []
        item.append(line)
    yield "\n".join(item)


def _item_keys(item: str, contexts: Sequence[Key]) -> list[set[Key]]:
    """Return the keys of every line, each with the items above it."""
    if _FENCE.search(item) or not any(key_of(text) for text, _ in _lines(item)):
        return [{(context, "item", _exact(item)) for context in contexts}] if key_of(item) else []
    says: list[set[Key]] = []
    above: list[tuple[int, Key]] = []
    for text, indent in _lines(item):
        above = [part for part in above if part[0] < indent]
        if key := key_of(text):
            above.append((indent, key))
            says.append({(context, *(part[1] for part in above)) for context in contexts})
    return says


def _lines(item: str) -> Sequence[tuple[str, int]]:
    """Return the items in an item, each in one line without its mark, with its indentation."""
    lines: list[tuple[str, int]] = []
    for line in item.splitlines():
        if lines and not _MARKER.match(line):
            lines[-1] = (f"{lines[-1][0]} {line.strip()}", lines[-1][1])
        else:
            lines.append((_MARKER.sub("", line), _indent(line)))
    return lines
