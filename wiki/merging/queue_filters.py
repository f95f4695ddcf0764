"""A part of the proposals: by similarity, reason, kind of difference and age. The wiki's queue and
the admin's ask the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeVar

from django.db.models import BooleanField, Count, F, Func, Q, QuerySet, Value
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext

from wiki.comparison import DifferenceKind
from wiki.models import ProposalReason
from wiki.search.thresholds import ROUNDING, merge_from, same_from, suspect_from

Rows = TypeVar("Rows", bound=QuerySet[Any])

AGES = {"7": timedelta(days=7), "30": timedelta(days=30)}


def similarity_bands() -> dict[str, tuple[float | None, float | None]]:
    """Bands of similarity as (from, below), highest first; a pair without one is in the lowest."""
    bands = {
        "same": (same_from(), None),
        "merge": (merge_from(), same_from()),
        "near": (suspect_from(), merge_from()),
        "far": (None, suspect_from()),
    }
    return {name: (low, high) for name, (low, high) in bands.items() if low != high}


def in_band(band: str) -> Q:
    low, high = similarity_bands()[band]
    above = Q() if low is None else Q(similarity__gte=low - ROUNDING)
    below = Q() if high is None else Q(similarity__lt=high - ROUNDING)
    return above & below if low is not None else below | Q(similarity=None)


def label_band(band: str) -> str:
    low, high = (number_format(bound, 2) if bound else "" for bound in similarity_bands()[band])
    return f"{low} – {high}" if low and high else f"≥ {low}" if low else f"< {high}"


class _Differs(Func):
    """Whether a proposal keeps a difference of this kind: [["number", "8080", "8081"], …]"""

    function = "jsonb_path_exists"
    template = "%(function)s(%(expressions)s::jsonpath)"
    output_field = BooleanField()

    def __init__(self, kind: DifferenceKind) -> None:
        super().__init__(F("differences"), Value(f'strict $[*] ? (@[0] == "{kind}")'))


def _is_older(age: str) -> Q:
    return Q(created_at__lt=timezone.now() - AGES[age])


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    # None where nobody has counted.
    count: int | None = None


def list_options() -> dict[str, list[Option]]:
    """List the choices of each filter."""
    ages = {"7": gettext("older than a week"), "30": gettext("older than a month")}
    return {
        "reason": [Option(value, str(label)) for value, label in ProposalReason.choices],
        "kind": [Option(value, str(label)) for value, label in DifferenceKind.choices],
        "band": [Option(band, label_band(band)) for band in similarity_bands()],
        "older": [Option(value, label) for value, label in ages.items()],
    }


@dataclass(frozen=True)
class Narrowing:
    """The chosen filters; an empty one does not narrow."""

    reason: str = ""
    kind: str = ""
    band: str = ""
    older: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> "Narrowing":
        """Read the query of an address; an unknown choice counts as none."""
        known = {
            name: {option.value for option in options} for name, options in list_options().items()
        }
        return cls(
            **{name: asked[name] for name, values in known.items() if asked.get(name) in values}
        )

    @property
    def chosen(self) -> dict[str, str]:
        return {name: value for name, value in vars(self).items() if value}

    @property
    def condition(self) -> Q:
        parts = Q()
        for name, value in self.chosen.items():
            parts &= _condition(name, value)
        return parts

    def narrow(self, proposals: Rows) -> Rows:
        return proposals.filter(self.condition)


def _condition(name: str, value: str) -> Q:
    match name:
        case "reason":
            return Q(reason=value)
        case "kind":
            return Q(_Differs(DifferenceKind(value)))
        case "band":
            return in_band(value)
    return _is_older(value)


def count_options(proposals: QuerySet, narrowing: Narrowing) -> dict[str, list[Option]]:
    """Count the proposals behind each choice, given the choices of the other filters."""
    options = list_options()
    conditions = {
        f"{name}_{option.value}": replace(narrowing, **{name: option.value}).condition
        for name, choices in options.items()
        for option in choices
    }
    counts = proposals.order_by().aggregate(
        **{key: Count("pk", filter=part) for key, part in conditions.items()}
    )
    return {
        name: [
            replace(option, count=counts[f"{name}_{option.value}"])
            for option in choices
            if counts[f"{name}_{option.value}"] or option.value == getattr(narrowing, name)
        ]
        for name, choices in options.items()
    }
