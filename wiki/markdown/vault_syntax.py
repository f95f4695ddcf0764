"""What people write in vaults of notes: comments, highlights, embedded notes, line breaks, formulas
and the names of blocks. It is drawn, or left quietly alone."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

from wiki.markdown.wikilinks import parse_wikilink

# Characters in which the end of one is looked for.
_MOST = 2_000
_COMMENT = re.compile(rf"(?<!\w)%%.{{0,{_MOST}}}?%%|<!--.{{0,{_MOST}}}?-->", re.DOTALL)
_MARK = re.compile(rf"(?<![\w=])==(?=[^\s=])([^\n]{{0,{_MOST}}}?)(?<=[^\s=])==(?![\w=])")
_BREAK = re.compile(r"<br\s{0,5}/?>", re.IGNORECASE)
# A price is none: the closing sign stands at a word and before no digit.
_FORMULA = re.compile(
    rf"\$\$(?!\$)[^`]{{1,{_MOST}}}?\$\$|\$(?=[^\s$])[^$`\n]{{0,{_MOST}}}?(?<=[^\s\\])\$(?!\d)"
)
_BLOCK_NAME = re.compile(r"(?:^|[ \t\n])(\^(?=[\d-]*[A-Za-z])[A-Za-z\d-]{1,100})$")
# What opens a block of lines, and what ends it.
_FENCES = (("%%", "%%"), ("<!--", "-->"), ("$$", "$$"))


def parse_comment(state: StateInline, silent: bool) -> bool:
    match = _match(state, _COMMENT, "%<")
    if match is None:
        return False
    state.pos = match.end()
    return True


def parse_mark(state: StateInline, silent: bool) -> bool:
    match = _match(state, _MARK, "=")
    if match is None:
        return False
    if not silent:
        most = state.posMax
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = match.span(1)
        state.md.inline.tokenize(state)
        state.posMax = most
        state.push("mark_close", "mark", -1)
    state.pos = match.end()
    return True


def parse_embed(state: StateInline, silent: bool) -> bool:
    """An embedded note is a link to it. The rule for pictures comes first: it notes embedded
    files."""
    if not state.src.startswith("![[", state.pos):
        return False
    state.pos += 1
    if parse_wikilink(state, silent):
        return True
    state.pos -= 1
    return False


def parse_break(state: StateInline, silent: bool) -> bool:
    match = _match(state, _BREAK, "<")
    if match is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = match.end()
    return True


def keep_formula(state: StateInline, silent: bool) -> bool:
    """A formula stays as it was written: its stars and underscores are no emphasis."""
    match = _match(state, _FORMULA, "$")
    if match is None or "[[" in match[0] or "](" in match[0]:
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


def _match(state: StateInline, pattern: re.Pattern[str], first: str) -> re.Match[str] | None:
    if state.src[state.pos] not in first:
        return None
    return pattern.match(state.src, state.pos, state.posMax)


def parse_lines(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A comment or a formula over several lines; one without an end is text."""
    if state.is_code_block(start):
        return False
    for opening, closing in _FENCES:
        first = _line(state, start)
        if not first.startswith(opening):
            continue
        last = _find_end(state, start, end, opening, closing)
        if last is None:
            return False
        if not silent:
            state.line = last + 1
            kind = "formula" if opening == "$$" else "comment"
            token = state.push(kind, "", 0)
            token.map = [start, state.line]
            token.content = state.getLines(start, state.line, state.blkIndent, False)
        return True
    return False


def _find_end(state: StateBlock, start: int, end: int, opening: str, closing: str) -> int | None:
    """The line with the closing sign, if nothing else stands behind that."""
    rest = _line(state, start)[len(opening) :]
    if closing in rest:
        return start if rest.rstrip().endswith(closing) and rest.count(closing) == 1 else None
    last = next((n for n in range(start + 1, end) if closing in _line(state, n)), None)
    is_alone = last is not None and _line(state, last).rstrip().endswith(closing)
    return last if is_alone else None


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def name_blocks(state: StateCore) -> None:
    """Turn the name behind a paragraph, as in `text ^name`, into its anchor."""
    used: set[str] = set()
    for number, token in enumerate(state.tokens):
        children = token.children or []
        if token.type != "inline" or not children or children[-1].type != "text":
            continue
        opening = state.tokens[number - 1]
        match = _BLOCK_NAME.search(children[-1].content)
        if match and opening.type == "paragraph_open" and match[1] not in used:
            used.add(match[1])
            children[-1].content = children[-1].content[: match.start()]
            # The paragraph of a tight list is not drawn.
            place = state.tokens[number - 2] if opening.hidden else opening
            place.attrSet("id", match[1])
