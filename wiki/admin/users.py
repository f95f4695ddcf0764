"""Django's admin of accounts, and the link that sets a new password."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wiki.accounts.password_reset import ResetRefused, make_reset_link
from wiki.models import Membership, is_superuser

admin.site.unregister(User)


class MembershipInline(admin.TabularInline):
    """The wikis of an account; memberships are changed at the wiki."""

    model = Membership
    fields = readonly_fields = ("wiki", "role", "created_at")
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return is_superuser(request.user)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(User)
class PeopleAdmin(UserAdmin):
    actions = ("make_reset_link",)
    inlines = (MembershipInline,)

    def has_reset_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request.user)

    @admin.action(permissions=["reset"], description=gettext_lazy("Make a link for a new password"))
    def make_reset_link(self, request: HttpRequest, people: QuerySet[User]) -> HttpResponse | None:
        assert isinstance(request.user, User)
        person = people.first()
        if person is None or people.count() != 1:
            messages.error(request, _("Choose one account: each gets a link of its own."))
            return None
        try:
            link = make_reset_link(person, request.user)
        except ResetRefused:
            messages.error(
                request,
                _("No link was made: this account is yours, switched off, or has no password."),
            )
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": _("The link for a new password, shown once"),
            "opts": self.opts,
            "person": person,
            "link": link,
        }
        response = TemplateResponse(request, "admin/auth/user/reset_link.html", context)
        add_never_cache_headers(response)
        return response
