"""The dialects: how each kind of service is asked, and where its vectors stand in the answer."""

from embeddings.endpoints import ApiFormat
from embeddings.providers.dialect import Dialect
from embeddings.providers.ollama import OllamaDialect
from embeddings.providers.openai import OpenAIDialect
from embeddings.providers.voyage import VoyageDialect

DIALECTS: dict[ApiFormat, Dialect] = {
    ApiFormat.OLLAMA: OllamaDialect(),
    ApiFormat.OPENAI: OpenAIDialect(),
    ApiFormat.VOYAGE: VoyageDialect(),
}
