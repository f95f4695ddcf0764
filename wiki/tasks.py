"""What the worker does. Tasks take ids, may run twice, and return when there is nothing left to do."""

import logging

from django.utils.translation import get_language, override
from django_q.models import Schedule
from django_q.tasks import async_task

from embeddings.client import EmbeddingError
from wiki.alerts import alert_operator
from wiki.canary import check_canary
from wiki.health import WORKER
from wiki.insights import file_pending_insights
from wiki.models import Heartbeat, Page, Revision
from wiki.reembedding import announce_outgoing, resume, work_off
from wiki.relinking import Rewritten, rewrite_for_a_while, rewrite_links

logger = logging.getLogger(__name__)

BEAT = "wiki.tasks.beat"
REEMBED = "wiki.tasks.reembed"
WATCH = "wiki.tasks.watch"
RELINK = "wiki.tasks.relink"


def beat() -> None:
    Heartbeat.beat(WORKER)


def reembed() -> None:
    """Works stale pages and waiting insights off, and comes back at once if time was too short for all of it."""
    if work_off():
        async_task(REEMBED)
    file_pending_insights()
    alert_operator()


def watch() -> None:
    """Looks whether the same model still answers at the provider's address."""
    try:
        check_canary()
    except EmbeddingError as error:
        logger.info("The canary waits for the embedding service: %s", error)


def relink(revision_id: int, after: int, language: str) -> None:
    """Goes on with the links that a rename has left, behind the page with the id `after`."""
    renamed = Revision.objects.filter(pk=revision_id).first()
    if renamed is None:
        return
    with override(language):
        rewritten = rewrite_for_a_while(renamed, after)
    if rewritten.is_more:
        async_task(RELINK, revision_id, rewritten.last_id, language)


def rewrite_links_soon(page: Page) -> Rewritten:
    """After a rename: the first links by the old name at once, the others by the worker."""
    renamed = page.revisions.get(number=page.revision)
    rewritten = rewrite_links(renamed)
    if rewritten.is_more:
        async_task(RELINK, renamed.pk, rewritten.last_id, get_language() or "")
    return rewritten


def queue_reembed() -> None:
    """Starts the run anew, whatever stopped it before. Many runs at once do no harm: only one works."""
    resume()
    async_task(REEMBED)


def ensure_schedules() -> None:
    """The worker's standing orders, and the embedding of what is stale at a start (S14)."""
    for name, task, minutes in (("beat", BEAT, 1), ("reembed", REEMBED, 1), ("watch", WATCH, 60)):
        Schedule.objects.update_or_create(
            name=name, defaults={"func": task, "schedule_type": Schedule.MINUTES, "minutes": minutes, "repeats": -1}
        )
    async_task(BEAT)
    async_task(WATCH)
    announce_outgoing()
    queue_reembed()
