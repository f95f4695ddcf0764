"""Merges and proposals to merge."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from embeddings.vectors import MAX_FINGERPRINT
from wiki.models.choices import AuthorKind, ProposalReason, ProposalState
from wiki.models.pages import Page
from wiki.models.revisions import MAX_AUTHOR_NAME, Revision
from wiki.models.wikis import Wiki


class MaintenanceRun(models.Model):
    """One look for pages to merge in one wiki (wiki/merging/maintenance.py)."""

    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="maintenance_runs", verbose_name=_("wiki")
    )
    fingerprint = models.CharField(_("model"), max_length=MAX_FINGERPRINT)
    is_full = models.BooleanField(_("all pages"))
    started_at = models.DateTimeField(_("started"), default=timezone.now)
    finished_at = models.DateTimeField(_("finished"), null=True)
    compared = models.PositiveIntegerField(_("pages compared"), default=0)
    found = models.PositiveIntegerField(_("pairs found"), default=0)
    merged = models.PositiveIntegerField(_("merged"), default=0)
    proposed = models.PositiveIntegerField(_("proposed"), default=0)
    guarded = models.PositiveIntegerField(_("kept apart"), default=0)
    error = models.TextField(_("error"), blank=True)
    # How similar its pages were to each other in general (wiki/search/similarity_distribution.py).
    spread = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("maintenance run")
        verbose_name_plural = _("maintenance runs")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.wiki_id}, {self.started_at:%Y-%m-%d %H:%M}"


class MergeProposalQuerySet(QuerySet["MergeProposal"]):
    def open(self) -> "MergeProposalQuerySet":
        """Proposals to decide, among them those put off that are due again."""
        is_due = Q(state=ProposalState.LATER, later_until__lte=timezone.now())
        return self.filter(Q(state=ProposalState.OPEN) | is_due)

    def of_page(self, page: Page) -> "MergeProposalQuerySet":
        return self.filter(Q(first=page) | Q(second=page))


class MergeProposal(models.Model):
    """Two pages of one wiki, `first` with the smaller id, and the decision about their texts."""

    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="merge_proposals", verbose_name=_("wiki")
    )
    first = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="+", verbose_name=_("page")
    )
    second = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="+", verbose_name=_("and page")
    )
    # The texts that were compared; a decision holds as long as both are still these.
    first_hash = models.CharField(max_length=64)
    second_hash = models.CharField(max_length=64)
    similarity = models.FloatField(_("similarity"), null=True)
    fingerprint = models.CharField(_("model"), max_length=MAX_FINGERPRINT, blank=True)
    reason = models.CharField(_("reason"), max_length=10, choices=ProposalReason.choices)
    # Of the kind, and what each side says: [["number", "8080", "8081"], …]
    differences = models.JSONField(default=list)
    # How many pages are alike in this way, where there are too many for a pair each.
    alike = models.PositiveIntegerField(default=2)
    state = models.CharField(
        _("state"), max_length=10, choices=ProposalState.choices, default=ProposalState.OPEN
    )
    later_until = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    created_at = models.DateTimeField(_("proposed"), default=timezone.now)

    objects = MergeProposalQuerySet.as_manager()

    class Meta:
        verbose_name = _("merge proposal")
        verbose_name_plural = _("merge proposals")
        ordering = ["-similarity", "id"]
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="proposal_pair_unique"),
            models.CheckConstraint(
                condition=Q(first__lt=F("second")), name="proposal_pair_ordered"
            ),
        ]
        indexes = [models.Index(fields=["wiki", "state"], name="proposal_wiki_state")]

    def __str__(self) -> str:
        return f"{self.first_id} ~ {self.second_id}"

    @property
    def is_current(self) -> bool:
        """Whether both pages still read as they did."""
        return (self.first.text_hash, self.second.text_hash) == (self.first_hash, self.second_hash)

    @property
    def is_waiting(self) -> bool:
        """`open()` for one row."""
        is_due = self.later_until is not None and self.later_until <= timezone.now()
        return self.state == ProposalState.OPEN or (self.state == ProposalState.LATER and is_due)


class Merge(models.Model):
    """One page that went into another, and all that is needed to take it back."""

    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="merges", verbose_name=_("wiki")
    )
    survivor = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="merges", verbose_name=_("page")
    )
    source = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="+", verbose_name=_("merged page")
    )
    # The revisions that the merge made.
    survivor_revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    source_revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    # What belonged to the source and was given to the survivor: former addresses, ids of insights
    # and of the pages that it replaces.
    moved = models.JSONField(default=dict)
    similarity = models.FloatField(_("similarity"), null=True)
    fingerprint = models.CharField(_("model"), max_length=MAX_FINGERPRINT, blank=True)
    is_automatic = models.BooleanField(_("automatic"), default=False)
    author_kind = models.CharField(max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(_("by"), max_length=MAX_AUTHOR_NAME)
    created_at = models.DateTimeField(_("merged"), default=timezone.now)
    undone_at = models.DateTimeField(_("undone"), null=True)

    class Meta:
        verbose_name = _("merge")
        verbose_name_plural = _("merges")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.source_id} → {self.survivor_id}"
