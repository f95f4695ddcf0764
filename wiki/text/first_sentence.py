"""A title for text that came without one."""

import re

from embeddings.hash_embedder import has_words, split_words
from wiki.redaction import MASKED
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.plain_text import plain_line
from wiki.text.sentences import find_ends

DERIVED_TITLE = 80
# Labels that may stand before one text.
_LABELS = 3
# A title is made from no more of a line than this; some "lines" are a file.
_TITLE_ROOM = 2000

# Where something begins or ends that is no text: code, an insight, a note box, a comment.
_NO_TEXT = re.compile(
    r"\s*(?:```|~~~|:::|<!--|(?:>\s*)?\[![A-Za-z]{1,20}\]\s*$|\[\^?[^\]]{1,80}\]:\s)"
)
# Words that say what kind of text follows, or when it was written, and not what it is about.
_KINDS = (
    "note|hint|tip|info|warning|important|caution|attention|update|summary|recap|tl;dr|result"
    "|insight|lesson|lesson learned|learned|fyi|remember|reminder|fix|fixed|bug|bugfix|problem"
    "|issue|solution|cause|question|answer|q|a|todo|to do|gotcha|caveat|pro tip|heads up|ps|nb"
    "|hinweis|tipp|achtung|wichtig|warnung|zusammenfassung|fazit|ergebnis|erkenntnis|notiz|merke"
    "|merken|nicht vergessen|gelernt|kurz|stand|lösung|ursache|frage|antwort|fehler|aufgabe"
)
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{2,4})?|\d{1,2}/\d{1,2}/\d{2,4})"
_TIME = r"(?:[ T]\d{1,2}:\d\d(?::\d\d)?)?"
_LABEL = re.compile(
    rf"^(?:{_DATE}{_TIME}\s*[:,–—-]|(?-i:TIL)(?:\s*[:,–—-])?(?:\s+(?:that|dass))?|(?:{_KINDS}):)\s+(?=\S)",
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
    # "2026-11-30: Note: …" has two.
    for _ in range(_LABELS):
        unlabelled = _LABEL.sub("", plain, count=1)
        plain = unlabelled if has_words(unlabelled) else plain
    return plain


def _find_end(line: str) -> int:
    """Find the end of the first sentence or clause outside of quotations and masks."""
    ends = [start for start, _ in find_ends(line)]
    ends += [found.start() for found in _CLAUSE_END.finditer(line) if _says(line[: found.start()])]
    return next(
        (
            end
            for end in sorted(ends)
            if _before_mask(line, end) == end and not _is_quoted(line[:end])
        ),
        len(line),
    )


def _says(clause: str) -> bool:
    """Whether a clause is more than a word in front of what is meant."""
    return len(split_words(clause)) > 1


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
