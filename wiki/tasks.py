"""What the worker does. Tasks take ids, may run twice, and return when there is nothing left to do."""

from django_q.models import Schedule
from django_q.tasks import async_task

from wiki.health import WORKER
from wiki.indexing import embed_packet, stale_pages
from wiki.models import Heartbeat

BEAT = "wiki.tasks.beat"
REEMBED = "wiki.tasks.reembed"


def beat() -> None:
    Heartbeat.beat(WORKER)


def reembed() -> None:
    """Embeds one packet of stale pages and queues the next. What is stale is the cursor, so a kill costs one packet."""
    if embed_packet() and stale_pages().exists():
        async_task(REEMBED)


def queue_reembed() -> bool:
    """Queues the run if there is something to do. Two runs side by side do no harm: they embed what is stale."""
    if not stale_pages().exists():
        return False
    async_task(REEMBED)
    return True


def ensure_schedules() -> None:
    """The worker's standing orders, and the embedding of what is stale at a start (S14)."""
    Schedule.objects.update_or_create(
        name="beat", defaults={"func": BEAT, "schedule_type": Schedule.MINUTES, "minutes": 1, "repeats": -1}
    )
    Schedule.objects.update_or_create(
        name="reembed", defaults={"func": REEMBED, "schedule_type": Schedule.MINUTES, "minutes": 5, "repeats": -1}
    )
    async_task(BEAT)
    queue_reembed()
