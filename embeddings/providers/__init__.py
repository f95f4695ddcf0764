"""The dialects: request body and answer of each kind of service."""

from embeddings.endpoints import ApiFormat
from embeddings.providers.base import Dialect
from embeddings.providers.ollama import OllamaDialect
from embeddings.providers.openai import OpenAIDialect
from embeddings.providers.voyage import VoyageDialect

DIALECTS: dict[ApiFormat, Dialect] = {
    ApiFormat.OLLAMA: OllamaDialect(),
    ApiFormat.OPENAI: OpenAIDialect(),
    ApiFormat.VOYAGE: VoyageDialect(),
}
