"""Pages that say nearly the same to the active model.

The comparison is quadratic: it runs at once for a small wiki, on demand for a larger one, and its
result is cached.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from django.core.cache import caches
from django.db.models import Count, Max, Sum
from django.utils import timezone

from embeddings.client import active_fingerprint
from wiki.db.locks import COMPARING, only_one
from wiki.models import Page, PageQuerySet, Standing, Wiki
from wiki.search.all_pairs import NearPair, find_near_pairs, read_vectors
from wiki.search.thresholds import suspect_from

# Pages compared within a request: as fast as a few queries (benchmarks/wiki_screens.py).
COMPARED_AT_ONCE = 5_000
# Pages compared at all: some seconds.
MAX_COMPARED = 40_000
MAX_PAIRS = 1_000

# The model, the number of pages, the sum of their ids, and when the last was embedded.
_Version = tuple[str, int, int | None, datetime | None]


@dataclass(frozen=True)
class Duplicates:
    """The nearest pairs from the threshold of suspicion on, and how many there are in all.

    `left_out` pages were too many to compare. Not `is_current`: pages have changed since.
    """

    pairs: list[NearPair]
    total: int
    left_out: int
    found_at: datetime
    version: _Version
    is_current: bool = True


def known_duplicates(wiki: Wiki) -> Duplicates | None:
    """Return the last result, or compare a small wiki now; None for a large one never compared."""
    version = _version(wiki)
    known: Duplicates | None = caches["kept"].get(_key(wiki))
    if known and known.version == version:
        return known
    if version[1] <= COMPARED_AT_ONCE:
        return _compare(wiki, version)
    return replace(known, is_current=False) if known else None


def find_duplicates(wiki: Wiki) -> bool:
    """Compare now unless no page has changed; return False while any comparison is running."""
    with only_one(COMPARING) as is_mine:
        if is_mine:
            version = _version(wiki)
            known: Duplicates | None = caches["kept"].get(_key(wiki))
            if known is None or known.version != version:
                _compare(wiki, version)
    return is_mine


def _compare(wiki: Wiki, version: _Version) -> Duplicates:
    latest = _pages(wiki).order_by("-updated_at", "-pk").values("pk")[:MAX_COMPARED]
    ids, vectors = read_vectors(Page.objects.filter(pk__in=latest))
    found = find_near_pairs(ids, vectors, suspect_from(), MAX_PAIRS)
    duplicates = Duplicates(
        found.pairs, found.total, version[1] - len(ids), timezone.now(), version
    )
    caches["kept"].set(_key(wiki), duplicates, timeout=None)
    return duplicates


def _pages(wiki: Wiki) -> PageQuerySet:
    # Replaced pages are known to say the same as their successors.
    return Page.objects.comparable(active_fingerprint()).filter(wiki=wiki, standing=Standing.HOLDS)


def _version(wiki: Wiki) -> _Version:
    counted = _pages(wiki).aggregate(n=Count("pk"), which=Sum("pk"), embedded=Max("embedded_at"))
    return active_fingerprint(), counted["n"], counted["which"], counted["embedded"]


def _key(wiki: Wiki) -> str:
    return f"duplicates-{wiki.pk}"
