"""A title for text that came without one."""

import re

from embeddings.hash_embedder import has_words
from wiki.redaction import MASKED
from wiki.text.cleaning import clean_line, clean_text

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

_MAYBE_END = re.compile(
    r"(?P<sign>[.!?…]+)[\"'”“»)\]*_]*(?=\s|$)|(?<!&lt)(?<!&gt)(?<!&amp)[;:](?=\s)"
)
_WORD_BEFORE = re.compile(r"[^\W_]+$")
_SHORT = frozenset(
    "abb abs al anm anh approx apr art aug avg az bd bspw bzgl bzw ca cf ch co corp dept dez di "
    "dipl do dr ebd eq est "
    "etc evtl excl exkl fa feb ff fig fr gem gen geb ggf ggü hr hrsg inc incl inkl insb jan jr jul "
    "jun kap lt ltd "
    "mai max mi min mio mo mr mrd mrs ms nov nr okt orig ph prof resp rd sa sec sek sen sept so "
    "sog sr st std str tab "
    "tel univ usw vgl vol vs zit zzgl zzt".split()
)
# Most often whole words; short for something before a number, or as the day in "Mo. bis So."
_BEFORE_NUMBER = frozenset("no art so do mai am".split())
_ENDING = frozenset("etc usw".split())
_ORDINAL_BEFORE = frozenset(
    "am im vom zum beim der die das dem den des ein eine einen einem einer eines ab bis seit jeden "
    "jede jedes jedem "
    "ihr ihre sein seine unser unsere und oder bis".split()
)
_MONTH = re.compile(r"\s(?:Jan|Feb|März|Mrz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
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
    """Where the first sentence ends: a dot may also belong to a short word, an ordinal, or
    something quoted."""
    for found in _MAYBE_END.finditer(line):
        if _before_mask(line, found.start()) < found.start() or _is_quoted(line[: found.start()]):
            continue
        if found["sign"] != "." or not _goes_on(line[: found.start()], line[found.end() :]):
            return found.start()
    return len(line)


def _before_mask(line: str, place: int) -> int:
    """The place, or where the mask of a secret begins that goes over it."""
    return next(
        (mask.start() for mask in MASKED.finditer(line) if mask.start() < place < mask.end()), place
    )


def _goes_on(before: str, after: str) -> bool:
    match = _WORD_BEFORE.search(before[-40:])
    if match is None:
        return False
    word, rest = match[0].lower(), after.lstrip()
    # "Am 24.12. ist zu", "Heinrich VIII. war": who begins with a capital does so in the next
    # sentence too.
    if before[:1].isupper() and rest[:1].islower():
        return True
    if word.isdecimal():
        return _is_ordinal(before[: -len(word)], word, after)
    if len(word) == 1:
        return before[-2:-1] in ("", " ", ".", "(", "„", "“")
    if word in _BEFORE_NUMBER:
        return rest[:1].isdigit()
    if word in _ENDING:
        return not rest[:1].isupper()
    return word in _SHORT


def _is_ordinal(before: str, number: str, after: str) -> bool:
    """ "Am 3. März", "der 2. Versuch"; but "Port 80. Danach"."""
    if len(number) > 2:
        return False
    words = before.split()
    return _MONTH.match(after) is not None or (bool(words) and words[-1].lower() in _ORDINAL_BEFORE)


def _is_quoted(before: str) -> bool:
    closing = ""
    for sign in before:
        opening = _QUOTES.get(sign, "")
        closing = opening if not closing else "" if sign == closing else closing
    return bool(closing)
