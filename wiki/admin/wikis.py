from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Count, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from wiki.admin.row_permissions import OfWikis
from wiki.models import Invitation, Membership, Role, Wiki, is_superuser


class OfOwnedWiki(admin.TabularInline):
    """Rows of a wiki, editable by its owners without a permission of the admin's."""

    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Without a wiki Django asks whether there can be rows at all; which, it asks with the wiki.
        return (
            obj is None
            or Wiki.objects.with_role(request.user, Role.OWNER).filter(pk=obj.pk).exists()
        )

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request, obj)


class MembershipInline(OfOwnedWiki):
    """A superuser may leave a wiki without an owner here; the members' screen refuses."""

    model = Membership
    fields = ("user", "role", "created_at")
    readonly_fields = ("created_at",)
    autocomplete_fields = ("user",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return super().get_queryset(request).select_related("user")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_superuser(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_superuser(request.user)


class InvitationInline(OfOwnedWiki):
    """Made on the members' screen, where the link is shown; here they are seen and withdrawn."""

    model = Invitation
    fields = readonly_fields = (
        "role",
        "note",
        "invited_by",
        "created_at",
        "expires_at",
        "accepted_by",
        "accepted_at",
    )


@admin.register(Wiki)
class WikiAdmin(OfWikis):
    wiki_field = "pk"
    list_display = ("name", "slug", "is_public", "page_count", "created_at")
    list_filter = ("is_public",)
    search_fields = ("name", "slug")
    fields = ("name", "slug", "description", "language", "is_public")
    inlines = (MembershipInline, InvitationInline)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Wiki]:
        live = Count("pages", filter=Q(pages__trashed_at=None))
        return super().get_queryset(request).annotate(live_pages=live)

    def get_readonly_fields(self, request: HttpRequest, obj: Wiki | None = None) -> tuple[str, ...]:
        # The slug stands in every address of the wiki.
        return ("slug",) if obj else ()

    def get_prepopulated_fields(
        self, request: HttpRequest, obj: Wiki | None = None
    ) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ("name",)}

    def save_model(
        self, request: HttpRequest, obj: Wiki, form: forms.ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            assert isinstance(request.user, User)
            Membership.objects.create(wiki=obj, user=request.user, role=Role.OWNER)

    @admin.display(description=gettext_lazy("pages"))
    def page_count(self, wiki: Wiki) -> int:
        return wiki.live_pages  # type: ignore[attr-defined]
