from django.contrib import admin
from django.http import HttpRequest

from wiki.admin.visible import OfWikis, SeenFilter
from wiki.models import Insight


@admin.register(Insight)
class InsightAdmin(OfWikis):
    """The ledger is read here; what became of an insight is changed on its page."""

    list_display = ("id", "wiki", "agent", "outcome", "similarity", "page", "source", "created_at")
    list_filter = ("outcome", ("wiki", SeenFilter), ("agent", SeenFilter))
    list_select_related = ("wiki", "agent", "page")
    search_fields = ("text", "source", "task")
    date_hierarchy = "created_at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Insight | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Insight | None = None) -> bool:
        return False
