"""From which cosine on "the same thing" begins for a model, told by texts of covey's own.

Each insight of calibration_texts.py is compared with each page, as a filing does. The bound lies
above every pair that does not belong together, by a tenth of what is left up to 1: a wiki has more
pairs than these, and a page of its own is the smaller harm. Where hardly any pair that belongs
together reaches it, the model cannot tell, and only equal texts are the same.
"""

import hashlib
import logging
import time
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np
from django.utils import timezone

from embeddings.client import active_fingerprint, active_provider, embed_in_bulk
from embeddings.text import Document
from embeddings.vectors import Vector
from wiki.indexing.calibration_texts import NOTES
from wiki.models import Calibration

logger = logging.getLogger(__name__)

# Of the way from the highest pair that does not belong together up to 1.
MARGIN = 0.1
# Of the pairs that belong together: half of the insights have most words of their page, and a model
# that does not see half of these sees nothing.
ENOUGH = 0.25
ONLY_COPIES = 1.0
# Seconds that a process knows a row by heart, for whatever compares a similarity asks for it; and
# one without figures, for which insights wait.
REMEMBERED = 10.0
REMEMBERED_EMPTY = 1.0

PAGES = [Document(note.title, note.body) for note in NOTES]
INSIGHTS = [Document("", text) for note in NOTES for text in note.insights]
OWN_PAGE = [number for number, note in enumerate(NOTES) for _ in note.insights]
RECIPE = hashlib.sha256(repr((NOTES, MARGIN, ENOUGH)).encode()).hexdigest()[:16]

_known: dict[str, tuple[float, Calibration | None]] = {}


@dataclass(frozen=True)
class Figures:
    apart: float
    together: float
    advised: float
    share: float


def active_calibration() -> Calibration | None:
    """The row of the active model, at most REMEMBERED seconds old; None for builtin, whose
    thresholds stand, and for a model that nobody asked to calibrate."""
    if active_provider() == "builtin":
        return None
    fingerprint, now = active_fingerprint(), time.monotonic()
    until, row = _known.get(fingerprint, (now, None))
    if until <= now:
        row = Calibration.objects.filter(fingerprint=fingerprint).first()
        is_measured = row is not None and row.advised is not None
        _known[fingerprint] = (now + (REMEMBERED if is_measured else REMEMBERED_EMPTY), row)
    return row


def forget_known() -> None:
    """Read the rows again, as in a new process."""
    _known.clear()


def can_tell(calibration: Calibration) -> bool:
    return calibration.share is None or calibration.share >= ENOUGH


def request_calibration() -> None:
    """Let the next run over stale pages calibrate the active model, unless that is done."""
    if active_provider() != "builtin":
        Calibration.objects.get_or_create(fingerprint=active_fingerprint())
        forget_known()


def forget_calibration() -> None:
    """Calibrate anew, because another model answers under the same name."""
    Calibration.objects.filter(fingerprint=active_fingerprint()).delete()
    request_calibration()


def is_calibration_due() -> bool:
    mine = Calibration.objects.filter(fingerprint=active_fingerprint())
    return active_provider() != "builtin" and mine.exclude(recipe=RECIPE).exists()


def calibrate() -> Calibration:
    """Embed the texts and keep the figures. Raises EmbeddingError."""
    vectors: dict[int, Vector] = {}
    for result in embed_in_bulk([*PAGES, *INSIGHTS]):
        if result.vector is not None:
            vectors[result.position] = result.vector
    figures = weigh(vectors)
    calibration, _ = Calibration.objects.update_or_create(
        fingerprint=active_fingerprint(),
        defaults={"recipe": RECIPE, "measured_at": timezone.now(), **vars(figures)},
    )
    forget_known()
    log = logger.info if can_tell(calibration) else logger.warning
    log(
        "%s is calibrated: texts that do not belong together reach %.2f; of those that do, %.0f %% "
        "reach the bound, which is %.2f.",
        calibration.fingerprint,
        figures.apart,
        figures.share * 100,
        figures.advised,
    )
    return calibration


def weigh(vectors: dict[int, Vector]) -> Figures:
    """By the vectors of PAGES and INSIGHTS, in this order, as far as the provider gave them."""
    similarity = partial(_similarity, vectors)
    together: list[float] = []
    apart: list[float] = []
    for number, own in enumerate(OWN_PAGE):
        for page in range(len(PAGES)):
            cosine = similarity(page, len(PAGES) + number)
            if cosine is not None:
                (together if page == own else apart).append(cosine)
    if not together or not apart:
        return Figures(1.0, 0.0, ONLY_COPIES, 0.0)
    highest = min(max(apart), 1.0)
    # Of two decimals, as people see it.
    bound = max(round(highest + MARGIN * (1.0 - highest), 2), ceil(highest * 100) / 100)
    share = sum(cosine >= bound for cosine in together) / len(together)
    advised = bound if share >= ENOUGH else ONLY_COPIES
    return Figures(highest, float(np.median(together)), advised, share)


def _similarity(vectors: dict[int, Vector], first: int, second: int) -> float | None:
    if first not in vectors or second not in vectors:
        return None
    return float(np.dot(vectors[first], vectors[second]))
