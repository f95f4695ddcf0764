"""When `up` takes its worker for dead."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from covey.child_processes import Child, Console
from covey.supervisor import is_worker_silent
from wiki.models import Heartbeat
from wiki.operations.health import WORKER


@pytest.mark.django_db
def test_a_worker_counts_as_silent_three_minutes_after_its_last_beat_and_start() -> None:
    worker = Child("worker", [], Console(), {})
    worker.started_at = time.monotonic() - 181
    assert is_worker_silent(worker), "it never gave a sign of life"
    Heartbeat.beat(WORKER)
    assert not is_worker_silent(worker)
    Heartbeat.objects.update(beaten_at=timezone.now() - timedelta(seconds=181))
    assert is_worker_silent(worker)
    worker.started_at = time.monotonic() - 60
    assert not is_worker_silent(worker), "it was started a minute ago"
