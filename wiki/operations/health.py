"""Warnings for operators: the worker's heartbeat, the embeddings, the queue."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_q.models import Failure, OrmQ

from embeddings.client import BUILTIN_WARNING, active_fingerprint, active_provider
from wiki.indexing.model_drift import find_changed_model
from wiki.indexing.reindex import current_run
from wiki.models import EmbeddingState, Heartbeat, Insight, Page, RunState, Wiki, in_state
from wiki.operations.threshold_warnings import find_threshold_warnings

WORKER = "worker"
# Three missed heartbeats, of one a minute.
WORKER_SILENCE = timedelta(minutes=3)


@dataclass(frozen=True)
class EmbeddingCounts:
    """Counts of live pages."""

    pages: int
    stale: int
    failed: int


@dataclass(frozen=True)
class Warning:
    id: str
    message: str


def count_embeddings(wiki: Wiki | None = None) -> EmbeddingCounts:
    """Count the pages of one wiki, or of all."""
    pages = Page.objects.live() if wiki is None else Page.objects.live().filter(wiki=wiki)
    stale, failed = (
        in_state(state, active_fingerprint())
        for state in (EmbeddingState.STALE, EmbeddingState.FAILED)
    )
    counts = pages.aggregate(
        pages=Count("id"), stale=Count("id", filter=stale), failed=Count("id", filter=failed)
    )
    return EmbeddingCounts(**counts)


def worker_heartbeat_age() -> timedelta | None:
    """Return the time since the last heartbeat; None if there was none."""
    beat = Heartbeat.objects.filter(name=WORKER).first()
    return beat.age if beat else None


def find_warnings(wiki: Wiki | None = None) -> list[Warning]:
    """Return the warnings, most important first, with page counts of one wiki, or of all."""
    return [
        *_worker_warnings(),
        *_provider_warnings(wiki),
        *_embedding_warnings(count_embeddings(wiki)),
        *_queue_warnings(),
    ]


def _provider_warnings(wiki: Wiki | None) -> list[Warning]:
    warnings = []
    run = current_run()
    if run.state in (RunState.WAITING, RunState.FAILED, RunState.STOPPED):
        text = f"{run.get_state_display()}: {run.error} {run.remedy}".strip()
        warnings.append(Warning("provider", text))
    if canary := find_changed_model():
        text = _(
            "The model behind %(model)s has changed: a fixed text is only %(similarity)s similar "
            "to itself."
        )
        similarity = number_format(canary.similarity, 3)
        warnings.append(
            Warning("canary", text % {"model": canary.fingerprint, "similarity": similarity})
        )
    warnings += [Warning("threshold", text) for text in find_threshold_warnings(wiki)]
    unfiled = Insight.objects.unfiled()
    if pending := (unfiled if wiki is None else unfiled.filter(wiki=wiki)).count():
        text = ngettext(
            "%(count)s insight waits to be filed until the embedding service answers.",
            "%(count)s insights wait to be filed until the embedding service answers.",
            pending,
        )
        warnings.append(Warning("pending", text % {"count": pending}))
    return warnings


def _embedding_warnings(stock: EmbeddingCounts) -> list[Warning]:
    warnings = []
    if active_provider() == "builtin":
        warnings.append(Warning("builtin", str(BUILTIN_WARNING)))
    if stock.failed:
        text = ngettext(
            "%(count)s page could not be embedded. Recall by meaning does not find it.",
            "%(count)s pages could not be embedded. Recall by meaning does not find them.",
            stock.failed,
        )
        warnings.append(Warning("failed", text % {"count": stock.failed}))
    if stock.stale:
        text = ngettext(
            "%(count)s page waits to be embedded. Recall by meaning does not find it yet.",
            "%(count)s pages wait to be embedded. Recall by meaning does not find them yet.",
            stock.stale,
        )
        warnings.append(Warning("stale", text % {"count": stock.stale}))
    return warnings


def _worker_warnings() -> list[Warning]:
    age = worker_heartbeat_age()
    if age is not None and age <= WORKER_SILENCE:
        return []
    if age is None:
        return [Warning("worker", _("The worker has given no sign of life yet."))]
    text = _("The worker has given no sign of life for %(minutes)s minutes. Is it running?")
    return [Warning("worker", text % {"minutes": int(age.total_seconds() // 60)})]


def _queue_warnings() -> list[Warning]:
    failures = Failure.objects.filter(stopped__gte=timezone.now() - timedelta(days=1)).count()
    warnings = []
    if failures:
        text = ngettext(
            "%(count)s background task failed in the last 24 hours.",
            "%(count)s background tasks failed in the last 24 hours.",
            failures,
        )
        warnings.append(Warning("queue", text % {"count": failures}))
    if (waiting := OrmQ.objects.count()) > 100:
        text = _("%(count)s background tasks are waiting.")
        warnings.append(Warning("backlog", text % {"count": waiting}))
    return warnings
