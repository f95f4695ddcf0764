"""Finding for people: while they type, and the whole search in one or several wikis."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import F, OrderBy, Q, Value

from wiki.indexing.lexemes import Query as Lookup
from wiki.indexing.lexemes import all_of
from wiki.models import Page, PageQuerySet, Wiki
from wiki.search.matcher import Matcher
from wiki.search.retrieval import Hit, find_worded, holding_first, recall_for_people
from wiki.search.spelling import suggest_query
from wiki.text.cleaning import MAX_TITLE
from wiki.text.excerpts import EXCERPT
from wiki.text.query_syntax import Query, parse_query
from wiki.text.slugs import title_key

IN_TITLE = "title"
# Pages shown by their title.
TITLED = 8
# Pages that a search shows at most.
MOST = 100

# While somebody types: pages shown by their text, characters of an excerpt.
WORDED = 6
SHORT = 110

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


def find(wikis: Sequence[Wiki], text: str, *, type: str = "", tag: str = "") -> Found:
    """Titles with the words, then recall by meaning and words; without a query the latest pages
    that the filters leave.

    Asks the embedding service.
    """
    query = parse_query(text)
    ids = [wiki.pk for wiki in wikis]
    pages = pages_of(wikis)
    narrowed = _with_phrases(_narrow(pages, type, tag), ids, query)
    if not query.words:
        return Found(
            text, [Hit(page, None, []) for page in narrowed.order_by("-updated_at", "-id")[:MOST]]
        )
    found = recall_for_people(ids, narrowed, query.words, MOST)
    hits = holding_first(_titles_first(narrowed, query.words, found.hits)[:MOST])
    answer = Found(text, hits, found.degraded, found.reason, found.stale)
    if not any(IN_TITLE in hit.found_by for hit in hits):
        answer.suggestion = suggest_query(ids, pages, text)
    return answer


def find_instantly(wikis: Sequence[Wiki], text: str) -> Found:
    """What has words typed so far: all of them in the title, then those in the text that the whole
    search ranks first by words. Asks nobody but the database."""
    query = parse_query(text[:MAX_TITLE])
    ids, pages = [wiki.pk for wiki in wikis], pages_of(wikis)
    if not query.words:
        latest = pages.order_by("-updated_at", "-id")[:TITLED]
        return Found(text, [Hit(page, None, []) for page in latest])
    narrowed = _with_phrases(pages, ids, query)
    titled = _titles_first(narrowed, query.words, [])
    others = narrowed.exclude(pk__in=[hit.page.pk for hit in titled])
    worded = find_worded(ids, others, query.words, WORDED, is_growing=True)
    answer = Found(text, quote(holding_first(titled + worded), text, SHORT))
    if not answer.hits:
        answer.suggestion = suggest_query(ids, pages, text)
    return answer


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


def _with_phrases(pages: PageQuerySet, wikis: Sequence[int], query: Query) -> PageQuerySet:
    """Pages that say every phrase of the query, word by word."""
    if not query.phrases:
        return pages
    for phrase in query.phrases:
        # The index keeps no order: it says where to look, the text decides.
        says = rf"(^|[^[:alnum:]]){'[^[:alnum:]]+'.join(phrase)}($|[^[:alnum:]])"
        is_said = Q(title__iregex=says) | Q(body__iregex=says)
        words = " ".join(phrase)
        said = " | ".join(f"({all_of(wiki, words, with_stop_words=True)})" for wiki in wikis)
        pages = pages.filter(is_said, words__lexemes=Lookup(said))
    found = list(pages.order_by(*latest_first()).values_list("pk", flat=True)[:_PHRASED])
    return _light(Page.objects.filter(pk__in=found))


def latest_first() -> tuple[OrderBy, str]:
    # By an expression, so that no index leads through all pages by their date and reads the words
    # of each.
    return (F("updated_at") + Value(timedelta(0))).desc(), "-id"
