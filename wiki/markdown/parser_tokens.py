"""The parser's tokens and their visible words."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token


def walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from walk(token.children or ())


def plain_words(inline: Token) -> str:
    """Return the visible words of an inline token or a picture, on one line."""
    return " ".join("".join(map(_words, inline.children or ())).split())


def _words(token: Token) -> str:
    if token.type == "wikilink":
        return str(token.meta["link"].words)
    return " " if token.type in ("softbreak", "hardbreak") else token.content
