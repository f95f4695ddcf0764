"""Highlight blocks of code by Pygments, with short classes for covey.css."""

import html
import time
from collections.abc import Iterator

from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import _TokenType
from pygments.util import ClassNotFound

# Their lexers stay quick with any text within the limits below.
LANGUAGES = frozenset(
    "apacheconf awk bash batch c clojure cmake cpp csharp css dart diff docker elixir erlang go "
    "graphql groovy haskell "
    "html ini java javascript jinja json jsx julia kotlin lua make markdown mysql nginx "
    "objective-c perl php "
    "postgresql powershell properties protobuf puppet pycon python ruby rust scala scss sed sql "
    "swift systemd "
    "terraform tex toml tsx typescript vbnet vim xml yaml".split()
)
_OTHER_NAMES = {
    "console": "bash",
    "shell-session": "bash",
    "text": "",
    "plain": "",
    "jsonc": "json",
    "json5": "json",
}
# Characters of a block and of a line; longer ones keep one colour.
MAX_CODE = 20_000
MAX_LINE = 1_000
# For all the code of a page; the rest keeps one colour.
SECONDS = 0.2

_formatter = HtmlFormatter(nowrap=True, classprefix="c-")


class CodePainter:
    """Highlights the blocks of one page, which share the time."""

    def __init__(self) -> None:
        self.left = SECONDS

    def paint(self, code: str, language: str) -> str:
        """Return the code as HTML; plain if its language is unknown or it would take too long."""
        lexer = _find_lexer(language) if _is_moderate(code) and self.left > 0 else None
        if lexer is None:
            return html.escape(code, quote=False)
        begun = time.monotonic()
        try:
            return "".join(_format(list(self._tokens(lexer, code))))
        except _TooSlow:
            return html.escape(code, quote=False)
        finally:
            self.left -= time.monotonic() - begun

    def _tokens(self, lexer: Lexer, code: str) -> Iterator[tuple[_TokenType, str]]:
        end = time.monotonic() + self.left
        # `get_tokens` would prepare the text first: expand tabs, cut blank lines.
        for _, kind, words in lexer.get_tokens_unprocessed(code):
            if time.monotonic() > end:
                raise _TooSlow
            yield kind, words


class _TooSlow(Exception):
    pass


def _is_moderate(code: str) -> bool:
    return len(code) <= MAX_CODE and max(map(len, code.splitlines()), default=0) <= MAX_LINE


def _find_lexer(language: str) -> Lexer | None:
    name = language.lower()
    try:
        lexer = get_lexer_by_name(_OTHER_NAMES.get(name, name))
    except ClassNotFound:
        return None
    return lexer if LANGUAGES & set(lexer.aliases) else None


def _format(tokens: list[tuple[_TokenType, str]]) -> list[str]:
    pieces: list[str] = []
    _formatter.format_unencoded(tokens, _Pieces(pieces))
    return pieces


class _Pieces:
    def __init__(self, pieces: list[str]) -> None:
        self.write = pieces.append
