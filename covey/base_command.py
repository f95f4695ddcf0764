"""The base of covey's commands: wrong settings and a missing database end in one clear line."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError
from psycopg.errors import UndefinedColumn, UndefinedFunction, UndefinedTable

from covey.checks import describe_errors, setting_errors


def counted(number: int, one: str, many: str = "") -> str:
    """Format a number with its noun: "1 page", "2 pages", "1,000 queries"."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


class CoveyCommand(BaseCommand):
    # Warnings would precede the output of every command; errors are raised below.
    requires_system_checks: list[str] = []

    def execute(self, *args: Any, **options: Any) -> str | None:
        if errors := setting_errors():
            raise CommandError(describe_errors(errors))
        try:
            return super().execute(*args, **options)
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {str(error).strip()}") from error
        except ProgrammingError as error:
            if isinstance(error.__cause__, UndefinedTable | UndefinedColumn | UndefinedFunction):
                raise CommandError(
                    f"The tables are missing or not up to date "
                    f"(COVEY_DATA_DIR={settings.COVEY_DATA_DIR}). "
                    "If your covey is elsewhere, give this its settings; else run `manage.py "
                    "prepare` or `up`."
                ) from error
            raise
