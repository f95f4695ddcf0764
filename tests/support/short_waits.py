"""An app for processes whose test waits for the schedule: what comes every minute comes as often
as it can."""

from datetime import timedelta
from importlib import import_module

from django.apps import AppConfig, apps
from django.utils import timezone


class ShortWaits(AppConfig):
    name = "tests.support.short_waits"
    label = "short_waits"

    def ready(self) -> None:
        # Not to be imported before the tables are known.
        import_module("wiki.indexing.reindex").PAUSE = timedelta(seconds=5)
        # In the future: the scheduler asks until it is.
        soon = lambda schedule, next_run=None: timezone.now() + timedelta(seconds=1)  # noqa: E731
        apps.get_model("django_q", "Schedule").calculate_next_run = soon
