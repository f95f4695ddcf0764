"""Replace the pictures of a text, or their addresses, and change no other byte."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick, image
from markdown_it.token import Token

from wiki.markdown.parser import markdown, parse
from wiki.markdown.wikilinks import BAR

InlineRule = Callable[[StateInline, bool], bool]

# Keys of the parser's environment.
_NOTES = "picture_references"
_SPANS = "code_about_pictures"
# Obsidian's syntax: a file's name, and after a bar words or a size.
_EMBED = re.compile(r"!\[\[([^\[\]\n]{1,600})\]\]")
_SIZE = re.compile(r"\d+(?:x\d+)?")
_BLANKS = re.compile(r"\s*")


@dataclass(frozen=True)
class PictureReference:
    """A picture in a text: `written` is its source, `target` its address or, if embedded, a file's
    name."""

    written: str
    target: str
    is_embedded: bool
    before: str
    after: str

    @property
    def destination(self) -> str:
        """The address as it is written; not of an embedded picture."""
        return self.written[len(self.before) : len(self.written) - len(self.after)]


def rewrite_pictures(body: str, choose: Callable[[PictureReference], str]) -> str:
    """Replace the addresses of pictures by those of `choose`; an empty one changes nothing."""

    def write(reference: PictureReference) -> str:
        address = choose(reference)
        return f"{reference.before}{address}{reference.after}" if address else ""

    return replace_pictures(body, write)


def replace_pictures(body: str, write: Callable[[PictureReference], str]) -> str:
    """Replace pictures by the text of `write`; an empty one changes nothing."""
    if "![" not in body:
        return body
    found: list[PictureReference] = []
    spans: list[str] = []
    code = _code_lines(parse(body, {_NOTES: found, _SPANS: spans}))
    new: dict[str, str] = {}
    for reference in dict.fromkeys(found):
        if text := write(reference):
            new |= dict.fromkeys(_in_and_out_of_tables(reference.written), text)
    if not new:
        return body
    # Code in a line begins before what it says of a picture.
    new |= {span: span for code_span in spans for span in _in_and_out_of_tables(code_span)}
    pattern = re.compile("|".join(map(re.escape, sorted(new, key=len, reverse=True))))
    pieces = []
    for is_code, lines in groupby(enumerate(body.split("\n")), lambda line: line[0] in code):
        piece = "\n".join(text for _, text in lines)
        pieces.append(piece if is_code else pattern.sub(lambda match: new[match[0]], piece))
    return "\n".join(pieces)


def _in_and_out_of_tables(written: str) -> tuple[str, str]:
    """Return both spellings: in a table a bar has a backslash, which the parser takes off."""
    return written, written.replace("|", r"\|")


def _code_lines(tokens: list[Token]) -> set[int]:
    blocks = (token.map for token in tokens if token.type in ("fence", "code_block") and token.map)
    return {number for first, end in blocks for number in range(first, end)}


def note_pictures(rule: InlineRule) -> InlineRule:
    """Let the parser's rule for pictures note them in the environment."""

    def noting(state: StateInline, silent: bool) -> bool:
        notes: list[PictureReference] | None = state.env.get(_NOTES)
        if notes is None or silent:
            return rule(state, silent)
        start, count = state.pos, len(notes)
        if rule(state, silent):
            # Pictures in the words of a picture are not shown.
            notes[count:] = [_reference(state.src[start : state.pos], state.tokens[-1], state.md)]
            return True
        if match := _EMBED.match(state.src, start):
            notes.append(_embedded(match))
        return False

    return noting


def note_code(rule: InlineRule) -> InlineRule:
    """Let the parser's rule for code in a line note code that names a picture."""

    def noting(state: StateInline, silent: bool) -> bool:
        start, count, spans = state.pos, len(state.tokens), state.env.get(_SPANS)
        is_ticks = rule(state, silent)
        if (
            spans is not None
            and len(state.tokens) > count
            and state.tokens[-1].type == "code_inline"
        ):
            written = state.src[start : state.pos]
            if "![" in written:
                spans.append(written.replace(BAR, "|"))
        return is_ticks

    return noting


def _reference(written: str, token: Token, parser: MarkdownIt) -> PictureReference:
    target, end_of_words = unquote(str(token.attrs["src"])), 2 + len(token.content) + 1
    before, after = f"{written[:end_of_words]}(", ")"
    if written[end_of_words:].startswith("("):
        blanks = _BLANKS.match(written, end_of_words + 1)
        start = blanks.end() if blanks else end_of_words + 1
        end = parser.helpers.parseLinkDestination(written, start, len(written)).pos
        before, after = written[:start], written[end:]
    return PictureReference(written, target, False, before, after)


def _embedded(match: re.Match[str]) -> PictureReference:
    name, _, words = match[1].replace(r"\|", BAR).replace("|", BAR).partition(BAR)
    target = name.partition("#")[0].strip()
    stem = target.rpartition("/")[2].rpartition(".")[0]
    words = words.replace(BAR, "|").strip()
    shown = stem if not words or _SIZE.fullmatch(words) else words
    return PictureReference(match[0].replace(BAR, "|"), target, True, f"![{shown}](", ")")


markdown.inline.ruler.at("image", note_pictures(image))
markdown.inline.ruler.at("backticks", note_code(backtick))
