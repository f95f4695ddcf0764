"""The history of a page: revisions and confirmations."""

from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Length
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.agents import Agent
from wiki.models.api_tokens import ApiToken
from wiki.models.choices import AuthorKind, PageType, RevisionKind, Standing
from wiki.models.pages import MAX_TAG, Page
from wiki.text.cleaning import MAX_TITLE
from wiki.text.slugs import MAX_SLUG

MAX_SUMMARY, MAX_AUTHOR_NAME = 500, 200


# What has a way back of its own, or has none in the text.
_NOT_UNDONE = frozenset(
    (
        RevisionKind.TRASH,
        RevisionKind.RESTORE,
        RevisionKind.RENAME,
        RevisionKind.MERGE,
        RevisionKind.PROTECT,
        RevisionKind.UNPROTECT,
    )
)


class RevisionQuerySet(QuerySet["Revision"]):
    def with_growth(self) -> "RevisionQuerySet":
        """`growth`: characters more than the revision before."""
        before = Revision.objects.filter(page=OuterRef("page"), number=OuterRef("number") - 1)
        return self.annotate(
            growth=Length("body") - Coalesce(before.order_by().values(size=Length("body"))[:1], 0)
        )

    def by_author(self, kind: str, name: str = "") -> "RevisionQuerySet":
        """Of one author as they are shown, or of all of their kind."""
        return self.filter(author_kind=kind, **({"author_name": name} if name else {}))

    def news_to(self, user_id: int | None, since: datetime) -> "RevisionQuerySet":
        """Changes by others since then."""
        # The page's own date lets the database begin with the few pages that have changed.
        return self.filter(created_at__gt=since, page__updated_at__gt=since).exclude(user=user_id)

    def current(self) -> "RevisionQuerySet":
        """The present revision of every page, in the trash or not."""
        return self.filter(number=F("page__revision"))

    def setting_status(self) -> "RevisionQuerySet":
        """Revisions that gave their page its status, by marking it or by undoing a mark."""
        unchanged = Revision.objects.annotate(successor=Coalesce("replaced_by", 0)).filter(
            page=OuterRef("page"),
            number=OuterRef("number") - 1,
            standing=OuterRef("standing"),
            successor=Coalesce(OuterRef("replaced_by"), 0),
        )
        return self.filter(
            Q(kind=RevisionKind.MARK) | (Q(kind=RevisionKind.UNDO) & ~Exists(unchanged))
        )

    def latest_of(self, page: Page) -> "Revision":
        """Without its text, which is the page's own."""
        return self.defer("body").get(page=page, number=page.revision)


class Revision(models.Model):
    page = models.ForeignKey(
        Page, on_delete=models.CASCADE, related_name="revisions", verbose_name=_("page")
    )
    number = models.PositiveIntegerField(_("revision"))
    # The address at that time.
    slug = models.CharField(_("address"), max_length=MAX_SLUG, blank=True)
    title = models.CharField(_("title"), max_length=MAX_TITLE)
    body = models.TextField(_("text"), blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(models.CharField(max_length=MAX_TAG), default=list, blank=True)
    aliases = ArrayField(models.CharField(max_length=MAX_TITLE), default=list, blank=True)
    kind = models.CharField(_("what"), max_length=20, choices=RevisionKind.choices)
    summary = models.CharField(_("summary"), max_length=MAX_SUMMARY, blank=True)
    author_kind = models.CharField(_("kind of author"), max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(_("author"), max_length=MAX_AUTHOR_NAME)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        verbose_name=_("user"),
    )
    agent = models.ForeignKey(
        Agent, on_delete=models.SET_NULL, null=True, blank=True, verbose_name=_("agent")
    )
    # The key that the agent came with. Nobody looks for revisions by it alone: it needs no index.
    token = models.ForeignKey(
        ApiToken, on_delete=models.SET_NULL, null=True, blank=True, db_index=False
    )
    # The second parent of a merge: the last revision of the page that went in.
    merged_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # The page's status at that time; the latest revision has the present one.
    standing = models.CharField(
        _("standing"), max_length=10, choices=Standing.choices, blank=True, editable=False
    )
    # Empty in nearly all rows: the partial index below is enough.
    replaced_by = models.ForeignKey(
        Page,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        editable=False,
    )
    created_at = models.DateTimeField(_("when"), default=timezone.now)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["page", "number"], name="revision_number_unique"),
            models.CheckConstraint(
                condition=Q(user=None) | Q(author_kind=AuthorKind.PERSON),
                name="revision_user_only_for_person",
            ),
            models.CheckConstraint(
                condition=Q(agent=None) | Q(author_kind=AuthorKind.AGENT),
                name="revision_agent_only_for_agent",
            ),
            models.CheckConstraint(
                condition=Q(replaced_by=None) | Q(standing=Standing.REPLACED),
                name="revision_successor_only_of_replaced",
            ),
        ]
        indexes = [
            models.Index(
                fields=["replaced_by"],
                condition=Q(replaced_by__isnull=False),
                name="revision_replaced_by",
            )
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.number})"

    @property
    def can_be_undone(self) -> bool:
        """Whether undoing is offered beside it; whether it goes cleanly is another matter
        (wiki/history/bulk_revert.py)."""
        return self.kind not in _NOT_UNDONE


class Confirmation(models.Model):
    """The last time that an author confirmed a page; one row an author."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="confirmations")
    author_kind = models.CharField(max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(max_length=MAX_AUTHOR_NAME)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, blank=True)
    confirmed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-confirmed_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["page", "author_kind", "author_name"], name="confirmation_author_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.page_id}: {self.author_name}"
