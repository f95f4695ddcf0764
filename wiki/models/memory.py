"""What agents hand in; the sign of life of what works for them."""

from datetime import timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from embeddings.vectors import DIMENSIONS, MAX_FINGERPRINT
from wiki.models.choices import Outcome, PageType, RunState
from wiki.models.pages import MAX_TAG, Page
from wiki.models.tokens import ApiToken
from wiki.models.wikis import Agent, Wiki
from wiki.text import MAX_TITLE

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
    """The ledger: every text that an agent handed in, and what became of it."""

    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="insights", verbose_name=_("wiki"))
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="insights", verbose_name=_("agent"))
    text = models.TextField(_("text"))
    title = models.CharField(_("title"), max_length=MAX_TITLE, blank=True)
    outcome = models.CharField(_("outcome"), max_length=20, choices=Outcome.choices)
    similarity = models.FloatField(_("similarity"), null=True, blank=True)
    page = models.ForeignKey(
        Page, on_delete=models.SET_NULL, null=True, blank=True, related_name="insights", verbose_name=_("page")
    )
    candidates = models.JSONField(_("next nearest"), default=list, blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(models.CharField(max_length=MAX_TAG), default=list, blank=True, verbose_name=_("tags"))
    source = models.CharField(_("source"), max_length=MAX_ORIGIN, blank=True)
    task = models.CharField(_("task"), max_length=MAX_ORIGIN, blank=True)
    token = models.ForeignKey(
        ApiToken, on_delete=models.SET_NULL, null=True, blank=True, editable=False, verbose_name=_("token")
    )
    # Set if the text belongs to a protected page: people decide (suggestions.py).
    suggestion = models.ForeignKey(
        "wiki.Suggestion", on_delete=models.SET_NULL, null=True, blank=True, related_name="insights", editable=False
    )
    # The names of what was taken out of it: "GitHub token" (secrets).
    removed = ArrayField(models.CharField(max_length=50), default=list, blank=True, verbose_name=_("secrets removed"))
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)
    request_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    objects = InsightQuerySet.as_manager()

    class Meta:
        verbose_name = _("insight")
        verbose_name_plural = _("insights")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["agent", "wiki", "idempotency_key"], name="insight_idempotency_key_unique"),
        ]
        indexes = [models.Index(fields=["wiki", "outcome"], name="insight_wiki_outcome")]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} ({self.pk})"

    @property
    def is_unfiled(self) -> bool:
        return self.outcome == Outcome.PENDING and self.suggestion_id is None


class ReembedRun(models.Model):
    """How the embedding of stale pages with one model is going; one row per fingerprint (reembedding.py)."""

    fingerprint = models.CharField(max_length=MAX_FINGERPRINT, unique=True)
    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.IDLE)
    # Since `started_at`, for the estimate; the pages themselves say what is left.
    embedded = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    remedy = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    progressed_at = models.DateTimeField(null=True)
    next_try_at = models.DateTimeField(null=True)
    is_alerted = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("re-embed run")
        verbose_name_plural = _("re-embed runs")

    def __str__(self) -> str:
        return self.fingerprint

    @property
    def pages_per_second(self) -> float | None:
        """Measured over this run; None before there is something to measure."""
        if not self.embedded or not self.started_at or not self.progressed_at:
            return None
        seconds = (self.progressed_at - self.started_at).total_seconds()
        return self.embedded / seconds if seconds > 0 else None


class Canary(models.Model):
    """The vector that one fixed text had when a model was first met; another one later is another model (canary.py)."""

    fingerprint = models.CharField(max_length=MAX_FINGERPRINT, unique=True)
    embedding = VectorField(dimensions=DIMENSIONS)
    similarity = models.FloatField(default=1.0)
    checked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.fingerprint


class Heartbeat(models.Model):
    """A sign of life of a background process, written every minute."""

    name = models.CharField(max_length=50, unique=True)
    beaten_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name

    @classmethod
    def beat(cls, name: str) -> None:
        cls.objects.update_or_create(name=name, defaults={"beaten_at": timezone.now()})

    @property
    def age(self) -> timedelta:
        return timezone.now() - self.beaten_at
