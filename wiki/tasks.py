"""The tasks of the worker. They take ids, may run twice, and return when there is nothing left to
do."""

import logging
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone, translation
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

from embeddings.client import EmbeddingError
from wiki.accounts.password_reset import send_reset_mail
from wiki.indexing.model_drift import check_canary
from wiki.indexing.reindex import resume, work_off
from wiki.insights.intake import file_pending_insights
from wiki.merging.maintenance import maintain
from wiki.models import Heartbeat, Page, Revision
from wiki.operations.alerts import alert_operator
from wiki.operations.health import WORKER
from wiki.pages.link_rewriting import Rewritten, rewrite_for_a_while, rewrite_links
from wiki.recall.log import prune_receipts

logger = logging.getLogger(__name__)

BEAT = "wiki.tasks.beat"
REEMBED = "wiki.tasks.reembed"
WATCH = "wiki.tasks.watch"
RESET = "wiki.tasks.send_reset"

# Anybody can ask for a mail to somebody else, so nobody gets more than one in this time, and a
# flood is not queued.
RESET_PAUSE = timedelta(minutes=5)
MAX_WAITING = 200
RELINK = "wiki.tasks.relink"
MAINTAIN = "wiki.tasks.run_maintenance"
PRUNE = "wiki.tasks.prune"
# All that the worker runs; a row or a schedule with another name is dropped.
TASKS = frozenset({BEAT, REEMBED, WATCH, RESET, RELINK, MAINTAIN, PRUNE})


def beat() -> None:
    Heartbeat.beat(WORKER)


def reembed() -> None:
    """Works stale pages and waiting insights off, and comes back at once if time was too short for
    all of it."""
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


def send_reset(user_id: int, language: str) -> None:
    """The mail with the link for a new password. The id is 0 where nobody has the address that was
    asked for."""
    person = User.objects.filter(pk=user_id).first()
    lately = Task.objects.filter(
        group=_reset_group(user_id), started__gte=timezone.now() - RESET_PAUSE
    )
    if person is None or lately.exists():
        return
    with translation.override(language):
        send_reset_mail(person.email)


def queue_reset(address: str) -> None:
    """Asks for that mail. The same is done for an address that nobody has, in the same time."""
    user_id = (
        User.objects.filter(email__iexact=address, is_active=True)
        .values_list("pk", flat=True)
        .first()
        or 0
    )
    if OrmQ.objects.count() >= MAX_WAITING:
        logger.warning("No mail for a new password is queued: %s tasks are waiting.", MAX_WAITING)
        return
    async_task(RESET, user_id, translation.get_language(), group=_reset_group(user_id))


def _reset_group(user_id: int) -> str:
    return f"reset-{user_id}"


def relink(revision_id: int, after: int, language: str) -> None:
    """Goes on with the links that a rename has left, behind the page with the id `after`."""
    renamed = Revision.objects.filter(pk=revision_id).first()
    if renamed is None:
        return
    with translation.override(language):
        rewritten = rewrite_for_a_while(renamed, after)
    if rewritten.is_more:
        async_task(RELINK, revision_id, rewritten.last_id, language)


def rewrite_links_soon(page: Page) -> Rewritten:
    """After a rename: the first links by the old name at once, the others by the worker."""
    renamed = page.revisions.get(number=page.revision)
    rewritten = rewrite_links(renamed)
    if rewritten.is_more:
        async_task(RELINK, renamed.pk, rewritten.last_id, translation.get_language() or "")
    return rewritten


def run_maintenance() -> None:
    """Does nothing while another run is under way."""
    maintain()


def prune() -> None:
    """Takes old receipts of recalls away, some at a time."""
    if prune_receipts():
        async_task(PRUNE)


def queue_maintenance() -> None:
    async_task(MAINTAIN)


def queue_reembed() -> None:
    """Starts the run anew, whatever stopped it before. Many runs at once do no harm: only one
    works."""
    resume()
    async_task(REEMBED)
