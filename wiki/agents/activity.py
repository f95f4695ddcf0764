"""The agents of a wiki: with which tokens they come, and what they handed in and changed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from wiki.history.recent_changes import Filters, list_changes
from wiki.models import (
    Agent,
    AgentQuerySet,
    ApiToken,
    AuthorKind,
    Insight,
    Person,
    Receipt,
    RevisionQuerySet,
    Wiki,
)


@dataclass
class AgentTokens:
    """The tokens of an agent that open one wiki, the newest first."""

    usable: list[ApiToken] = field(default_factory=list)
    unusable: list[ApiToken] = field(default_factory=list)

    @property
    def last_used_at(self) -> datetime | None:
        return max(
            (token.last_used_at for token in [*self.usable, *self.unusable] if token.last_used_at),
            default=None,
        )


def list_agents(wiki: Wiki) -> AgentQuerySet:
    """By name, with `insight_count` of this wiki."""
    handed = Insight.objects.filter(wiki=wiki, agent=OuterRef("pk")).order_by().values("agent")
    counted = Subquery(handed.annotate(count=Count("pk")).values("count"))
    return Agent.objects.seen_in(wiki).annotate(insight_count=Coalesce(counted, 0)).order_by("name")


def tokens_by_agent(wiki: Wiki, agents: Iterable[Agent]) -> dict[int, AgentTokens]:
    """By the agents' ids, in one query."""
    keys = {agent.pk: AgentTokens() for agent in agents}
    for token in ApiToken.objects.opening(wiki).filter(agent__in=keys):
        own = keys[token.agent_id]
        (own.usable if token.is_usable else own.unusable).append(token)
    return keys


def insights_of(agent: Agent, wiki: Wiki) -> QuerySet[Insight]:
    """The newest first."""
    return (
        Insight.objects.filter(agent=agent, wiki=wiki)
        .select_related("page", "token")
        .order_by("-pk")
    )


def changes_of(agent: Agent, wiki: Wiki, reader: Person) -> RevisionQuerySet:
    """The newest first; for those who may look into the trash."""
    filters = Filters(author_kind=AuthorKind.AGENT, author_name=agent.name)
    return list_changes(wiki, filters, reader, with_trash=True).select_related("page", "token")


def recalls_of(agent: Agent, wiki: Wiki) -> QuerySet[Receipt]:
    """What it asked for in the time that is kept, the newest first; `handed_count` pages were
    handed out each time."""
    asked = Receipt.objects.filter(agent=agent, wiki=wiki).order_by("-created_at")
    return asked.annotate(handed_count=Count("pages", filter=Q(pages__place__isnull=False)))
