"""Report wrong settings as Django checks, and stop a process that would serve with them."""

import logging
import sys
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

logger = logging.getLogger(__name__)

# gunicorn restarts a worker that ends with any other status.
DO_NOT_TRY_AGAIN = 3


@checks.register()
def check_settings(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    return [
        checks.Error(problem.message, problem.hint, id=problem.id)
        for problem in settings.SETTINGS_PROBLEMS
    ]


@checks.register()
def check_spelling(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    return [
        checks.Warning(
            f"{name} is no setting of covey; it does nothing.",
            f"Did you mean {near}?" if near else "Remove it; .env.example lists every setting.",
            id="covey.W007",
        )
        for name, near in settings.MISSPELT_SETTINGS
    ]


@checks.register()
def check_proxy_login(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    header = settings.COVEY_PROXY_USER_HEADER
    if not header or settings.COVEY_BIND in ("127.0.0.1", "localhost", "::1"):
        return []
    problem = f"{header} is believed only from this machine, and COVEY_BIND is open to others."
    hint = "Let the proxy run on this machine and covey listen on 127.0.0.1."
    return [checks.Warning(problem, hint, id="covey.W008")]


def setting_errors() -> list[checks.CheckMessage]:
    return [message for message in checks.run_checks() if message.is_serious()]


def log_warnings() -> None:
    """Log the warnings of all checks, once at a start."""
    for message in checks.run_checks():
        if checks.WARNING <= message.level < checks.ERROR and not message.is_silenced():
            logger.warning("%s %s (warning %s)", message.msg, message.hint or "", message.id)


def refuse_wrong_settings() -> None:
    """Print every wrong setting with its remedy to standard error and end the process."""
    if errors := setting_errors():
        print(describe_errors(errors), file=sys.stderr, flush=True)
        raise SystemExit(DO_NOT_TRY_AGAIN)


def describe_errors(errors: Sequence[checks.CheckMessage]) -> str:
    return "\n".join(f"{error.id}: {error.msg} {error.hint or ''}".strip() for error in errors)
