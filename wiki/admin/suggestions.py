from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from wiki.admin.row_permissions import OfWikis, SeenFilter
from wiki.models import Suggestion


@admin.register(Suggestion)
class SuggestionAdmin(OfWikis):
    """Suggestions of agents in all wikis; each is decided on its wiki's own screen."""

    list_display = (
        "page",
        "kind",
        "look",
        "wiki",
        "agent",
        "state",
        "created_at",
        "decided_name",
        "decided_at",
    )
    list_display_links = None
    list_filter = ("state", "kind", ("wiki", SeenFilter), ("agent", SeenFilter))
    list_select_related = ("wiki", "agent", "page")
    search_fields = ("page__title", "body", "summary")
    date_hierarchy = "created_at"
    ordering = ("-id",)

    @admin.display(description="")
    def look(self, suggestion: Suggestion) -> SafeString:
        address = reverse("suggestion", args=[suggestion.wiki.slug, suggestion.pk])
        words = _("decide") if suggestion.is_open else _("look at it")
        return format_html('<a href="{}">{}</a>', address, words)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Suggestion | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Suggestion | None = None) -> bool:
        return False
