from collections.abc import Sequence
from enum import StrEnum
from typing import Any, ClassVar, Protocol


class Purpose(StrEnum):
    QUERY = "query"
    DOCUMENT = "document"


class MisshapenAnswer(Exception):
    """The JSON of an answer has not one vector per text."""


class Misnumbered(MisshapenAnswer):
    """There is one vector per text, with indexes that do not fit; `rows` are by place."""

    def __init__(self, rows: list[object]) -> None:
        super().__init__("vectors whose numbers do not fit the texts")
        self.rows = rows


class Dialect(Protocol):
    # Texts in the first request of a process, and at most.
    start_batch: ClassVar[int]
    max_batch: ClassVar[int]
    # The least wait after a 429 that names none, in seconds.
    rate_wait: ClassVar[float]

    def body(self, model: str, texts: Sequence[str], purpose: Purpose) -> dict[str, Any]:
        """Build the request; without empty fields, which some compatible servers refuse."""
        ...

    def rows(self, answer: dict[str, Any], count: int) -> list[object]:
        """Return the unread vectors in the order of the texts.

        Raises MisshapenAnswer or Misnumbered.
        """
        ...


# Fields that a service may refuse, with words of the refusal. They are left out from then on.
_DIMENSION_WORDS = ("dimension", "matryoshka", "unsupportedparams")
OPTIONAL_FIELDS = {
    "dimensions": _DIMENSION_WORDS,
    "output_dimension": _DIMENSION_WORDS,
    "encoding_format": ("encoding_format", "encoding format"),
    "input_type": ("input_type",),
    "truncation": ("truncation",),
    "keep_alive": ("keep_alive",),
}


def order_rows(entries: object, count: int) -> list[object]:
    """Return the `embedding` of each entry, ordered by `index` unless none has one."""
    if not isinstance(entries, list):
        raise MisshapenAnswer("no list of vectors")
    if len(entries) != count:
        raise MisshapenAnswer(f"{len(entries)} vectors for {count} texts")
    known = [entry if isinstance(entry, dict) else {} for entry in entries]
    indexes = [entry.get("index") for entry in known]
    if all(index is None for index in indexes):
        return [entry.get("embedding") for entry in known]
    rows: dict[int, object] = {}
    for place, entry in enumerate(known):
        # A null entry has no index: its place counts.
        index = entry.get("index") if entry else place
        rows[index if type(index) is int else -1] = entry.get("embedding")
    if set(rows) != set(range(count)):
        raise Misnumbered([entry.get("embedding") for entry in known])
    return [rows[place] for place in range(count)]
