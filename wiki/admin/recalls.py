from typing import Any

from django.contrib import admin
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from wiki.admin.row_permissions import OfWikis, SeenFilter
from wiki.models import HandedPage, Receipt
from wiki.search.similarity import describe_similarity

SHORT = 80


class MarkFilter(admin.SimpleListFilter):
    title = _("marks")
    parameter_name = "marks"
    conditions = {
        "useful": Q(is_useful=True, place__isnull=False),
        "wrong": Q(is_useful=False),
        "missed": Q(is_useful=True, place=None),
    }

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[Any, str]]:
        words = {
            "useful": _("a page was useful"),
            "wrong": _("a page was wrong"),
            "missed": _("a page was missing"),
        }
        return [(name, str(label)) for name, label in words.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        condition = self.conditions.get(self.value() or "")
        if condition is None:
            return queryset
        return queryset.filter(Exists(HandedPage.objects.filter(condition, receipt=OuterRef("pk"))))


class HandedInline(admin.TabularInline):
    model = HandedPage
    fields = readonly_fields = (
        "page",
        "place",
        "in_words",
        "found_by",
        "is_useful",
        "marked_by_name",
    )
    extra = 0
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return (
            super()
            .get_queryset(request)
            .select_related("page")
            .defer("page__body", "page__embedding")
        )

    @admin.display(description=_("similarity"))
    def in_words(self, row: HandedPage) -> str:
        return describe_similarity(row.similarity) if row.similarity is not None else "-"

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        # Whoever may open the recall.
        return True


@admin.register(Receipt)
class ReceiptAdmin(OfWikis):
    """Recalls to read; they are rated on the pages and pruned automatically."""

    list_display = (
        "created_at",
        "wiki",
        "agent",
        "asked",
        "for_task",
        "mode",
        "handed_out",
        "degraded",
    )
    list_filter = (MarkFilter, "mode", "degraded", ("wiki", SeenFilter), ("agent", SeenFilter))
    list_select_related = ("wiki", "agent")
    search_fields = ("query", "task")
    date_hierarchy = "created_at"
    show_full_result_count = False
    inlines = (HandedInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Receipt]:
        handed = Count("pages", filter=Q(pages__place__isnull=False))
        return super().get_queryset(request).annotate(handed=handed)

    @admin.display(description=_("query"))
    def asked(self, receipt: Receipt) -> str:
        return _shorten(receipt.query)

    @admin.display(description=_("task"))
    def for_task(self, receipt: Receipt) -> str:
        return _shorten(receipt.task)

    @admin.display(description=_("pages handed out"))
    def handed_out(self, receipt: Receipt) -> int:
        return receipt.handed  # type: ignore[attr-defined]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Receipt | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Receipt | None = None) -> bool:
        return False


def _shorten(text: str) -> str:
    return Truncator(text).chars(SHORT) or "-"
