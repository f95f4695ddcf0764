"""Checks of the database: only warnings, and none while it is down or has no tables."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.db import DatabaseError

from wiki.indexing.price import describe_price
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
        price = describe_price()
        warnings = [warning for warning in find_warnings() if warning.id != "builtin"]
    except DatabaseError:
        return []
    messages: list[checks.CheckMessage] = []
    if outgoing:
        hint = "This happens at the next start of the worker."
        messages.append(checks.Warning(outgoing, hint, id="covey.W016"))
    if price:
        messages.append(checks.Info(price, id="covey.I002"))
    for warning in warnings:
        hint = "See /admin/embedding/."
        messages.append(checks.Warning(warning.message, hint, id=f"covey.{warning.id}"))
    return messages
