"""Suggestions of agents for protected pages."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.agents import Agent
from wiki.models.choices import PageType, SuggestionKind, SuggestionState
from wiki.models.pages import MAX_TAG, Page
from wiki.models.revisions import MAX_AUTHOR_NAME, MAX_SUMMARY, Revision
from wiki.models.wikis import Wiki
from wiki.text.cleaning import MAX_TITLE

MAX_REASON = 1000
ADDITIONS = (SuggestionKind.APPEND, SuggestionKind.INSIGHT)


class SuggestionQuerySet(QuerySet["Suggestion"]):
    def open(self) -> "SuggestionQuerySet":
        return self.filter(state=SuggestionState.OPEN)

    def decided(self) -> "SuggestionQuerySet":
        return self.exclude(state=SuggestionState.OPEN)


class Suggestion(models.Model):
    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="suggestions", verbose_name=_("wiki")
    )
    page = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="suggestions", verbose_name=_("page")
    )
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="suggestions", verbose_name=_("agent")
    )
    kind = models.CharField(_("what"), max_length=10, choices=SuggestionKind.choices)
    # The revision that the agent had before it.
    base = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="+", verbose_name=_("made on revision")
    )
    # Of an edit what the page would say, of an addition the text to add; else both are empty.
    title = models.CharField(_("title"), max_length=MAX_TITLE, blank=True)
    body = models.TextField(_("text"), blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(
        models.CharField(max_length=MAX_TAG), default=list, blank=True, verbose_name=_("tags")
    )
    aliases = ArrayField(
        models.CharField(max_length=MAX_TITLE), default=list, blank=True, verbose_name=_("aliases")
    )
    summary = models.CharField(_("summary"), max_length=MAX_SUMMARY, blank=True)
    # Of all that it would change: the same again is no second suggestion.
    digest = models.CharField(max_length=64, editable=False)
    state = models.CharField(
        _("state"), max_length=10, choices=SuggestionState.choices, default=SuggestionState.OPEN
    )
    reason = models.CharField(_("reason"), max_length=MAX_REASON, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("account that decided"),
    )
    decided_name = models.CharField(_("decided by"), max_length=MAX_AUTHOR_NAME, blank=True)
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)
    # What it became; none where the page said it already.
    result = models.OneToOneField(
        Revision,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="suggestion",
        editable=False,
    )
    created_at = models.DateTimeField(_("suggested"), default=timezone.now)

    objects = SuggestionQuerySet.as_manager()

    class Meta:
        verbose_name = _("suggestion")
        verbose_name_plural = _("suggestions")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["page", "agent", "digest"],
                condition=Q(state=SuggestionState.OPEN),
                name="suggestion_open_unique",
            ),
            models.CheckConstraint(
                condition=Q(state=SuggestionState.OPEN, decided_at=None)
                | (~Q(state=SuggestionState.OPEN) & Q(decided_at__isnull=False)),
                name="suggestion_decided_has_date",
            ),
            models.CheckConstraint(
                condition=Q(result=None) | Q(state=SuggestionState.ACCEPTED),
                name="suggestion_result_only_if_accepted",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=ADDITIONS) | ~Q(body=""),
                name="suggestion_addition_has_text",
            ),
        ]
        indexes = [models.Index(fields=["wiki", "state"], name="suggestion_wiki_state")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.pk})"

    def get_absolute_url(self) -> str:
        return reverse("suggestion", args=[self.wiki.slug, self.pk])

    @property
    def is_open(self) -> bool:
        return self.state == SuggestionState.OPEN

    @property
    def is_addition(self) -> bool:
        return self.kind in ADDITIONS
