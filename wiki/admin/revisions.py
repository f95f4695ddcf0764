from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wiki.admin.row_permissions import seen_wikis
from wiki.models import Revision


@admin.register(Revision)
class RevisionAdmin(admin.ModelAdmin):
    """Changes in all readable wikis; they are compared and reverted on the wiki."""

    list_display = ("created_at", "page", "number", "kind", "author_name", "author_kind", "summary")
    list_filter = ("author_kind", "kind", ("agent", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("page",)
    search_fields = ("author_name", "page__title", "summary")
    search_help_text = gettext_lazy("Author, title of the page, or summary")
    ordering = ("-pk",)
    show_full_result_count = False
    fields = readonly_fields = (
        "page", "on_the_wiki", "number", "kind", "summary", "author_kind", "author_name",
        "created_at", "title", "body",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision]:
        seen = (
            super()
            .get_queryset(request)
            .filter(page__wiki__in=seen_wikis(request.user).values("pk"))
        )
        return seen.select_related("page__wiki").defer("page__body", "page__embedding")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Revision | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Revision | None = None) -> bool:
        return False

    @admin.display(description=gettext_lazy("on the wiki"))
    def on_the_wiki(self, revision: Revision) -> SafeString | str:
        if revision.page.is_trashed:
            return "-"
        path = f"{revision.page.get_absolute_url()}/history"
        return format_html(
            '<a href="{}/{}?changes">{}</a> · <a href="{}">{}</a>',
            path,
            revision.number,
            _("changes"),
            path,
            _("history"),
        )
