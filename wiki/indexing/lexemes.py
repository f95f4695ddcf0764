"""Lexemes: terms as the database keeps them, in a tsvector that covey makes itself.

PostgreSQL reads no text here: its words depend on the locale of the server.
"""

from collections.abc import Iterable, Sequence
from zlib import crc32

from django.contrib.postgres.search import SearchQuery, SearchVectorField
from django.db.models import Expression, Func, Value

from wiki.models.page_words import MAX_PLACES
from wiki.text.terms import find_words, is_stop

# With more words than that the index is slower than a look at every page.
LOOKED_UP = 12


class Lexemes(Func):
    """A list of lexemes as a tsvector without places in the text."""

    function = "array_to_tsvector"
    template = "%(function)s(%(expressions)s::text[])"
    output_field = SearchVectorField()


class Both(Func):
    """Two tsvectors in one."""

    template = "(%(expressions)s)"
    arg_joiner = " || "
    output_field = SearchVectorField()


class Query(SearchQuery):
    """A text of quoted lexemes and operators as a tsquery; PostgreSQL splits no words in it."""

    def __init__(self, text: str | Expression) -> None:
        Func.__init__(self, Value(text) if isinstance(text, str) else text)
        self.template = "(%(expressions)s)::tsquery"
        self.invert = False


def place_of(term: str) -> int:
    """The place of a term in sparse vectors, from 0."""
    return crc32(term.encode()) % MAX_PLACES


def lexeme_of(wiki: int, term: str) -> str:
    return f"{wiki}:{term}"


def term_in(lexeme: str) -> str:
    return lexeme.partition(":")[2]


def all_of(wiki: int, text: str, *, with_stop_words: bool = False) -> str:
    """The tsquery for documents of a wiki that have every term of a text; of a long one the longest
    LOOKED_UP. Empty, and true of none, for a text without terms."""
    terms = {word.terms[0][0] for word in find_words(text)}
    asked = terms if with_stop_words else {term for term in terms if not is_stop(term)}
    longest = sorted(asked, key=lambda term: (-len(term), term))[:LOOKED_UP]
    return " & ".join(_quote(lexeme_of(wiki, term)) for term in longest)


def any_of(wikis: Sequence[int], terms: Iterable[str]) -> str:
    """The tsquery for documents with one of the terms."""
    return " | ".join(_quote(lexeme_of(wiki, term)) for term in terms for wiki in wikis)


def beginning(wikis: Sequence[int], letters: str) -> str:
    """The tsquery for documents with a term that begins so."""
    return " | ".join(f"{_quote(lexeme_of(wiki, letters))}:*" for wiki in wikis)


def _quote(lexeme: str) -> str:
    doubled = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
