"""The service that the settings name, and what this process learned of it."""

from dataclasses import dataclass, field

from django.conf import settings

from embeddings.endpoints import ApiFormat, Endpoint, endpoint_for
from embeddings.providers import DIALECTS

DEFAULT_MODELS = {
    "builtin": "hash",
    "ollama": "embeddinggemma",
    "voyage": "voyage-3.5-lite",
    "openai": "text-embedding-3-small",
}
OUTSIDE_ADDRESSES = {"voyage": "https://api.voyageai.com", "openai": "https://api.openai.com"}


def strip_latest_tag(name: str) -> str:
    """`name` and `name:latest` are one model."""
    return name.removesuffix(":latest")


def configured_model() -> str:
    """As the operator wrote it; a proxy may know it by exactly this name."""
    provider = settings.COVEY_EMBEDDING_PROVIDER
    chosen = "" if provider == "builtin" else settings.COVEY_EMBEDDING_MODEL
    return chosen or DEFAULT_MODELS[provider]


@dataclass(frozen=True)
class Service:
    provider: str
    model: str
    endpoint: Endpoint
    key: str = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.provider} ({self.model}) at {self.endpoint.address}"

    @property
    def is_outside(self) -> bool:
        """Whether texts leave the house. `voyage` and `openai` count as outside even behind a proxy
        in the house."""
        return self.provider in OUTSIDE_ADDRESSES or not self.endpoint.is_inside


def active_service() -> Service:
    """Of a provider that is asked over the network; `builtin` is none."""
    provider = settings.COVEY_EMBEDDING_PROVIDER
    default = OUTSIDE_ADDRESSES.get(provider, settings.COVEY_OLLAMA_URL)
    endpoint = endpoint_for(provider, settings.COVEY_EMBEDDING_URL or default)
    return Service(provider, configured_model(), endpoint, settings.COVEY_EMBEDDING_API_KEY)


@dataclass
class ServiceState:
    """What a service taught this process: how much it takes at once, which fields it refuses, where
    it answers.

    `suspects`: texts at which the service broke down and did not come back soon; they go last, and
    alone. `logged`: what was logged already.
    """

    batch: int
    most: int
    refused_fields: frozenset[str] = frozenset()
    uses_fallback: bool = False
    suspects: set[int] = field(default_factory=set)
    logged: set[str] = field(default_factory=set)


_states: dict[Service, ServiceState] = {}


def state_of(service: Service) -> ServiceState:
    """A service in the house starts small whatever it speaks: it may work one text after
    another."""
    dialect = DIALECTS[service.endpoint.api_format]
    start = (
        DIALECTS[ApiFormat.OLLAMA].start_batch
        if service.endpoint.is_inside
        else dialect.start_batch
    )
    return _states.setdefault(service, ServiceState(start, dialect.max_batch))


def forget_states() -> None:
    _states.clear()
