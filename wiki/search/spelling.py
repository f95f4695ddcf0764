"""Spelling suggestions: a word of these pages for one that stands on none of them."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches

from django.db.models import CharField, F, Func, Value
from django.db.models.functions import Concat, Left

from embeddings.hash_embedder import WORD, split_words
from wiki.models import AskedAs, PageQuerySet
from wiki.search.tsquery import MIN_BEGINNING, Hidden, beginning, count_pages, latest_first
from wiki.text.query_syntax import parse_query

# Characters of a word that is corrected, and words of a query.
SHORTEST = 4
LONGEST = 40
MOST_WORDS = 8
# 0.77 takes "bakcup" for "backup" and "runer" for "runner", but not "wort" for "port".
CLOSE = 0.77
# Pages with a word, counted no further.
_ENOUGH = 50
# Letters that a misspelt word shares with the one that is meant.
_PREFIX = MIN_BEGINNING
# Titles and texts that are read for words, and characters of each text.
_TITLES = 20_000
_BODIES = 40
_READ = 20_000


def suggest_query(pages: PageQuerySet, text: str) -> str:
    """The query with the words that no page has replaced by near ones that some page has; empty
    when there are none.

    Titles and tags know every word, texts only those that begin alike.
    """
    typed = split_words(parse_query(text).words)
    words = [
        word
        for word in dict.fromkeys(typed)
        if SHORTEST <= len(word) <= LONGEST and not word.isdigit()
    ]
    missing = _find_missing(pages, words[:MOST_WORDS])
    if not missing:
        return ""
    named = _words_of_names(pages)
    meant = {word: _nearest(word, named, _words_beginning_like(pages, word)) for word in missing}
    if not any(meant.values()):
        return ""
    return WORD.sub(lambda match: meant.get(match[0].lower()) or match[0], text)


def _find_missing(pages: PageQuerySet, words: Sequence[str]) -> list[str]:
    """The words that stand nowhere, neither whole nor as the beginning of another."""
    # For a single page the database would rather read through all than ask the index.
    known = count_pages(pages, [beginning(word) for word in words], _ENOUGH)
    missing = [word for place, word in enumerate(words) if not known[place]]
    asked = AskedAs.objects.filter(page__in=pages)
    return [word for word in missing if not asked.filter(search=beginning(word)).exists()]


def _words_of_names(pages: PageQuerySet) -> Counter[str]:
    tags = Func(F("tags"), Value(" "), function="array_to_string", output_field=CharField())
    names = pages.order_by(*latest_first()).values_list(
        Concat("title_key", Value(" "), tags), flat=True
    )
    return Counter(split_words(" ".join(names[:_TITLES])))


def _words_beginning_like(pages: PageQuerySet, word: str) -> Counter[str]:
    begun = re.compile(rf"(?<![^\W_]){word[:_PREFIX]}[^\W_]*", re.IGNORECASE)
    alike = pages.filter(search=Hidden(beginning(word[:_PREFIX]))).order_by(*latest_first())
    bodies = alike.values_list(Left("body", _READ), flat=True)[:_BODIES]
    return Counter(found.lower() for body in bodies for found in begun.findall(body))


def _nearest(word: str, *known: Counter[str]) -> str:
    """The most similar word; of equally similar ones the one that is said most."""
    counts = sum(known, Counter[str]())
    near = [
        other for other in counts if len(other) >= SHORTEST and abs(len(other) - len(word)) <= 2
    ]
    likely = [other for other in near if _share_pair(word, other)]
    close = get_close_matches(word, likely, n=5, cutoff=CLOSE)
    return max(
        close,
        key=lambda other: (SequenceMatcher(None, other, word).ratio(), counts[other]),
        default="",
    )


def _share_pair(word: str, other: str) -> bool:
    """Whether they have two letters in a row in common: a look before the comparison, which takes
    longer."""
    return any(word[at : at + 2] in other for at in range(len(word) - 1))
