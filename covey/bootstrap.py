"""Prepare an installation: tables, schedules, a first admin, a demo wiki, static files."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from wiki.demo.load import load_demo_wiki
from wiki.models import Wiki
from wiki.schedule import ensure_schedules

PREPARATION_LOCK = 8494_01
LIFTED_LIMITS = ("lock_timeout", "statement_timeout")


class Output(Protocol):
    def write(self, text: str, /) -> object: ...


def prepare(demo: bool, out: Output, address: str = "") -> None:
    """Bring the installation, reached at `address`, up to date; safe to run concurrently."""
    with _exclusive():
        _migrate()
        ensure_schedules()
        _make_first_admin(out, address or settings.COVEY_PUBLIC_URL)
        if demo and not Wiki.objects.exists():
            load_demo_wiki()
            out.write("A demo wiki was loaded.\n")
    call_command("collectstatic", interactive=False, verbosity=0)


@contextmanager
def _exclusive() -> Iterator[None]:
    """Hold a lock on the preparation of this database, without time-outs."""
    with connection.cursor() as cursor:
        for name in LIFTED_LIMITS:
            cursor.execute(f"SET {name} = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARATION_LOCK])
    try:
        yield
    finally:
        # The lock goes with the connection, and so do the settings.
        connection.close()


def _migrate() -> None:
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        reason = str(error).strip()
        raise CommandError(f"The tables cannot be brought up to date: {reason}") from error


def _make_first_admin(out: Output, address: str) -> None:
    users = get_user_model().objects
    if users.exists():
        return
    password = secrets.token_urlsafe(12)
    users.create_superuser("admin", password=password)
    out.write(
        f"First admin: user admin, password {password} (shown this once; change it at "
        f"{address}/password)\n"
    )
