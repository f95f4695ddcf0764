from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms.widgets import Script
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from wiki.admin.row_permissions import OfWikis, SeenFilter, owned_wikis, seen_wikis
from wiki.merging.merge import MergeRefused
from wiki.merging.queue import NEAREST_FIRST, propose, put_off, tell_apart, waiting
from wiki.merging.queue_filters import Narrowing, count_options, list_options
from wiki.models import (
    MaintenanceRun,
    Merge,
    MergeProposal,
    MergeProposalQuerySet,
    Page,
    ProposalState,
)
from wiki.search.similarity import describe_similarity
from wiki.views.merging.queue import HEAVY, tell_dismissed
from wiki.views.merging.review import Path, find_proposal, work_on
from wiki.views.query_parameters import read_number, write_query


class _Narrows(admin.SimpleListFilter):
    """One filter of the queue, under the name that it has in the wiki too."""

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(option.value, option.label) for option in list_options()[str(self.parameter_name)]]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return Narrowing.read({str(self.parameter_name): self.value() or ""}).narrow(queryset)


class BandFilter(_Narrows):
    title, parameter_name = gettext_lazy("similarity"), "band"


class ReasonFilter(_Narrows):
    title, parameter_name = gettext_lazy("reason"), "reason"


class KindFilter(_Narrows):
    title, parameter_name = gettext_lazy("differs in"), "kind"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        """Only kinds that occur: there are many."""
        chosen = Narrowing.read({"kind": request.GET.get("kind", "")})
        found = count_options(model_admin.get_queryset(request), chosen)
        return [(option.value, option.label) for option in found["kind"]]


class AgeFilter(_Narrows):
    title, parameter_name = gettext_lazy("age"), "older"


class StateFilter(admin.SimpleListFilter):
    """Shows open proposals by default."""

    title, parameter_name = gettext_lazy("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, Any]]:
        over = [
            (state.value, state.label) for state in ProposalState if state != ProposalState.OPEN
        ]
        return [*over, ("all", _("All"))]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        shown: list[tuple[Any, Any]] = [(None, _("waiting")), *self.lookup_choices]
        for value, label in shown:
            query = {self.parameter_name: value} if value else {}
            yield {
                "selected": self.value() == value,
                "query_string": changelist.get_query_string(
                    query, [] if value else [self.parameter_name]
                ),
                "display": label,
            }

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet:
        if self.value() == "all":
            return queryset
        return (
            queryset.filter(state=self.value())
            if self.value() in ProposalState.values
            else waiting(queryset)
        )


class _ReadOnly(OfWikis):
    """Rows that only the rules write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[Any]:
        return list(self.fields or ())

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form is for reading alone; the list decides."""
        shown = {"show_save": False, "show_save_and_continue": False, **(extra_context or {})}
        return super().change_view(request, object_id, form_url, shown)

    @admin.display(description=gettext_lazy("similarity"), ordering="similarity")
    def in_words(self, row: MergeProposal | Merge) -> str:
        return describe_similarity(row.similarity) if row.similarity is not None else "-"


@admin.register(MergeProposal)
class MergeProposalAdmin(_ReadOnly):
    """The queue of all wikis. Decisions need the permission to change proposals and the ownership
    of the wiki."""

    fields = (
        "wiki", "first", "second", "in_words", "fingerprint", "why", "state",
        "decided_at", "created_at",
    )  # fmt: skip
    list_display = ("wiki", "in_words", "why", "state", "created_at")
    list_display_links = None
    list_filter = (
        StateFilter,
        ("wiki", SeenFilter),
        ReasonFilter,
        KindFilter,
        BandFilter,
        AgeFilter,
    )
    list_select_related = ("first", "second", "wiki")
    list_per_page = 50
    ordering = NEAREST_FIRST
    actions = ("say_no", "put_off")

    class Media:
        css = {"all": ["covey/admin.css"]}
        js = [Script("covey/shortcuts.js", defer=True), Script("covey/merges.js", defer=True)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[MergeProposal]:
        return super().get_queryset(request).defer(*HEAVY)

    def get_list_display(self, request: HttpRequest) -> list[str | Callable[[Any], Any]]:
        query = _carried(request)

        @admin.display(description=gettext_lazy("pages"))
        def pair(proposal: MergeProposal) -> SafeString:
            address = reverse("admin:wiki_mergeproposal_review", args=[proposal.pk]) + (
                f"?{query}" if query else ""
            )
            words = f"{proposal.first.title} ~ {proposal.second.title}"
            return format_html('<a class="decide" href="{}">{}</a>', address, words)

        return [pair, *self.list_display]

    @admin.display(description=gettext_lazy("reason"), ordering="reason")
    def why(self, proposal: MergeProposal) -> SafeString:
        return render_to_string("wiki/merging/proposal_reason.html", {"proposal": proposal})

    @admin.action(description=gettext_lazy("Mark as not the same"), permissions=["change"])
    def say_no(self, request: HttpRequest, queryset: MergeProposalQuerySet) -> None:
        tell_dismissed(request, self._chosen(request, queryset))

    @admin.action(description=gettext_lazy("Put off for a week"), permissions=["change"])
    def put_off(self, request: HttpRequest, queryset: MergeProposalQuerySet) -> None:
        count = put_off(
            MergeProposal.objects.filter(pk__in=[row.pk for row in self._chosen(request, queryset)])
        )
        messages.success(request, _("Put off for a week: {n}.").format(n=count))

    def _chosen(self, request: HttpRequest, queryset: Any) -> MergeProposalQuerySet:
        """The chosen open proposals."""
        return waiting(self.owned_rows(request, queryset))  # type: ignore[arg-type]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        review, pair = (
            view(require_http_methods(["GET", "HEAD", "POST"])(self.review)),
            view(require_POST(self.act_on)),
        )
        return [
            path("<int:proposal_id>/review/", review, name="wiki_mergeproposal_review"),
            path("pair/<int:first_id>/<int:second_id>/", pair, name="wiki_mergeproposal_pair"),
            *super().get_urls(),
        ]

    def review(self, request: HttpRequest, proposal_id: int) -> HttpResponse:
        """The wiki's own review within the admin."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = MergeProposal.objects.filter(wiki__in=seen_wikis(request.user).values("pk"))
        proposal = find_proposal(rows, proposal_id)
        may_decide = self.has_change_permission(request, proposal)
        if request.method == "POST" and not may_decide:
            raise PermissionDenied
        wiki_id = read_number(request.GET.get(_WIKI, ""))
        of_wiki = rows.filter(wiki=wiki_id) if wiki_id else rows
        way = Path(
            address_of=lambda pk: reverse("admin:wiki_mergeproposal_review", args=[pk]),
            queue_address=reverse("admin:wiki_mergeproposal_changelist"),
            query=_carried(request),
        )
        shown = work_on(
            request, proposal, Narrowing.read(request.GET.dict()).narrow(waiting(of_wiki)), way
        )
        if isinstance(shown, HttpResponse):
            return shown
        context, status = shown
        context |= {
            **self.admin_site.each_context(request),
            "title": _("Are these one page?"),
            "opts": self.opts,
        }
        context |= {"may_decide": may_decide, "media": self.media}
        return TemplateResponse(
            request, "admin/wiki/mergeproposal/review.html", context, status=status
        )

    def act_on(self, request: HttpRequest, first_id: int, second_id: int) -> HttpResponse:
        """From the neighbours of a page: proposes it with one of them, or keeps the two apart."""
        seen = (
            Page.objects.live()
            .filter(wiki__in=seen_wikis(request.user).values("pk"))
            .select_related("wiki")
        )
        first, second = (
            get_object_or_404(seen, pk=min(pk, 2**63 - 1)) for pk in (first_id, second_id)
        )
        if not may_decide(request, first):
            raise PermissionDenied
        try:
            if request.POST.get("action") != "dismiss":
                return redirect("admin:wiki_mergeproposal_review", propose(first, second).pk)
            tell_apart(first, second, request.user)
        except MergeRefused as refused:
            messages.error(request, str(refused))
        else:
            words = _("These two are not the same. They are not proposed again until one changes.")
            messages.success(request, words)
        return redirect("admin:wiki_page_change", first.pk)


def may_decide(request: HttpRequest, page: Page) -> bool:
    """Whether a member of the staff may decide about merges of this page."""
    is_owner = owned_wikis(request.user).filter(pk=page.wiki_id).exists()
    return is_owner and request.user.has_perm("wiki.change_mergeproposal")


_WIKI = "wiki__id__exact"


def _carried(request: HttpRequest) -> str:
    """The filters of the queue, for the addresses of its pairs."""
    chosen = Narrowing.read(request.GET.dict()).chosen
    return write_query(**chosen, **{_WIKI: read_number(request.GET.get(_WIKI, ""))})


@admin.register(Merge)
class MergeAdmin(_ReadOnly):
    """Merges to read; they are undone on the wiki."""

    fields = (
        "wiki", "survivor", "source", "in_words", "fingerprint", "is_automatic",
        "author_name", "created_at",
        "undone_at",
    )  # fmt: skip
    list_display = (
        "source", "survivor", "wiki", "in_words", "is_automatic", "author_name", "created_at",
        "undone_at", "take_back",
    )  # fmt: skip
    list_filter = ("is_automatic", BandFilter, ("wiki", SeenFilter))
    list_select_related = ("survivor", "source", "wiki")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Merge]:
        heavy = [
            f"{page}__{name}" for page in ("survivor", "source") for name in ("body", "embedding")
        ]
        return super().get_queryset(request).defer(*heavy)

    @admin.display(description="")
    def take_back(self, merge: Merge) -> SafeString | str:
        if merge.undone_at:
            return ""
        return format_html(
            '<a href="{}">{}</a>',
            reverse("undo_merge", args=[merge.wiki.slug, merge.pk]),
            _("undo"),
        )


@admin.register(MaintenanceRun)
class MaintenanceRunAdmin(_ReadOnly):
    fields = (
        "wiki", "started_at", "finished_at", "fingerprint", "is_full", "compared",
        "found", "merged", "proposed",
        "guarded", "error",
    )  # fmt: skip
    list_display = (
        "started_at", "wiki", "fingerprint", "is_full", "compared", "found", "merged",
        "proposed", "guarded", "error",
    )  # fmt: skip
    list_filter = (("wiki", SeenFilter),)
