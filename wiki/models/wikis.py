"""A wiki and the agents at home in it."""

from functools import reduce
from operator import or_

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.choices import MergeMode, Role
from wiki.slugs import MAX_SLUG
from wiki.text import MAX_TITLE

MAX_DESCRIPTION, MAX_AGENT_NAME = 500, 100


Person = AbstractBaseUser | AnonymousUser


def is_superuser(user: Person) -> bool:
    return user.is_active and bool(getattr(user, "is_superuser", False))


class WikiQuerySet(QuerySet["Wiki"]):
    def open_to(self, user: Person) -> "WikiQuerySet":
        """Wikis that this person may at least read; a superuser may do everything everywhere."""
        if is_superuser(user):
            return self
        if not user.is_authenticated:
            return self.filter(is_public=True)
        return self.filter(Q(is_public=True) | Q(pk__in=Membership.objects.filter(user=user.pk).values("wiki")))

    def with_role(self, user: Person, needed: Role) -> "WikiQuerySet":
        """Wikis in which this person has at least this role, not counting that anybody may read a public one."""
        if is_superuser(user):
            return self
        roles = [role for role in Role if role.includes(needed)]
        return self.filter(pk__in=Membership.objects.filter(user=user.pk, role__in=roles).values("wiki"))


class Wiki(models.Model):
    slug = models.CharField(_("address"), max_length=MAX_SLUG, unique=True)
    name = models.CharField(_("name"), max_length=MAX_TITLE)
    description = models.CharField(_("description"), max_length=MAX_DESCRIPTION, blank=True)
    # Whoever can open covey may read it, signed in or not.
    is_public = models.BooleanField(_("public"), default=False)
    # Of its texts, for those who have them read aloud; empty for several or unknown.
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES, blank=True)
    # Empty: as COVEY_MERGE_MODE says.
    merge_mode = models.CharField(_("merges"), max_length=10, choices=MergeMode.choices, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = WikiQuerySet.as_manager()

    class Meta:
        verbose_name = _("wiki")
        verbose_name_plural = _("wikis")
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("index", args=[self.slug])


class Membership(models.Model):
    """What a person may do in a wiki."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("wiki"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("person")
    )
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.EDITOR)
    created_at = models.DateTimeField(_("since"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        ordering = ["wiki", "user"]
        constraints = [models.UniqueConstraint(fields=["wiki", "user"], name="membership_unique")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.role}"


class InvitationQuerySet(QuerySet["Invitation"]):
    def open(self) -> "InvitationQuerySet":
        return self.filter(accepted_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A link that makes whoever opens it a member. Only the SHA-256 of its secret part is kept (members.py)."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.EDITOR)
    # For whom, in the owner's words; shown to owners alone.
    note = models.CharField(_("for"), max_length=MAX_TITLE, blank=True)
    hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
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
    """When a person was last in a wiki, and when the time before: what is new since is told from that."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    last_at = models.DateTimeField(default=timezone.now)
    before_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["wiki", "user"], name="visit_unique")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.wiki_id}"


class FeedKey(models.Model):
    """Signed with the person's id it opens their feeds; a new one closes those that were handed out (feeds.py)."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    nonce = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"of {self.user_id}"


class AgentQuerySet(QuerySet["Agent"]):
    def seen_in(self, wiki: Wiki) -> "AgentQuerySet":
        """Those at home in the wiki, with a key to it, or who left something in it."""
        own = Agent.objects.filter(pk=OuterRef("pk"))
        ways = ("tokens__wiki", "tokens__also_opens", "insights__wiki", "revision__page__wiki")
        return self.filter(reduce(or_, (Exists(own.filter(**{way: wiki})) for way in ways), Q(home_wiki=wiki)))


class Agent(models.Model):
    name = models.CharField(_("name"), max_length=MAX_AGENT_NAME, unique=True)
    home_wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="agents", verbose_name=_("home wiki"))
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
