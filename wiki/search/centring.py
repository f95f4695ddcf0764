"""What is common to all questions is taken out before they are compared.

Questions look alike to a model ("Where did … ?"), and that hides what they are about. The mean of a
wiki's questions is taken out of a question, and the mean of its pages out of the pages (compare the
query banks against hubness of Bogolin et al. 2022).
"""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import DatabaseError, transaction
from django.db.models import Avg, Subquery
from numpy.typing import NDArray
from pgvector.django import VectorField

from embeddings.vectors import Vector
from wiki.models import AskedAs, Centre, PageCount, PageVector, Wiki

logger = logging.getLogger(__name__)

# A few questions have a mean that is one of them. From FIRST on it counts, from FULL on wholly.
FIRST = 10
FULL = 30
# So many questions count; then each takes the place of an average one.
KEPT = 1000
# Beyond these every tenth question is learnt from, as ten: to write at each costs every recall.
EACH = 100
STEP = 10
# By what part the number of pages may change until their mean is made anew.
DRIFT = 0.1
# What must be left of a question's length of 1: a wiki that is always asked the same has a mean
# that is the question.
LEFT = 0.15


def find_centre(wikis: Sequence[int], fingerprint: str) -> Centre | None:
    """The centre of a single wiki that was asked often enough."""
    if len(wikis) != 1:
        return None
    found = Centre.objects.filter(wiki=wikis[0], fingerprint=fingerprint, questions__gt=FIRST)
    return found.exclude(page_mean=None).first()


def compare_centred(
    centre: Centre, question: Vector, pages: NDArray[np.float32]
) -> NDArray[np.float32] | None:
    """The cosines of a question with pages, the common part of each taken out; None where hardly
    anything would be left of the question."""
    share = min(1.0, (centre.questions - FIRST) / (FULL - FIRST))
    asked = question - share * np.asarray(centre.question_mean)
    if np.linalg.norm(asked) < LEFT:
        return None
    said = pages - share * np.asarray(centre.page_mean)
    norms = np.linalg.norm(said, axis=1) * np.linalg.norm(asked)
    cosines: NDArray[np.float32] = said @ asked / np.maximum(norms, np.finfo(np.float32).tiny)
    return cosines


def learn_question(wiki: Wiki, fingerprint: str, question: Vector) -> None:
    """Add a question to the mean of a wiki's. Two at once may count as one. A failure is only
    logged: the answer does not depend on it."""
    try:
        _learn(wiki, fingerprint, question)
    except DatabaseError as error:
        logger.warning("A question was not learnt from: %s", type(error).__name__)


def _learn(wiki: Wiki, fingerprint: str, question: Vector) -> None:
    centre = Centre.objects.filter(wiki=wiki, fingerprint=fingerprint).first() or _begin(
        wiki, fingerprint, question
    )
    weight = 1
    if centre.questions >= EACH:
        if int(abs(float(question[0])) * 1e6) % STEP:
            return
        weight = STEP
    share = weight / min(centre.questions + weight, KEPT)
    mean = np.asarray(centre.question_mean)
    changed: dict[str, Any] = {
        "question_mean": mean + share * (question - mean),
        "questions": min(centre.questions + weight, KEPT),
    }
    pages = PageCount.objects.filter(wiki=wiki).values_list("pages", flat=True).first() or 0
    if centre.page_mean is None or abs(pages - centre.pages) > DRIFT * centre.pages:
        changed |= {"pages": pages, "page_mean": Subquery(_mean_of_pages(wiki, fingerprint))}
    Centre.objects.filter(pk=centre.pk).update(**changed)


def _begin(wiki: Wiki, fingerprint: str, question: Vector) -> Centre:
    """Begin with the questions that pages have."""
    asked = AskedAs.objects.filter(page__wiki=wiki, embed_model=fingerprint)
    vectors = [np.asarray(vector) for vector in asked.values_list("embedding", flat=True)[:KEPT]]
    begun = {
        "questions": len(vectors),
        "question_mean": np.mean(vectors, axis=0) if vectors else question,
        "pages": 0,
    }
    with transaction.atomic():
        return Centre.objects.get_or_create(wiki=wiki, fingerprint=fingerprint, defaults=begun)[0]


def _mean_of_pages(wiki: Wiki, fingerprint: str) -> Any:
    pages = PageVector.objects.filter(wiki=wiki, embed_model=fingerprint).order_by()
    return (
        pages.values("wiki")
        .annotate(mean=Avg("embedding", output_field=VectorField()))
        .values("mean")
    )
