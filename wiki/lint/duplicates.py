"""Pages that say nearly the same, as far as the active model sees. Compared with one another, which
grows with the square of their number: small wikis at once, larger ones when somebody asks, and what
was found is kept."""

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

# Five thousand pages are compared in the time of a few queries, forty thousand take some seconds
# (benchmarks/overview.py).
COMPARED_AT_ONCE, MAX_COMPARED = 5_000, 40_000
MAX_PAIRS = 1_000

# What a comparison depends on: the model, how many pages, which, and when the last was embedded.
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
    """What was found last, or is quickly found now; None for a large wiki where nobody has asked
    yet."""
    version = _version(wiki)
    known: Duplicates | None = caches["kept"].get(_key(wiki))
    if known and known.version == version:
        return known
    if version[1] <= COMPARED_AT_ONCE:
        return _compare(wiki, version)
    return replace(known, is_current=False) if known else None


def find_duplicates(wiki: Wiki) -> bool:
    """Compares now, however long it takes; False when that is going on already, for this wiki or
    another.

    Any reader may ask: what was found last is not looked for again while no page has changed.
    """
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
    """A page that was replaced is known to say the same as another."""
    return Page.objects.comparable(active_fingerprint()).filter(wiki=wiki, standing=Standing.HOLDS)


def _version(wiki: Wiki) -> _Version:
    counted = _pages(wiki).aggregate(n=Count("pk"), which=Sum("pk"), embedded=Max("embedded_at"))
    return active_fingerprint(), counted["n"], counted["which"], counted["embedded"]


def _key(wiki: Wiki) -> str:
    return f"duplicates-{wiki.pk}"
