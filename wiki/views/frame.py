"""The context of the frame around every screen of a wiki."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wiki.models import (
    Page,
    PageType,
    Wiki,
)
from wiki.pages.listing import NO_TYPE

TYPES_IN_PLURAL: dict[str, Promise] = {
    PageType.PROBLEM: _("Problems"),
    PageType.SYSTEM: _("Systems"),
    PageType.CUSTOMER: _("Customers"),
    PageType.PROJECT: _("Projects"),
    PageType.PERSON: _("People"),
    PageType.TOPIC: _("Topics"),
}


@dataclass(frozen=True)
class TypeCount:
    value: str
    label: Promise
    count: int


def frame_context(wiki: Wiki, **context: Any) -> dict[str, Any]:
    counts = Page.objects.live().filter(wiki=wiki).count_by_type()
    return {
        "wiki": wiki,
        "types": name_types(counts),
        "page_total": sum(counts.values()),
        **context,
    }


def name_types(counts: Mapping[str, int]) -> list[TypeCount]:
    """The types that occur, in their order; pages without one come last."""
    typed = [
        TypeCount(type, label, counts[type])
        for type, label in TYPES_IN_PLURAL.items()
        if type in counts
    ]
    return [*typed, TypeCount(NO_TYPE, _("No type"), counts[""])] if "" in counts else typed
