"""The one error that callers of `embeddings.client` meet."""


class EmbeddingError(Exception):
    """No vector came. Its words are fit for a person and a log: no key, no text of a page, nothing
    that a service sent.

    `permanent` says that waiting does not help, `is_loading` that the service is still getting its
    model, `retry_after` how many seconds to rest before asking again (None: the caller's own
    rhythm), `remedy` what to do. `is_about_text` says that the service is well and refuses this one
    text.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool,
        remedy: str = "",
        retry_after: float | None = None,
        is_loading: bool = False,
        is_about_text: bool = False,
    ) -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.permanent = permanent
        self.remedy = remedy
        self.retry_after = retry_after
        self.is_loading = is_loading
        self.is_about_text = is_about_text

    def copy(self) -> "EmbeddingError":
        return EmbeddingError(
            self.message,
            permanent=self.permanent,
            remedy=self.remedy,
            retry_after=self.retry_after,
            is_loading=self.is_loading,
            is_about_text=self.is_about_text,
        )
