"""A wiki and the agents at home in it."""

from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.slugs import MAX_SLUG
from wiki.text import MAX_TITLE

MAX_DESCRIPTION, MAX_AGENT_NAME = 500, 100


class Wiki(models.Model):
    slug = models.CharField(_("address"), max_length=MAX_SLUG, unique=True)
    name = models.CharField(_("name"), max_length=MAX_TITLE)
    description = models.CharField(_("description"), max_length=MAX_DESCRIPTION, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("wiki")
        verbose_name_plural = _("wikis")
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("index", args=[self.slug])


class Agent(models.Model):
    name = models.CharField(_("name"), max_length=MAX_AGENT_NAME, unique=True)
    home_wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="agents", verbose_name=_("home wiki"))
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
