"""The parser's rules for `[[target#heading|label]]` and `[[#heading]]`."""

import re
from dataclasses import dataclass, field
from urllib.parse import quote

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

from wiki.markdown.parser_tokens import walk

# A bar inside [[…]] would end a table cell. It is this character while Markdown is parsed.
BAR = "\ufdd0"
# Around the number of a link where its place is asked for.
_SIGN = "\ufdd1"
MAX_TARGET = 500
MAX_NAME = 600
_INNER = r"([^\[\]\n]{1,600})\]\]"
_WIKILINK = re.compile(rf"\[\[{_INNER}")
_NUMBERED = re.compile(rf"\[\[{_SIGN}(\d+){_SIGN}{_INNER}")
# An escaped one ends no cell, and in code it must stay as it is: `[[ $x =~ a\|b ]]`.
_PLAIN_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class WikiLink:
    target: str
    heading: str
    label: str
    # All that stands before the bar: a page may be named "C# thing".
    name: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """The words to show where the title of the page is not known."""
        return self.label or self.target or self.heading


def hide_bars(state: StateCore) -> None:
    """Prepare the text of links; note their places in `places`, if the environment has it."""
    places: list[tuple[int, int]] | None = state.env.get("places")

    def ready(match: re.Match[str]) -> str:
        hidden = _PLAIN_BAR.sub(BAR, match[0])
        if places is None:
            return hidden
        places.append(match.span())
        return f"[[{_SIGN}{len(places) - 1}{_SIGN}{hidden[2:]}"

    state.src = _WIKILINK.sub(ready, state.src)


def show_bars(state: StateCore) -> None:
    for token in walk(state.tokens):
        token.content, token.info = token.content.replace(BAR, "|"), token.info.replace(BAR, "|")
        for name in ("href", "src", "title"):
            if isinstance(value := token.attrs.get(name), str):
                token.attrs[name] = value.replace(quote(BAR), "%7C").replace(BAR, "|")


def parse_wikilink(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    pattern = _WIKILINK if state.env.get("places") is None else _NUMBERED
    match = pattern.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    name, _, label = (
        match[match.lastindex or 1].replace("\\|", BAR).replace("|", BAR).partition(BAR)
    )
    target, _, heading = name.partition("#")
    target, name = " ".join(target.split()), " ".join(name.split())
    if len(target) > MAX_TARGET or not (target or heading.strip()):
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = match[0]
        label = label.replace(BAR, "|").strip()
        token.meta["link"] = WikiLink(target, heading.strip(), label, name)
        if pattern is _NUMBERED:
            token.meta["number"] = int(match[1])
    state.pos = match.end()
    return True
