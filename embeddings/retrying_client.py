"""Request vectors with retries, adapted to the fields and the address that a service knows."""

import logging
from collections.abc import Sequence
from itertools import count
from typing import Any

from embeddings import timeouts
from embeddings.bounded_http import EmbeddingRequest, post
from embeddings.endpoints import Endpoint
from embeddings.failure_classification import BROKEN_MODEL, Fault, Kind, fault_of_status, refused
from embeddings.prompts import Input, find_family
from embeddings.providers import DIALECTS
from embeddings.providers.base import Dialect, Misnumbered, MisshapenAnswer, Purpose
from embeddings.service import Service, state_of, strip_latest_tag
from embeddings.timeouts import RetryPolicy
from embeddings.vectors import (
    DIMENSIONS,
    TooFewDimensions,
    UnusableVector,
    Vector,
    count_values,
    read_vector,
)

logger = logging.getLogger(__name__)


class RetryingClient:
    """`goes_by_place`: vectors with wrong numbers count by their place.

    `faults` and `timeouts` count failed requests; `seconds` is the time of the last good one.
    """

    def __init__(self, service: Service, purpose: Purpose, policy: RetryPolicy) -> None:
        self.service, self.purpose, self.policy = service, purpose, policy
        self.state = state_of(service)
        self.goes_by_place = self.state.goes_by_place
        self.faults = self.timeouts = 0
        self.seconds = 0.0

    @property
    def dialect(self) -> Dialect:
        return DIALECTS[self._endpoint().api_format]

    def embed(self, inputs: Sequence[Input]) -> list[Vector | Fault]:
        """Return a vector or Fault per text; raise the Fault of a single text."""
        for attempt in count(1):
            endpoint = self._endpoint()
            try:
                return self._request_once(endpoint, inputs)
            except Fault as fault:
                self.faults += 1
                self.timeouts += fault.is_timeout
                if self._adapt(fault, endpoint):
                    continue
                tries = 2 if fault.kind == Kind.UNSTABLE and len(inputs) > 1 else self.policy.tries
                # The numbers are the service's way, not a mishap.
                tries = 1 if fault.is_misnumbered else tries
                wait = self._wait_for(fault, attempt)
                may_pass = fault.kind in (Kind.UNAVAILABLE, Kind.UNSTABLE) and not fault.is_timeout
                if not may_pass or attempt >= tries or wait > self.policy.longest_wait:
                    raise
            timeouts.sleep(wait)
        raise AssertionError("count() does not end")

    def _endpoint(self) -> Endpoint:
        endpoint = self.service.endpoint
        return endpoint.other if self.state.uses_fallback else endpoint

    def _adapt(self, fault: Fault, endpoint: Endpoint) -> bool:
        """Drop a refused field or change to the fallback address; return whether either helped."""
        if fault.kind == Kind.UNKNOWN_FIELD:
            self.state.refused_fields |= fault.refused_fields
        if fault.kind == Kind.WRONG_PATH:
            self.state.uses_fallback = bool(endpoint.fallback)
        return fault.kind == Kind.UNKNOWN_FIELD or (
            fault.kind == Kind.WRONG_PATH and bool(endpoint.fallback)
        )

    def _wait_for(self, fault: Fault, attempt: int) -> float:
        wait = self.policy.first_wait * 2 ** (attempt - 1)
        if fault.retry_after is not None:
            return max(wait, fault.retry_after)
        if fault.is_rate_limit:
            return max(wait, min(self.dialect.rate_wait * attempt, timeouts.LONGEST_RATE_WAIT))
        return min(wait, self.policy.longest_wait)

    def _request_once(self, endpoint: Endpoint, inputs: Sequence[Input]) -> list[Vector | Fault]:
        dialect = DIALECTS[endpoint.api_format]
        body = dialect.body(self.service.model, [input.wire for input in inputs], self.purpose)
        body = {
            name: value for name, value in body.items() if name not in self.state.refused_fields
        }
        begun = timeouts.clock()
        answer = post(EmbeddingRequest(endpoint, self.service.key, body), self.policy)
        try:
            rows = self._read_rows(dialect, answer, len(inputs))
        except MisshapenAnswer as reason:
            if "error" in answer:
                raise fault_of_status(500, {}, answer, body) from None
            raise Fault(
                Kind.UNSTABLE,
                f"sent {reason}",
                BROKEN_MODEL,
                is_misshapen=True,
                is_misnumbered=isinstance(reason, Misnumbered),
            ) from None
        self._note_model(answer)
        vectors = self._read_vectors(rows)
        self.seconds = timeouts.clock() - begun
        return vectors

    def _read_rows(self, dialect: Dialect, answer: dict[str, Any], count: int) -> list[object]:
        try:
            return dialect.rows(answer, count)
        except Misnumbered as reason:
            # A single vector can belong to no other text.
            if count == 1 or self.goes_by_place:
                return reason.rows
            raise

    def _read_vectors(self, rows: Sequence[object]) -> list[Vector | Fault]:
        vectors: list[Vector | Fault] = []
        for row in rows:
            try:
                vectors.append(read_vector(row))
            except TooFewDimensions as reason:
                what = f"sent {reason}: a vector that is too short cannot be completed"
                need = f"at least {DIMENSIONS} dimensions"
                raise refused(what, f"Set COVEY_EMBEDDING_MODEL to a model with {need}.") from None
            except UnusableVector as reason:
                vectors.append(Fault(Kind.UNSTABLE, f"sent {reason}", BROKEN_MODEL))
            else:
                self._note_dimensions(count_values(row))
        if len(vectors) == 1 and isinstance(vectors[0], Fault):
            raise vectors[0]
        return vectors

    def _note_model(self, answer: dict[str, object]) -> None:
        named = answer.get("model")
        if isinstance(named, str) and named and not self.service.endpoint.is_azure:
            request, got = (
                strip_latest_tag(name).lower().rpartition("/")[2]
                for name in (self.service.model, named)
            )
            if request != got:
                # The name is not logged: a service may send anything.
                text = "%s answers with another model than it was asked for."
                self.log_once(logging.WARNING, "model", text, self.service.name)

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
        self.log_once(level, "cut", text, self.service.name, dimensions, DIMENSIONS, rest)

    def log_once(self, level: int, what: str, text: str, *values: object) -> None:
        if what not in self.state.logged:
            self.state.logged.add(what)
            logger.log(level, text, *values)
