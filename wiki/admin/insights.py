from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from wiki.admin.row_permissions import OfWikis, SeenFilter
from wiki.models import Insight
from wiki.search.similarity import two_decimals


class RemovedFilter(admin.SimpleListFilter):
    title, parameter_name = _("secrets"), "secrets"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("removed", _("removed"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Insight]) -> QuerySet[Insight]:
        return queryset.exclude(removed=[]) if self.value() == "removed" else queryset


@admin.register(Insight)
class InsightAdmin(OfWikis):
    """The ledger to read; a filed insight is changed on its page."""

    list_display = (
        "id",
        "wiki",
        "agent",
        "outcome",
        "rounded",
        "page",
        "source",
        "task",
        "created_at",
    )
    list_filter = ("outcome", ("wiki", SeenFilter), ("agent", SeenFilter), RemovedFilter)
    list_select_related = ("wiki", "agent", "page")
    search_fields = ("text", "source", "task")
    date_hierarchy = "created_at"

    @admin.display(description=_("similarity"), ordering="similarity")
    def rounded(self, insight: Insight) -> str:
        return (
            "–"
            if insight.similarity is None
            else number_format(two_decimals(insight.similarity), 2)
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Insight | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Insight | None = None) -> bool:
        return False
