"""Visible characters of a text: a zero-width space within a token hides it from no reader."""

import re
from functools import cached_property

# Soft hyphens, zero-width signs, marks of direction, tags; and ASCII in the width of Chinese signs.
_UNSEEN = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f"
)
_WIDE = range(0xFF01, 0xFF5F)
_HIDING = re.compile(f"[{_UNSEEN}\uff01-\uff5e]")
_NOT_SEEN = re.compile(f"[{_UNSEEN}]")
_NARROW = {wide: wide - 0xFEE0 for wide in _WIDE}


class VisibleText:
    """`plain` is searched for secrets; `place` turns their spans into those of `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._is_plain = _HIDING.search(text) is None

    @cached_property
    def plain(self) -> str:
        return self.text if self._is_plain else _NOT_SEEN.sub("", self.text).translate(_NARROW)

    @cached_property
    def lower(self) -> str:
        return self.plain.lower()

    def place(self, start: int, end: int) -> tuple[int, int]:
        return (start, end) if self._is_plain else (self._places[start], self._places[end - 1] + 1)

    @cached_property
    def _places(self) -> list[int]:
        unseen = set(_NOT_SEEN.findall(self.text))
        return [place for place, sign in enumerate(self.text) if sign not in unseen]
