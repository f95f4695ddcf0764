"""Finding for people: while they type, and the whole search in one or several wikis."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate
from operator import and_

from django.contrib.postgres.search import SearchRank
from django.db.models import F, Q, Value

from embeddings.hash_embedder import split_words
from wiki.models import AskedAs, Page, PageQuerySet, Wiki
from wiki.search.matcher import Matcher
from wiki.search.question_search import may_be_asked, noting_questions, worded_questions
from wiki.search.retrieval import Hit, Mode, holding_first, recall_for_people
from wiki.search.spelling import suggest_query
from wiki.search.tsquery import (
    MIN_BEGINNING,
    AnyWordQuery,
    Hidden,
    beginning,
    count_pages,
    latest_first,
    whole_word,
)
from wiki.text.cleaning import MAX_TITLE
from wiki.text.excerpts import EXCERPT
from wiki.text.query_syntax import Query, parse_query
from wiki.text.slugs import title_key

IN_TITLE = "title"
# Pages shown by their title.
TITLED = 8
# Pages that a search shows at most.
MOST = 100

# While somebody types: pages shown by their text, characters of an excerpt, words looked for.
WORDED = 6
SHORT = 110
_TYPED_WORDS = 12

# To weigh the words of a page takes longer than to find it, and a word may stand on every page.
# From so many pages on a word is common.
_COMMON = 400
_COUNTED_WORDS = 12
# The latest pages with common words are weighed, up to so many.
_WEIGHED = 200
# Pages with a phrase, at most.
_PHRASED = 500


@dataclass
class Found:
    """The hits, best first; only those that were quoted have excerpts."""

    query: str
    hits: list[Hit] = field(default_factory=list)
    degraded: bool = False
    reason: str = ""
    stale: int = 0
    suggestion: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether there may be more than are handed out."""
        return len(self.hits) == MOST

    @property
    def types(self) -> dict[str, int]:
        return dict(Counter(hit.page.type for hit in self.hits if hit.page.type).most_common())

    @property
    def tags(self) -> dict[str, int]:
        return dict(Counter(tag for hit in self.hits for tag in hit.page.tags).most_common())

    @property
    def wikis(self) -> dict[int, int]:
        return dict(Counter(hit.page.wiki_id for hit in self.hits).most_common())


def pages_of(wikis: Iterable[Wiki]) -> PageQuerySet:
    """The live pages of these wikis, without what no list shows."""
    return _light(Page.objects.live().filter(wiki__in=[wiki.pk for wiki in wikis]))


def _light(pages: PageQuerySet) -> PageQuerySet:
    return pages.defer("body", "front_matter", "embedding", "names")


def find_titled(pages: PageQuerySet, title: str) -> Page | None:
    """The first page with exactly this title, but for case: other pages may have the slug of it."""
    return pages.filter(title_key=title_key(title)).order_by("id").first()


def find(pages: PageQuerySet, text: str, *, type: str = "", tag: str = "") -> Found:
    """Titles with the words, then recall by meaning and words; without a query the latest pages
    that the filters leave.

    Asks the embedding service.
    """
    query = parse_query(text)
    narrowed = _with_phrases(_narrow(pages, type, tag), query)
    if not query.words:
        return Found(
            text, [Hit(page, None, []) for page in narrowed.order_by("-updated_at", "-id")[:MOST]]
        )
    counted = _count_words(narrowed, query.words)
    found = recall_for_people(
        narrowed, _worth_weighing(narrowed, query.words, counted), query.words, MOST
    )
    hits = holding_first(_titles_first(narrowed, query.words, found.hits)[:MOST])
    answer = Found(text, hits, found.degraded, found.reason, found.stale)
    if not all(counted.values()) and not any(IN_TITLE in hit.found_by for hit in hits):
        answer.suggestion = suggest_query(pages, text)
    return answer


def find_instantly(pages: PageQuerySet, text: str) -> list[Hit]:
    """What has the words typed so far: in the title, then in the text. Asks nobody but the
    database."""
    query = parse_query(text[:MAX_TITLE])
    if not query.words:
        return [Hit(page, None, []) for page in pages.order_by("-updated_at", "-id")[:TITLED]]
    narrowed = _with_phrases(pages, query)
    titled = _titles_first(narrowed, query.words, [])
    worded = _find_typed(narrowed.exclude(pk__in=[hit.page.pk for hit in titled]), query.words)
    return quote(holding_first(titled + worded), text, SHORT)


def quote(hits: Sequence[Hit], text: str, length: int = EXCERPT) -> list[Hit]:
    """The hits with their excerpts."""
    bodies = dict(
        Page.objects.filter(pk__in=[hit.page.pk for hit in hits])
        .order_by()
        .values_list("pk", "body")
    )
    matcher = Matcher(text)
    for hit in hits:
        hit.excerpt = matcher.snippet_of_page(bodies.get(hit.page.pk, ""), length)
    return list(hits)


def _narrow(pages: PageQuerySet, type: str, tag: str) -> PageQuerySet:
    if type:
        pages = pages.filter(type=type)
    return pages.filter(tags__contains=[tag]) if tag else pages


def _titles_first(pages: PageQuerySet, words: str, hits: Sequence[Hit]) -> list[Hit]:
    known = {hit.page.pk: hit for hit in hits}
    titled = [
        known.pop(page.pk) if page.pk in known else Hit(page, None, [])
        for page in pages.titled(words[:MAX_TITLE])[:TITLED]
    ]
    for hit in titled:
        hit.found_by = [IN_TITLE, *hit.found_by]
    return [*titled, *known.values()]


def _with_phrases(pages: PageQuerySet, query: Query) -> PageQuerySet:
    """Pages that say every phrase of the query, word by word."""
    if not query.phrases:
        return pages
    for phrase in query.phrases:
        # The index keeps no order and no stop words: it says where to look, the text decides.
        says = rf"(^|[^[:alnum:]]){'[^[:alnum:]]+'.join(phrase)}($|[^[:alnum:]])"
        is_said = Q(title__iregex=says) | Q(body__iregex=says)
        pages = pages.filter(is_said, search=AnyWordQuery(" ".join(phrase)))
    found = list(pages.order_by(*latest_first()).values_list("pk", flat=True)[:_PHRASED])
    return _light(Page.objects.filter(pk__in=found))


def _count_words(pages: PageQuerySet, words: str) -> dict[str, int]:
    """On how many pages the words stand, up to so many that they tell little."""
    # The longer a word the rarer it is, as a rule.
    longest = sorted(set(split_words(words)), key=lambda word: (-len(word), word))[:_COUNTED_WORDS]
    counted = count_pages(pages, [AnyWordQuery(word) for word in longest], _COMMON)
    return {word: counted[place] for place, word in enumerate(longest)}


def _worth_weighing(pages: PageQuerySet, words: str, counted: dict[str, int]) -> PageQuerySet:
    """All pages with one of the rarest words, and the latest with any."""
    rarest = sorted(counted, key=lambda word: counted[word])
    sums = accumulate(counted[word] for word in rarest)
    rare = " ".join(
        word for word, pages_until in zip(rarest, sums, strict=True) if pages_until < _COMMON
    )
    telling = pages.filter(search=Hidden(AnyWordQuery(rare))).order_by().values_list("pk")
    latest = (
        pages.filter(search=Hidden(AnyWordQuery(words)))
        .order_by(*latest_first())
        .values_list("pk")[:_WEIGHED]
    )
    # As numbers: the database would look for the words in all pages once more.
    return _light(Page.objects.filter(pk__in=[pk for (pk,) in telling.union(latest)]))


def _find_typed(pages: PageQuerySet, words: str) -> list[Hit]:
    """Pages whose text has every word; the last may still be growing."""
    typed = split_words(words)[:_TYPED_WORDS]
    if not typed or len(words) < MIN_BEGINNING:
        return []
    query = reduce(and_, [*map(whole_word, typed[:-1]), beginning(typed[-1])])
    latest = pages.filter(search=Hidden(query)).order_by(*latest_first()).values("pk")[:_WEIGHED]
    rank = SearchRank(F("search"), query, normalization=Value(1))
    noting = noting_questions(_light(Page.objects.filter(pk__in=latest)), AskedAs.objects.all())
    rows = list(noting.annotate(rank=rank).order_by("-rank", "id")[:WORDED])
    hits = [Hit(page, None, [Mode.KEYWORD.value], page.rank) for page in rows]
    if len(hits) == WORDED or not may_be_asked(rows):
        return hits
    asked = worded_questions(pages, query, WORDED, AskedAs.objects.all())
    others = pages.filter(pk__in=asked.keys() - {page.pk for page in rows}) if asked else []
    return [
        *hits,
        *(Hit(page, None, [Mode.KEYWORD.value], asked_as=asked[page.pk].text) for page in others),
    ][:WORDED]
