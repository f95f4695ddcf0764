"""A title for text that came without one."""

import re

from embeddings.hash_embedder import has_words
from wiki.redaction import MASKED
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.plain_text import plain_line
from wiki.text.sentences import find_ends

DERIVED_TITLE = 80
# A title is made from no more of a line than this; some "lines" are a file.
_TITLE_ROOM = 2000

# Where something begins or ends that is no text: code, an insight, a note box, a comment.
_NO_TEXT = re.compile(r"\s*(?:```|~~~|:::|<!--|>?\s*\[![A-Za-z]{1,20}\]\s*$|\[\^?[^\]]{1,80}\]:\s)")
_LABEL = re.compile(
    r"^(?:note|hint|tip|info|warning|important|caution|attention|update|summary|recap|tl;dr|result|insight|lesson|fyi"
    r"|hinweis|tipp|achtung|wichtig|warnung|zusammenfassung|fazit|ergebnis|erkenntnis|notiz|merke|kurz|stand):\s+(?=\S)",
    re.IGNORECASE,
)

# Where a title ends before the sentence does; not the end of an escaped sign.
_CLAUSE_END = re.compile(r"(?<!&lt)(?<!&gt)(?<!&amp)[;:](?=\s)")
_QUOTES = {"„": "“", "“": "”", "«": "»", "»": "«", "‚": "‘", '"': '"'}


def derive_title(text: str) -> str:
    """Return the first sentence without Markdown, at most 80 characters and an ellipsis."""
    lines = (line for line in clean_text(text).splitlines() if not _NO_TEXT.match(line))
    line = (
        next(filter(has_words, map(_plain, lines)), "")
        or _plain(text)
        or clean_line(text)[:_TITLE_ROOM]
    )
    sentence = line[: _find_end(line)].rstrip(" .!?;:…")
    sentence = sentence if has_words(sentence) else line
    if len(sentence) <= DERIVED_TITLE:
        return sentence
    head = sentence[:DERIVED_TITLE].rsplit(" ", 1)[0]
    return head[: _before_mask(sentence, len(head))].rstrip(" ,.;:–-") + "…"


def _plain(text: str) -> str:
    """Return one line without Markdown and without a label such as "Note:"."""
    plain = plain_line(clean_line(text)[:_TITLE_ROOM])
    unlabelled = _LABEL.sub("", plain, count=1)
    return unlabelled if has_words(unlabelled) else plain


def _find_end(line: str) -> int:
    """Find the end of the first sentence or clause outside of quotations and masks."""
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
    """Move a place inside the mask of a secret to the beginning of the mask."""
    return next(
        (mask.start() for mask in MASKED.finditer(line) if mask.start() < place < mask.end()), place
    )


def _is_quoted(before: str) -> bool:
    closing = ""
    for sign in before:
        opening = _QUOTES.get(sign, "")
        closing = opening if not closing else "" if sign == closing else closing
    return bool(closing)
