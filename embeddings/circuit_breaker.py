"""Fail at once while a service is known to be down."""

from dataclasses import replace
from threading import Lock

from embeddings import timeouts
from embeddings.errors import EmbeddingError
from embeddings.service import Service


class Breaker:
    """Per process. After BREAKER_SECONDS one caller tries again; any success closes it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._errors: dict[Service, tuple[EmbeddingError, float]] = {}
        self._successes: dict[Service, float] = {}

    def raise_if_open(self, service: Service) -> None:
        with self._lock:
            error, since = self._errors.get(service, (None, 0.0))
            if error is None:
                return
            now = timeouts.clock()
            if now - since >= timeouts.BREAKER_SECONDS:
                self._errors[service] = (error, now)
                return
        # A copy, because a traceback grows on an error each time it is raised.
        raise replace(error)

    def open(self, service: Service, error: EmbeddingError, asked_at: float) -> None:
        """Ignore the error of a call that began before the last success."""
        with self._lock:
            if self._successes.get(service, asked_at) <= asked_at:
                self._errors[service] = (error, timeouts.clock())

    def close(self, service: Service) -> None:
        with self._lock:
            self._errors.pop(service, None)
            self._successes[service] = timeouts.clock()

    def forget(self) -> None:
        with self._lock:
            self._errors.clear()
            self._successes.clear()
