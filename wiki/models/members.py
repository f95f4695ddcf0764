"""Invitations, visits, and keys of feeds."""

from django.conf import settings
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.choices import Role
from wiki.models.wikis import Wiki
from wiki.text.cleaning import MAX_TITLE


class InvitationQuerySet(QuerySet["Invitation"]):
    def open(self) -> "InvitationQuerySet":
        return self.filter(accepted_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A link to become a member. Only the SHA-256 of its secret is kept."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.EDITOR)
    # For whom, in the owner's words; shown to owners alone.
    note = models.CharField(_("for"), max_length=MAX_TITLE, blank=True)
    hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.role} ({self.pk})"


class Visit(models.Model):
    """The last two visits of a person to a wiki; changes since the one before are unread."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    last_at = models.DateTimeField(default=timezone.now)
    before_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["wiki", "user"], name="visit_unique")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.wiki_id}"


class FeedKey(models.Model):
    """Signed with the person's id it opens their feeds; a new one closes those that were handed out
    (wiki/accounts/feed_keys.py)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    nonce = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"of {self.user_id}"
