"""Turns what is wrong with the settings into Django checks, and stops a process that would serve with them (S9)."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks


@checks.register()
def check_settings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    return [checks.Error(problem.message, problem.hint, id=problem.id) for problem in settings.SETTINGS_PROBLEMS]


def setting_errors() -> list[checks.CheckMessage]:
    return [message for message in checks.run_checks() if message.is_serious()]


def refuse_wrong_settings() -> None:
    """Raises SystemExit naming every wrong setting and its remedy."""
    if errors := setting_errors():
        raise SystemExit("\n".join(f"{error.id}: {error.msg} {error.hint or ''}".strip() for error in errors))
