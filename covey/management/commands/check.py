from typing import Any

from django.core.management.commands import check


class Command(check.Command):
    """Django's command, with the checks of the database by default."""

    def handle(self, *app_labels: Any, **options: Any) -> None:
        options["databases"] = options["databases"] or ["default"]
        super().handle(*app_labels, **options)
