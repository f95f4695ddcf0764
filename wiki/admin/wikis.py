from collections.abc import Sequence

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from wiki.models import Wiki


@admin.register(Wiki)
class WikiAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "page_count", "created_at")
    search_fields = ("name", "slug")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Wiki]:
        live = Count("pages", filter=Q(pages__trashed_at=None))
        return super().get_queryset(request).annotate(live_pages=live)

    def get_readonly_fields(self, request: HttpRequest, obj: Wiki | None = None) -> tuple[str, ...]:
        # The slug stands in every address of the wiki.
        return ("slug",) if obj else ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Wiki | None = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ("name",)}

    @admin.display(description=gettext_lazy("pages"))
    def page_count(self, wiki: Wiki) -> int:
        return wiki.live_pages  # type: ignore[attr-defined]
