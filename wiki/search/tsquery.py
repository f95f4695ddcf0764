"""Queries of the index of words (covey_search_vector), by both stemmers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from functools import reduce
from operator import or_

from django.contrib.postgres.search import CombinedSearchQuery, SearchQuery
from django.db.models import F, Func, OrderBy, Value

from wiki.models import PageQuerySet
from wiki.text.slugs import fold_accents, fold_slug

WordQuery = SearchQuery | CombinedSearchQuery
MIN_BEGINNING = 3


class AnyWordQuery(SearchQuery):
    """A tsquery by the SQL function `covey_search_query`: any word of the query may match, with or
    without accents."""

    SEARCH_TYPES = {**SearchQuery.SEARCH_TYPES, "any": "covey_search_query"}

    def __init__(self, query: str) -> None:
        composed = unicodedata.normalize("NFC", query)
        plain = fold_accents(composed)
        super().__init__(
            composed if plain == composed else f"{composed} {plain}", search_type="any"
        )


def whole_word(word: str) -> WordQuery:
    german, english = (
        SearchQuery(word, config=f"pg_catalog.{language}") for language in ("german", "english")
    )
    return german | english


def beginning(word: str) -> WordQuery:
    """The word, or one that begins so."""
    if len(word) < MIN_BEGINNING:
        return whole_word(word)
    # The stemmers make of "ü" and "ue" an "u", but only in words that are whole.
    spellings = dict.fromkeys([word, *fold_slug(word), re.sub("([aou])e", r"\1", word)])
    return reduce(or_, map(_raw_beginning, spellings), whole_word(word))


def _raw_beginning(word: str) -> SearchQuery:
    return SearchQuery(f"'{word}':*", config="simple", search_type="raw")


class Hidden(SearchQuery):
    """A query that the planner cannot see: for a word that it knows to be common it would read the
    words of every page, which takes many times as long as asking the index."""

    def __init__(self, query: WordQuery) -> None:
        Func.__init__(self, query, template="(SELECT %(expressions)s)")
        self.invert = False


def latest_first() -> tuple[OrderBy, str]:
    # By an expression, so that no index leads through all pages by their date and reads the words
    # of each.
    return (F("updated_at") + Value(timedelta(0))).desc(), "-id"


def count_pages(pages: PageQuerySet, queries: Sequence[WordQuery], most: int) -> Counter[int]:
    """How many pages fit each query, by its place; nothing is counted beyond `most`."""
    if not queries:
        return Counter()
    fitting = [
        pages.filter(search=Hidden(query)).order_by().values_list(Value(place))[:most]
        for place, query in enumerate(queries)
    ]
    return Counter(place for (place,) in fitting[0].union(*fitting[1:], all=True))
