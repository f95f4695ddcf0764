"""The service in the settings, and the limits that this process learned of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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


@dataclass(frozen=True)
class Choice:
    """What the settings choose; an empty model or url is the provider's own."""

    provider: str
    model: str = ""
    url: str = ""
    key: str = field(default="", repr=False)


_candidate: ContextVar[Choice | None] = ContextVar("candidate", default=None)


@contextmanager
def using(choice: Choice) -> Iterator[None]:
    """Embed by another provider than the settings say, in this context, to try it."""
    token = _candidate.set(choice)
    try:
        yield
    finally:
        _candidate.reset(token)


def configured() -> Choice:
    return _candidate.get() or Choice(
        settings.COVEY_EMBEDDING_PROVIDER,
        settings.COVEY_EMBEDDING_MODEL,
        settings.COVEY_EMBEDDING_URL,
        settings.COVEY_EMBEDDING_API_KEY,
    )


def configured_model() -> str:
    """Return the name as in the settings, tag included: a proxy may know it by exactly this."""
    choice = configured()
    chosen = "" if choice.provider == "builtin" else choice.model
    return chosen or DEFAULT_MODELS[choice.provider]


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
    choice = configured()
    default = OUTSIDE_ADDRESSES.get(choice.provider, settings.COVEY_OLLAMA_URL)
    endpoint = endpoint_for(choice.provider, choice.url or default)
    return Service(choice.provider, configured_model(), endpoint, choice.key)


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
