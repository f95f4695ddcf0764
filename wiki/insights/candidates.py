"""The pages that an insight may belong to or stand on already, found before the wiki is locked and
looked at again under the lock."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet

from embeddings.vectors import Vector
from wiki.comparison import Text
from wiki.comparison.entailment import Claims
from wiki.comparison.restatement import Likeness, Wording
from wiki.db.prepared_queries import IsAnyOf, Prepared, Slot
from wiki.indexing.lexemes import Query, all_of
from wiki.models import Page, Wiki
from wiki.search.hit import Hit
from wiki.search.retrieval import find_by_words, holding_first
from wiki.search.thresholds import reaches, restates_from
from wiki.search.vector_search import nearest_fields, nearest_in_wiki

CANDIDATES = 5
NEAREST = CANDIDATES + 1
# How many pages that have all words of an insight are read for its text.
WORDED = 20
# How many sentences of a summary are looked up one by one, and how many pages are read for each.
LOOKED_UP = 20
PAGES_EACH = 5
# How many of the best by words are read for the same thing in other words.
AKIN = 5

# All that filing depends on: the id of a page, the hash of its text, and its status.
State = tuple[int, str, str]
_STATE = ("pk", "text_hash", "standing")


@dataclass(frozen=True)
class Surroundings:
    """`near`: the nearest pages; `worded`: those that have all words of the text, since a long page
    is far from each of its sentences, and a stale one near to nothing; `quoted`: those that have a
    sentence of it; `akin`: the best by words, once they were looked for."""

    wiki: Wiki
    text: str
    vector: Vector | None
    near: list[Hit]
    worded: list[Page]
    quoted: list[Page]
    akin: list[Hit] | None = None

    @property
    def hits(self) -> list[Hit]:
        return [*self.near, *[Hit(page, None, []) for page in [*self.worded, *self.quoted]]]

    def now(self) -> "Surroundings":
        """The same where nothing has changed: under the lock its wiki stands still."""
        if self._states() == self._states_now():
            return self
        near = _find_near(self.wiki, self.vector)
        worded = _worded(self.wiki, self.text, near)
        others = {page.pk for page in self.quoted} - {page.pk for page in worded}
        quoted = Page.objects.live().filter(
            wiki=self.wiki, pk__in=others - {hit.page.pk for hit in near}
        )
        around = Surroundings(
            self.wiki, self.text, self.vector, near, worded, list(quoted.defer("embedding"))
        )
        return around if self.akin is None else around.with_akin()

    def with_akin(self) -> "Surroundings":
        """With the best pages by words, and how near those are that have a vector."""
        return replace(self, akin=find_by_words(self.wiki, self.text, self.vector, AKIN))

    def _states(self) -> list[set[State]]:
        return [
            {(page.pk, page.text_hash, page.standing) for page in pages}
            for pages in ([hit.page for hit in self.near], self.worded, self._read())
        ]

    def _read(self) -> list[Page]:
        return [*self.quoted, *[hit.page for hit in self.akin or []]]

    def _states_now(self) -> list[set[State]]:
        near: set[State] = set()
        if self.vector is not None:
            near = set(nearest_fields(self.wiki, self.vector, NEAREST, *_STATE))
        ids = [pk for pk, *_ in near]
        words = all_of(self.wiki.pk, self.text)
        worded = set(
            prepare_worded(WORDED, _STATE).ask(wiki=self.wiki.pk, without=ids, words=words)
        )
        read = {page.pk for page in self._read()}
        now = Page.objects.live().filter(wiki=self.wiki, pk__in=read)
        return [near, worded, set(now.values_list(*_STATE)) if read else set()]


def look_around(wiki: Wiki, text: str, vector: Vector | None, claims: Claims) -> Surroundings:
    near = _find_near(wiki, vector)
    worded = _worded(wiki, text, near)
    quoted = _look_up(wiki, text, claims, [*[hit.page for hit in near], *worded])
    return Surroundings(wiki, text, vector, near, worded, quoted)


def find_known(claims: Claims, hits: Sequence[Hit]) -> list[Hit]:
    """Those of the pages that say all of it together, best of all one that holds; none if they do
    not."""
    hits = holding_first(hits)
    return [
        hits[number]
        for number in claims.find_homes([Text(hit.page.title, hit.page.body) for hit in hits])
    ]


def find_restated(wording: Wording, around: Surroundings) -> Hit | None:
    """The page that says the same in other words, best of all: by what its words have in common
    with it, or by fewer of them where the model says that they belong together."""
    hits = {hit.page.pk: hit for hit in holding_first([*(around.akin or []), *around.near])}
    likely = [
        (likeness.words, hit)
        for hit in hits.values()
        if (likeness := wording.find_likeness(Text(hit.page.title, hit.page.body)))
        and _is_same(likeness, hit)
    ]
    return max(likely, key=lambda found: found[0])[1] if likely else None


def _is_same(likeness: Likeness, hit: Hit) -> bool:
    bound = restates_from()
    near = bound is not None and reaches(hit.similarity, bound)
    return likeness.is_enough or (near and likeness.is_enough_with_meaning)


def _look_up(wiki: Wiki, text: str, claims: Claims, pages: Sequence[Page]) -> list[Page]:
    """Pages for the sentences that none of the others has, until one stands nowhere."""
    read = list(pages)
    for _ in range(LOOKED_UP):
        words = claims.missing_words([Text(page.title, page.body) for page in read])
        # The words of the whole text were looked up before.
        if not words or len(words.split()) >= len(text.split()):
            break
        found = _with_words(wiki, words, [page.pk for page in read], PAGES_EACH)
        if not found:
            break
        read += found
    return read[len(pages) :]


def _find_near(wiki: Wiki, vector: Vector | None) -> list[Hit]:
    return [] if vector is None else nearest_in_wiki(wiki, vector, NEAREST)


def _worded(wiki: Wiki, text: str, near: Sequence[Hit]) -> list[Page]:
    return _with_words(wiki, text, [hit.page.pk for hit in near], WORDED)


def _with_words(wiki: Wiki, text: str, without: Sequence[int], most: int) -> list[Page]:
    return prepare_worded(most).ask(wiki=wiki.pk, without=without, words=all_of(wiki.pk, text))


@lru_cache
def prepare_worded(most: int, fields: tuple[str, ...] = ()) -> Prepared[Page, Any]:
    """Pages that have all the words; of those the fields alone, if any are named."""

    def build() -> QuerySet[Page, Any]:
        others = (
            Page.objects.live().filter(wiki=Slot("wiki")).exclude(IsAnyOf("pk", Slot("without")))
        )
        said = others.filter(words__lexemes=Query(Slot("words"))).order_by("id")
        pages = said.defer("embedding")[:most]
        return pages.values_list(*fields) if fields else pages

    return Prepared(build)
