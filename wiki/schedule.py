"""The schedule of the worker: which task runs how often."""

import logging

from django.conf import settings
from django_q.models import Schedule
from django_q.tasks import async_task

from wiki.indexing.calibration import request_calibration
from wiki.indexing.price import announce_price
from wiki.indexing.reindex import announce_outgoing
from wiki.tasks import BEAT, MAINTAIN, PRUNE, REEMBED, TASKS, WATCH, queue_reembed

logger = logging.getLogger(__name__)

EVERY_MINUTE = 1
HOURLY = 60


def ensure_schedules() -> None:
    """Create the worker's schedules, and queue the calibration and the embedding of stale pages."""
    foreign, _rows = Schedule.objects.exclude(func__in=TASKS, hook=None).delete()
    if foreign:
        logger.warning("%s schedules that are none of covey's were removed.", foreign)
    _schedule("beat", BEAT, EVERY_MINUTE)
    _schedule("reembed", REEMBED, EVERY_MINUTE)
    _schedule("watch", WATCH, HOURLY)
    _schedule("prune", PRUNE, HOURLY)
    _schedule("maintain", MAINTAIN, settings.COVEY_MAINTENANCE_MINUTES)
    async_task(BEAT)
    async_task(WATCH)
    announce_outgoing()
    announce_price()
    request_calibration()
    queue_reembed()


def _schedule(name: str, task: str, minutes: int) -> None:
    """Run the task at this interval; 0 switches it off."""
    if not minutes:
        Schedule.objects.filter(name=name).delete()
        return
    order = {"schedule_type": Schedule.MINUTES, "minutes": minutes, "repeats": -1}
    Schedule.objects.update_or_create(name=name, defaults={"func": task, **order})
