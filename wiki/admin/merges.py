from datetime import timedelta

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wiki.admin.visible import OfWikis, SeenFilter
from wiki.models import MaintenanceRun, Merge, MergeProposal, MergeProposalQuerySet
from wiki.proposals import dismiss, put_off
from wiki.similarity import describe_similarity


class BandFilter(admin.SimpleListFilter):
    title = gettext_lazy("similarity")
    parameter_name = "band"
    bands = {"same": (0.98, 2.0), "merge": (0.93, 0.98), "near": (0.88, 0.93), "far": (-2.0, 0.88)}

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("same", "≥ 0.98"), ("merge", "0.93 – 0.98"), ("near", "0.88 – 0.93"), ("far", "< 0.88")]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() not in self.bands:
            return queryset
        low, high = self.bands[str(self.value())]
        return queryset.filter(similarity__gte=low, similarity__lt=high)


class AgeFilter(admin.SimpleListFilter):
    title = gettext_lazy("age")
    parameter_name = "older"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("7", _("older than a week")), ("30", _("older than a month"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() not in ("7", "30"):
            return queryset
        return queryset.filter(created_at__lt=timezone.now() - timedelta(days=int(str(self.value()))))


class _ReadOnly(OfWikis):
    """Rows that only the rules write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        return [field.name for field in self.model._meta.fields]

    @admin.display(description=gettext_lazy("similarity"), ordering="similarity")
    def in_words(self, row: MergeProposal | Merge) -> str:
        return describe_similarity(row.similarity) if row.similarity is not None else "-"


@admin.register(MergeProposal)
class MergeProposalAdmin(_ReadOnly):
    """The queue of all wikis; a pair is looked at and decided on its wiki's own screen."""

    list_display = ("pair", "wiki", "in_words", "reason", "state", "created_at", "decide")
    list_display_links = None
    list_filter = ("state", BandFilter, "reason", AgeFilter, ("wiki", SeenFilter))
    list_select_related = ("first", "second", "wiki")
    ordering = ("state", "-similarity")
    actions = ("say_no", "put_off")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MergeProposal]:
        heavy = [f"{side}__{name}" for side in ("first", "second") for name in ("body", "embedding", "search")]
        return super().get_queryset(request).defer(*heavy)

    @admin.display(description=gettext_lazy("pages"))
    def pair(self, proposal: MergeProposal) -> str:
        return f"{proposal.first.title} ~ {proposal.second.title}"

    @admin.display(description="")
    def decide(self, proposal: MergeProposal) -> SafeString:
        address = reverse("review", args=[proposal.wiki.slug, proposal.pk])
        return format_html('<a href="{}">{}</a>', address, _("decide"))

    @admin.action(description=gettext_lazy("Mark as not the same"), permissions=["change"])
    def say_no(self, request: HttpRequest, queryset: MergeProposalQuerySet) -> None:
        rows = self.owned_rows(request, queryset)
        messages.success(request, _("Marked as not the same: {n}.").format(n=dismiss(rows, request.user)))

    @admin.action(description=gettext_lazy("Put off for a week"), permissions=["change"])
    def put_off(self, request: HttpRequest, queryset: MergeProposalQuerySet) -> None:
        rows = MergeProposal.objects.filter(pk__in=self.owned_rows(request, queryset).values("pk"))
        messages.success(request, _("Put off for a week: {n}.").format(n=put_off(rows)))


@admin.register(Merge)
class MergeAdmin(_ReadOnly):
    """What was merged; it is taken back on the wiki."""

    list_display = ("source", "survivor", "wiki", "in_words", "is_automatic", "author_name", "created_at", "undone_at")
    list_filter = ("is_automatic", BandFilter, ("wiki", SeenFilter))
    list_select_related = ("survivor", "source", "wiki")


@admin.register(MaintenanceRun)
class MaintenanceRunAdmin(_ReadOnly):
    list_display = (
        "started_at", "wiki", "fingerprint", "is_full", "compared", "found", "merged", "proposed", "guarded", "error",
    )  # fmt: skip
    list_filter = (("wiki", SeenFilter),)
