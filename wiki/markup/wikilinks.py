"""`[[target#heading|label]]`: how the parser reads it."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

from wiki.markup.tokens import walk

# A bar inside [[…]] would end a table cell. It is this character while Markdown is parsed.
BAR = "\ufdd0"
MAX_TARGET = 500
_WIKILINK = re.compile(r"\[\[([^\[\]\n]{1,600})\]\]")
# An escaped one ends no cell, and in code it must stay as it is: `[[ $x =~ a\|b ]]`.
_PLAIN_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class WikiLink:
    target: str
    heading: str
    label: str

    @property
    def words(self) -> str:
        """What a reader sees of it where the title of its page is not known."""
        return self.label or self.target


def hide_bars(state: StateCore) -> None:
    state.src = _WIKILINK.sub(lambda match: _PLAIN_BAR.sub(BAR, match[0]), state.src)


def show_bars(state: StateCore) -> None:
    for token in walk(state.tokens):
        token.content, token.info = token.content.replace(BAR, "|"), token.info.replace(BAR, "|")
        for name in ("href", "src", "title"):
            if isinstance(value := token.attrs.get(name), str):
                token.attrs[name] = value.replace(quote(BAR), "%7C").replace(BAR, "|")


def parse_wikilink(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    name, _, label = match[1].replace("\\|", BAR).replace("|", BAR).partition(BAR)
    target, _, heading = name.partition("#")
    target = " ".join(target.split())
    if not 0 < len(target) <= MAX_TARGET:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = match[0]
        token.meta["link"] = WikiLink(target, heading.strip(), label.replace(BAR, "|").strip())
    state.pos = match.end()
    return True
