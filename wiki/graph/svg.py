"""A graph as shapes in pixels, ready for the template."""

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from wiki.graph.load_graph import Node

# Pixels at the font size of the drawings.
CHARACTER_WIDTH = 6.6
LINE_HEIGHT = 15


@dataclass(frozen=True)
class Label:
    text: str
    x: int
    y: int


@dataclass(frozen=True)
class DrawnNode:
    """A node with its position, the radius of its icon, and its name in lines."""

    node: Node
    x: int
    y: int
    radius: int
    labels: list[Label]
    anchor: str = "middle"
    is_center: bool = False


@dataclass(frozen=True)
class DrawnEdge:
    """The `d` of an SVG path between two nodes by position, with arrows at the linked ends."""

    path: str
    start: int
    end: int
    is_mutual: bool = False
    is_similar: bool = False
    # Between two neighbours of the page that the drawing is of.
    is_aside: bool = False


@dataclass(frozen=True)
class Drawing:
    width: int
    height: int
    nodes: list[DrawnNode]
    edges: list[DrawnEdge]


def stack_labels(lines: Iterable[str], x: int, y: int) -> list[Label]:
    return [Label(line, x, y + number * LINE_HEIGHT) for number, line in enumerate(lines)]


def radius_of(links: int) -> int:
    return round(min(6 + 2.2 * math.sqrt(links), 19))


def text_width(text: str) -> float:
    """Estimate the width in pixels; Chinese and Japanese characters are twice as wide."""
    return sum(map(_character_width, text))


@lru_cache(maxsize=4096)
def _character_width(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return CHARACTER_WIDTH * 1.9
    return CHARACTER_WIDTH * (1.2 if character.isupper() else 1.0)


def truncate(text: str, room: float) -> str:
    """Cut the text to `room` pixels."""
    if text_width(text) <= room:
        return text
    kept = text
    while kept and text_width(kept) > room - CHARACTER_WIDTH:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def wrap(text: str, room: float) -> list[str]:
    """Break the text into one or two lines, the second truncated."""
    if text_width(text) <= room:
        return [text]
    words = text.split()
    first = ""
    while words and text_width(f"{first} {words[0]}") <= room:
        first = f"{first} {words.pop(0)}".strip()
    return [first, truncate(" ".join(words), room)] if first else [truncate(text, room)]


def draw_line(
    start: DrawnNode, end: DrawnNode, *, arrows: bool = True, is_mutual: bool = False
) -> str:
    """Return the path of a straight line between two icons, up to the arrow's head."""
    across, down = end.x - start.x, end.y - start.y
    length = math.hypot(across, down) or 1.0
    before, behind = start.radius + (6 if is_mutual else 2), end.radius + (6 if arrows else 2)
    x, y = across / length, down / length
    return (
        f"M{start.x + x * before:.1f} {start.y + y * before:.1f}L{end.x - x * behind:.1f} "
        f"{end.y - y * behind:.1f}"
    )
