"""The block in a page's Markdown that holds one filed insight: dated, attributed and sourced, apart
from people's text.

::: insight robin | 2026-11-29 | ticket-17 The text as it was handed in. :::
"""

import re
from dataclasses import dataclass
from datetime import date

INSIGHT = "insight"
_COLONS = re.compile(r"^[^\S\n]*(:{3,})", re.MULTILINE)


@dataclass(frozen=True)
class InsightLine:
    agent: str
    date: str
    source: str


def insight_block(text: str, agent: str, day: date, source: str) -> str:
    """Write the block; its fence is longer than any run of colons in the text, which cannot end
    it."""
    fence = ":" * (1 + max([2, *(len(colons) for colons in _COLONS.findall(text))]))
    parts = [agent, day.isoformat(), source]
    about = " | ".join(" ".join(part.replace("|", "/").split()) for part in parts if part)
    return f"{fence} {INSIGHT} {about}\n{text.strip()}\n{fence}"


def parse_insight_line(info: str) -> InsightLine:
    """Read the words behind the fence; missing parts are empty."""
    parts = [part.strip() for part in info.strip().removeprefix(INSIGHT).split("|")]
    agent, day, source = [*parts, "", "", ""][:3]
    return InsightLine(agent, day, source)
