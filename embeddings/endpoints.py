"""Complete the address in the settings to the URL of a provider's embedding call."""

import ipaddress
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import unquote, urlsplit, urlunsplit

AZURE_HOSTS = (
    ".openai.azure.com",
    ".openai.azure.us",
    ".cognitiveservices.azure.com",
    ".services.ai.azure.com",
)
# Azure's deployment addresses answer 404 without one; the latest that is not a preview.
AZURE_API_VERSION = "api-version=2024-10-21"

# `.internal`, `.local`, `.lan` and `.home.arpa` never stand for a machine in the internet.
INSIDE_ENDINGS = (".localhost", ".internal", ".local", ".lan", ".home.arpa")

_VERSION = re.compile(r"/v\d+[a-z0-9]*$")


class ApiFormat(StrEnum):
    OLLAMA = "ollama"
    OPENAI = "openai"
    VOYAGE = "voyage"


@dataclass(frozen=True)
class Endpoint:
    """`fallback`: the URL of a compatible server, tried when `/api/embed` does not exist."""

    url: str
    api_format: ApiFormat
    is_azure: bool = False
    fallback: str = ""
    user: str = ""
    password: str = ""

    @property
    def other(self) -> "Endpoint":
        return replace(self, url=self.fallback, api_format=ApiFormat.OPENAI, fallback="")

    @property
    def address(self) -> str:
        """The URL without user, password and query, any of which may be secret."""
        return urlunsplit(urlsplit(self.url)._replace(query=""))

    @property
    def is_inside(self) -> bool:
        return is_inside(urlsplit(self.url).hostname or "")


def is_inside(host: str) -> bool:
    """Whether a host is loopback, private, or a name without a dot."""
    host = host.lower().rstrip(".")
    try:
        return not ipaddress.ip_address(host.split("%")[0]).is_global
    except ValueError:
        return "." not in host or host.endswith(INSIDE_ENDINGS)


def endpoint_for(provider: str, url: str) -> Endpoint:
    """Build the endpoint of `ollama`, `openai` or `voyage` from a bare, base or full address."""
    parts = urlsplit(url)
    path = re.sub("/{2,}", "/", parts.path).rstrip("/")
    host = parts.netloc.rpartition("@")[2]
    is_azure = provider == "openai" and _is_azure(parts.hostname or "", path)
    query = parts.query or (AZURE_API_VERSION if is_azure and "/deployments/" in path else "")

    def join(path: str) -> str:
        return urlunsplit((parts.scheme, host, path, query, ""))

    api_format, path, fallback = _complete(provider, path, is_azure)
    return Endpoint(
        join(path),
        api_format,
        is_azure,
        join(fallback) if fallback else "",
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def _is_azure(host: str, path: str) -> bool:
    return host.endswith(AZURE_HOSTS) or "/openai/deployments/" in path


def _complete(provider: str, path: str, is_azure: bool) -> tuple[ApiFormat, str, str]:
    """Return format, full path, and the path of the fallback or ""."""
    if provider == "ollama":
        # `/api/embeddings` is Ollama's older call for a single text.
        if path.endswith(("/api", "/api/embed", "/api/embeddings")):
            return ApiFormat.OLLAMA, path[: path.rindex("/api")] + "/api/embed", ""
        if not path.endswith("/embeddings") and not _VERSION.search(path):
            return ApiFormat.OLLAMA, f"{path}/api/embed", f"{path}/v1/embeddings"
    api_format = ApiFormat.VOYAGE if provider == "voyage" else ApiFormat.OPENAI
    if path.endswith("/embeddings"):
        return api_format, path, ""
    if is_azure and "/deployments/" not in path:
        path = path.removesuffix("/v1").removesuffix("/openai")
        return api_format, f"{path}/openai/v1/embeddings", ""
    is_base = _VERSION.search(path) or path.endswith("/openai") or is_azure
    return api_format, f"{path}/embeddings" if is_base else f"{path}/v1/embeddings", ""
