"""Split a Markdown text into blocks for a comparison.

Read line by line, as people write and not as Markdown has it: "2024. A year" is no list, a bold
line is a heading. The parser, whose blocks a merge keeps sign by sign, takes fifty times as long,
and every insight is compared with pages.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from wiki.comparison.tokenizer import TooLong


class BlockKind(StrEnum):
    PROSE = "prose"
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    # Has no text; ends the context of the blocks before it.
    EDGE = "edge"


@dataclass
class Block:
    """`level` is that of a heading, or the indentation; 1 where an insight begins. A step has a
    number."""

    kind: BlockKind
    lines: list[str] = field(default_factory=list)
    level: int = 0
    is_step: bool = False

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


# The longest page has this many if its lines are short.
MAX_LINES = 15_000

_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_INSIGHT = re.compile(r"\s*:{3,}\s*(?:insight\b.*)?$")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*$")
_BOLD_LINE = re.compile(r"(\*\*|__)([^*_]+)\1:?$")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{2,})\s*$")
_RULE = re.compile(r"\s{0,3}(?:-{3,}|\*{3,}|_{3,}|(?:[-*_]\s){2,}[-*_])\s*$")
_ROW_RULE = re.compile(r"[\s|:]*-[\s|:-]*$")
_ITEM = re.compile(r"(\s*)([-*+•]|\d{1,9}[.)])\s+(?=\S)")
_CHECKBOX = re.compile(r"\[([ xX])\]\s")
_QUOTE = re.compile(r"\s{0,3}>\s?")
# A shorter line was ended by its author, unless the next goes on in small letters.
_WRAPPED = 60


def read_blocks(body: str) -> list[Block]:
    """Return the blocks in order. Raises TooLong."""
    if body.count("\n") > MAX_LINES:
        raise TooLong
    reader = _Blocks()
    for line in body.split("\n"):
        reader.take(line.expandtabs(4))
    return [block for block in reader.blocks if block.lines or block.kind is BlockKind.EDGE]


class _Blocks:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.is_open = False
        self.fence = ""
        self.is_quoted = False
        # The last number of the list at each indentation.
        self.numbers: dict[int, int] = {}

    def take(self, line: str) -> None:
        if self.fence:
            self._take_code(_QUOTE.sub("", line, count=1) if self.is_quoted else line)
            return
        self.is_quoted = False
        while quoted := _QUOTE.match(line):
            line, self.is_quoted = line[quoted.end() :], True
        if fence := _FENCE.match(line):
            self.fence = fence[1]
            # The language of code belongs to it.
            self._begin(
                BlockKind.CODE, [fence[2].strip()] if fence[2].strip() else [], is_open=False
            )
        elif not line.strip():
            self.is_open = False
        elif _INSIGHT.match(line):
            self._begin(BlockKind.EDGE, [], level=1 if "insight" in line else 0, is_open=False)
        else:
            self._take_text(line)

    def _take_code(self, line: str) -> None:
        closing = _FENCE.match(line)
        if closing and closing[1].startswith(self.fence) and not closing[2].strip():
            self.fence = ""
        elif line.strip():
            self.blocks[-1].lines.append(line.rstrip())

    def _take_text(self, line: str) -> None:
        last = self.blocks[-1] if self.blocks else None
        if heading := _HEADING.match(line):
            self._begin(BlockKind.HEADING, [heading[2]], level=len(heading[1]), is_open=False)
        elif last and self.is_open and last.kind is BlockKind.PROSE and _UNDERLINE.match(line):
            last.kind, last.level = BlockKind.HEADING, 1 if "=" in line else 2
            self.is_open = False
        elif _RULE.match(line):
            self.is_open = False
        elif line.lstrip().startswith("|"):
            self._take_row(line.strip())
        elif (item := _ITEM.match(line)) and (
            not self.is_open or len(item[1]) < 4 or self._is_in_list()
        ):
            self._take_item(line, item)
        elif self.is_open and last and last.kind in (BlockKind.PROSE, BlockKind.ITEM):
            self._go_on(last, line)
        else:
            self._take_paragraph(line)

    def _is_in_list(self) -> bool:
        return bool(self.blocks) and self.blocks[-1].kind is BlockKind.ITEM

    def _take_paragraph(self, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        if indent >= 4 and not self._is_in_list():
            if not (
                self.blocks and self.blocks[-1].kind is BlockKind.CODE and self.blocks[-1].level
            ):
                self._begin(BlockKind.CODE, [], level=indent, is_open=False)
            self.blocks[-1].lines.append(line.rstrip())
        elif bold := _BOLD_LINE.match(line.strip()):
            self._begin(BlockKind.HEADING, [bold[2]], level=7, is_open=False)
        else:
            self._begin(BlockKind.PROSE, [line.strip()], level=indent)

    def _take_row(self, line: str) -> None:
        if not _ROW_RULE.match(line):
            self._begin(BlockKind.ROW, [line.removesuffix("|")], is_open=False)

    def _take_item(self, line: str, item: re.Match[str]) -> None:
        text, is_step = line[item.end() :].strip(), item[2][0].isdigit()
        if is_step and not self._counts_on(int(item[2][:-1]), len(item[1])):
            # "2024. A year" and "8080) the port" are no list.
            self._begin(BlockKind.PROSE, [line.strip()])
            return
        if box := _CHECKBOX.match(text):
            text = ("☐ " if box[1] == " " else "☑ ") + text[box.end() :]
        self._begin(BlockKind.ITEM, [text], level=len(item[1]), is_step=is_step)

    def _counts_on(self, number: int, indent: int) -> bool:
        """Tell whether a number at the start of a line belongs to a list: 1, or the next."""
        self.numbers = {level: last for level, last in self.numbers.items() if level <= indent}
        if number != 1 and number - 1 != self.numbers.get(indent):
            return False
        self.numbers[indent] = number
        return True

    def _go_on(self, last: Block, line: str) -> None:
        previous, text = last.lines[-1], line.strip()
        if len(previous) >= _WRAPPED or text[0].islower():
            last.lines[-1] = f"{previous} {text}"
        else:
            last.lines.append(text)

    def _begin(
        self,
        kind: BlockKind,
        lines: list[str],
        *,
        level: int = 0,
        is_step: bool = False,
        is_open: bool = True,
    ) -> None:
        self.blocks.append(Block(kind, lines, level, is_step))
        self.is_open = is_open
        if kind is BlockKind.HEADING:
            self.numbers = {}
