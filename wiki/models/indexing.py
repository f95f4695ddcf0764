"""How the embedding of pages is going, and signs of life."""

from datetime import timedelta

from django.db import models
from django.db.models import FloatField, Func
from django.db.models.lookups import GreaterThan
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from embeddings.vectors import DIMENSIONS, MAX_FINGERPRINT
from wiki.models.choices import RunState
from wiki.models.pages import Page


class ReembedRun(models.Model):
    """How the embedding of stale pages with one model is going; one row per fingerprint
    (wiki/indexing/reindex.py)."""

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
    """The vector that one fixed text had when a model was first met; another one later is another
    model (wiki/indexing/model_drift.py)."""

    fingerprint = models.CharField(max_length=MAX_FINGERPRINT, unique=True)
    embedding = VectorField(dimensions=DIMENSIONS)
    similarity = models.FloatField(default=1.0)
    checked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.fingerprint


class KeptVector(models.Model):
    """The vector of a page's text, or of one of its questions, by a model that is not active: one
    that is tried, or the one before a switch (wiki/indexing/vector_sets.py)."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="+", db_index=False)
    fingerprint = models.CharField(max_length=MAX_FINGERPRINT, db_index=True)
    text_hash = models.CharField(max_length=64)
    embedding = VectorField(dimensions=DIMENSIONS)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["page", "fingerprint", "text_hash"], name="kept_vector_unique"
            ),
            models.CheckConstraint(
                condition=GreaterThan(
                    Func("embedding", function="vector_norm", output_field=FloatField()), 0.0
                ),
                name="kept_vector_not_zero",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.page_id} by {self.fingerprint}"


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
