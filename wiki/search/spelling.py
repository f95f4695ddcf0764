"""Spelling suggestions: a word of these pages for one that stands on none of them."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches

from django.db.models import CharField, F, Func, Value
from django.db.models.functions import Concat, Left

from embeddings.hash_embedder import WORD, split_words
from wiki.indexing.lexemes import Query, any_of, beginning
from wiki.models import AskedAs, PageQuerySet
from wiki.search.word_search import MIN_BEGINNING, ask_words
from wiki.text.query_syntax import parse_query
from wiki.text.terms import fold, term_of

# Characters of a word that is corrected, and words of a query.
SHORTEST = 4
LONGEST = 40
MOST_WORDS = 8
# 0.77 takes "bakcup" for "backup" and "runer" for "runner", but not "wort" for "port".
CLOSE = 0.77
# Letters that a misspelt word shares with the one that is meant.
_PREFIX = MIN_BEGINNING
# Titles and texts that are read for words, and characters of each text.
_TITLES = 20_000
_BODIES = 40
_READ = 20_000


def suggest_query(wikis: Sequence[int], pages: PageQuerySet, text: str) -> str:
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
    missing = _find_missing(wikis, pages, words[:MOST_WORDS])
    if not missing:
        return ""
    named = _words_of_names(pages)
    meant = {
        word: _nearest(word, named, _words_beginning_like(wikis, pages, word)) for word in missing
    }
    if not any(meant.values()):
        return ""
    return WORD.sub(lambda match: meant.get(match[0].lower()) or match[0], text)


def _find_missing(wikis: Sequence[int], pages: PageQuerySet, words: Sequence[str]) -> list[str]:
    """The words that stand nowhere, neither whole nor as a part of another."""
    missing = [word for word in words if ask_words(wikis, word, is_growing=True).missing]
    asked = AskedAs.objects.filter(page__in=pages)
    return [word for word in missing if not asked.filter(lexemes=_begins(wikis, word)).exists()]


def _begins(wikis: Sequence[int], word: str) -> Query:
    stems = any_of(wikis, [term_of(fold(word))])
    return Query(f"{stems} | {beginning(wikis, fold(word))}")


def _words_of_names(pages: PageQuerySet) -> Counter[str]:
    tags = Func(F("tags"), Value(" "), function="array_to_string", output_field=CharField())
    names = pages.order_by("-updated_at").values_list(
        Concat("title_key", Value(" "), tags), flat=True
    )
    return Counter(split_words(" ".join(names[:_TITLES])))


def _words_beginning_like(wikis: Sequence[int], pages: PageQuerySet, word: str) -> Counter[str]:
    begun = re.compile(rf"(?<![^\W_]){word[:_PREFIX]}[^\W_]*", re.IGNORECASE)
    alike = pages.filter(words__lexemes=Query(beginning(wikis, fold(word[:_PREFIX]))))
    bodies = alike.order_by("-updated_at").values_list(Left("body", _READ), flat=True)[:_BODIES]
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
