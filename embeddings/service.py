"""The service in the settings, and the limits that this process learned of it."""

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
    return name.removesuffix(":latest")


def configured_model() -> str:
    """Return the name as in the settings, tag included: a proxy may know it by exactly this."""
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
        """Whether texts leave the own network; `voyage` and `openai` always do, even by a proxy."""
        return self.provider in OUTSIDE_ADDRESSES or not self.endpoint.is_inside


def active_service() -> Service:
    """Return the service of any provider but `builtin`."""
    provider = settings.COVEY_EMBEDDING_PROVIDER
    default = OUTSIDE_ADDRESSES.get(provider, settings.COVEY_OLLAMA_URL)
    endpoint = endpoint_for(provider, settings.COVEY_EMBEDDING_URL or default)
    return Service(provider, configured_model(), endpoint, settings.COVEY_EMBEDDING_API_KEY)


@dataclass
class ServiceState:
    """The limits of a service, learned per process."""

    # Texts in the next sub-batch, and at most.
    batch: int
    most: int
    # Texts in the largest batch that was compared with a single call, and whether vectors count by
    # their place, because the service numbers them wrongly (embeddings/batch_check.py).
    checked: int = 1
    goes_by_place: bool = False
    refused_fields: frozenset[str] = frozenset()
    uses_fallback: bool = False
    # Hashes of texts at which the service broke down; they go last, and alone.
    suspects: set[int] = field(default_factory=set)
    # Kinds of notices in the log already.
    logged: set[str] = field(default_factory=set)


_states: dict[Service, ServiceState] = {}


def state_of(service: Service) -> ServiceState:
    # A service of the own network starts small: it may embed one text after another.
    inside, dialect = DIALECTS[ApiFormat.OLLAMA], DIALECTS[service.endpoint.api_format]
    start = (inside if service.endpoint.is_inside else dialect).start_batch
    return _states.setdefault(service, ServiceState(start, dialect.max_batch))


def forget_states() -> None:
    _states.clear()
