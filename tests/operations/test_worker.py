"""What the worker does: signs of life, and embedding what is stale."""

from datetime import timedelta
from io import StringIO

from django.core.management import call_command
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.models import OrmQ, Schedule
from django_q.tasks import async_task

from covey.task_queue import KnownTasksBroker
from wiki.models import Heartbeat, Page
from wiki.operations.health import find_warnings, worker_heartbeat_age
from wiki.schedule import ensure_schedules
from wiki.tasks import BEAT, TASKS, beat, queue_reembed, reembed

OLD = "openai:text-embedding-3-small:256"


def make_stale(**more):
    return Page.objects.filter(**more).update(embed_model=OLD)


def warning_ids():
    return {warning.id for warning in find_warnings()}


def test_the_heartbeat_tells_a_living_worker(db):
    assert worker_heartbeat_age() is None
    assert "worker" in warning_ids()
    beat()
    beat()
    assert worker_heartbeat_age() < timedelta(seconds=30)
    assert "worker" not in warning_ids()
    Heartbeat.objects.update(beaten_at=timezone.now() - timedelta(minutes=3, seconds=5))
    assert "worker" in warning_ids()


def test_schedules_are_made_once(db):
    ensure_schedules()
    ensure_schedules()
    assert sorted(Schedule.objects.values_list("name", flat=True)) == [
        "beat",
        "maintain",
        "prune",
        "reembed",
        "watch",
    ]


def test_a_start_queues_the_run(write):
    write("Seite")
    make_stale()
    assert "stale" in warning_ids()
    queue_reembed()
    assert OrmQ.objects.count() == 1
    reembed()
    assert Page.objects.get().embed_model == "builtin:hash:256"
    assert "stale" not in warning_ids()


def test_reembed_now_embeds_here_and_says_how_many(write):
    write("Eins")
    write("Zwei")
    make_stale()
    out = StringIO()
    call_command("reembed", "--now", stdout=out)
    assert "2 pages embedded" in out.getvalue()
    assert Page.objects.stale("builtin:hash:256").count() == 0
    call_command("reembed", stdout=out)
    assert "Every page is embedded" in out.getvalue()


def test_reembed_without_now_leaves_it_to_the_worker(write):
    write("Eins")
    make_stale()
    call_command("reembed", stdout=StringIO())
    assert OrmQ.objects.count() == 1
    assert Page.objects.get().embed_model == OLD


def test_reembed_all_embeds_what_is_current_too(write):
    write("Eins")
    out = StringIO()
    call_command("reembed", "--all", "--now", stdout=out)
    assert "1 page embedded" in out.getvalue()


def test_the_worker_is_handed_its_own_tasks_and_no_others(db, caplog):
    """django-q would import and call whatever a row names."""
    broker = KnownTasksBroker()
    async_task(BEAT)
    for func, more in (
        ("os.system", {}),
        (print, {}),
        ("wiki.tasks.logging", {}),
        (BEAT, {"hook": "os.system"}),
    ):
        async_task(func, "true", **more)
    OrmQ.objects.create(key=broker.list_key, payload="of somebody else", lock=timezone.now())
    OrmQ.objects.update(lock=timezone.now() - timedelta(seconds=1))
    handed = [row for _round in range(OrmQ.objects.count()) for row in broker.dequeue() or []]
    assert [OrmQ.objects.get(pk=row_id).func() for row_id, _payload in handed] == [BEAT]
    assert OrmQ.objects.count() == 1
    assert len([record for record in caplog.records if record.name == "covey.task_queue"]) == 5
    assert "os.system" not in caplog.text


def test_the_queue_of_the_installation_is_that_one(db):
    assert isinstance(get_broker(), KnownTasksBroker)


def test_schedules_of_others_end_at_the_start(db):
    Schedule.objects.create(
        name="theirs", func="os.system", args="'true'", schedule_type=Schedule.MINUTES
    )
    Schedule.objects.create(
        name="hooked", func=BEAT, hook="os.system", schedule_type=Schedule.MINUTES
    )
    ensure_schedules()
    assert set(Schedule.objects.values_list("func", flat=True)) <= TASKS
    assert not Schedule.objects.exclude(hook=None).exists()
