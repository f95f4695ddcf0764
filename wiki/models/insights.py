"""The ledger of insights."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.agents import Agent
from wiki.models.api_tokens import ApiToken
from wiki.models.choices import Outcome, PageType
from wiki.models.pages import MAX_TAG, Page
from wiki.models.wikis import Wiki
from wiki.text.cleaning import MAX_TITLE

# Source and task of an insight.
MAX_ORIGIN = 500


class InsightQuerySet(QuerySet["Insight"]):
    def pending(self) -> "InsightQuerySet":
        """Those that are on no page yet, whatever they wait for."""
        return self.filter(outcome=Outcome.PENDING)

    def unfiled(self) -> "InsightQuerySet":
        """Of these the ones that wait for the provider, and not for people."""
        return self.pending().filter(suggestion=None)


class Insight(models.Model):
    """A text that an agent handed in, and its outcome."""

    wiki = models.ForeignKey(
        Wiki, on_delete=models.PROTECT, related_name="insights", verbose_name=_("wiki")
    )
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="insights", verbose_name=_("agent")
    )
    text = models.TextField(_("text"))
    title = models.CharField(_("title"), max_length=MAX_TITLE, blank=True)
    outcome = models.CharField(_("outcome"), max_length=20, choices=Outcome.choices)
    similarity = models.FloatField(_("similarity"), null=True, blank=True)
    page = models.ForeignKey(
        Page,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="insights",
        verbose_name=_("page"),
    )
    candidates = models.JSONField(_("next nearest"), default=list, blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(
        models.CharField(max_length=MAX_TAG), default=list, blank=True, verbose_name=_("tags")
    )
    source = models.CharField(_("source"), max_length=MAX_ORIGIN, blank=True)
    task = models.CharField(_("task"), max_length=MAX_ORIGIN, blank=True)
    token = models.ForeignKey(
        ApiToken,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        verbose_name=_("token"),
    )
    # Set if the text belongs to a protected page: people decide (wiki/suggestions/propose.py).
    suggestion = models.ForeignKey(
        "wiki.Suggestion",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="insights",
        editable=False,
    )
    # The names of what was taken out of it: "GitHub token" (secrets).
    removed = ArrayField(
        models.CharField(max_length=50), default=list, blank=True, verbose_name=_("secrets removed")
    )
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)
    request_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    objects = InsightQuerySet.as_manager()

    class Meta:
        verbose_name = _("insight")
        verbose_name_plural = _("insights")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "wiki", "idempotency_key"], name="insight_idempotency_key_unique"
            ),
        ]
        indexes = [models.Index(fields=["wiki", "outcome"], name="insight_wiki_outcome")]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} ({self.pk})"

    @property
    def is_unfiled(self) -> bool:
        return self.outcome == Outcome.PENDING and self.suggestion_id is None
