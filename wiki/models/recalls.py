"""The log of recalls, feedback, and the questions of pages."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import FloatField, Func, Q, QuerySet
from django.db.models.lookups import GreaterThan
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from embeddings.vectors import DIMENSIONS, MAX_FINGERPRINT
from wiki.models.agents import Agent
from wiki.models.choices import AuthorKind
from wiki.models.insights import MAX_ORIGIN
from wiki.models.page_words import IndexedText
from wiki.models.pages import Page
from wiki.models.revisions import MAX_AUTHOR_NAME
from wiki.models.wikis import Wiki

MAX_QUESTION, MAX_QUESTIONS = 300, 50


class AskedAsQuerySet(QuerySet["AskedAs"]):
    def comparable(self, fingerprint: str) -> "AskedAsQuerySet":
        """Questions with a vector of the active model: only those can be compared."""
        return self.filter(embed_model=fingerprint)

    def stale(self, fingerprint: str) -> "AskedAsQuerySet":
        """Those of live pages that are not of this fingerprint and will be embedded."""
        wanted = self.exclude(embed_model=fingerprint).exclude(failed_model=fingerprint)
        return wanted.filter(page__trashed_at=None)

    def failed(self, fingerprint: str) -> "AskedAsQuerySet":
        return self.filter(page__trashed_at=None, failed_model=fingerprint)


class AskedAs(IndexedText):
    """A question that a page answers, as it was asked: it finds the page too
    (wiki/recall/questions.py)."""

    page = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="asked_as", db_index=False
    )
    text = models.CharField(max_length=MAX_QUESTION)
    # Its words in lower case.
    key = models.CharField(max_length=MAX_QUESTION * 2, editable=False)
    author_kind = models.CharField(max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(max_length=MAX_AUTHOR_NAME)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    # Changed by indexing.py alone, as those of a page.
    embed_model = models.CharField(max_length=MAX_FINGERPRINT, blank=True, editable=False)
    embedding = VectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embed_error = models.TextField(blank=True, editable=False)
    failed_model = models.CharField(max_length=MAX_FINGERPRINT, blank=True, editable=False)

    objects = AskedAsQuerySet.as_manager()

    class Meta:
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["page", "key"], name="asked_as_key_unique"),
            models.CheckConstraint(condition=~Q(key=""), name="asked_as_has_words"),
            models.CheckConstraint(
                condition=Q(embed_model="", embedding=None)
                | (~Q(embed_model="") & Q(embedding__isnull=False)),
                name="asked_as_embed_model_empty_exactly_without_vector",
            ),
            models.CheckConstraint(
                condition=Q(failed_model="") | (~Q(embed_error="") & Q(embedding=None)),
                name="asked_as_failed_has_error_and_no_vector",
            ),
            models.CheckConstraint(
                condition=Q(embedding=None)
                | Q(
                    GreaterThan(
                        Func("embedding", function="vector_norm", output_field=FloatField()), 0.0
                    )
                ),
                name="asked_as_embedding_not_zero",
            ),
        ]
        indexes = [GinIndex(fields=["lexemes"], fastupdate=False, name="asked_as_lexemes")]

    def __str__(self) -> str:
        return self.text


class Receipt(models.Model):
    """One recall. `query` is empty where only the hash is kept, or the text was taken away later
    (wiki/recall/log.py)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="receipts", verbose_name=_("wiki")
    )
    agent = models.ForeignKey(
        Agent,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="receipts",
        verbose_name=_("agent"),
    )
    query = models.TextField(_("query"), blank=True)
    query_hash = models.CharField(max_length=64, editable=False)
    task = models.CharField(_("task"), max_length=MAX_ORIGIN, blank=True)
    mode = models.CharField(_("mode"), max_length=10)
    fingerprint = models.CharField(_("model"), max_length=MAX_FINGERPRINT)
    degraded = models.BooleanField(_("words only"), default=False)
    created_at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("recall")
        verbose_name_plural = _("recalls")
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["created_at"], name="receipt_created")]

    def __str__(self) -> str:
        return str(self.pk)


class HandedPageQuerySet(QuerySet["HandedPage"]):
    def handed_out(self) -> "HandedPageQuerySet":
        """Without the pages that were only missed."""
        return self.filter(place__isnull=False)

    def readable(self) -> "HandedPageQuerySet":
        """Of pages that an address still leads to: live, or merged into a live one."""
        is_merged = Q(page__merged_into__isnull=False, page__merged_into__trashed_at=None)
        return self.filter(Q(page__trashed_at=None) | is_merged)


class HandedPage(models.Model):
    """A page in a recall's answer and the feedback on it. Without a `place` it was missing from the
    answer, by somebody's feedback."""

    receipt = models.ForeignKey(
        Receipt, on_delete=models.CASCADE, related_name="pages", db_index=False
    )
    page = models.ForeignKey(
        Page,
        on_delete=models.CASCADE,
        related_name="handed",
        db_index=False,
        verbose_name=_("page"),
    )
    place = models.PositiveSmallIntegerField(_("place"), null=True)
    similarity = models.FloatField(_("similarity"), null=True)
    found_by = ArrayField(models.CharField(max_length=10), default=list, verbose_name=_("found by"))
    # The last word counts, whoever says it.
    is_useful = models.BooleanField(_("useful"), null=True)
    marked_by_kind = models.CharField(max_length=20, choices=AuthorKind.choices, blank=True)
    marked_by_name = models.CharField(_("marked by"), max_length=MAX_AUTHOR_NAME, blank=True)
    marked_at = models.DateTimeField(null=True)
    # What this mark has given the page to be found by.
    question = models.ForeignKey(
        AskedAs,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        editable=False,
    )

    objects = HandedPageQuerySet.as_manager()

    class Meta:
        verbose_name = _("page handed out")
        verbose_name_plural = _("pages handed out")
        ordering = ["place"]
        constraints = [
            models.UniqueConstraint(fields=["receipt", "page"], name="handed_page_unique"),
            models.CheckConstraint(
                condition=Q(place__isnull=False) | Q(is_useful=True),
                name="handed_missed_page_is_useful",
            ),
        ]
        indexes = [
            models.Index(fields=["page", "-id"], name="handed_page_latest"),
            models.Index(
                fields=["question"],
                condition=Q(question__isnull=False),
                name="handed_page_question",
            ),
        ]

    def __str__(self) -> str:
        return str(self.place or "-")
