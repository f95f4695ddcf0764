from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wiki.admin.row_permissions import OfWikis, SeenFilter
from wiki.agents.api_tokens import create_token
from wiki.models import Agent, ApiToken, ApiTokenQuerySet, Scope, is_superuser


@admin.register(Agent)
class AgentAdmin(OfWikis):
    wiki_field = "home_wiki"
    list_display = ("name", "home_wiki", "created_at")
    list_select_related = ("home_wiki",)
    search_fields = ("name",)
    readonly_fields = ("revisions",)

    @admin.display(description=gettext_lazy("revisions"))
    def revisions(self, agent: Agent) -> SafeString | str:
        if agent.pk is None:
            return "-"
        address = f"{reverse('admin:wiki_revision_changelist')}?agent__id__exact={agent.pk}"
        return format_html('<a href="{}">{}</a>', address, _("What it changed"))

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        # Its tokens go with it, and they may be for wikis of others.
        return is_superuser(request.user) and super().has_delete_permission(request, obj)


@admin.register(ApiToken)
class ApiTokenAdmin(OfWikis):
    list_display = (
        "prefix",
        "agent",
        "wiki",
        "scope",
        "created_at",
        "last_used_at",
        "expires_at",
        "revoked_at",
    )
    list_filter = ("scope", ("wiki", SeenFilter))
    list_select_related = ("agent", "wiki")
    search_fields = ("prefix", "agent__name")
    fields = ("agent", "wiki", "also_opens", "scope", "requests_per_minute", "expires_at")
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        """A token may open further wikis that a member of this one does not see."""
        hidden = () if obj is None or is_superuser(request.user) else ("also_opens",)
        return [name for name in self.fields if name not in hidden]

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("wiki.change_apitoken")

    def has_delete_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: ApiToken, form: forms.ModelForm, change: bool
    ) -> None:
        token, secret = create_token(
            obj.agent,
            obj.wiki,
            Scope(obj.scope),
            obj.expires_at,
            requests_per_minute=obj.requests_per_minute,
        )
        # The further wikis are stored with the rest of the form, after this.
        obj.pk, obj.prefix = token.pk, token.prefix
        request.META["covey.secret"] = secret

    def response_add(
        self, request: HttpRequest, obj: ApiToken, post_url_continue: Any = None
    ) -> HttpResponse:
        # Shown in this answer and nowhere else: a message would keep the secret in a cookie until
        # the next page.
        context = {
            **self.admin_site.each_context(request),
            "title": _("The token, shown once"),
            "opts": self.opts,
            "token": obj,
            "secret": request.META.pop("covey.secret"),
        }
        return TemplateResponse(request, "admin/wiki/apitoken/created.html", context)

    @admin.action(permissions=["revoke"], description=gettext_lazy("Revoke at once"))
    def revoke(self, request: HttpRequest, tokens: ApiTokenQuerySet) -> None:
        count = ApiToken.objects.filter(
            pk__in=self.owned_rows(request, tokens).values("pk")
        ).revoke()
        messages.success(request, _("%(count)s tokens revoked.") % {"count": count})
