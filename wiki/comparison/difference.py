"""Kinds of differences, named in the reader's language."""

from typing import NamedTuple

from django.db import models
from django.utils.translation import pgettext_lazy


class Text(NamedTuple):
    title: str
    body: str


class DifferenceKind(models.TextChoices):
    """Kinds, gravest first; a place with several is named after the first."""

    TITLE = "title", pgettext_lazy("difference", "title")
    NEGATION = "negation", pgettext_lazy("difference", "negation or restriction")
    OPPOSITE = "opposite", pgettext_lazy("difference", "opposite")
    ADDRESS = "address", pgettext_lazy("difference", "address")
    PATH = "path", pgettext_lazy("difference", "path")
    CODE = "code", pgettext_lazy("difference", "code")
    DATE = "date", pgettext_lazy("difference", "date")
    TIME = "time", pgettext_lazy("difference", "time")
    VERSION = "version", pgettext_lazy("difference", "version")
    QUANTITY = "quantity", pgettext_lazy("difference", "quantity")
    NUMBER = "number", pgettext_lazy("difference", "number")
    IDENTIFIER = "identifier", pgettext_lazy("difference", "identifier")
    NAME = "name", pgettext_lazy("difference", "name")
    DIRECTION = "direction", pgettext_lazy("difference", "direction or order")
    WORD = "word", pgettext_lazy("difference", "wording")
    STATEMENT = "statement", pgettext_lazy("difference", "statement")
    LENGTH = "length", pgettext_lazy("difference", "too long to compare")

    @property
    def rank(self) -> int:
        return list(DifferenceKind).index(self)


class Difference(NamedTuple):
    """Words of one kind that only one side has; a side may be empty."""

    kind: DifferenceKind
    first: str
    second: str

    def turned(self) -> "Difference":
        return Difference(self.kind, self.second, self.first)
