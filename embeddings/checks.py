"""System checks of the embedding settings; they never call the network."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

from embeddings.client import BUILTIN_WARNING, active_fingerprint
from embeddings.prompts import find_family
from embeddings.service import Service, active_service
from embeddings.vectors import MAX_FINGERPRINT


@checks.register()
def check_provider(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    if settings.COVEY_EMBEDDING_PROVIDER == "builtin":
        return [*_check_builtin()]
    service = active_service()
    return [*_check_key(service), *_check_model(service), *_check_address(service)]


def _check_builtin() -> Iterator[checks.CheckMessage]:
    hint = (
        "Set COVEY_EMBEDDING_PROVIDER=ollama in .env and start covey again; it needs Ollama at "
        "COVEY_OLLAMA_URL with "
        "its model (`ollama pull embeddinggemma`), which docker compose brings along by "
        "COMPOSE_PROFILES=embeddings. "
        "Or voyage or openai, outside services, with COVEY_EMBEDDING_API_KEY."
    )
    yield checks.Warning(str(BUILTIN_WARNING), hint, id="covey.W001")
    names = ("COVEY_EMBEDDING_MODEL", "COVEY_EMBEDDING_API_KEY", "COVEY_EMBEDDING_URL")
    if unused := [name for name in names if getattr(settings, name)]:
        yield checks.Warning(
            f"COVEY_EMBEDDING_PROVIDER is builtin, which does not use {', '.join(unused)}.",
            "Set COVEY_EMBEDDING_PROVIDER to the provider that these are meant for, or unset them.",
            id="covey.W002",
        )


def _check_key(service: Service) -> Iterator[checks.CheckMessage]:
    if service.provider in ("voyage", "openai") and not service.key:
        yield checks.Error(
            f"COVEY_EMBEDDING_PROVIDER={service.provider} needs a key and COVEY_EMBEDDING_API_KEY "
            f"is empty.",
            "Set COVEY_EMBEDDING_API_KEY in .env.",
            id="covey.E013",
        )
    if not all("!" <= character <= "~" for character in service.key):
        yield checks.Error(
            "COVEY_EMBEDDING_API_KEY has characters that no key has, such as a blank, a line break "
            "or an umlaut.",
            "Copy the key again, without quotation marks around it.",
            id="covey.E015",
        )


def _check_model(service: Service) -> Iterator[checks.CheckMessage]:
    if len(active_fingerprint()) > MAX_FINGERPRINT or not service.model.isprintable():
        yield checks.Error(
            f"COVEY_EMBEDDING_MODEL is no model's name: longer than {MAX_FINGERPRINT} characters, "
            f"or unprintable.",
            "Write the name as the service lists it.",
            id="covey.E016",
        )
    family = find_family(service.model)
    if family.is_english_only:
        yield checks.Warning(
            f"The model {service.model} was made for English; it is useless for German and other "
            f"languages.",
            "Set COVEY_EMBEDDING_MODEL to a multilingual model, such as embeddinggemma, unless the "
            "wiki is English.",
            id="covey.W003",
        )
    if family.is_matryoshka is False:
        yield checks.Warning(
            f"The model {service.model} was not made to be cut to 256 values; covey does so, and "
            f"recall gets weaker.",
            "Choose a model that was (Matryoshka), such as embeddinggemma or qwen3-embedding.",
            id="covey.W004",
        )
    if service.model.startswith("voyage-3.5-lite"):
        yield checks.Info(
            "voyage-3.5-lite is a legacy model, which Voyage retires at the end of 2027.",
            "Consider COVEY_EMBEDDING_MODEL=voyage-4-lite; the switch embeds every page anew.",
            id="covey.I001",
        )


def _check_address(service: Service) -> Iterator[checks.CheckMessage]:
    if urlsplit(service.endpoint.url).scheme == "http" and not service.endpoint.is_inside:
        yield checks.Warning(
            f"{service.endpoint.address} is asked without encryption: pages, queries and key cross "
            f"the net readable.",
            "Use an https address.",
            id="covey.W005",
        )
    if service.endpoint.is_azure and not settings.COVEY_EMBEDDING_MODEL:
        yield checks.Warning(
            "COVEY_EMBEDDING_URL is an address of Azure, and COVEY_EMBEDDING_MODEL is empty.",
            "Set COVEY_EMBEDDING_MODEL to the name of the deployment, which may be any; vectors "
            "are told apart by it.",
            id="covey.W006",
        )
