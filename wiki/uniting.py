"""Two texts as one: the first as it stands, then what only the second says, with where it comes from.

Nothing is left out but what the first text says already, sentence by sentence: in the same words in the same order, but
for case, punctuation and words such as "the". Of code and tables only what stands there sign by sign.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext, override

from embeddings.hashing import split_words
from wiki.markup import Block, split_blocks
from wiki.text import stands_in

# Words without which a sentence says the same. None that could turn its meaning around.
_EMPTY_WORDS = frozenset(
    "a an the is are was were be also then please der die das den dem des ein eine einen einem einer eines ist sind "
    "war waren auch dann bitte".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”“»)*_]*\s+")
# A minus before a number, or what stands between its digits, is more than punctuation.
_NUMBERS = re.compile(r"[-+±~<>≤≥]?\d+(?:[.,:/-]\d+)*%?")

Key = tuple[str, ...]


def unite_texts(body: str, other: str, other_title: str, day: date, language: str = "") -> str:
    """The body, and behind it what only the other text says, introduced by its title and the day."""
    added = list(_unknown(body, split_blocks(other)))
    if not added:
        return body
    with override(language or None):
        origin = gettext("From “{title}”, merged on {day}:").format(title=_plain(other_title), day=date_format(day))
    parts = [body.rstrip(), f"*{origin}*", *added]
    return "\n\n".join(part for part in parts if part)


def _unknown(body: str, blocks: Iterable[Block]) -> Iterator[str]:
    known = {key for block in split_blocks(body) for piece in _pieces(block) if (key := key_of(piece))}
    heading = ""
    for block in blocks:
        if block.kind == "heading":
            # Said only if something below it is.
            heading = "" if key_of(block.source) in known else block.source
            continue
        if rest := _rest(block, known, body):
            if heading:
                yield heading
                heading = ""
            yield rest


def _rest(block: Block, known: set[Key], body: str) -> str:
    if block.kind not in ("paragraph", "list"):
        return "" if stands_in(block.source, body) else block.source
    pieces = list(_pieces(block))
    new = [piece for piece in pieces if not (key := key_of(piece)) or key not in known]
    if not [piece for piece in new if key_of(piece)]:
        return ""
    if len(new) == len(pieces) or (block.kind == "list" and any(piece[:1].isspace() for piece in pieces)):
        return block.source
    return ("\n" if block.kind == "list" else " ").join(new)


def _pieces(block: Block) -> Iterator[str]:
    if block.kind == "list":
        yield from block.source.splitlines()
    elif block.kind == "paragraph":
        yield from _SENTENCE_END.split(" ".join(block.source.split()))
    else:
        yield block.source


def key_of(sentence: str) -> Key:
    """What a sentence says, comparable; empty for one that says nothing."""
    numbers = _NUMBERS.findall(sentence)
    words = [word for word in split_words(sentence) if word not in _EMPTY_WORDS]
    return (*words, *numbers) if words else ()


def _plain(title: str) -> str:
    return re.sub(r"[*_`\[\]<>\\]", " ", title).strip()
