"""What pages and their questions are found by: terms and their BM25 weights, kept with each change.

The length of a document is compared with a fixed average. With the average of each wiki the right
page stands among the first five as often (docs/finding.md), but each page's weights would depend on
all others.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import F, Value
from pgvector import SparseVector

from wiki.indexing.lexemes import Both, Lexemes, lexeme_of, place_of
from wiki.models import AskedAs, Page, PageWords
from wiki.models.page_words import MAX_PLACES
from wiki.text.terms import count_terms

# A change of the rules below or in wiki/text/terms.py has all pages read again at the next start.
RECIPE = 2
# BM25 as usual (Robertson and Zaragoza 2009).
K1 = 1.2
B = 0.75
# What a term says at least, however long the text (BM25+, Lv and Zhai 2011): one rare word on a
# page of a thousand others is worth more than common words on a short page.
DELTA = 0.5
# Words.
AVERAGE_LENGTH = 80
# How often a term counts that stands in these, besides once for the text itself.
TITLE = 3.0
HEADING = 1.0
TAG = 2.0
# Of a term that is said ever so often, 32 bits tell no more how often.
SMALLEST = 1e-5
# What a sparse vector takes. Of a page with more, the terms that count least stay without a
# weight: they find the page and rank it last.
MAX_WEIGHTS = 16_000
# Bytes of a tsvector, of which PostgreSQL takes 1 MiB, and what it needs for each lexeme.
MAX_BYTES = 900_000
LEXEME_BYTES = 8
# Bytes of a text to which more may be added without reading it anew: its lexemes, at most several
# times as long, leave room in a tsvector.
MAX_APPENDED = 100_000
# Pages that are read at once where words are missing.
BATCH = 200

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Document:
    """How often each term of a text counts, and its length in words."""

    counts: Counter[str]
    length: float


# Title, text, tags and aliases of a page.
Said = tuple[str, str, list[str], list[str]]


def keep_words(page: Page, before: Said | None = None) -> None:
    """Keep what the page says now. `before` is what it said before the change: of a text that
    stands behind that, the addition alone is read."""
    added = _find_added(page, before) if before else None
    is_kept = added is not None and (not added or _append_words(page, added))
    if not is_kept:
        keep_all_words([page])


def keep_question_words(question: AskedAs) -> None:
    wiki = question.page.wiki_id
    counts, length = count_terms(question.text)
    document = Document(counts, float(length))
    AskedAs.objects.filter(pk=question.pk).update(
        lexemes=Lexemes(Value(_lexemes(wiki, counts))), weights=weigh(document), recipe=RECIPE
    )


def fill_words() -> int:
    """Read the pages and questions that were not read yet, or by other rules; returns how many
    pages."""
    missing = Page.objects.exclude(words__recipe=RECIPE).order_by("id")
    ids = list(missing.values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        part = Page.objects.filter(pk__in=ids[start : start + BATCH])
        keep_all_words(part.only("wiki", "title", "body", "tags", "aliases", "trashed_at"))
    unread = AskedAs.objects.exclude(recipe=RECIPE).select_related("page")
    for question in unread.iterator():
        keep_question_words(question)
    return len(ids)


def read_page(title: str, body: str, tags: Iterable[str], aliases: Iterable[str] = ()) -> Document:
    counts, length = count_terms(body)
    for name in (title, *aliases):
        _add(counts, name, TITLE)
    for heading in _HEADING.findall(body):
        _add(counts, heading, HEADING)
    for tag in tags:
        _add(counts, tag, TAG)
    return Document(counts, float(length))


def weigh(document: Document) -> SparseVector:
    """The document's side of BM25."""
    common = document.counts.most_common(MAX_WEIGHTS)
    return _weigh({place_of(term): count for term, count in common}, document.length)


def _weigh(counts: dict[int, float], length: float) -> SparseVector:
    ground = _ground(length)
    weights = {
        place: DELTA + count * (K1 + 1) / (count + ground) for place, count in counts.items()
    }
    return SparseVector(weights, MAX_PLACES)


def _ground(length: float) -> float:
    return K1 * (1 - B + B * length / AVERAGE_LENGTH)


def _add(counts: Counter[str], text: str, weight: float) -> None:
    for term, count in count_terms(text)[0].items():
        counts[term] += count * weight  # type: ignore[assignment]


def _lexemes(wiki_id: int, counts: Counter[str]) -> list[str]:
    room = MAX_BYTES
    kept = []
    for term, _ in counts.most_common():
        lexeme = lexeme_of(wiki_id, term)
        room -= len(lexeme.encode()) + LEXEME_BYTES
        if room < 0:
            break
        kept.append(lexeme)
    return kept


_KEEP = """
    INSERT INTO wiki_pagewords (page_id, wiki_id, lexemes, weights, length, is_live, recipe)
    VALUES (%s, %s, array_to_tsvector(%s::text[]), %s, %s, %s, %s)
    ON CONFLICT (page_id) DO UPDATE SET wiki_id = EXCLUDED.wiki_id, lexemes = EXCLUDED.lexemes,
        weights = EXCLUDED.weights, length = EXCLUDED.length, is_live = EXCLUDED.is_live,
        recipe = EXCLUDED.recipe
"""


def keep_all_words(pages: Iterable[Page]) -> None:
    rows = []
    for page in pages:
        document = read_page(page.title, page.body, page.tags, page.aliases)
        lexemes = _lexemes(page.wiki_id, document.counts)
        weights, is_live = weigh(document).to_text(), page.trashed_at is None
        rows.append((page.pk, page.wiki_id, lexemes, weights, document.length, is_live, RECIPE))
    with connection.cursor() as cursor:
        cursor.executemany(_KEEP, rows)


def _find_added(page: Page, before: Said) -> str | None:
    """The text behind the one before, where nothing else has changed."""
    title, body, tags, aliases = before
    if (title, tags, aliases) != (page.title, page.tags, page.aliases):
        return None
    if not page.body.startswith(body):
        return None
    if len(page.body.encode()) > MAX_APPENDED:
        return None
    added = page.body[len(body) :]
    # Else it could end a word.
    return added if not added or added.startswith("\n") or body.endswith("\n") else None


def _append_words(page: Page, added: str) -> bool:
    """Add the terms of a text to the page's; False if it was not read by the rules of today."""
    row = PageWords.objects.filter(page=page.pk, recipe=RECIPE).first()
    if row is None or row.weights is None or len(row.weights.indices()) >= MAX_WEIGHTS:
        return False
    document = read_page("", added, [])
    length = row.length + document.length
    counts = _counts_of(row.weights, row.length)
    for term, count in document.counts.items():
        place = place_of(term)
        counts[place] = counts.get(place, 0.0) + count
    if len(counts) > MAX_WEIGHTS:
        return False
    PageWords.objects.filter(page=page.pk).update(
        lexemes=Both(F("lexemes"), Lexemes(Value(_lexemes(page.wiki_id, document.counts)))),
        weights=_weigh(counts, length),
        length=length,
    )
    return True


def _counts_of(weights: SparseVector, length: float) -> dict[int, float]:
    """How often each term counts, by its place: `_weigh` the other way round."""
    ground = _ground(length)
    shares = {
        place: weight - DELTA
        for place, weight in zip(weights.indices(), weights.values(), strict=True)
    }
    return {
        place: share * ground / max(K1 + 1 - share, SMALLEST) for place, share in shares.items()
    }
