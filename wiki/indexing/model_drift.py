"""Detect a changed model by the vector of a fixed text, the canary, stored per fingerprint."""

import logging

import numpy as np
from django.utils import timezone

from embeddings.client import active_fingerprint, embed_documents
from embeddings.text import Document
from wiki.models import Canary

logger = logging.getLogger(__name__)

TEXT = Document(
    "Canary",
    "Die Pipeline ist rot, the build is failing, und niemand weiß warum. Port 8494, v1.0.0.",
)
# Cosine similarity: rounding and batching change far less, another model or prompt far more.
SAME_MODEL = 0.999


def check_canary() -> Canary:
    """Embed the text and compare it with the first vector of the fingerprint, which is stored.

    Raises EmbeddingError.
    """
    [vector] = embed_documents([TEXT])
    assert vector is not None, "the canary has words"
    canary, is_new = Canary.objects.get_or_create(
        fingerprint=active_fingerprint(), defaults={"embedding": vector}
    )
    if not is_new:
        was_same = canary.similarity >= SAME_MODEL
        canary.similarity = float(np.dot(np.asarray(canary.embedding, dtype=np.float32), vector))
        canary.checked_at = timezone.now()
        canary.save(update_fields=["similarity", "checked_at"])
        if was_same and canary.similarity < SAME_MODEL:
            logger.error(
                "The model behind %s has changed: a fixed text has similarity %.3f to itself. "
                "Embed every page anew.",
                canary.fingerprint,
                canary.similarity,
            )
    return canary


def find_changed_model() -> Canary | None:
    """Return the canary of the active model if its last vector differed."""
    changed = Canary.objects.filter(similarity__lt=SAME_MODEL)
    return changed.filter(fingerprint=active_fingerprint()).first()


def forget_canary() -> None:
    """Accept the next vector of the text, because every page is embedded again."""
    Canary.objects.filter(fingerprint=active_fingerprint()).delete()
