"""Compare a batch with a single call: some services answer batches with other vectors, or numbers
that do not fit. Learned per process and size, before the first page is sent in such a batch."""

import logging

import numpy as np

from embeddings.failure_classification import Fault, Kind
from embeddings.prompts import Input, document_input
from embeddings.retrying_client import RetryingClient
from embeddings.text import Document

# Rounding changes less, padding or another order more.
SAME_VECTOR = 0.999
# The shortest text, which padding changes most. In a batch of MIN_SIZE it stands at another place
# if the service reverses the texts or sorts them by length.
CHECKED = 1
MIN_SIZE = 4


def check_batches(client: RetryingClient, size: int) -> None:
    """Set in the client's state what batches of this size are good for. Raises Fault."""
    state = client.state
    size = min(max(size, MIN_SIZE), state.most)
    try:
        similarity = _compare(client, size)
    except Fault as fault:
        if fault.is_misnumbered:
            client.goes_by_place = True
            check_batches(client, size)
            return
        if fault.is_batch_too_large and size > MIN_SIZE:
            state.most = size // 2
            check_batches(client, state.most)
            return
        if fault.kind not in (Kind.UNSTABLE, Kind.TOO_LARGE):
            raise
        # The batches of pages find out what is wrong.
        similarity = 1.0
    if similarity > SAME_VECTOR:
        state.checked = max(state.checked, size)
        state.goes_by_place |= client.goes_by_place
        return
    state.most = 1
    client.log_once(
        logging.WARNING,
        "batches",
        "%s answers a batch with other vectors than single calls (similarity %.3f): it is asked "
        "for one text at a time from now on, which is slower.",
        client.service.name,
        similarity,
    )


def _compare(client: RetryingClient, size: int) -> float:
    """Return the similarity of one text's vectors, alone and in a batch; 0 for none in a batch."""
    model = client.service.model
    [alone] = client.embed([_input(model, CHECKED)])
    row = client.embed([_input(model, number) for number in range(size)])[CHECKED]
    if isinstance(alone, Fault) or isinstance(row, Fault):
        return 0.0
    return float(np.dot(alone, row))


def _input(model: str, number: int) -> Input:
    words = "Ja." if number == CHECKED else "Ein Satz, der mit jedem Wort länger wird."
    repeated = " ".join([words] * (1 if number == CHECKED else 2 + number * 5 % 4))
    return document_input(model, Document("", f"{number} {repeated}"))
