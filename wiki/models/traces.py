"""What a page leaves behind and where it leads: revisions, links, former addresses."""

from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import CharField, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Concat, Length, Replace
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from embeddings.hashing import split_words
from wiki.markup import MAX_TARGET
from wiki.models.choices import AuthorKind, PageType, RevisionKind
from wiki.models.pages import MAX_TAG, QUERIED_WORDS, Page, fits_all, strip_accents
from wiki.models.tokens import ApiToken
from wiki.models.wikis import Agent, Wiki
from wiki.slugs import MAX_SLUG, fold_slug
from wiki.text import MAX_TITLE

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
        return self.annotate(growth=Length("body") - Coalesce(before.order_by().values(size=Length("body"))[:1], 0))

    def by_author(self, kind: str, name: str = "") -> "RevisionQuerySet":
        """Of one author as they are shown, or of all of their kind."""
        return self.filter(author_kind=kind, **({"author_name": name} if name else {}))

    def news_to(self, user_id: int | None, since: datetime) -> "RevisionQuerySet":
        """What others changed since then."""
        # The page's own date lets the database begin with the few pages that have changed.
        return self.filter(created_at__gt=since, page__updated_at__gt=since).exclude(user=user_id)

    def current(self) -> "RevisionQuerySet":
        """The present revision of every page, in the trash or not."""
        return self.filter(number=F("page__revision"))

    def latest_of(self, page: Page) -> "Revision":
        """Without its text, which is the page's own."""
        return self.defer("body").get(page=page, number=page.revision)


class Revision(models.Model):
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="revisions", verbose_name=_("page"))
    number = models.PositiveIntegerField(_("revision"))
    # The address at that time; empty where it was not written down yet.
    slug = models.CharField(_("address"), max_length=MAX_SLUG, blank=True)
    title = models.CharField(_("title"), max_length=MAX_TITLE)
    body = models.TextField(_("text"), blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(models.CharField(max_length=MAX_TAG), default=list, blank=True)
    kind = models.CharField(_("what"), max_length=20, choices=RevisionKind.choices)
    summary = models.CharField(_("summary"), max_length=MAX_SUMMARY, blank=True)
    author_kind = models.CharField(_("kind of author"), max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(_("author"), max_length=MAX_AUTHOR_NAME)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, verbose_name=_("user")
    )
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, blank=True, verbose_name=_("agent"))
    # The key that the agent came with. Nobody looks for revisions by it alone: it needs no index.
    token = models.ForeignKey(ApiToken, on_delete=models.SET_NULL, null=True, blank=True, db_index=False)
    # The second parent of a merge: the last revision of the page that went in.
    merged_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
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
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.number})"

    @property
    def can_be_undone(self) -> bool:
        """Whether undoing is offered beside it; whether it goes cleanly is another matter (undoing.py)."""
        return self.kind not in _NOT_UNDONE


class LinkQuerySet(QuerySet["Link"]):
    def live(self) -> "LinkQuerySet":
        """Those of live pages."""
        return self.filter(from_page__trashed_at=None)


class Link(models.Model):
    """A wikilink of a page. `target_key` is the slug of what stands between the brackets."""

    from_page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="links")
    target_key = models.CharField(max_length=MAX_SLUG)
    target_text = models.CharField(max_length=MAX_TARGET)
    target_folds = ArrayField(models.CharField(max_length=MAX_SLUG * 3), default=list)
    resolved_page = models.ForeignKey(
        Page, on_delete=models.SET_NULL, null=True, blank=True, related_name="incoming_links"
    )

    objects = LinkQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["from_page", "target_text"], name="link_target_unique")]
        indexes = [GinIndex(fields=["target_folds"], fastupdate=False, name="link_target_folds")]

    def __str__(self) -> str:
        return f"{self.from_page_id} → {self.target_text}"


def _typed_slug() -> Concat:
    """Former addresses as their words are typed: with a hyphen before each word, "übung" as "ubung" and "uebung"."""
    slug = Replace(F("slug"), Value("ß"), Value("ss"))
    german = slug
    for letter, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
        german = Replace(german, Value(letter), Value(letters))
    return Concat(Value("-"), strip_accents(slug), Value("-"), german, output_field=CharField())


class RedirectQuerySet(QuerySet["Redirect"]):
    def live(self) -> "RedirectQuerySet":
        """Those to live pages."""
        return self.filter(page__trashed_at=None)

    def named(self, text: str) -> "RedirectQuerySet":
        """Those in which every word of the text begins a word; none for a text without a word."""
        words = [fold_slug(word) for word in split_words(text)[:QUERIED_WORDS]]
        if not words:
            return self.none()
        begins = fits_all(words, lambda form: Q(typed__contains=f"-{form}"))
        return self.annotate(typed=_typed_slug()).filter(begins).order_by("slug")


class Redirect(models.Model):
    """A former address of a page. A page that now has this slug comes first."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="redirects")
    slug = models.CharField(max_length=MAX_SLUG)
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="redirects")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RedirectQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["wiki", "slug"], name="redirect_slug_unique")]

    def __str__(self) -> str:
        return f"{self.slug} → {self.page_id}"


class Confirmation(models.Model):
    """Somebody said that what the page says still holds; one row for each who did, with the last time."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="confirmations")
    author_kind = models.CharField(max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(max_length=MAX_AUTHOR_NAME)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, blank=True)
    confirmed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-confirmed_at"]
        constraints = [
            models.UniqueConstraint(fields=["page", "author_kind", "author_name"], name="confirmation_author_unique")
        ]

    def __str__(self) -> str:
        return f"{self.page_id}: {self.author_name}"
