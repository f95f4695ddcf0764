"""Gets vectors for many texts: in sub-batches, smaller where they are refused, down to the text at
fault."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.utils import timezone

from embeddings import timeouts
from embeddings.errors import EmbeddingError
from embeddings.failure_classification import Fault, Kind
from embeddings.prompts import Input
from embeddings.providers.dialect import Purpose
from embeddings.retrying_client import Asker
from embeddings.service import Service, learned_of
from embeddings.timeouts import Patience
from embeddings.vectors import Vector

# Half of the text, half of that, and once more: what is then still too long is no text for this
# model.
SHORTENINGS = 3
# What is shorter than this is not refused for its length.
SHORTEST = 200

# What a service that is well can embed.
PROBE = "covey"


@dataclass(frozen=True)
class BulkResult:
    """What became of the document at `position`: its vector, or why this text has none (`error`).

    Neither: a text without a word, which has no direction and was not sent.
    """

    position: int
    vector: Vector | None
    error: str = ""


@dataclass(frozen=True)
class Parcel:
    position: int
    input: Input

    @property
    def mark(self) -> int:
        return hash(self.input.wire)


class Delivery:
    """One call of a caller: some texts of one purpose, with one patience."""

    def __init__(self, service: Service, purpose: Purpose, limits: Patience) -> None:
        self.service, self.limits = service, limits
        self.learned = learned_of(service)
        self.asker = Asker(service, purpose, limits)

    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[BulkResult]:
        """One result per parcel, as they come. Raises EmbeddingError when the service as a whole is
        at fault."""
        suspects = [parcel for parcel in parcels if parcel.mark in self.learned.suspects]
        waiting = deque(parcel for parcel in parcels if parcel.mark not in self.learned.suspects)
        try:
            while waiting:
                size = max(1, min(self.learned.batch, self.learned.most))
                yield from self._settle([waiting.popleft() for _ in range(min(size, len(waiting)))])
            for parcel in suspects:
                # Known to be well just before: if it breaks down now, it is this text again.
                self._probe()
                yield from self._settle([parcel])
        except Fault as fault:
            raise self._error(fault) from None

    def _settle(self, parcels: Sequence[Parcel]) -> Iterator[BulkResult]:
        try:
            rows = self.asker.ask([parcel.input for parcel in parcels])
        except Fault as fault:
            if fault.kind not in (Kind.SHAKY, Kind.TOO_MUCH):
                raise
            if len(parcels) == 1:
                yield self._settle_alone(parcels[0], fault)
                return
            yield from self._settle_parts(parcels, fault)
            return
        self._note_success(len(parcels))
        alone = []
        for parcel, row in zip(parcels, rows, strict=True):
            if isinstance(row, Fault):
                alone.append(parcel)
            else:
                yield BulkResult(parcel.position, row)
        for parcel in alone:
            yield from self._settle([parcel])

    def _settle_parts(self, parcels: Sequence[Parcel], fault: Fault) -> Iterator[BulkResult]:
        parts, faults = _split(parcels, fault), self.asker.faults
        if fault.is_timeout:
            self.learned.batch = 1
        for part in parts:
            yield from self._settle(part)
        # Only if nothing else was wrong: one text alone can be too large for a request.
        if fault.is_batch_too_large and self.asker.faults == faults:
            self.learned.most = min(self.learned.most, len(parts[0]))

    def _settle_alone(self, parcel: Parcel, fault: Fault) -> BulkResult:
        """The verdict on a text that brought no vector: shortened where it is too long, else it or
        the service."""
        input = parcel.input
        for _ in range(SHORTENINGS):
            if not fault.is_text_too_long or len(input.text) < SHORTEST:
                break
            input = input.halve()
            row = self._ask_alone(input)
            if not isinstance(row, Fault):
                return BulkResult(parcel.position, row)
            fault = row
        if parcel.mark not in self.learned.suspects:
            self.learned.suspects.add(parcel.mark)
            # No third wait of minutes: the next call begins with the others and comes back to this
            # text.
            if fault.is_timeout and self.asker.timeouts > 1:
                raise replace(fault, kind=Kind.AWAY)
            self._probe()
            if fault.kind == Kind.SHAKY and not fault.is_timeout:
                # It is well, so the text gets another chance: the service may only have stumbled.
                row = self._ask_alone(input)
                if not isinstance(row, Fault):
                    self.learned.suspects.discard(parcel.mark)
                    return BulkResult(parcel.position, row)
                fault = row
        self.learned.suspects.discard(parcel.mark)
        what = (
            f"{self.service.provider} ({self.service.model}) {fault.what} for this text alone, "
            f"and is well otherwise."
        )
        return BulkResult(parcel.position, None, f"{what} {fault.remedy}".strip())

    def _ask_alone(self, input: Input) -> Vector | Fault:
        """Its vector, or what may be the fault of this text; raises what is not."""
        try:
            return self.asker.ask([input])[0]
        except Fault as fault:
            if fault.kind not in (Kind.SHAKY, Kind.TOO_MUCH):
                raise
            return fault

    def _probe(self) -> None:
        """Raises what is wrong with the service if it cannot even embed one word."""
        try:
            self.asker.ask([Input("", PROBE)])
        except Fault as fault:
            kind = {Kind.SHAKY: Kind.AWAY, Kind.TOO_MUCH: Kind.REFUSED}.get(fault.kind, fault.kind)
            raise replace(fault, kind=kind, what=f"{fault.what}, even for a single word") from None

    def _note_success(self, size: int) -> None:
        """The size of the next sub-batch, from what this one took."""
        learned = self.learned
        if not self.service.endpoint.is_inside:
            return
        # The rest of a packet is too small to tell that more would fit, but not that less would.
        if size >= learned.batch or self.asker.seconds > timeouts.SUB_BATCH_SECONDS:
            fitting = int(timeouts.SUB_BATCH_SECONDS * size / max(self.asker.seconds, 1e-6))
            learned.batch = max(1, min(fitting, 2 * learned.batch, learned.most))

    def _error(self, fault: Fault) -> EmbeddingError:
        """The fault of a whole service, in words for people."""
        is_pulling = self.service.provider == "ollama" and fault.is_model_missing
        remedy = fault.remedy
        if is_pulling:
            model = self.service.model
            remedy = f"Unless it is being pulled right now: ollama pull {model}"
            remedy += f" (with containers: docker compose exec embeddings ollama pull {model})."
        permanent = fault.kind != Kind.AWAY and not is_pulling
        retry_after = None if permanent else self._rest(fault)
        message = f"{self.service.name} {fault.what}."
        if retry_after is not None and retry_after > self.limits.longest_wait:
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
        return self.asker.dialect.rate_wait if fault.is_rate_limit else None


def _split(parcels: Sequence[Parcel], fault: Fault) -> list[Sequence[Parcel]]:
    if fault.is_misshapen or fault.is_timeout:
        return [[parcel] for parcel in parcels]
    half = len(parcels) // 2
    return [parcels[:half], parcels[half:]]
