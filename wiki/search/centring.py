"""What is common to all questions is taken out before they are compared.

Questions look alike to a model ("Where did … ?"), and that hides what they are about. The mean of a
wiki's questions is taken out of a question, and the mean of its pages out of the pages (compare the
query banks against hubness of Bogolin et al. 2022).
"""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import DatabaseError
from django.db.models import Avg, Subquery
from numpy.typing import NDArray
from pgvector.django import VectorField

from embeddings.vectors import Vector
from wiki.models import AskedAs, Centre, PageVector, Wiki

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


def learn_question(wiki: Wiki, fingerprint: str, question: Vector, pages: int) -> None:
    """Add a question to the mean of a wiki's, which has so many pages. Two at once may count as
    one. A failure is only logged: the answer does not depend on it."""
    try:
        centre = Centre.objects.filter(wiki=wiki, fingerprint=fingerprint).first()
        if centre is None:
            _begin(wiki, fingerprint, question)
        else:
            _learn(wiki, centre, question, pages)
    except DatabaseError as error:
        logger.warning("A question was not learnt from: %s", type(error).__name__)


def _learn(wiki: Wiki, centre: Centre, question: Vector, pages: int) -> None:
    weight = 1
    if centre.questions >= EACH:
        if int(abs(float(question[0])) * 1e6) % STEP:
            return
        weight = STEP
    count = min(centre.questions + weight, KEPT)
    mean = np.asarray(centre.question_mean)
    changed: dict[str, Any] = {
        "question_mean": mean + weight / count * (question - mean),
        "questions": count,
    }
    if centre.page_mean is None or abs(pages - centre.pages) > DRIFT * centre.pages:
        mean_of_pages = Subquery(_mean_of_pages(wiki, centre.fingerprint))
        changed |= {"pages": pages, "page_mean": mean_of_pages}
    Centre.objects.filter(pk=centre.pk).update(**changed)


def _begin(wiki: Wiki, fingerprint: str, question: Vector) -> None:
    """Begin with the questions that pages have, and this one."""
    asked = AskedAs.objects.filter(page__wiki=wiki, embed_model=fingerprint)
    kept = [np.asarray(vector) for vector in asked.values_list("embedding", flat=True)[:KEPT]]
    begun = Centre(
        wiki=wiki,
        fingerprint=fingerprint,
        questions=len(kept) + 1,
        question_mean=np.mean([*kept, question], axis=0),
        pages=0,
    )
    Centre.objects.bulk_create([begun], ignore_conflicts=True)


def _mean_of_pages(wiki: Wiki, fingerprint: str) -> Any:
    pages = PageVector.objects.filter(wiki=wiki, embed_model=fingerprint).order_by()
    return (
        pages.values("wiki")
        .annotate(mean=Avg("embedding", output_field=VectorField()))
        .values("mean")
    )
