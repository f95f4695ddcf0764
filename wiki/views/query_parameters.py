"""Parameters of addresses and forms, read with care and written."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpRequest, QueryDict
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware

from wiki.models import MAX_AUTHOR_NAME, AuthorKind
from wiki.text.cleaning import clean_line


@dataclass(frozen=True)
class Choice:
    """A link that changes one thing about a list and keeps the rest."""

    label: str
    address: str
    count: int | None = None
    is_chosen: bool = False
    id: str = ""


def read_number(text: str, otherwise: int = 0) -> int:
    """The whole number, not below zero, that the text is."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else otherwise


def posted_number(request: HttpRequest, name: str) -> int:
    """The number in a field of a form; -1 for anything else."""
    return read_number(request.POST.get(name, ""), otherwise=-1)


def read_moment(text: str) -> datetime | None:
    """A moment with its zone; one without is meant in covey's own."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    if moment is None or not 1970 < moment.year < 9000:
        return None
    return (make_aware(moment) if is_naive(moment) else moment).astimezone(UTC)


def read_author(text: str) -> tuple[str, str]:
    """Kind and name out of "agent:robin", or the kind alone; both are empty for anything else."""
    kind, _colon, name = text.partition(":")
    return (kind, clean_line(name)[:MAX_AUTHOR_NAME]) if kind in AuthorKind.values else ("", "")


def write_query(**values: str | int | Iterable[str] | None) -> str:
    """Encode the values that are not empty; a list becomes a repeated parameter."""
    query = QueryDict(mutable=True)
    for name, value in values.items():
        if value:
            query.setlist(name, [str(value)] if isinstance(value, str | int) else list(value))
    return query.urlencode()
