"""The one machine that gets vectors from a service: tries again, splits what is refused, isolates the text at fault."""

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count

from django.utils import timezone

from embeddings import patience
from embeddings.endpoints import Endpoint
from embeddings.errors import EmbeddingError
from embeddings.exchange import Asked, ask
from embeddings.faults import CHECK_ADDRESS, OTHER_MODEL, Fault, Kind, fault_of_status, model_is_missing
from embeddings.patience import Patience
from embeddings.prompts import Input, find_family
from embeddings.providers import DIALECTS
from embeddings.providers.dialect import Dialect, MisshapenAnswer, Purpose
from embeddings.service import Service, learned_of, same_model
from embeddings.vectors import (
    DIMENSIONS,
    TooFewDimensions,
    UnusableVector,
    Vector,
    ZeroVector,
    count_dimensions,
    read_vector,
)

logger = logging.getLogger("embeddings.client")

# Half of the text, half of that, and once more: what is then still too long is no text for this model.
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
        self.service, self.purpose, self.limits = service, purpose, limits
        self.learned = learned_of(service)
        self.faults = self.timeouts = 0
        self.seconds = 0.0

    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[BulkResult]:
        """One result per parcel, as they come. Raises EmbeddingError when the service as a whole is at fault."""
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
            rows = self._ask([parcel.input for parcel in parcels])
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
        parts, faults = _split(parcels, fault), self.faults
        if fault.is_timeout:
            self.learned.batch = 1
        for part in parts:
            yield from self._settle(part)
        # Only if nothing else was wrong: one text alone can be too large for a request.
        if fault.is_batch_too_large and self.faults == faults:
            self.learned.most = min(self.learned.most, len(parts[0]))

    def _settle_alone(self, parcel: Parcel, fault: Fault) -> BulkResult:
        """The verdict on a text that brought no vector: shortened where it is too long, else it or the service."""
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
            # No third wait of minutes: the next call begins with the others and comes back to this text.
            if fault.is_timeout and self.timeouts > 1:
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
            f"{self.service.provider} ({self.service.model}) {fault.what} for this text alone, and is well otherwise."
        )
        return BulkResult(parcel.position, None, f"{what} {fault.remedy}".strip())

    def _ask_alone(self, input: Input) -> Vector | Fault:
        """Its vector, or what may be the fault of this text; raises what is not."""
        try:
            return self._ask([input])[0]
        except Fault as fault:
            if fault.kind not in (Kind.SHAKY, Kind.TOO_MUCH):
                raise
            return fault

    def _probe(self) -> None:
        """Raises what is wrong with the service if it cannot even embed one word."""
        try:
            self._ask([Input("", PROBE)])
        except Fault as fault:
            kind = {Kind.SHAKY: Kind.AWAY, Kind.TOO_MUCH: Kind.REFUSED}.get(fault.kind, fault.kind)
            raise replace(fault, kind=kind, what=f"{fault.what}, even for a single word") from None

    def _ask(self, inputs: Sequence[Input]) -> list[Vector | Fault]:
        """The vectors of these texts; a Fault in the place of each that is unusable. One text: raises it."""
        for attempt in count(1):
            endpoint = self._endpoint()
            try:
                return self._ask_once(endpoint, inputs)
            except Fault as fault:
                self.faults += 1
                self.timeouts += fault.is_timeout
                if self._adapt(fault, endpoint):
                    continue
                tries = 2 if fault.kind == Kind.SHAKY and len(inputs) > 1 else self.limits.tries
                wait = self._wait_for(fault, attempt)
                may_pass = fault.kind in (Kind.AWAY, Kind.SHAKY) and not fault.is_timeout
                if not may_pass or attempt >= tries or wait > self.limits.longest_wait:
                    raise
            patience.sleep(wait)
        raise AssertionError("count() does not end")

    def _endpoint(self) -> Endpoint:
        endpoint = self.service.endpoint
        return endpoint.other if self.learned.uses_fallback else endpoint

    def _adapt(self, fault: Fault, endpoint: Endpoint) -> bool:
        """Whether the next request differs from this one: without a refused field, or to the other address."""
        if fault.kind == Kind.FIELD:
            self.learned.refused_fields |= fault.refused_fields
        if fault.kind == Kind.FALLBACK:
            self.learned.uses_fallback = bool(endpoint.fallback)
        return fault.kind == Kind.FIELD or (fault.kind == Kind.FALLBACK and bool(endpoint.fallback))

    def _wait_for(self, fault: Fault, attempt: int) -> float:
        wait = self.limits.first_wait * 2 ** (attempt - 1)
        if fault.retry_after is not None:
            return max(wait, fault.retry_after)
        if fault.is_rate_limit:
            return max(wait, min(self._dialect().rate_wait * attempt, patience.LONGEST_RATE_WAIT))
        return min(wait, self.limits.longest_wait)

    def _dialect(self) -> Dialect:
        return DIALECTS[self._endpoint().form]

    def _ask_once(self, endpoint: Endpoint, inputs: Sequence[Input]) -> list[Vector | Fault]:
        dialect = DIALECTS[endpoint.form]
        body = dialect.body(self.service.model, [input.wire for input in inputs], self.purpose)
        body = {name: value for name, value in body.items() if name not in self.learned.refused_fields}
        begun = patience.clock()
        answer = ask(Asked(endpoint, self.service.key, body), self.limits)
        try:
            rows = dialect.rows(answer, len(inputs))
        except MisshapenAnswer as reason:
            if "error" in answer:
                raise fault_of_status(500, {}, answer, body) from None
            raise Fault(Kind.SHAKY, f"sent {reason}", OTHER_MODEL, is_misshapen=True) from None
        self._note_model(answer)
        vectors = self._read(rows)
        self.seconds = patience.clock() - begun
        return vectors

    def _read(self, rows: Sequence[object]) -> list[Vector | Fault]:
        vectors: list[Vector | Fault] = []
        for row in rows:
            try:
                vectors.append(read_vector(row))
            except TooFewDimensions as reason:
                what = f"sent {reason}: a vector that is too short cannot be completed"
                remedy = f"Set COVEY_EMBEDDING_MODEL to a model with at least {DIMENSIONS} dimensions."
                raise Fault(Kind.REFUSED, what, remedy) from None
            except UnusableVector as reason:
                remedy = "" if isinstance(reason, ZeroVector) else OTHER_MODEL
                vectors.append(Fault(Kind.SHAKY, f"sent {reason}", remedy))
            else:
                self._note_dimensions(count_dimensions(row))
        if len(vectors) == 1 and isinstance(vectors[0], Fault):
            raise vectors[0]
        return vectors

    def _note_success(self, size: int) -> None:
        """The size of the next sub-batch, from what this one took."""
        learned = self.learned
        if not self.service.endpoint.is_inside:
            return
        # The rest of a packet is too small to tell that more would fit, but not that less would.
        if size >= learned.batch or self.seconds > patience.SUB_BATCH_SECONDS:
            fitting = int(patience.SUB_BATCH_SECONDS * size / max(self.seconds, 1e-6))
            learned.batch = max(1, min(fitting, 2 * learned.batch, learned.most))

    def _note_model(self, answer: dict[str, object]) -> None:
        named = answer.get("model")
        if isinstance(named, str) and named and not self.service.endpoint.is_azure:
            asked, got = (same_model(name).lower().rpartition("/")[2] for name in (self.service.model, named))
            if asked != got:
                # Its name is not repeated: a service may send anything.
                self._say_once(
                    logging.WARNING, "model", "%s answers with another model than it was asked for.", self.service.name
                )

    def _note_dimensions(self, dimensions: int) -> None:
        if dimensions == DIMENSIONS:
            return
        is_made_for_it = find_family(self.service.model).is_matryoshka
        level = logging.WARNING if is_made_for_it is False else logging.INFO
        rest = {
            True: "it is made for that",
            False: "it was not made for that and loses by it",
            None: "whether it is made for that is not known",
        }[is_made_for_it]
        text = "%s yields %s dimensions: the first %s are kept and normalised; %s."
        self._say_once(level, "cut", text, self.service.name, dimensions, DIMENSIONS, rest)

    def _say_once(self, level: int, what: str, text: str, *values: object) -> None:
        if what not in self.learned.said:
            self.learned.said.add(what)
            logger.log(level, text, *values)

    def _error(self, fault: Fault) -> EmbeddingError:
        """The fault of a whole service, in words for people."""
        is_pulling = self.service.provider == "ollama" and model_is_missing(fault)
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
            remedy=remedy or CHECK_ADDRESS,
            retry_after=retry_after,
            is_loading=is_pulling or (fault.is_loading and self.service.endpoint.is_inside),
        )

    def _rest(self, fault: Fault) -> float | None:
        if fault.retry_after is not None:
            return min(fault.retry_after, patience.LONGEST_REST)
        return self._dialect().rate_wait if fault.is_rate_limit else None


def _split(parcels: Sequence[Parcel], fault: Fault) -> list[Sequence[Parcel]]:
    if fault.is_misshapen or fault.is_timeout:
        return [[parcel] for parcel in parcels]
    half = len(parcels) // 2
    return [parcels[:half], parcels[half:]]
