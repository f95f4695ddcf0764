"""Strip Markdown by patterns from a part of a text, or one that need not be Markdown.

Of a whole page the parser finds the words (wiki.markdown).
"""

import re

WIKILINK = re.compile(r"\[\[([^\[\]|#\n\\]+)(?:#[^\[\]|\n]*)?(?:\\?\|([^\[\]\n]*))?\]\]")
# A picture, or a link to an address; code may say `calls[0](it)`.
_OUTSIDE = re.compile(
    r"!\[([^\[\]\n]{0,300})\]\([^()\n]{0,1000}\)"
    r"|\[([^\[\]\n]{1,300})\]\((?=[^()\s]{0,200}[./:#])[^()\s]{0,1000}(?:\s\"[^\"\n]{0,200}\")?\)"
)
_LINE_MARKS = re.compile(
    r"""^(?::{3,}.*$           # the fence of an insight
    |[ \t>*+-]*(?:`{3,}[^`\n]*|~{3,}[^\n]*)$  # the fence of code with its language
    |[ >]*\|?[ :|-]{3,}$  # the ruler of a table, a horizontal rule
    |[ \t>#|:+*-]+(?:\[[ xX]\][ ])?|[ \t]*\d+[.)][ ]+)""",
    re.MULTILINE | re.VERBOSE,
)
_MARKS = re.compile(r"[*`~]+")
_LAST_CELL = re.compile(r"[ ]*\|[ ]*$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]{2,}")
_CELLS = re.compile(r"[ ]*\|[ ]*")

_BLOCK_MARKS = re.compile(r"^(?:\s|>|#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\[[ xX]\]\s)+")
_FOOTNOTE = re.compile(r"\[\^[^\]]{1,40}\]")
_CODE = re.compile(r"(`{1,3})([^`]{1,500})\1")
_ADDRESS = re.compile(r"<(https?://[^<>\s]{1,500})>")
# Code stays as it is, and so does `__init__`. A star without a partner, as in "user*", is a
# wildcard.
_EMPHASIS = re.compile(
    r"(?P<kept>(?<!`)(`{1,9})(?!`).{1,2000}?(?<!`)\2(?!`)|(?<!\w)__[a-z][a-z0-9_]{1,40}__(?!\w))"
    r"|(?<!\w)(?P<line>_{1,2})(?=[^\s_])(?P<lined>.{1,300}?)(?<=[^\s_])(?P=line)(?!\w)"
    r"|(?<![\w*])(?P<star>\*{1,3})(?=[^\s*])(?P<starred>[^*]{1,500})(?<=[^\s*])(?P=star)(?![\w*]|\.\w)"
)


def plain_text(markdown: str) -> str:
    """Return the words of a part of a text, where marks may lack partners; cells as "a · b"."""
    # The patterns below try every blank of a long run as its beginning.
    shown = _without_links(_BLANKS.sub(" ", markdown))
    bare = _MARKS.sub("", _LINE_MARKS.sub("", shown))
    if "|" not in bare:
        return bare
    return _CELLS.sub(" · ", _LAST_CELL.sub("", _BLANKS.sub(" ", bare)))


def plain_line(line: str) -> str:
    """Return the words of one line; marks without a partner stay."""
    line = _BLOCK_MARKS.sub("", line)
    plain = strip_emphasis(_FOOTNOTE.sub("", _without_links(line)))
    plain = _ADDRESS.sub(r"\1", _CODE.sub(r"\2", plain))
    if line[:1] in "|#" or line.endswith("#"):
        plain = plain.strip("|").rstrip("#")
    return plain.strip()


def strip_emphasis(text: str) -> str:
    """Remove the marks of emphasis, but not in code."""
    if "*" not in text and "_" not in text:
        return text
    # Once more for what is marked within something marked.
    return _EMPHASIS.sub(_without_marks, _EMPHASIS.sub(_without_marks, text))


def _without_marks(found: re.Match[str]) -> str:
    return found["kept"] or found["lined"] or found["starred"]


def _without_links(text: str) -> str:
    shown = _OUTSIDE.sub(lambda found: found[1] or found[2] or "", text)
    return WIKILINK.sub(lambda found: (found[2] or found[1]).strip(), shown)
