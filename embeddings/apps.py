from django.apps import AppConfig


class EmbeddingsConfig(AppConfig):
    name = "embeddings"

    def ready(self) -> None:
        from embeddings import checks  # noqa: F401, PLC0415  (registers the checks)
