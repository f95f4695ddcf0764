"""Vectors: 256 float32 values of norm 1."""

import base64
import binascii
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 256
# Characters of `active_fingerprint`.
MAX_FINGERPRINT = 200

Vector: TypeAlias = NDArray[np.float32]


class UnusableVector(Exception):
    """A service's value is no vector; the message continues "sent …"."""

    is_zero = False


class ZeroVector(UnusableVector):
    """Some services answer so under load, or for a text that breaks their model."""

    is_zero = True


class TooFewDimensions(UnusableVector):
    def __init__(self, got: int) -> None:
        super().__init__(f"{got} values where at least {DIMENSIONS} are needed")
        self.got = got


def read_vector(value: object) -> Vector:
    """Return the unit vector of the first 256 values of a list of numbers or base64 of float32."""
    values = _decode(value) if isinstance(value, str) else _numbers(value)
    if not np.isfinite(values).all():
        raise UnusableVector("values that are no numbers (NaN or infinite)")
    if not values.any():
        raise ZeroVector("an empty vector, 0 everywhere")
    if len(values) < DIMENSIONS:
        raise TooFewDimensions(len(values))
    return _cut(values)


def count_values(value: object) -> int:
    """Count the values of something that `read_vector` accepted."""
    return len(_decode(value)) if isinstance(value, str) else len(value)  # type: ignore[arg-type]


def _numbers(value: object) -> NDArray[np.float64]:
    if not isinstance(value, list) or not value:
        raise UnusableVector("no vector")
    try:
        values = np.asarray(value)
    except ValueError:
        raise UnusableVector("lists of different lengths in the place of a vector") from None
    if values.ndim != 1:
        raise UnusableVector("several vectors for one text")
    if values.dtype.kind not in "iuf":
        raise UnusableVector("values that are no numbers")
    return values.astype(np.float64)


def _decode(value: str) -> NDArray[np.float64]:
    """Decode little-endian float32, which some servers send whatever `encoding_format` says."""
    try:
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float64)
    except (binascii.Error, ValueError):
        raise UnusableVector("a text in the place of a vector") from None


def _cut(values: NDArray[np.float64]) -> Vector:
    head = values[:DIMENSIONS]
    # Divided by the largest first, lest a square overflows or underflows.
    largest = np.abs(head).max()
    if largest == 0:
        raise ZeroVector(f"a vector whose first {DIMENSIONS} values are 0")
    head = head / largest
    return (head / np.linalg.norm(head)).astype(np.float32)
