"""What a vector is for covey: 256 float32 values of norm 1."""

import base64
import binascii
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 256
# Characters of the name of what made a vector (`active_fingerprint`).
MAX_FINGERPRINT = 200

Vector: TypeAlias = NDArray[np.float32]


class UnusableVector(Exception):
    """What came in the place of a vector; says what is wrong with it."""

    is_zero = False


class ZeroVector(UnusableVector):
    """No direction: some services answer so under load, or for a text that breaks their model."""

    is_zero = True


class TooFewDimensions(UnusableVector):
    """A vector that is too short cannot be completed (S5)."""

    def __init__(self, got: int) -> None:
        super().__init__(f"{got} values where at least {DIMENSIONS} are needed")
        self.got = got


def read_vector(value: object) -> Vector:
    """The unit vector of the first 256 values of what a service sent: a list of numbers, or float32
    in base64."""
    values = _decode(value) if isinstance(value, str) else _numbers(value)
    if not np.isfinite(values).all():
        raise UnusableVector("values that are no numbers (NaN or infinite)")
    if not values.any():
        raise ZeroVector("an empty vector, 0 everywhere")
    if len(values) < DIMENSIONS:
        raise TooFewDimensions(len(values))
    return _cut(values)


def count_values(value: object) -> int:
    """How many values came, of something that `read_vector` accepted."""
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
    """Little-endian float32, OpenAI's encoding_format base64: the default of some servers, whatever
    is asked for."""
    try:
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float64)
    except (binascii.Error, ValueError):
        raise UnusableVector("a text in the place of a vector") from None


def _cut(values: NDArray[np.float64]) -> Vector:
    head = values[:DIMENSIONS]
    # By the largest first, so that no square is too large or too small for a float.
    largest = np.abs(head).max()
    if largest == 0:
        raise ZeroVector(f"a vector whose first {DIMENSIONS} values are 0")
    head = head / largest
    return (head / np.linalg.norm(head)).astype(np.float32)
