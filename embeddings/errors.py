from dataclasses import KW_ONLY, dataclass


@dataclass(eq=False)
class EmbeddingError(Exception):
    """No vector came. The words suit a log: no key, no page text, nothing that a service sent."""

    message: str
    _: KW_ONLY
    # Waiting does not help.
    permanent: bool
    remedy: str = ""
    # Seconds until the next try; None: as the caller schedules it.
    retry_after: float | None = None
    is_loading: bool = False
    # The service is healthy and refuses this one text.
    is_about_text: bool = False

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()
