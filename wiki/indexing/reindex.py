"""The run that embeds stale pages: one at a time, resumable at any point, patient with its provider
(S14 to S16).

What is stale is the cursor: a kill at any moment costs the vectors that were on their way, nothing
else. The row of the run keeps what people want to know: how it goes, what went wrong, when it is
tried again.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from embeddings.client import EmbeddingError, active_fingerprint, describe_provider
from wiki.db.locks import REEMBEDDING, only_one
from wiki.indexing.counts import embedded_lengths
from wiki.indexing.embed import (
    embed_batch,
    embed_questions,
    mark_questions_stale,
    mark_stale,
    stale_pages,
    stale_questions,
)
from wiki.indexing.model_drift import forget_canary
from wiki.models import Page, ReembedRun, RunState, Wiki

logger = logging.getLogger(__name__)

# S15: a service that is away or still loading is tried every minute, 30 times; then loudly, and now
# and then.
TRIES = 30
PAUSE = timedelta(minutes=1)
SLOW_RETRY = timedelta(minutes=10)
# After this a task takes no further text, and the next one goes on. What is under way may take
# embeddings.timeouts.LONG twice over, and the queue takes a task for lost after Q_CLUSTER's
# timeout.
TASK_SECONDS = 60.0


@dataclass(frozen=True)
class Progress:
    """Counts of live pages that can be embedded; `seconds_left` is None while there is nothing to
    estimate from."""

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


def work_off(seconds: float = TASK_SECONDS) -> bool:
    """Embeds stale pages until none is left, the provider fails or the time is over; whether to go
    on at once."""
    with only_one(REEMBEDDING) as is_mine:
        return is_mine and _work_off(current_run(), seconds)


def current_run() -> ReembedRun:
    return ReembedRun.objects.get_or_create(fingerprint=active_fingerprint())[0]


def resume() -> None:
    """Forgets failed tries: a restart, a person or a provider that answers again starts the count
    anew."""
    run = current_run()
    state = RunState.RUNNING if is_work_left() else RunState.IDLE
    _update(run, attempt=0, next_try_at=None, is_alerted=False, started_at=None, state=state)


def note_provider_answers() -> None:
    """Some other call to the provider has just succeeded: a run that waits for it need not wait any
    longer."""
    waiting = ReembedRun.objects.filter(
        fingerprint=active_fingerprint(), next_try_at__gt=timezone.now()
    )
    waiting.filter(state__in=[RunState.WAITING, RunState.FAILED]).update(next_try_at=None)


def embed_everything_anew() -> int:
    """Makes every live page stale, with what it is also asked as, and says how many pages."""
    count = mark_stale(Page.objects.live())
    mark_questions_stale()
    forget_canary()
    resume()
    return count


def is_work_left() -> bool:
    """Whether a page is stale, or a question by which pages are found; questions count nowhere
    else."""
    return stale_pages().exists() or stale_questions().exists()


def measure_progress(wiki: Wiki | None = None) -> Progress:
    """Counts of one wiki, or of all; the time left is that of the run, which works for all."""
    run = current_run()
    speed = run.pages_per_second if run.state == RunState.RUNNING else None
    seconds_left = stale_pages().count() / speed if speed else None
    mine = Q() if wiki is None else Q(wiki=wiki)
    left = stale_pages().filter(mine).count()
    total = Page.objects.embeddable().filter(mine).count()
    return Progress(run, total - left, total, seconds_left)


def find_unfinished(wiki: Wiki) -> Progress | None:
    """How the run goes while pages of this wiki wait for it; None, after one look at its row, while
    none does."""
    if (
        not ReembedRun.objects.filter(fingerprint=active_fingerprint())
        .exclude(state=RunState.IDLE)
        .exists()
    ):
        return None
    progress = measure_progress(wiki)
    return progress if progress.left else None


def count_outgoing() -> tuple[int, int]:
    """How many stale pages, with how many characters, the run will send to the provider (S16)."""
    lengths = embedded_lengths(stale_pages())
    return len(lengths), sum(lengths)


def announce_outgoing() -> None:
    """Says in the log what leaves the house before it does (S16)."""
    if warning := describe_outgoing():
        logger.warning(warning)


def describe_outgoing() -> str:
    """What a switch is going to send to an outside provider; empty if nothing leaves the house."""
    provider = describe_provider()
    pages, characters = count_outgoing() if provider.is_outside else (0, 0)
    questions = stale_questions().count() if provider.is_outside else 0
    if not pages and not questions:
        return ""
    more = f", and {questions} questions that pages are also found by," if questions else ""
    return (
        f"{pages} pages with {characters} characters{more} are going to be sent to "
        f"{provider.provider} "
        f"({provider.address}) to be embedded, including pages that never left this house before."
    )


def _work_off(run: ReembedRun, seconds: float) -> bool:
    if not is_work_left():
        _finish(run)
        return False
    if run.state == RunState.STOPPED or not _is_due(run):
        return False
    _begin(run)
    deadline = time.monotonic() + seconds
    try:
        for embed in (_embed_next_batch, _embed_next_questions):
            while embed(run, lambda: time.monotonic() > deadline):
                if time.monotonic() > deadline:
                    return True
    except EmbeddingError as error:
        _note_failure(run, error)
        return False
    _finish(run)
    return False


def _is_due(run: ReembedRun) -> bool:
    # The schedule comes every minute, but not to the second; without some grace every other one
    # would come too early.
    return run.next_try_at is None or run.next_try_at - PAUSE / 2 <= timezone.now()


def _embed_next_batch(run: ReembedRun, is_over: Callable[[], bool]) -> int:
    count = 0
    try:
        for _ in embed_batch(is_over):
            count += 1
            _note_success(run)
    finally:
        # What was stored before a failure in the middle counts too.
        if count:
            _update(run, embedded=F("embedded") + count, progressed_at=timezone.now())
    return count


def _embed_next_questions(run: ReembedRun, is_over: Callable[[], bool]) -> int:
    """Behind the pages, which are found by their words and by their own vectors meanwhile."""
    count = 0
    for _ in embed_questions(is_over):
        count += 1
        _note_success(run)
    return count


def _note_success(run: ReembedRun) -> None:
    if run.attempt:
        _update(run, attempt=0, error="", remedy="", is_alerted=False, state=RunState.RUNNING)


def _begin(run: ReembedRun) -> None:
    if run.state == RunState.RUNNING and run.started_at:
        return
    state = RunState.WAITING if run.attempt else RunState.RUNNING
    _update(
        run,
        state=state,
        embedded=0,
        started_at=timezone.now(),
        progressed_at=None,
        next_try_at=None,
    )


def _finish(run: ReembedRun) -> None:
    if run.state != RunState.IDLE or run.attempt:
        if run.embedded:
            logger.info(
                "Every page is embedded with %s; this run did %s.", run.fingerprint, run.embedded
            )
        _update(
            run,
            state=RunState.IDLE,
            attempt=0,
            error="",
            remedy="",
            next_try_at=None,
            is_alerted=False,
        )


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
    _update(
        run,
        state=state,
        attempt=attempt,
        error=error.message,
        remedy=error.remedy,
        next_try_at=next_try_at,
    )


def _update(run: ReembedRun, **fields: object) -> None:
    ReembedRun.objects.filter(pk=run.pk).update(**fields)
    run.refresh_from_db()
