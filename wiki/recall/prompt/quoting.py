"""Quotations for a model's prompt that cannot pose as the prompt.

Every line of a quotation begins with a mark of its own: no fence, heading or rule in it ends it.
Characters that people do not see are taken out, since a model reads them.
"""

import re

from wiki.recall.prompt.token_estimate import cut_to_size, size_of
from wiki.text.excerpts import cut_around

# Tags, variation selectors, bidi controls, zero-width characters and fillers: all of them can hide
# words from a reader. U+200C and U+200D belong to scripts and emoji, U+FE0F to emoji: one at a
# time, or the two in "heart on fire".
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|[\u200c\u200d\ufe0f]{3,}|[\u200c\u200d]{2,}|\ufe0f{2,}"
)
# Comments are hidden by viewers of Markdown; some models take <|…|> for a change of speaker.
_COMMENT = re.compile(r"<!(?=--)")
_SPEAKER = re.compile(r"<(?=\|\w{1,40}\|>)")
_BLANK_LINES = re.compile(r"\n{3,}")


def show_all(text: str) -> tuple[str, int]:
    """The text without invisible characters, and how many were taken out."""
    seen = _INVISIBLE.sub("", text)
    return _SPEAKER.sub("< ", _COMMENT.sub("&lt;!", seen)), len(text) - len(seen)


def compact(text: str) -> str:
    """Without blanks at the ends of lines, and one blank line for several."""
    lines = "\n".join([line.rstrip() for line in text.splitlines()])
    return _BLANK_LINES.sub("\n\n", lines).strip("\n")


def quote(text: str) -> str:
    """Each line behind a mark."""
    return "\n".join([f"> {line}" if line else ">" for line in text.splitlines()])


def quote_within(text: str, position: int, room: int) -> str:
    """The text around a position, in at most `room` thirds of a token; empty if nothing fits."""
    # No character is smaller than a third.
    length = min(len(text), room)
    while length > 0:
        quoted = quote(cut_around(text, position, length))
        size = size_of(quoted)
        if size <= room:
            return quoted if quoted.strip("> …\n") else ""
        length = min(length - 1, length * room // size)
    return ""


def name_in_line(text: str, tokens: int) -> str:
    """A title or a name for the middle of a line."""
    return cut_to_size(" ".join(show_all(text)[0].split()), tokens * 3)
