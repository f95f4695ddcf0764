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
from wiki.models.wikis import Wiki

_FIGURES = ("apart", "together", "advised", "share", "measured_at")


def _has_figures(are_missing: bool) -> models.Q:
    return models.Q(**{f"{name}__isnull": are_missing for name in _FIGURES})


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


class Calibration(models.Model):
    """From which cosine on a model means that two texts belong together; one row per fingerprint
    (wiki/indexing/calibration.py). It has figures once it is measured."""

    fingerprint = models.CharField(max_length=MAX_FINGERPRINT, unique=True)
    # What it was measured with; another one measures anew.
    recipe = models.CharField(max_length=16, blank=True)
    # The highest cosine of two texts that do not belong together, and the median of those that do.
    apart = models.FloatField(null=True)
    together = models.FloatField(null=True)
    # The bound between the two, and the share of what belongs together that reaches it.
    advised = models.FloatField(null=True)
    share = models.FloatField(null=True)
    measured_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_calibration_has_all_figures_or_none",
                condition=_has_figures(False) | _has_figures(True),
            )
        ]

    def __str__(self) -> str:
        return self.fingerprint

    @property
    def percent(self) -> float:
        return 100 * (self.share or 0.0)


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


class Centre(models.Model):
    """Around which vectors the questions and the pages of a wiki lie, by one model. No text can be
    read from it (wiki/search/centring.py)."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="+", editable=False)
    fingerprint = models.CharField(max_length=MAX_FINGERPRINT, editable=False)
    # How many questions count; of more the latest count most.
    questions = models.FloatField(editable=False)
    question_mean = VectorField(dimensions=DIMENSIONS, editable=False)
    # Of so many pages.
    pages = models.IntegerField(editable=False)
    page_mean = VectorField(dimensions=DIMENSIONS, null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["wiki", "fingerprint"], name="centre_unique")
        ]

    def __str__(self) -> str:
        return f"{self.wiki_id}: {self.fingerprint}"
