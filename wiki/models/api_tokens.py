"""The keys that agents come with, and how often each came within the last minute."""

from django.db import models
from django.db.models import Expression, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.agents import Agent
from wiki.models.choices import Scope
from wiki.models.wikis import Wiki


class ApiTokenQuerySet(QuerySet["ApiToken"]):
    def usable(self, now: Expression | None = None) -> "ApiTokenQuerySet":
        """Now, or at the time that stands for it in a query that is asked later."""
        return self.filter(revoked_at=None).filter(
            Q(expires_at=None) | Q(expires_at__gt=now or timezone.now())
        )

    def opening(self, wiki: Wiki) -> "ApiTokenQuerySet":
        """Those that open this wiki, as their first or among others; usable or not."""
        further = ApiToken.also_opens.through.objects.filter(wiki=wiki).values("apitoken")
        return self.filter(Q(wiki=wiki) | Q(pk__in=further))

    def revoke(self) -> int:
        """Return the number of newly revoked tokens."""
        return self.filter(revoked_at=None).update(revoked_at=timezone.now())


class ApiToken(models.Model):
    """A key of an agent to one wiki or several. Only its first characters and its SHA-256 are kept
    (wiki/agents/api_tokens.py)."""

    agent = models.ForeignKey(
        Agent, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("agent")
    )
    # The one that a call is about unless it names another.
    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("wiki")
    )
    also_opens = models.ManyToManyField(
        Wiki, blank=True, related_name="+", verbose_name=_("also opens")
    )
    scope = models.CharField(_("scope"), max_length=10, choices=Scope.choices, default=Scope.WRITE)
    # Empty: as COVEY_REQUESTS_PER_MINUTE says; 0: as many as it likes.
    requests_per_minute = models.PositiveIntegerField(_("requests a minute"), null=True, blank=True)
    prefix = models.CharField(_("begins with"), max_length=16, editable=False)
    hash = models.CharField(max_length=64, unique=True, editable=False)
    # Of the form that made it, so that sending that form again makes no second one.
    form_key = models.CharField(max_length=32, null=True, unique=True, editable=False)
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
    def may_read(self) -> bool:
        """Reading of pages and lists; every token may recall."""
        return self.scope in (Scope.READ, Scope.WRITE)

    @property
    def may_file(self) -> bool:
        return self.scope in (Scope.FILE, Scope.WRITE)

    @property
    def may_write(self) -> bool:
        return self.scope == Scope.WRITE

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and not self.is_expired


class RequestCount(models.Model):
    """How often a token came since a moment at most a minute ago (wiki/agents/rate_limit.py). Its
    table is lost in a crash and costs no write-ahead log: it says nothing that matters a minute
    later."""

    token = models.OneToOneField(
        ApiToken, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    began_at = models.DateTimeField()
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.token_id}: {self.count}"
