"""Agents."""

from functools import reduce
from operator import or_

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.wikis import Wiki

MAX_AGENT_NAME = 100


class AgentQuerySet(QuerySet["Agent"]):
    def seen_in(self, wiki: Wiki) -> "AgentQuerySet":
        """Agents at home in the wiki, with a key to it, or with traces in it."""
        own = Agent.objects.filter(pk=OuterRef("pk"))
        ways = ("tokens__wiki", "tokens__also_opens", "insights__wiki", "revision__page__wiki")
        return self.filter(
            reduce(or_, (Exists(own.filter(**{way: wiki})) for way in ways), Q(home_wiki=wiki))
        )


class Agent(models.Model):
    name = models.CharField(_("name"), max_length=MAX_AGENT_NAME, unique=True)
    home_wiki = models.ForeignKey(
        Wiki, on_delete=models.PROTECT, related_name="agents", verbose_name=_("home wiki")
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
