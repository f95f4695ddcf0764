"""The run that embeds stale pages: only one at a time, resumable, with retries.

Staleness is the cursor: a kill costs only the vectors of the batch. ReembedRun is for people: the
progress, the last error and the next try.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from embeddings.client import EmbeddingError, active_fingerprint, describe_provider
from wiki.db.locks import REEMBEDDING, only_one
from wiki.indexing.calibration import calibrate, forget_calibration, is_calibration_due
from wiki.indexing.counts import embedded_lengths
from wiki.indexing.embed import (
    Outcome,
    embed_batch,
    embed_questions,
    mark_questions_stale,
    mark_stale,
    stale_pages,
    stale_questions,
)
from wiki.indexing.model_drift import forget_canary
from wiki.indexing.vector_sets import adopt_vectors, drop_vectors, keep_vectors, without_vector
from wiki.models import AskedAs, Page, ReembedRun, RunState, Wiki

logger = logging.getLogger(__name__)

# A service may need half an hour to load its model; then the run fails visibly and tries slowly.
TRIES = 30
PAUSE = timedelta(minutes=1)
SLOW_RETRY = timedelta(minutes=10)
# Then the next task goes on. Two requests of embeddings.timeouts.LONG may follow, and all of it has
# to end before the timeout in Q_CLUSTER.
TASK_SECONDS = 60.0


@dataclass(frozen=True)
class Progress:
    """Counts of embeddable live pages; `seconds_left` is None until it can be estimated."""

    run: ReembedRun
    done: int
    total: int
    seconds_left: float | None

    @property
    def left(self) -> int:
        return self.total - self.done

    @property
    def minutes_left(self) -> int | None:
        return None if self.seconds_left is None else max(1, round(self.seconds_left / 60))


@dataclass
class Tally:
    """What one process did in the run: counts of pages that got their vector from the provider or
    from a kept set, and the titles of pages and texts of questions that failed."""

    embedded: int = 0
    adopted: int = 0
    failed: list[str] = field(default_factory=list)

    def count(self, outcome: Outcome) -> None:
        if outcome.is_stored and outcome.error:
            self.failed.append(str(outcome.row))
        elif outcome.is_stored and isinstance(outcome.row, Page):
            self.embedded += 1


def work_off(seconds: float = TASK_SECONDS, tally: Tally | None = None) -> bool:
    """Embed stale pages until none is left, the provider fails or the time is over.

    Adds to the tally. Returns whether to go on at once.
    """
    with only_one(REEMBEDDING) as is_mine:
        return is_mine and _work_off(current_run(), seconds, tally or Tally())


def current_run() -> ReembedRun:
    return ReembedRun.objects.get_or_create(fingerprint=active_fingerprint())[0]


def resume() -> None:
    """Reset the count of failed tries, after a restart or on demand."""
    run = current_run()
    state = RunState.RUNNING if is_work_left() else RunState.IDLE
    _update(run, attempt=0, next_try_at=None, is_alerted=False, started_at=None, state=state)


def note_provider_answers() -> None:
    """End the wait of the run, because another call to the provider has succeeded."""
    mine = ReembedRun.objects.filter(fingerprint=active_fingerprint())
    waiting = mine.filter(state__in=[RunState.WAITING, RunState.FAILED])
    waiting.filter(next_try_at__gt=timezone.now()).update(next_try_at=None)


def embed_everything_anew() -> int:
    """Make every live page stale, with its questions; return the number of pages."""
    count = mark_stale(Page.objects.live())
    mark_questions_stale(AskedAs.objects.all())
    forget_canary()
    forget_calibration()
    drop_vectors(active_fingerprint())
    resume()
    return count


def retry_failures() -> None:
    """Make stale what failed with the active model."""
    mark_stale(Page.objects.failed(active_fingerprint()))
    mark_questions_stale(AskedAs.objects.failed(active_fingerprint()))
    resume()


def is_work_left() -> bool:
    """Whether the model is to be calibrated, or a page or a question is stale; only pages are
    counted elsewhere."""
    return is_calibration_due() or stale_pages().exists() or stale_questions().exists()


def measure_progress(wiki: Wiki | None = None) -> Progress:
    """Count pages of one wiki, or of all; the time left is always that of all."""
    run = current_run()
    speed = run.pages_per_second if run.state == RunState.RUNNING else None
    seconds_left = stale_pages().count() / speed if speed else None
    mine = Q() if wiki is None else Q(wiki=wiki)
    left = stale_pages().filter(mine).count()
    total = Page.objects.embeddable(active_fingerprint()).filter(mine).count()
    return Progress(run, total - left, total, seconds_left)


def find_unfinished(wiki: Wiki) -> Progress | None:
    """Return the progress while pages of this wiki wait; else None, mostly after one query."""
    mine = ReembedRun.objects.filter(fingerprint=active_fingerprint())
    if not mine.exclude(state=RunState.IDLE).exists():
        return None
    progress = measure_progress(wiki)
    return progress if progress.left else None


def count_outgoing(wiki: Wiki | None = None) -> tuple[int, int]:
    """Return the number of stale pages and of their characters to be sent."""
    pages = stale_pages() if wiki is None else stale_pages().filter(wiki=wiki)
    lengths = embedded_lengths(without_vector(pages))
    return len(lengths), sum(lengths)


def announce_outgoing() -> None:
    """Log what leaves the own network before it does."""
    if warning := describe_outgoing():
        logger.warning(warning)


def describe_outgoing(wiki: Wiki | None = None) -> str:
    """Say what of one wiki, or of all, will be sent to an outside provider; "" for nothing."""
    provider = describe_provider()
    pages, characters = count_outgoing(wiki) if provider.is_outside else (0, 0)
    asked = stale_questions() if wiki is None else stale_questions().filter(page__wiki=wiki)
    questions = without_vector(asked).count() if provider.is_outside else 0
    if not pages and not questions:
        return ""
    more = f", and {questions} questions that pages are also found by," if questions else ""
    return (
        f"{pages} pages with {characters} characters{more} are going to be sent to "
        f"{provider.provider} "
        f"({provider.address}) to be embedded, including pages that never left this house before."
    )


def _work_off(run: ReembedRun, seconds: float, tally: Tally) -> bool:
    if not is_work_left():
        _finish(run)
        return False
    if run.state == RunState.STOPPED or not _is_due(run):
        return False
    if _begin(run):
        keep_vectors()
        tally.adopted += adopt_vectors()
    deadline = time.monotonic() + seconds
    try:
        # Before the first page has a vector that an insight could be compared with.
        if is_calibration_due():
            calibrate()
        for embed in (_embed_next_batch, _embed_next_questions):
            while embed(run, lambda: time.monotonic() > deadline, tally):
                if time.monotonic() > deadline:
                    return True
    except EmbeddingError as error:
        _note_failure(run, error)
        return False
    _finish(run)
    return False


def _is_due(run: ReembedRun) -> bool:
    # The schedule's minutes are not exact: without some grace every other one would be too early.
    return run.next_try_at is None or run.next_try_at - PAUSE / 2 <= timezone.now()


def _embed_next_batch(run: ReembedRun, is_over: Callable[[], bool], tally: Tally) -> int:
    count, before = 0, tally.embedded
    try:
        for outcome in embed_batch(is_over):
            count += 1
            tally.count(outcome)
            _note_success(run)
    finally:
        # Pages stored before a failure count too.
        if embedded := tally.embedded - before:
            _update(run, embedded=F("embedded") + embedded, progressed_at=timezone.now())
    return count


def _embed_next_questions(run: ReembedRun, is_over: Callable[[], bool], tally: Tally) -> int:
    # After the pages, which are found without them.
    count = 0
    for outcome in embed_questions(is_over):
        count += 1
        tally.count(outcome)
        _note_success(run)
    return count


_NO_FAILURE = {"attempt": 0, "error": "", "remedy": "", "is_alerted": False}


def _note_success(run: ReembedRun) -> None:
    if run.attempt:
        _update(run, state=RunState.RUNNING, **_NO_FAILURE)


def _begin(run: ReembedRun) -> bool:
    """Note the start, unless the run is under way."""
    if run.state == RunState.RUNNING and run.started_at:
        return False
    state = RunState.WAITING if run.attempt else RunState.RUNNING
    times = {"started_at": timezone.now(), "progressed_at": None, "next_try_at": None}
    _update(run, state=state, embedded=0, **times)
    return True


def _finish(run: ReembedRun) -> None:
    if run.state == RunState.IDLE and not run.attempt:
        return
    if run.embedded:
        text = "The run with %s embedded %s pages; %s could not be."
        failed = Page.objects.failed(run.fingerprint).count()
        logger.info(text, run.fingerprint, run.embedded, failed)
    _update(run, state=RunState.IDLE, next_try_at=None, **_NO_FAILURE)


def _note_failure(run: ReembedRun, error: EmbeddingError) -> None:
    attempt = run.attempt + 1
    if error.permanent:
        state, pause = RunState.STOPPED, None
        logger.error("The embedding of pages stopped: %s", error)
    elif attempt >= TRIES:
        state, pause = RunState.FAILED, SLOW_RETRY
        log = logger.error if attempt == TRIES else logger.warning
        log("The embedding service did not answer %s times; pages stay stale: %s", attempt, error)
    else:
        state, pause = RunState.WAITING, PAUSE
        logger.warning("Try %s of %s to embed pages failed: %s", attempt, TRIES, error)
    now = timezone.now()
    rest = timedelta(seconds=error.retry_after or 0)
    next_try_at = now + max(pause, rest) if pause else None
    words = {"error": error.message, "remedy": error.remedy}
    _update(run, state=state, attempt=attempt, next_try_at=next_try_at, **words)


def _update(run: ReembedRun, **fields: object) -> None:
    ReembedRun.objects.filter(pk=run.pk).update(**fields)
    run.refresh_from_db()
