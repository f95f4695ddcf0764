from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from embeddings.client import active_fingerprint
from wiki.admin.merges import may_decide
from wiki.admin.row_permissions import OfWikis, SeenFilter
from wiki.indexing.embed import mark_stale
from wiki.merging.explain import explain_neighbours
from wiki.models import EmbeddingState, Page, in_state
from wiki.pages.author import Author
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import PageGone, PageMerged, SlugTaken
from wiki.tasks import queue_reembed


class StateFilter(admin.SimpleListFilter):
    title = gettext_lazy("embedding")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return [(state.value, str(state.label)) for state in EmbeddingState]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Page]) -> QuerySet[Page]:
        chosen = self.value()
        if chosen not in EmbeddingState.values:
            return queryset
        return queryset.filter(in_state(EmbeddingState(chosen), active_fingerprint()))


@admin.register(Page)
class PageAdmin(OfWikis):
    list_display = ("title", "wiki", "type", "state", "embed_model", "revision", "updated_at")
    list_filter = (StateFilter, ("wiki", SeenFilter), "type", "is_protected", "embed_model")
    list_select_related = ("wiki",)
    search_fields = ("title", "slug", "body")
    date_hierarchy = "updated_at"
    show_full_result_count = False
    ordering = ("-updated_at",)
    actions = ("reembed", "trash", "restore")

    class Media:
        css = {"all": ["covey/admin.css"]}

    readonly_fields = ("state", "nearest", "on_the_wiki", "tag_list")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "title",
                    "slug",
                    "wiki",
                    "on_the_wiki",
                    "type",
                    "tag_list",
                    "is_protected",
                    "body",
                )
            },
        ),
        (
            gettext_lazy("Memory"),
            {
                "fields": (
                    "state",
                    "embed_model",
                    "embed_error",
                    "failed_model",
                    "embedded_at",
                    "nearest",
                )
            },
        ),
        (gettext_lazy("Dates"), {"fields": ("revision", "created_at", "updated_at", "trashed_at")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Page | None = None) -> bool:
        return False

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Actions are for accounts that may change pages; the read-only form cannot tell them."""
        return request.user.has_perm("wiki.change_page")

    def has_delete_permission(self, request: HttpRequest, obj: Page | None = None) -> bool:
        return False

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Page | None:
        page: Page | None = super().get_object(request, object_id, from_field)
        if page:
            # For `nearest`, which is not told who asks.
            page.may_decide = may_decide(request, page)  # type: ignore[attr-defined]
        return page

    @admin.display(description=gettext_lazy("embedding"))
    def state(self, page: Page) -> str:
        return str(page.embedding_state(active_fingerprint()).label)

    @admin.display(description=gettext_lazy("tags"))
    def tag_list(self, page: Page) -> str:
        return ", ".join(page.tags) or "-"

    @admin.display(description=gettext_lazy("on the wiki"))
    def on_the_wiki(self, page: Page) -> SafeString | str:
        if page.is_trashed:
            return "-"
        path = page.get_absolute_url()
        links = [(path, _("read")), (f"{path}/edit", _("edit")), (f"{path}/history", _("history"))]
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    @admin.display(description=gettext_lazy("nearest pages"))
    def nearest(self, page: Page) -> SafeString | str:
        partners = explain_neighbours(page) if not page.is_trashed else []
        if not partners:
            return _("None: the page has no vector of the active model, or it is alone.")
        context = {
            "page": page,
            "partners": partners,
            "may_decide": getattr(page, "may_decide", False),
        }
        return render_to_string("admin/wiki/page/nearest.html", context)

    @admin.action(permissions=["act"], description=gettext_lazy("Embed anew"))
    def reembed(self, request: HttpRequest, pages: QuerySet[Page]) -> None:
        count = mark_stale(
            Page.objects.live().filter(pk__in=self.owned_rows(request, pages).values("pk"))
        )
        queue_reembed()
        text = ngettext(
            "%(count)s page will be embedded.", "%(count)s pages will be embedded.", count
        )
        messages.success(request, text % {"count": count})

    @admin.action(permissions=["act"], description=gettext_lazy("Move to the trash"))
    def trash(self, request: HttpRequest, pages: QuerySet[Page]) -> None:
        for page in self.owned_rows(request, pages):
            try:
                trash_page(page, author=Author.person(request.user))
            except PageGone:
                continue
        messages.success(request, _("In the trash. Their texts and histories are kept."))

    @admin.action(permissions=["act"], description=gettext_lazy("Restore from the trash"))
    def restore(self, request: HttpRequest, pages: QuerySet[Page]) -> None:
        for page in self.owned_rows(request, pages):
            try:
                restore_page(page, author=Author.person(request.user))
            except (PageMerged, SlugTaken) as error:
                messages.error(request, f"{page.title}: {error}")
