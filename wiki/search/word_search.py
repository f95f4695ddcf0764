"""Search by words: BM25 over the terms of wiki.text.terms, in one wiki or several.

A term that few pages have says more than one that all have. Those of several wikis are counted
together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

from django.db import connection
from django.db.models import FloatField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from pgvector import SparseVector
from pgvector.django import MaxInnerProduct

from wiki.indexing.lexemes import Query, any_of, beginning, lexeme_of, place_of, term_in
from wiki.models.page_words import MAX_PLACES
from wiki.text.terms import MAX_TERM, Word, find_words, fold, is_stop, term_of

# Words of a query; a longer one is a text, and its first words say what it is about.
MAX_WORDS = 300
# Terms that are weighed, the rarest first.
MAX_TERMS = 60
# Pages that the rarest terms together lead to, which are then weighed by all terms. On 38,000 pages
# the same pages come first as when all are weighed, in a quarter of the time.
CANDIDATES = 8_000
MANY = 10**9
# How much a longer word says that a word of the query begins or ends, such as "datenbankserver" for
# "datenbank", and a part of a word for the whole.
COMPOUND = 0.5
# Letters of a word that is looked for in longer ones, and of the rest of those.
SHORTEST = 5
REST = 3
MAX_COMPOUNDS = 30
# Letters of a word that is still being typed.
MIN_BEGINNING = 3
MAX_BEGUN = 30


@dataclass(frozen=True)
class WordQuery:
    """A query by words, its terms weighed by how rare they are. `missing` are the words of it that
    stand on no page, whole or in a longer one."""

    weights: dict[str, float]
    candidates: str
    missing: list[str] = field(default_factory=list)

    @property
    def vector(self) -> SparseVector:
        places = {place_of(term): weight for term, weight in self.weights.items()}
        return SparseVector(places or {0: 1e-9}, MAX_PLACES)

    @property
    def is_hit(self) -> Query:
        return Query(self.candidates)

    def rank(self, weights: str = "weights") -> Combinable:
        """The BM25 score, from the column of a document's weights."""
        return Value(0.0) - Cast(MaxInnerProduct(weights, self.vector), FloatField())


def ask_words(wikis: Sequence[int], text: str, *, is_growing: bool = False) -> WordQuery:
    """Weigh the terms of a query by the pages of the wikis. The last word of a growing one may be
    the beginning of a longer one."""
    words = list(_read(text))
    telling = [word for word in words if not is_stop(word.whole)] or words
    if not telling:
        return WordQuery({}, "")
    if is_growing:
        telling[-1].is_growing = True
    counts = _count(wikis, telling)
    weights: dict[str, float] = {}
    for word in telling:
        for term, weight in word.weigh(counts):
            weights[term] = max(weights.get(term, 0.0), weight)
    # What no page has comes last: questions alone may have it.
    rarest = sorted(weights, key=lambda term: (counts.pages.get(term, MANY), term))[:MAX_TERMS]
    missing = [word.text for word in telling if word.is_missing(counts)]
    candidates = any_of(wikis, _lead(rarest, counts))
    return WordQuery({term: weights[term] for term in rarest}, candidates, missing)


@dataclass
class _Counts:
    """On how many of the pages each term stands; stop words are on all and not counted."""

    total: int = 0
    pages: dict[str, int] = field(default_factory=dict)
    # Those that a word of the query begins or ends.
    longer: set[str] = field(default_factory=set)

    def rarity(self, term: str) -> float:
        """The idf of BM25; also of a term that no page has, since a question kept with a page may
        have it."""
        if is_stop(term):
            return 1.0
        pages = self.pages.get(term, 0)
        return log(1 + (self.total - pages + 0.5) / (pages + 0.5))


@dataclass
class _QueryWord:
    text: str
    terms: tuple[tuple[str, float], ...]
    is_growing: bool = False

    @property
    def whole(self) -> str:
        return self.terms[0][0]

    @property
    def is_plain(self) -> bool:
        return len(self.terms) == 1 and self.whole.isalpha()

    @property
    def stem(self) -> str:
        """What longer words are looked for by."""
        return self.whole if len(self.whole) >= SHORTEST else self.text

    @property
    def may_be_inside(self) -> bool:
        return self.is_plain and len(self.text) >= SHORTEST and not is_stop(self.whole)

    def halves(self) -> Iterator[tuple[str, str]]:
        """The terms of each beginning and of each end, longest beginning first."""
        if self.is_plain and SHORTEST + REST <= len(self.text) <= MAX_TERM:
            for cut in range(len(self.text) - REST, REST - 1, -1):
                yield term_of(self.text[:cut]), term_of(self.text[cut:])

    def weigh(self, counts: _Counts) -> Iterator[tuple[str, float]]:
        rarity = counts.rarity(self.whole)
        is_known = self.whole in counts.pages
        yield self.whole, rarity
        for term, weight in self.terms[1:]:
            # Of a name that no page has, its parts are all there is.
            yield term, counts.rarity(term) * (weight if is_known else 1.0)
        for term in self.longer(counts):
            yield term, COMPOUND * min(counts.rarity(term), rarity)
        for term in self._parts(counts):
            yield term, COMPOUND * counts.rarity(term)

    def is_missing(self, counts: _Counts) -> bool:
        """Whether it stands on no page, neither by its parts nor as a part."""
        terms = [term for term, _ in self.terms]
        said = any(term in counts.pages or is_stop(term) for term in terms)
        return not said and not self.longer(counts) and not any(self._parts(counts))

    def longer(self, counts: _Counts) -> list[str]:
        """The terms that it begins or ends, each with what is more than an ending."""
        return [term for term in counts.longer if term != self.whole and self._is_in(term)]

    def _is_in(self, term: str) -> bool:
        if not term.isalpha():
            return self.is_growing and term.startswith(self.text)
        at = term.find(self.stem)
        if at == 0:
            return self.is_growing or len(term) >= len(self.stem) + REST
        return self.may_be_inside and at >= REST

    def _parts(self, counts: _Counts) -> Iterator[str]:
        """The longest terms that begin and end it."""
        halves = list(self.halves())
        for terms in ([first for first, _ in halves], [last for _, last in reversed(halves)]):
            found = (term for term in terms if len(term) >= SHORTEST - 1 and term in counts.pages)
            if term := next(found, ""):
                yield term


def _read(text: str) -> Iterator[_QueryWord]:
    seen = set()
    for word in find_words(text):
        if word.terms[0][0] not in seen:
            seen.add(word.terms[0][0])
            yield _QueryWord(_spelled(text, word), word.terms)
        if len(seen) == MAX_WORDS:
            return


def _spelled(text: str, word: Word) -> str:
    return fold(text[word.start : word.end]).casefold()


_COUNT = """
    SELECT false, lexeme, pages FROM wiki_term WHERE lexeme = ANY(%(terms)s) AND pages > 0
    UNION ALL
    (SELECT true, lexeme, pages FROM wiki_term WHERE ends @@ %(inside)s::tsquery AND pages > 0
    ORDER BY pages DESC, lexeme LIMIT %(most_inside)s)
    UNION ALL
    (SELECT true, lexeme, pages FROM wiki_term, unnest(%(begun)s::text[]) AS begun
    WHERE lexeme >= begun AND lexeme < begun || U&'\\+10FFFF' AND pages > 0
    ORDER BY pages DESC, lexeme LIMIT %(most_begun)s)
    UNION ALL
    SELECT false, '', coalesce(sum(pages), 0) FROM wiki_pagecount WHERE wiki_id = ANY(%(wikis)s)
"""


def _count(wikis: Sequence[int], words: Sequence[_QueryWord]) -> _Counts:
    terms = {term for word in words for term, _ in word.terms}
    terms.update(term for word in words for pair in word.halves() for term in pair)
    inside = [word.stem for word in words if word.may_be_inside]
    last = words[-1]
    begun = last.text if last.is_growing and len(last.text) >= MIN_BEGINNING else None
    filled: dict[str, Any] = {
        "terms": [lexeme_of(wiki, term) for wiki in wikis for term in terms],
        "inside": " | ".join(beginning(wikis, stem) for stem in inside),
        "begun": [lexeme_of(wiki, begun) for wiki in wikis] if begun else [],
        "wikis": list(wikis),
        "most_inside": MAX_COMPOUNDS,
        "most_begun": MAX_BEGUN,
    }
    counts = _Counts()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, filled)
        rows = cursor.fetchall()
    counts.longer = {term_in(lexeme) for is_longer, lexeme, _ in rows if is_longer}
    for lexeme, pages in {lexeme: pages for _, lexeme, pages in rows}.items():
        term = term_in(lexeme)
        counts.pages[term] = counts.pages.get(term, 0) + pages
    counts.total = counts.pages.pop("")
    return counts


def _lead(rarest: Sequence[str], counts: _Counts) -> Iterator[str]:
    """The terms whose pages are weighed."""
    room = CANDIDATES
    for term in rarest:
        room -= counts.pages.get(term, 0)
        if room < 0 and term != rarest[0]:
            return
        yield term
