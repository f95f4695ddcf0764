"""The tables. What the database can guarantee is a constraint; rules across rows live in the modules beside this."""

from datetime import timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchQuery, SearchVectorField
from django.db import models
from django.db.models import F, FloatField, Func, Q, QuerySet
from django.db.models.lookups import GreaterThan
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from embeddings.vectors import DIMENSIONS
from wiki.slugs import MAX_SLUG
from wiki.text import MAX_TITLE

MAX_TAG = 100
QUERIED_WORDS, MAX_QUERIED_WORD = 100, 200


class PageType(models.TextChoices):
    CUSTOMER = "customer", _("Customer")
    PROJECT = "project", _("Project")
    SYSTEM = "system", _("System")
    PERSON = "person", _("Person")
    PROBLEM = "problem", _("Problem")
    TOPIC = "topic", _("Topic")


class AuthorKind(models.TextChoices):
    PERSON = "person", _("Person")
    AGENT = "agent", _("Agent")
    MAINTENANCE = "maintenance", _("Maintenance")


class RevisionKind(models.TextChoices):
    CREATE = "create", _("created")
    EDIT = "edit", _("edited")
    APPEND = "append", _("appended")
    INSIGHT = "insight", _("insight filed")
    IMPORT = "import", _("imported")
    REVERT = "revert", _("earlier revision restored")
    TRASH = "trash", _("moved to the trash")
    RESTORE = "restore", _("restored from the trash")


class Outcome(models.TextChoices):
    CREATED = "created", _("new page")
    APPENDED = "appended", _("appended")
    KNOWN = "known", _("already known")
    NOISE = "noise", _("noise")
    PENDING = "pending", _("waiting for the embedding")


class Scope(models.TextChoices):
    READ = "read", _("read")
    WRITE = "write", _("read and write")


class EmbeddingState(models.TextChoices):
    CURRENT = "current", _("up to date")
    STALE = "stale", _("will be embedded")
    FAILED = "failed", _("failed")
    WORDLESS = "wordless", _("no word to embed")
    TRASHED = "trashed", _("in the trash")


class Wiki(models.Model):
    slug = models.CharField(_("address"), max_length=MAX_SLUG, unique=True)
    name = models.CharField(_("name"), max_length=MAX_TITLE)
    description = models.CharField(_("description"), max_length=500, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("wiki")
        verbose_name_plural = _("wikis")
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Agent(models.Model):
    name = models.CharField(_("name"), max_length=100, unique=True)
    home_wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="agents", verbose_name=_("home wiki"))
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class PageQuerySet(QuerySet["Page"]):
    def live(self) -> "PageQuerySet":
        return self.filter(trashed_at=None)

    def comparable(self, fingerprint: str) -> "PageQuerySet":
        """Live pages whose vectors may be compared with the active model's (S13)."""
        return self.live().filter(embed_model=fingerprint)

    def stale(self, fingerprint: str) -> "PageQuerySet":
        """Live pages that will be embedded: not of this fingerprint, with a word in them, not isolated as failed."""
        return self.live().filter(has_words=True, embed_error="").exclude(embed_model=fingerprint)

    def with_all_words(self, text: str) -> "PageQuerySet":
        """Pages that have every one of the text's first words, wherever; stop words alone find nothing."""
        # A word of thousands of characters is in no index and fails the whole query.
        words = [word for word in text.split() if len(word) <= MAX_QUERIED_WORD][:QUERIED_WORDS]
        return self.filter(search=SearchQuery(" ".join(words), config="pg_catalog.english")).order_by("id")

    def failed(self) -> "PageQuerySet":
        return self.live().exclude(embed_error="")


class Page(models.Model):
    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="pages", verbose_name=_("wiki"))
    slug = models.CharField(_("address"), max_length=MAX_SLUG)
    title = models.CharField(_("title"), max_length=MAX_TITLE)
    body = models.TextField(_("text"), blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(models.CharField(max_length=MAX_TAG), default=list, blank=True, verbose_name=_("tags"))
    # Unknown keys of an imported file's front matter, kept as they were written.
    front_matter = models.TextField(blank=True)

    # How links and requests find the page besides its slug (links.py).
    title_key = models.CharField(max_length=MAX_TITLE * 3, editable=False)
    folds = ArrayField(models.CharField(max_length=MAX_SLUG * 3), default=list, editable=False)
    revision = models.PositiveIntegerField(_("revision"), default=0, editable=False)
    text_hash = models.CharField(max_length=64, editable=False)
    has_words = models.BooleanField(default=True, editable=False)

    # Changed by indexing.py alone. Empty model and null vector belong together.
    embed_model = models.CharField(_("embedded by"), max_length=200, blank=True, editable=False)
    embedding = VectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embed_error = models.TextField(_("embedding error"), blank=True, editable=False)
    embedded_at = models.DateTimeField(_("embedded"), null=True, editable=False)
    search = models.GeneratedField(
        expression=Func(F("title"), F("tags"), F("body"), function="covey_search_vector"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("last change"), default=timezone.now, editable=False)
    trashed_at = models.DateTimeField(_("in the trash since"), null=True, blank=True, editable=False)

    objects = PageQuerySet.as_manager()

    class Meta:
        verbose_name = _("page")
        verbose_name_plural = _("pages")
        ordering = ["title", "id"]
        constraints = [
            models.UniqueConstraint(fields=["wiki", "slug"], condition=Q(trashed_at=None), name="page_slug_unique"),
            models.CheckConstraint(condition=~Q(slug=""), name="page_slug_not_empty"),
            models.CheckConstraint(condition=~Q(title=""), name="page_title_not_empty"),
            models.CheckConstraint(
                condition=Q(embed_model="", embedding=None) | (~Q(embed_model="") & Q(embedding__isnull=False)),
                name="page_embed_model_empty_exactly_without_vector",
            ),
            # The distance to a zero vector is NaN, and NaN sorts above every number: it would be "similar" to anything.
            models.CheckConstraint(
                condition=Q(embedding=None)
                | Q(GreaterThan(Func("embedding", function="vector_norm", output_field=FloatField()), 0.0)),
                name="page_embedding_not_zero",
            ),
        ]
        indexes = [
            models.Index(fields=["wiki", "embed_model"], name="page_wiki_model"),
            models.Index(fields=["wiki", "-updated_at"], name="page_wiki_updated"),
            models.Index(fields=["wiki", "title_key"], name="page_wiki_title"),
            GinIndex(fields=["search"], name="page_search"),
            GinIndex(fields=["folds"], name="page_folds"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_trashed(self) -> bool:
        return self.trashed_at is not None

    def embedding_state(self, fingerprint: str) -> EmbeddingState:
        if self.is_trashed:
            return EmbeddingState.TRASHED
        if not self.has_words:
            return EmbeddingState.WORDLESS
        if self.embed_error:
            return EmbeddingState.FAILED
        return EmbeddingState.CURRENT if self.embed_model == fingerprint else EmbeddingState.STALE


class Revision(models.Model):
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=MAX_TITLE)
    body = models.TextField(blank=True)
    type = models.CharField(max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(models.CharField(max_length=MAX_TAG), default=list, blank=True)
    kind = models.CharField(max_length=20, choices=RevisionKind.choices)
    summary = models.CharField(max_length=500, blank=True)
    author_kind = models.CharField(max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(max_length=200)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

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


class Link(models.Model):
    """A wikilink of a page. `target_key` is the slug of what stands between the brackets."""

    from_page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="links")
    target_key = models.CharField(max_length=MAX_SLUG)
    target_text = models.CharField(max_length=500)
    target_folds = ArrayField(models.CharField(max_length=MAX_SLUG * 3), default=list)
    resolved_page = models.ForeignKey(
        Page, on_delete=models.SET_NULL, null=True, blank=True, related_name="incoming_links"
    )

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["from_page", "target_text"], name="link_target_unique")]
        indexes = [GinIndex(fields=["target_folds"], name="link_target_folds")]

    def __str__(self) -> str:
        return f"{self.from_page_id} → {self.target_text}"


class Redirect(models.Model):
    """A former address of a page. A page that now has this slug comes first."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="redirects")
    slug = models.CharField(max_length=MAX_SLUG)
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="redirects")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["wiki", "slug"], name="redirect_slug_unique")]

    def __str__(self) -> str:
        return f"{self.slug} → {self.page_id}"


class Insight(models.Model):
    """The ledger: every text that an agent handed in, and what became of it."""

    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="insights", verbose_name=_("wiki"))
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="insights", verbose_name=_("agent"))
    text = models.TextField(
        _("text"),
    )
    title = models.CharField(_("title"), max_length=MAX_TITLE, blank=True)
    outcome = models.CharField(_("outcome"), max_length=20, choices=Outcome.choices)
    similarity = models.FloatField(_("similarity"), null=True, blank=True)
    page = models.ForeignKey(
        Page, on_delete=models.SET_NULL, null=True, blank=True, related_name="insights", verbose_name=_("page")
    )
    candidates = models.JSONField(_("next nearest"), default=list, blank=True)
    source = models.CharField(_("source"), max_length=500, blank=True)
    task = models.CharField(_("task"), max_length=500, blank=True)
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)
    request_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

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


class ApiTokenQuerySet(QuerySet["ApiToken"]):
    def usable(self) -> "ApiTokenQuerySet":
        now = timezone.now()
        return self.filter(revoked_at=None).filter(Q(expires_at=None) | Q(expires_at__gt=now))


class ApiToken(models.Model):
    """A key of an agent to one wiki. Only its first characters and its SHA-256 are kept (tokens.py)."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("agent"))
    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("wiki"))
    scope = models.CharField(_("scope"), max_length=10, choices=Scope.choices, default=Scope.WRITE)
    prefix = models.CharField(_("begins with"), max_length=16, editable=False)
    hash = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def may_write(self) -> bool:
        return self.scope == Scope.WRITE


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
