"""Embed many texts in sub-batches; a refused one is divided, down to the text at fault."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.utils import timezone

from embeddings import timeouts
from embeddings.batch_check import check_batches
from embeddings.errors import EmbeddingError
from embeddings.failure_classification import Fault, Kind
from embeddings.prompts import Input
from embeddings.providers.base import Purpose
from embeddings.retrying_client import RetryingClient
from embeddings.service import Service, state_of
from embeddings.timeouts import RetryPolicy
from embeddings.vectors import Vector

# An eighth of a text that is still too long is none for this model.
MAX_HALVINGS = 3
# Characters; a shorter text is not refused for its length.
MIN_TOO_LONG = 200
# Every healthy service can embed it.
PROBE = "covey"


@dataclass(frozen=True)
class BulkResult:
    """The vector of the document at `position`, or an `error`; neither for a wordless text."""

    position: int
    vector: Vector | None
    error: str = ""


@dataclass(frozen=True)
class BatchItem:
    position: int
    input: Input

    @property
    def key(self) -> int:
        return hash(self.input.wire)


class BatchSender:
    def __init__(self, service: Service, purpose: Purpose, policy: RetryPolicy) -> None:
        self.service, self.policy = service, policy
        self.state = state_of(service)
        self.client = RetryingClient(service, purpose, policy)

    def send(self, items: Sequence[BatchItem]) -> Iterator[BulkResult]:
        """One result per item, in any order. Raises EmbeddingError when the service fails."""
        suspects = [item for item in items if item.key in self.state.suspects]
        waiting = deque(item for item in items if item.key not in self.state.suspects)
        try:
            while waiting:
                if self._next_size(waiting) > self.state.checked:
                    self._check(self._next_size(waiting))
                size = self._next_size(waiting)
                yield from self._settle([waiting.popleft() for _ in range(size)])
            for item in suspects:
                # A service that is healthy now and breaks down next does so because of this text.
                self._probe()
                yield from self._settle([item])
        except Fault as fault:
            raise self._error(fault) from None

    def _next_size(self, waiting: Collection[BatchItem]) -> int:
        return max(1, min(self.state.batch, self.state.most, len(waiting)))

    def _check(self, size: int) -> None:
        check_batches(RetryingClient(self.service, self.client.purpose, self.policy), size)
        self.client.goes_by_place = self.state.goes_by_place

    def _settle(self, items: Sequence[BatchItem]) -> Iterator[BulkResult]:
        try:
            rows = self.client.embed([item.input for item in items])
        except Fault as fault:
            if fault.kind not in (Kind.UNSTABLE, Kind.TOO_LARGE):
                raise
            if len(items) == 1:
                yield self._settle_alone(items[0], fault)
            else:
                yield from self._settle_parts(items, fault)
            return
        self._note_success(len(items))
        alone = []
        for item, row in zip(items, rows, strict=True):
            if isinstance(row, Fault):
                alone.append(item)
            else:
                yield BulkResult(item.position, row)
        for item in alone:
            yield from self._settle([item])

    def _settle_parts(self, items: Sequence[BatchItem], fault: Fault) -> Iterator[BulkResult]:
        if fault.is_misnumbered:
            self._check(len(items))
            if self.client.goes_by_place:
                yield from self._settle(items)
                return
            self.state.most = 1
        parts, faults = _split(items, fault), self.client.faults
        if fault.is_timeout:
            self.state.batch = 1
        for part in parts:
            yield from self._settle(part)
        # Only if nothing else was wrong: one text alone can be too large for a request.
        if self.client.faults == faults:
            if fault.is_batch_too_large:
                self.state.most = min(self.state.most, len(parts[0]))
            elif fault.is_misshapen:
                self.state.most = min(self.state.most, max(1, len(items) // 2))

    def _settle_alone(self, item: BatchItem, fault: Fault) -> BulkResult:
        """Retry one text that got no vector, shortened where it is too long; else blame the text
        or, by raising, the service."""
        input = item.input
        for _ in range(MAX_HALVINGS):
            if not fault.is_text_too_long or len(input.text) < MIN_TOO_LONG:
                break
            input = input.halve()
            row = self._request_alone(input)
            if not isinstance(row, Fault):
                return BulkResult(item.position, row)
            fault = row
        if item.key not in self.state.suspects:
            self.state.suspects.add(item.key)
            # No third wait of minutes: the next call embeds the others first.
            if fault.is_timeout and self.client.timeouts > 1:
                raise replace(fault, kind=Kind.UNAVAILABLE)
            self._probe()
            if fault.kind == Kind.UNSTABLE and not fault.is_timeout:
                # The service is healthy, so its failure may have been a passing one.
                row = self._request_alone(input)
                if not isinstance(row, Fault):
                    self.state.suspects.discard(item.key)
                    return BulkResult(item.position, row)
                fault = row
        self.state.suspects.discard(item.key)
        what = (
            f"{self.service.provider} ({self.service.model}) {fault.what} for this text alone, "
            f"and is well otherwise."
        )
        return BulkResult(item.position, None, f"{what} {fault.remedy}".strip())

    def _request_alone(self, input: Input) -> Vector | Fault:
        """Return a Fault that the text may have caused; raise any other."""
        try:
            return self.client.embed([input])[0]
        except Fault as fault:
            if fault.kind not in (Kind.UNSTABLE, Kind.TOO_LARGE):
                raise
            return fault

    def _probe(self) -> None:
        """Raise Fault if the service cannot even embed one word."""
        try:
            self.client.embed([Input("", PROBE)])
        except Fault as fault:
            kind = {
                Kind.UNSTABLE: Kind.UNAVAILABLE,
                Kind.TOO_LARGE: Kind.REFUSED,
            }.get(fault.kind, fault.kind)
            raise replace(fault, kind=kind, what=f"{fault.what}, even for a single word") from None

    def _note_success(self, size: int) -> None:
        """Adapt the size of the next sub-batch to the seconds that this one took."""
        state = self.state
        if not self.service.endpoint.is_inside:
            return
        # A small last sub-batch cannot tell that more would fit, only that less would.
        if size >= state.batch or self.client.seconds > timeouts.SUB_BATCH_SECONDS:
            fitting = int(timeouts.SUB_BATCH_SECONDS * size / max(self.client.seconds, 1e-6))
            state.batch = max(1, min(fitting, 2 * state.batch, state.most))

    def _error(self, fault: Fault) -> EmbeddingError:
        is_pulling = self.service.provider == "ollama" and fault.is_model_missing
        remedy = fault.remedy
        if is_pulling:
            model = self.service.model
            remedy = f"Unless it is being pulled right now: ollama pull {model}"
            remedy += f" (with containers: docker compose exec embeddings ollama pull {model})."
        permanent = fault.kind != Kind.UNAVAILABLE and not is_pulling
        retry_after = None if permanent else self._rest(fault)
        message = f"{self.service.name} {fault.what}."
        if retry_after is not None and retry_after > self.policy.longest_wait:
            until = timezone.now() + timedelta(seconds=retry_after)
            message += f" It rests until {until:%Y-%m-%d %H:%M} UTC."
        message += "" if permanent else " Waiting helps."
        return EmbeddingError(
            message,
            permanent=permanent,
            remedy=remedy,
            retry_after=retry_after,
            is_loading=is_pulling or (fault.is_loading and self.service.endpoint.is_inside),
        )

    def _rest(self, fault: Fault) -> float | None:
        if fault.retry_after is not None:
            return min(fault.retry_after, timeouts.LONGEST_REST)
        return self.client.dialect.rate_wait if fault.is_rate_limit else None


def _split(items: Sequence[BatchItem], fault: Fault) -> list[Sequence[BatchItem]]:
    if fault.is_misshapen or fault.is_timeout:
        return [[item] for item in items]
    half = len(items) // 2
    return [items[:half], items[half:]]
