"""Replace addresses of the Markdown links of a text, and change no other byte."""

import re
from collections.abc import Callable
from itertools import groupby

from wiki.markdown.inspect import find_links
from wiki.markdown.parser import parse
from wiki.markdown.parser_tokens import walk

# Where an address stands: behind the words of a link, in its definition, or for itself.
_PLACE = re.compile(
    r"(?P<lead>\]\(\s*<?|^ {0,3}\[[^\]\n]+\]:\s*<?|<|(?=https?://))"
    r"(?P<href>(?<=<)[^<>\n]+|[^\s<>()\[\]\"']+)",
    re.MULTILINE,
)


def rewrite_addresses(body: str, choose: Callable[[str], str]) -> str:
    """Replace addresses by those of `choose`; an empty one changes nothing. Where something else
    would change with them, such as code, the whole body stays as it is."""
    wanted = [choose(href) or href for href in find_links(body).addresses]
    if wanted == [*find_links(body).addresses]:
        return body

    def write(match: re.Match[str]) -> str:
        return f"{match['lead']}{choose(match['href']) or match['href']}"

    code = _code_lines(body)
    pieces = []
    for is_code, lines in groupby(enumerate(body.split("\n")), lambda line: line[0] in code):
        piece = "\n".join(text for _, text in lines)
        pieces.append(piece if is_code else _PLACE.sub(write, piece))
    new = "\n".join(pieces)
    is_same = _rest(new) == _rest(body) and len(find_links(new).addresses) == len(wanted)
    return new if is_same else body


def _rest(body: str) -> list[tuple[str, str]]:
    """What a text says besides its addresses: its code, and its wikilinks."""
    kinds = ("code_inline", "fence", "code_block", "wikilink")
    return [(token.type, token.content) for token in walk(parse(body, {})) if token.type in kinds]


def _code_lines(body: str) -> set[int]:
    tokens = (token for token in walk(parse(body, {})) if token.type in ("fence", "code_block"))
    spans = (token.map for token in tokens if token.map)
    return {number for first, end in spans for number in range(first, end)}
