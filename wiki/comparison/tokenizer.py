"""Tokenize a text into words, numbers, code and addresses, apart from filling words."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from wiki.comparison.difference import DifferenceKind
from wiki.comparison.lexicon import (
    BEFORE_NOUNS,
    DATES,
    EMPTY,
    LIGHT,
    NEGATIONS,
    NEVER_FILLING_IN_CAPITALS,
    NUMBERS,
    SUBORDINATE,
    UNITS,
)
from wiki.comparison.stemming import stem_word
from wiki.text.lexicon import ENGLISH_MONTHS, GERMAN_MONTHS
from wiki.text.plain_text import strip_emphasis
from wiki.text.sentences import is_abbreviation


class Token(NamedTuple):
    """`key` is equal for equal meanings; `light` are the filling words before the token.

    `begin` is the end of the token before, `end` its own, in the text of `Tokens`.
    """

    kind: DifferenceKind
    key: str
    raw: str
    light: tuple[str, ...]
    begin: int = 0
    end: int = 0


class Tokens(NamedTuple):
    """`starts` are the first tokens of sentences, `unended` those behind a line with no full stop,
    `tail` the filling words at the end; `text` has one spelling of dashes and quotes."""

    tokens: list[Token]
    starts: list[int]
    unended: frozenset[int]
    tail: tuple[str, ...]
    text: str


class TooLong(Exception):
    """A text is too long to be compared within a request."""


# Prose of the longest page has about 40,000.
MAX_TOKENS = 60_000

_K = DifferenceKind
_SPELLING = str.maketrans("’‘ʼ−‑", "'''--", "\u00ad\u200b\ufeff")
_MONTH = "|".join(sorted({*ENGLISH_MONTHS, *GERMAN_MONTHS}, reverse=True))
_UNIT = (
    r"(?:%|‰|°\s?[CF]|°|[kKMGTP]i?[Bb](?:it)?(?:/s|ps)?|[Bb]it(?:/s)?|bps|[kMG]?Hz|[mµn]s|min|[kM]W|[kmcµ]m|[mk]?g"
    r"|ml|px|pt|r?em|mA|[hsdBVWAlmK]|€|\$|£|EUR|USD|CHF)"
)
# Every repetition has a bound, or a page of one long line would be read over and over.
_PATTERNS = {
    "code": r"(?<!`)(?P<ticks>`{1,9})(?!`)(?P<inner>.{1,2000}?)(?<!`)(?P=ticks)(?!`)",
    "wikilink": r"\[\[[^\[\]\n]{1,300}\]\]",
    "url": r"(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|mailto:|www\.)[^\s<>\"]+[^\s<>\"'.,;:!?)\]*_]",
    "mail": r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,8}(?::[\w./~-]{1,200})?",
    "windows": r"(?:[A-Za-z]:\\|\\\\\w)[^\s\"<>|]{0,300}",
    "path": r"(?<![\w/])(?:~|\.{1,2})?(?:/[\w.@+~%-]*[\w@+~%-])+/?|(?<!\w)\*\.\w{1,20}"
    r"|(?<![\w.)\]])\.[A-Za-z][\w-]{0,40}(?:\.\w{1,20}){0,3}",
    "relative": r"[\w.@+~-]{1,100}(?:/[\w.@+~%-]{1,100}){2,}/?"
    r"|[\w.@+~-]{1,100}/[\w@+~-]{0,100}\.\w{1,10}\b",
    "date": r"\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d)?(?:[Zz]|[+-]\d\d:?\d\d)?)?\b"
    rf"|\d{{1,2}}\.\s?\d{{1,2}}\.\s?\d{{2,4}}\b"
    rf"|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th)?\s(?:of\s)?(?i:{_MONTH})\b(?:,?\s\d{{4}}\b)?"
    rf"|(?i:{_MONTH})\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?",
    "time": r"\d{1,2}:\d\d(?::\d\d)?(?:\s?(?:[aApP]m|AM|PM|Uhr)\b)?"
    r"|\d{1,2}\s?(?:am|pm|AM|PM|Uhr|o'clock)\b",
    "ip": r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{1,5})?\b"
    r"|(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4}){1,7}",
    "version": r"[vV]\d+(?:\.\w+){0,5}(?:[-+]\w+){0,5}|\d+(?:\.\d+){2,5}(?:[-+]\w+){0,5}\b",
    # [0, 1) is not (0, 1].
    "interval": r"(?<!\w)(?:[\[\]]\s?[+-]?[\d.]{1,20}\s?[,;]\s?[+-]?[\d.∞]{1,20}\s?[\])\[]"
    r"|\(\s?[+-]?[\d.]{1,20}\s?[,;]\s?[+-]?[\d.∞]{1,20}\s?\])(?!\()",
    "quantity": rf"(?:(?<![\w)])[+-])?(?:(?<![\w.])\.)?\d+(?:[.,'\u202f]\d+){{0,9}}\s?{_UNIT}(?!\w)"
    r"|[€$£]\s?\d+(?:[.,']\d+){0,9}",
    "number": r"(?:(?<![\w)])[+-])?(?:(?<![\w.])\.)?\d+(?:[.,'/:]\d+){0,9}(?!\w)",
    "option": r"(?<![\w-])--?[A-Za-z][\w-]{0,60}(?<!-)|%\w+%|\$\{?\w+\}?",
    "dotted": r"[^\W_]{2,40}(?:[-.][^\W_]{1,40}){0,8}\.[^\W\d_]{2,20}\b"
    r"(?:/[\w./@+~%#=&?-]{0,200}[\w/])?",
    "identifier": r"#\d+\b|(?=[\w.@#-]{0,80}[\d_])\w+(?:[-.@#]{1,2}\w+){0,20}|\w{1,20}#(?!\w)",
    "word": r"[^\W\d_]+(?:'[^\W\d_]+)?|\w+",
    "end": r"[.!?;…]{1,40}[\"')\]*_]*(?=\s|$)|\n",
    "symbol": r"~~|[-=]{1,2}>|<[-=]{1,2}|[<>]=?|!=|!(?=\w)"
    r"|(?<=\s)\*(?=\s)|(?<=[\w)])\*{1,9}|\*{1,3}(?=\w)|\\(?=\w)"
    r"|[^\w\s.,:;!()\[\]{}\"'“”„‚«»‹›…–—*_`\\-]",
}
_TOKEN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items()))
_CANNOT = re.compile(r"\bcan(?:'t|not)\b", re.IGNORECASE)
_NOT = re.compile(r"(?<=\w)n't\b", re.IGNORECASE)
_DASH = re.compile(r"[–—]")
_MINUS = re.compile(r"(?:(?<=\s)|(?<=\()|^)–(?=\d)")
_FILES = frozenset(
    "py md txt json yml yaml toml conf cfg ini sh bash sql log csv html css js ts xml png jpg svg "
    "gif pdf zip tar gz "
    "bz2 xz exe service env lock bak rb go rs c h java php pem key crt sock pid".split()
)
_KINDS = {
    "code": _K.CODE, "wikilink": _K.NAME, "url": _K.ADDRESS, "mail": _K.ADDRESS, "ip": _K.ADDRESS,
    "windows": _K.PATH, "path": _K.PATH, "relative": _K.PATH, "date": _K.DATE, "time": _K.TIME,
    "version": _K.VERSION, "quantity": _K.QUANTITY, "number": _K.NUMBER, "option": _K.CODE,
    "identifier": _K.IDENTIFIER, "symbol": _K.WORD, "interval": _K.NUMBER,
}  # fmt: skip
_ARROWS = {"->": "→", "-->": "→", "<-": "←", "<--": "←", "=>": "⇒"}
_AND = {"en": "and", "de": "und"}
# "Stop not, restart" and "stop, not restart"; but "it stops not, because …" is one thing.
_CUT_OFF = re.compile(rf"[,;]\s(?!(?:{'|'.join(sorted(SUBORDINATE))})\b)")
_NOT_PROSE = re.compile(r"`[^`]{1,2000}`|[a-z]{2,9}://\S+")
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}")
_SPACED = re.compile(r"\s+")
_FOLDED = frozenset({"wikilink", "mail", "date", "time", "version"})


def tokenize(text: str, language: str) -> Tokens:
    """Tokenize a text; unknown words count as they are written. Raises TooLong."""
    return _Tokenizer(_spell(text), language).read()


def _spell(text: str) -> str:
    text = unicodedata.normalize("NFC", text).translate(_SPELLING)
    text = _DASH.sub(" - ", _MINUS.sub("-", text))
    return strip_emphasis(_NOT.sub(" not", _CANNOT.sub(" can not", text)))


class _Tokenizer:
    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.tokens: list[Token] = []
        self.starts: list[int] = [0]
        self.unended: set[int] = set()
        self.begin = self.end = 0
        self.light: list[str] = []
        self.before = ""

    def read(self) -> Tokens:
        for found in _TOKEN.finditer(self.text):
            name, raw = str(found.lastgroup), found.group()
            if len(self.tokens) > MAX_TOKENS:
                raise TooLong
            self.end = found.end()
            if name == "end":
                self._end(raw)
            elif name == "word":
                for part in self._parts(raw):
                    self._word(part)
            elif raw == "&":
                self.light.append(_AND.get(self.language, raw))
            else:
                self._add(*_judge(name, raw, found))
            self.before = raw
        starts = [start for start in dict.fromkeys(self.starts) if start < len(self.tokens)]
        return Tokens(self.tokens, starts, frozenset(self.unended), tuple(self.light), self.text)

    def _add(self, kind: DifferenceKind, key: str, raw: str) -> None:
        self.tokens.append(Token(kind, key, raw, tuple(self.light), self.begin, self.end))
        self.light.clear()
        self.begin = self.end

    def _end(self, raw: str) -> None:
        if "?" in raw:
            self._add(_K.WORD, "?", "?")
        if raw == "\n" and self.starts[-1] != len(self.tokens):
            self.unended.add(len(self.tokens))
        if raw == "\n" or not raw.startswith(".") or not self._is_shortened():
            self.starts.append(len(self.tokens))

    def _is_shortened(self) -> bool:
        """Tell whether a dot belongs to an abbreviation, an initial or a German ordinal."""
        before = self.before
        return (
            len(before) == 1
            or (len(before) == 2 and before.isdecimal())
            or is_abbreviation(before, self.text[self.end : self.end + 2])
        )

    def _parts(self, raw: str) -> Iterator[str]:
        head, _, tail = raw.partition("'")
        yield head
        if tail and tail.lower() not in ("s", "re", "ve"):
            yield tail

    def _word(self, raw: str) -> None:
        word = raw.lower()
        is_first = not self.tokens or self.starts[-1] == len(self.tokens)
        is_marked = raw in NEVER_FILLING_IN_CAPITALS or (raw == "A" and not is_first)
        stands_out = (is_marked and not self._is_shouted) or (word == "ein" and not self._goes_on())
        if word in EMPTY.get(self.language, ()) and not stands_out:
            return
        if word in LIGHT.get(self.language, ()) and not stands_out:
            self.light.append(LIGHT[self.language][word])
            return
        key = raw if raw[0].islower() and raw != word else stem_word(word, self.language)
        # "A few" are some, "few" are hardly any.
        key = f"a {key}" if word in ("few", "little") and self.before.lower() == "a" else key
        self._add(self._kind(raw, word, is_first), key, raw)
        if word in NEGATIONS and _CUT_OFF.match(self.text, self.end):
            self._add(_K.WORD, ",", ",")

    @cached_property
    def _is_shouted(self) -> bool:
        """Tell whether most words stand in capitals, so that these mark nothing."""
        words = _PLAIN_WORD.findall(_NOT_PROSE.sub(" ", self.text))
        return 2 * sum(word.isupper() for word in words) > len(words)

    def _goes_on(self) -> bool:
        return re.match(r"\s+\w", self.text[self.end : self.end + 4]) is not None

    def _kind(self, raw: str, word: str, is_first: bool) -> DifferenceKind:
        if word in DATES:
            return _K.DATE
        if word in UNITS:
            return _K.QUANTITY
        if word in NUMBERS:
            return _K.NUMBER
        # Most words have no capital inside, which one comparison tells.
        if raw[1:] != word[1:] and any(map(str.isupper, raw[1:])) and not self._is_shouted:
            return _K.IDENTIFIER if raw[0].islower() or raw.isupper() else _K.NAME
        if not raw[0].isupper() or is_first:
            return _K.WORD
        is_noun = self.language == "de" and self.before.lower() in BEFORE_NOUNS
        return _K.WORD if is_noun else _K.NAME


def _judge(name: str, raw: str, found: re.Match[str]) -> tuple[DifferenceKind, str, str]:
    key = _SPACED.sub("" if name in ("quantity", "time") else " ", raw).strip()
    if name == "interval":
        key = key.replace(" ", "")
    elif name == "code":
        key = "`" + _SPACED.sub(" ", found["inner"]).strip()
    elif name == "symbol":
        key = _ARROWS.get(key, key)
    elif name == "dotted":
        is_file = raw.rsplit(".", 1)[1].lower() in _FILES
        return (_K.PATH, key, raw) if is_file else (_K.ADDRESS, key.lower(), raw)
    elif name in _FOLDED or (name == "identifier" and "_" not in raw):
        key = key.lower()
    return _KINDS[name], key, raw
