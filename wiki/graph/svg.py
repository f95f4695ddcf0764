"""A map as shapes with places in pixels; the template only writes them down."""

import math
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

CHARACTER_WIDTH = 6.6
LINE_HEIGHT = 15


@dataclass(frozen=True)
class Label:
    text: str
    x: int
    y: int


@dataclass(frozen=True)
class DrawnNode:
    """A page: its place, how large its sign is, and its name in lines."""

    slug: str
    title: str
    type: str
    links: int
    x: int
    y: int
    radius: int
    labels: list[Label]
    anchor: str = "middle"
    is_center: bool = False


@dataclass(frozen=True)
class DrawnEdge:
    """A line as the `d` of an SVG path, between two nodes by number; an arrow stands at the ends
    that are linked to."""

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


def radius_of(links: int) -> int:
    return round(min(6 + 2.2 * math.sqrt(links), 19))


def text_width(text: str) -> float:
    """About how wide the text is drawn; Chinese and Japanese signs are twice as wide."""
    return sum(map(_character_width, text))


@lru_cache(maxsize=4096)
def _character_width(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0.0
    return CHARACTER_WIDTH * (
        1.9
        if unicodedata.east_asian_width(character) in "WF"
        else 1.2
        if character.isupper()
        else 1.0
    )


def truncate(text: str, room: float) -> str:
    """The text, or as much of its beginning as there is room for."""
    if text_width(text) <= room:
        return text
    kept = text
    while kept and text_width(kept) > room - CHARACTER_WIDTH:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def wrap(text: str, room: float) -> list[str]:
    """The text in one or two lines, the second cut where it is too long."""
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
    """A straight line from sign to sign, ending where the arrow's head begins."""
    across, down = end.x - start.x, end.y - start.y
    length = math.hypot(across, down) or 1.0
    before, behind = start.radius + (6 if is_mutual else 2), end.radius + (6 if arrows else 2)
    x, y = across / length, down / length
    return (
        f"M{start.x + x * before:.1f} {start.y + y * before:.1f}L{end.x - x * behind:.1f} "
        f"{end.y - y * behind:.1f}"
    )
