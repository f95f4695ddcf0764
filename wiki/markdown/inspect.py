"""Links, headings, prose and blocks of a text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markdown_it.token import Token

from wiki.markdown.headings import HEADINGS, Heading, find_anchor, find_headings
from wiki.markdown.insight_block import INSIGHT
from wiki.markdown.parser import parse
from wiki.markdown.parser_tokens import walk
from wiki.markdown.wikilinks import WikiLink

# In the place of code, links and pictures in prose.
LEFT_OUT = "\ufdd3"


@dataclass(frozen=True)
class Links:
    """The links of a text in order: wikilinks to pages, and the addresses of Markdown links."""

    wikilinks: Sequence[WikiLink] = ()
    addresses: Sequence[str] = ()


# What every link has one of.
_LINK_SIGNS = re.compile(r"\[\[|\]\(|\]:|\]\[|://")


# A save asks several times for the links of one text.
@lru_cache(maxsize=8)
def find_links(body: str) -> Links:
    """Return the links of a text; code has none, and `[[#heading]]` leads to no other page."""
    if not _LINK_SIGNS.search(body):
        return Links()
    tokens = [*walk(parse(body, {}))]
    wikilinks = [token.meta["link"] for token in tokens if token.type == "wikilink"]
    return Links(
        [link for link in wikilinks if link.target],
        [str(token.attrs["href"]) for token in tokens if token.type == "link_open"],
    )


def find_wikilinks(body: str) -> Sequence[WikiLink]:
    return find_links(body).wikilinks if "[[" in body else []


def find_prose(body: str) -> Iterator[str]:
    """Yield the visible words of every paragraph and heading, without code, links and pictures."""
    for token in parse(body, {}):
        if token.type == "inline":
            yield "".join(_prose(token.children or ()))


def _prose(tokens: Sequence[Token]) -> Iterator[str]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif not token.nesting:
            yield token.content if token.type == "text" and not depth else LEFT_OUT


@dataclass(frozen=True)
class PlacedLink:
    """A wikilink and its span in the source, brackets included."""

    link: WikiLink
    start: int
    end: int


def place_wikilinks(body: str) -> list[PlacedLink]:
    """Return the wikilinks with their places, in the order of the source."""
    places: list[tuple[int, int]] = []
    env: dict[str, Any] = {"places": places}
    found = {
        token.meta["number"]: token.meta["link"]
        for token in (walk(parse(body, env)) if "[[" in body else ())
        if token.type == "wikilink"
    }
    return [PlacedLink(link, *places[number]) for number, link in sorted(found.items())]


@dataclass(frozen=True)
class SourceBlock:
    """A block of a text as it was written: "paragraph", "list", "heading", or the parser's name of
    another one."""

    kind: str
    source: str


_BLOCK_KINDS = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "paragraph_open": "paragraph",
}


def split_blocks(body: str) -> list[SourceBlock]:
    """Return the blocks of a text in order; joined by blank lines they are the whole text.

    Lines between two blocks, such as the definition of a link, are a block of their own.
    """
    lines = body.split("\n")
    blocks: list[SourceBlock] = []
    end = 0
    for token in parse(body, {}):
        if token.level or not token.map or token.nesting < 0 or token.map[0] < end:
            continue
        kind = _BLOCK_KINDS.get(token.type, token.type.removesuffix("_open"))
        blocks += [
            _block("other", lines[end : token.map[0]]),
            _block(kind, lines[token.map[0] : token.map[1]]),
        ]
        end = token.map[1]
    blocks.append(_block("other", lines[end:]))
    return [block for block in blocks if block.source.strip()]


def _block(kind: str, lines: list[str]) -> SourceBlock:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    while lines and not lines[0].strip():
        lines = lines[1:]
    return SourceBlock(kind, "\n".join(lines))


# A line that begins or ends code or an insight.
_EDGE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,}|:{3,})[ \t]*(?P<rest>.*)$", re.MULTILINE)
_PROBE = LEFT_OUT


def close_blocks(body: str) -> str:
    """End the code or the insight that is still open, so that text below belongs to neither."""
    for _attempt in range(_MAX_OPEN):
        mark = _find_open(body)
        if not mark:
            break
        outer = [token for token in parse(f"{body}\n\n{_PROBE}", {}) if not token.level]
        # In a list or a quotation it has ended by itself.
        if not outer or outer[-1].type == "paragraph_close":
            break
        body = f"{body}\n{mark}"
    return body


_MAX_OPEN = 3


def _find_open(body: str) -> str:
    """Return the marks that would end an open block, by its lines alone: most texts have none."""
    open_mark = ""
    for edge in _EDGE.finditer(body):
        mark, rest = edge["mark"], edge["rest"].strip()
        if open_mark:
            open_mark = "" if mark.startswith(open_mark) and not rest else open_mark
        elif mark[0] == ":":
            open_mark = mark if rest.startswith(INSIGHT) else ""
        elif mark[0] == "~" or "`" not in rest:
            open_mark = mark
    return open_mark


def title_heading(body: str) -> str:
    """Return the text of a heading of the first level that begins the text, or an empty string."""
    tokens = parse(body, {})
    is_title = bool(tokens) and (tokens[0].type, tokens[0].tag) == ("heading_open", "h1")
    return next(find_headings(tokens)).text if is_title else ""


def anchor_in(body: str, fragment: str) -> str:
    """Return the anchor of a text that a fragment means, as `find_anchor` does."""
    env: dict[str, Any] = {}
    parse(body, env)
    return find_anchor(fragment, env.get(HEADINGS, []))


def list_headings(body: str) -> list[Heading]:
    return [*find_headings(parse(body, {}))]
