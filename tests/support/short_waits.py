"""An app for processes whose test waits for the schedule: what comes every minute comes as often as it can."""

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
        apps.get_model("django_q", "Schedule").calculate_next_run = lambda schedule, next_run=None: timezone.now()
