"""Wikis and memberships."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.choices import MergeMode, Role
from wiki.text.cleaning import MAX_TITLE
from wiki.text.slugs import MAX_SLUG, slugify_wiki

MAX_DESCRIPTION = 500


Person = AbstractBaseUser | AnonymousUser


def is_superuser(user: Person) -> bool:
    return user.is_active and bool(getattr(user, "is_superuser", False))


def check_wiki_slug(slug: str) -> None:
    """Refuse what no address leads to, such as `a/b`."""
    if (fitting := slugify_wiki(slug)) != slug:
        raise ValidationError(
            _("Only small letters, digits and single hyphens are possible, such as %(slug)s."),
            params={"slug": fitting},
        )


class WikiQuerySet(QuerySet["Wiki"]):
    def open_to(self, user: Person) -> "WikiQuerySet":
        """Wikis that this person may at least read; a superuser may do everything everywhere."""
        if is_superuser(user):
            return self
        if not user.is_authenticated:
            return self.filter(is_public=True)
        return self.filter(
            Q(is_public=True) | Q(pk__in=Membership.objects.filter(user=user.pk).values("wiki"))
        )

    def with_role(self, user: Person, needed: Role) -> "WikiQuerySet":
        """Wikis in which this person has at least this role, not counting that anybody may read a
        public one."""
        if is_superuser(user):
            return self
        roles = [role for role in Role if role.includes(needed)]
        return self.filter(
            pk__in=Membership.objects.filter(user=user.pk, role__in=roles).values("wiki")
        )


class Wiki(models.Model):
    slug = models.CharField(
        _("address"), max_length=MAX_SLUG, unique=True, validators=[check_wiki_slug]
    )
    name = models.CharField(_("name"), max_length=MAX_TITLE)
    description = models.CharField(_("description"), max_length=MAX_DESCRIPTION, blank=True)
    # Whoever can open covey may read it, signed in or not.
    is_public = models.BooleanField(_("public"), default=False)
    # Of its texts, for those who have them read aloud; empty for several or unknown.
    language = models.CharField(
        _("language"), max_length=10, choices=settings.LANGUAGES, blank=True
    )
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
    wiki = models.ForeignKey(
        Wiki, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("wiki")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="memberships",
        verbose_name=_("person"),
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
