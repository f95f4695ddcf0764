"""Identifiers in a query, such as ERR_CONN_4711: only pages that have them exactly are meant."""

import re

from django.contrib.postgres.search import SearchQuery
from django.db.models import Case, FloatField, Value, When
from django.db.models.expressions import Combinable

# Ranks of words alone stay below 1.
WHOLE = 1.0
MAX_IDENTIFIERS = 5
# Words and numbers held together by signs, with a digit or an underscore among them; "well-known"
# is none.
_IDENTIFIER = re.compile(r"(?=\S*[\d_])\w+(?:[-./:@#+]+\w+)+|(?=\S*[^\W_])\w*_\w+")
_AROUND = "\"'“”„‚‘’()[]{}<>,;:.!?`*"


def find_identifiers(query: str) -> list[str]:
    chunks = dict.fromkeys(chunk.strip(_AROUND) for chunk in query.split())
    return [chunk for chunk in chunks if _IDENTIFIER.fullmatch(chunk)][:MAX_IDENTIFIERS]


def is_identifier(query: str) -> bool:
    """Whether a query is nothing else."""
    return bool(query.split()) and len(find_identifiers(query)) == len(query.split())


def rank_identifiers(query: str) -> Combinable:
    """What to add to the rank of a page: `WHOLE` for each of the query's identifiers that it says
    as a whole."""
    rank: Combinable = Value(0.0)
    for identifier in find_identifiers(query):
        is_whole = When(
            search=SearchQuery(identifier, config="pg_catalog.english", search_type="phrase"),
            then=WHOLE,
        )
        rank = rank + Case(is_whole, default=0.0, output_field=FloatField())
    return rank
