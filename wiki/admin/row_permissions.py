"""Rows of the admin that an account without superuser rights sees (its wikis) and changes (its own
wikis)."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from wiki.models import Agent, Person, Role, Wiki, WikiQuerySet


def seen_wikis(user: Person) -> WikiQuerySet:
    return Wiki.objects.with_role(user, Role.READER)


def owned_wikis(user: Person) -> WikiQuerySet:
    return Wiki.objects.with_role(user, Role.OWNER)


def seen_agents(user: Person) -> QuerySet[Agent]:
    """Agents at home in a visible wiki, or with a token to one."""
    wikis = seen_wikis(user).values("pk")
    with_key = Q(tokens__wiki__in=wikis) | Q(tokens__also_opens__in=wikis)
    return Agent.objects.filter(Q(home_wiki__in=wikis) | with_key).distinct()


class OfWikis(admin.ModelAdmin):
    """Rows that belong to a wiki by the field named here."""

    wiki_field = "wiki"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return (
            super()
            .get_queryset(request)
            .filter(**{f"{self.wiki_field}__in": seen_wikis(request.user).values("pk")})
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (
            obj is None or self.is_owned(request, obj)
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and (
            obj is None or self.is_owned(request, obj)
        )

    def is_owned(self, request: HttpRequest, row: Model) -> bool:
        wiki_id = row.pk if self.wiki_field == "pk" else getattr(row, f"{self.wiki_field}_id")
        return owned_wikis(request.user).filter(pk=wiki_id).exists()

    def owned_rows(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The chosen rows of own wikis."""
        return rows.filter(**{f"{self.wiki_field}__in": owned_wikis(request.user).values("pk")})

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.related_model is Wiki:
            kwargs["queryset"] = owned_wikis(request.user)
        elif db_field.related_model is Agent:
            kwargs["queryset"] = seen_agents(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.related_model is Wiki:
            kwargs["queryset"] = owned_wikis(request.user)
        return super().formfield_for_manytomany(db_field, request, **kwargs)


class SeenFilter(admin.RelatedFieldListFilter):
    """Filters by wiki or agent, among the visible ones."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: Any
    ) -> list[tuple[str, Any]]:
        seen = (
            seen_agents(request.user) if field.related_model is Agent else seen_wikis(request.user)
        )
        ordering = self.field_admin_ordering(field, request, model_admin)
        return field.get_choices(
            include_blank=False, ordering=ordering, limit_choices_to={"pk__in": seen.values("pk")}
        )
