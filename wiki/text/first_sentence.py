"""A title for text that came without one."""

import re

from embeddings.hash_embedder import has_words
from wiki.redaction import MASKED
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.sentences import find_ends

DERIVED_TITLE = 80
# A title is made from no more of a line than this; some "lines" are a file.
_TITLE_ROOM = 2000

_BLOCK_MARKS = re.compile(r"^(?:\s|>|#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\[[ xX]\]\s)+")
# Where something begins or ends that is no text: code, an insight, a note box, a comment.
_NO_TEXT = re.compile(r"\s*(?:```|~~~|:::|<!--|>?\s*\[![A-Za-z]{1,20}\]\s*$|\[\^?[^\]]{1,80}\]:\s)")
_INLINE = [
    (re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,1000}(?:\s\"[^\"]{0,200}\")?\)"), r"\1"),
    (re.compile(r"\[\[[^\[\]|]{1,300}\|([^\[\]|]{1,300})\]\]"), r"\1"),
    (re.compile(r"\[\[([^\[\]|]{1,300})\]\]"), r"\1"),
    (re.compile(r"\[\^[^\]]{1,40}\]"), ""),
    (re.compile(r"(`{1,3})([^`]{1,500})\1"), r"\2"),
    (re.compile(r"(?<![\w*])(\*{1,3})(?=\S)([^*]{1,500})(?<=\S)\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]{1,500})(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"<(https?://[^<>\s]{1,500})>"), r"\1"),
]
_LABEL = re.compile(
    r"(?:note|hint|tip|info|warning|important|caution|attention|update|summary|recap|tl;dr|result|insight|lesson|fyi"
    r"|hinweis|tipp|achtung|wichtig|warnung|zusammenfassung|fazit|ergebnis|erkenntnis|notiz|merke|kurz|stand):\s+(?=\S)",
    re.IGNORECASE,
)

# Where a title ends before the sentence does; not the end of an escaped sign.
_CLAUSE_END = re.compile(r"(?<!&lt)(?<!&gt)(?<!&amp)[;:](?=\s)")
_QUOTES = {"„": "“", "“": "”", "«": "»", "»": "«", "‚": "‘", '"': '"'}


def derive_title(text: str) -> str:
    """The first sentence, without Markdown, at most 80 characters."""
    lines = (
        _BLOCK_MARKS.sub("", line).strip()
        for line in clean_text(text).splitlines()
        if not _NO_TEXT.match(line)
    )
    line = (
        next(filter(has_words, map(_plain_line, lines)), "")
        or _plain_line(text)
        or clean_line(text)[:_TITLE_ROOM]
    )
    sentence = line[: _find_end(line)].rstrip(" .!?;:…")
    sentence = sentence if has_words(sentence) else line
    if len(sentence) <= DERIVED_TITLE:
        return sentence
    head = sentence[:DERIVED_TITLE].rsplit(" ", 1)[0]
    return head[: _before_mask(sentence, len(head))].rstrip(" ,.;:–-") + "…"


def _plain_line(text: str) -> str:
    return _plain(clean_line(text)[:_TITLE_ROOM])


def _plain(line: str) -> str:
    """Without signs of Markdown, the pipes of a table, and a label such as "Note:"."""
    plain = line
    for pattern, text in _INLINE:
        plain = pattern.sub(text, plain)
    plain = (
        plain.strip("|").rstrip("#").strip()
        if line[:1] in "|#" or line.endswith("#")
        else plain.strip()
    )
    unlabelled = _LABEL.sub("", plain, count=1) if _LABEL.match(plain) else plain
    return next((form for form in (unlabelled, plain) if has_words(form)), plain)


def _find_end(line: str) -> int:
    """Where the first sentence or clause ends that no quotation or mask goes over."""
    ends = [start for start, _ in find_ends(line)]
    ends += [found.start() for found in _CLAUSE_END.finditer(line)]
    return next(
        (
            end
            for end in sorted(ends)
            if _before_mask(line, end) == end and not _is_quoted(line[:end])
        ),
        len(line),
    )


def _before_mask(line: str, place: int) -> int:
    """The place, or where the mask of a secret begins that goes over it."""
    return next(
        (mask.start() for mask in MASKED.finditer(line) if mask.start() < place < mask.end()), place
    )


def _is_quoted(before: str) -> bool:
    closing = ""
    for sign in before:
        opening = _QUOTES.get(sign, "")
        closing = opening if not closing else "" if sign == closing else closing
    return bool(closing)
