"""Checks that look at the database: warnings all, and silent while it is away or has no tables
yet."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.db import DatabaseError

from wiki.indexing.reindex import describe_outgoing
from wiki.operations.health import find_warnings


@checks.register(checks.Tags.database)
def check_embeddings(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[checks.CheckMessage]:
    if not databases:
        return []
    try:
        outgoing = describe_outgoing()
        warnings = [
            (warning.id, warning.message) for warning in find_warnings() if warning.id != "builtin"
        ]
    except DatabaseError:
        return []
    messages: list[checks.CheckMessage] = []
    if outgoing:
        messages.append(
            checks.Warning(
                outgoing, "This happens at the next start of the worker.", id="covey.W016"
            )
        )
    messages.extend(
        checks.Warning(message, "See /admin/embedding/.", id=f"covey.{id}")
        for id, message in warnings
    )
    return messages
