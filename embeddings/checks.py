"""Start-up honesty of the embedding settings (S3, S6, S9). These checks never call the network."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

from embeddings.client import BUILTIN_WARNING


@checks.register()
def check_provider(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    provider = settings.COVEY_EMBEDDING_PROVIDER
    if provider == "builtin":
        return [
            checks.Warning(
                BUILTIN_WARNING,
                "Choose ollama, voyage or openai once this version offers them.",
                id="covey.W001",
            )
        ]
    if provider in ("voyage", "openai") and not settings.COVEY_EMBEDDING_API_KEY:
        return [
            checks.Error(
                f"COVEY_EMBEDDING_PROVIDER={provider} needs a key and COVEY_EMBEDDING_API_KEY is empty.",
                "Set COVEY_EMBEDDING_API_KEY in .env.",
                id="covey.E013",
            )
        ]
    return [
        checks.Error(
            f"COVEY_EMBEDDING_PROVIDER={provider} is not served by this version yet.",
            "Set COVEY_EMBEDDING_PROVIDER=builtin. covey never falls back to it by itself.",
            id="covey.E014",
        )
    ]
