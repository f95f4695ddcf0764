"""Text as it comes in: cleaned, cut into a title, compared."""

import hashlib
import re
import unicodedata

from embeddings.hashing import WORD
from embeddings.text import replace_unusable

MAX_TITLE = 200
DERIVED_TITLE = 80


def clean_text(text: str) -> str:
    """The text with Unix line ends, and U+FFFD for what cannot be stored (NUL, other controls, lone surrogates)."""
    return replace_unusable(text.replace("\r\n", "\n").replace("\r", "\n"))


def clean_line(text: str) -> str:
    """One line without surrounding or repeated blanks."""
    return " ".join(clean_text(text).split())


def has_words(text: str) -> bool:
    return WORD.search(unicodedata.normalize("NFC", text)) is not None


def hash_page_text(title: str, body: str) -> str:
    """SHA-256 of exactly the text that is embedded, before it is cut."""
    return hashlib.sha256(f"{title}\n{body}".encode()).hexdigest()


_MARKUP_AHEAD = re.compile(r"^(?:[#>*+\-\s]|\d+[.)]\s|\[[ xX]\])+")
# A sentence ends at . ! or ? before a blank, unless the dot belongs to an initial or a short word such as "Nr.".
_SENTENCE_END = re.compile(
    r"(?<!\b\w)(?<!\b\w\w)(?<!\bbzw)(?<!\bca\b)(?<!\bNr)(?<!\betc)(?<!\busw)[.!?]+(?=\s)|[;:](?=\s)"
)


def derive_title(text: str) -> str:
    """A title for text that came without one: its first sentence, at most 80 characters."""
    lines = (_MARKUP_AHEAD.sub("", line).strip() for line in clean_text(text).splitlines())
    line = clean_line(next(filter(has_words, lines), text))
    sentence = _SENTENCE_END.split(line, maxsplit=1)[0].rstrip(" .!?;:")
    sentence = sentence if has_words(sentence) else line
    if len(sentence) <= DERIVED_TITLE:
        return sentence
    head = sentence[:DERIVED_TITLE].rsplit(" ", 1)[0]
    return head.rstrip(" ,.;:–-") + "…"


def stands_in(text: str, body: str) -> bool:
    """Whether the body says the text already: the same signs, whole sentences or lines; only blanks may differ.

    "Port 80" does not stand in "Port 8080", nor "always rebase" in "do not always rebase".
    """
    words = text.split()
    if not words:
        return True
    if words[0] not in body:
        return False
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    return any(
        _begins_sentence(body[: match.start()]) and _ends_sentence(words[-1], body[match.end() :])
        for match in pattern.finditer(body)
    )


def _begins_sentence(before: str) -> bool:
    line = before.rpartition("\n")[2]
    return not line.strip(" \t>*+-#") or (line[-1].isspace() and line.rstrip()[-1] in '.!?:;…"”“»)')


def _ends_sentence(last_word: str, after: str) -> bool:
    rest = after.partition("\n")[0].lstrip(" \t")
    if not rest:
        return True
    ended = last_word[-1] in ".!?…"
    return (ended and after[:1].isspace()) or (not ended and after[:1] in ".!?…" and not after[1:2].strip())
