"""The syntax of a search: words, phrases in quotes, and filters."""

import re
from dataclasses import dataclass, field

from embeddings.hash_embedder import split_words

# The rest of a query counts as loose words.
MAX_PHRASES = 5
MAX_PHRASE_WORDS = 30

_QUOTED = re.compile(r'["“”„]([^"“”„]+)["“”„]|«([^«»]+)»')
_FILTER = re.compile(r"(?<!\S)(type|tag):(\S+)(?!\S)", re.IGNORECASE)


@dataclass(frozen=True)
class Query:
    """`phrases` are the words of each phrase, `loose` the text outside of them."""

    loose: str
    phrases: list[list[str]] = field(default_factory=list)

    @property
    def words(self) -> str:
        """All words of the query without quotes."""
        return " ".join([self.loose, *(" ".join(phrase) for phrase in self.phrases)]).strip()


def meant_title(text: str) -> str:
    """Return the title of a page for the query: a phrase alone loses its quotes."""
    phrase = _QUOTED.fullmatch(text)
    return (phrase[1] or phrase[2]).strip() if phrase else text


def parse_query(text: str) -> Query:
    """Read phrases between two quotes; a quote without a partner means nothing."""
    phrases: list[list[str]] = []

    def take(match: re.Match[str]) -> str:
        words = split_words(match[1] or match[2])[:MAX_PHRASE_WORDS]
        if not words or len(phrases) == MAX_PHRASES:
            return match[0]
        phrases.append(words)
        return " "

    loose = _QUOTED.sub(take, text)
    return Query(" ".join(loose.split()), phrases)


def split_filters(text: str) -> tuple[str, dict[str, str]]:
    """Split "runner type:problem tag:ci" into "runner" and its filters."""
    filters = {match[1].lower(): match[2] for match in _FILTER.finditer(text)}
    return " ".join(_FILTER.sub(" ", text).split()), filters
