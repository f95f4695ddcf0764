"""The agents of a wiki: their tokens, insights, changes and recalls."""

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
    """The tokens of an agent for one wiki, newest first."""

    usable: list[ApiToken] = field(default_factory=list)
    unusable: list[ApiToken] = field(default_factory=list)

    @property
    def last_used_at(self) -> datetime | None:
        return max(
            (token.last_used_at for token in [*self.usable, *self.unusable] if token.last_used_at),
            default=None,
        )


def list_agents(wiki: Wiki) -> AgentQuerySet:
    """Return agents by name, with their `insight_count` in this wiki."""
    handed = Insight.objects.filter(wiki=wiki, agent=OuterRef("pk")).order_by().values("agent")
    counted = Subquery(handed.annotate(count=Count("pk")).values("count"))
    return Agent.objects.seen_in(wiki).annotate(insight_count=Coalesce(counted, 0)).order_by("name")


def tokens_by_agent(wiki: Wiki, agents: Iterable[Agent]) -> dict[int, AgentTokens]:
    """Return the tokens by agent id, in one query."""
    keys = {agent.pk: AgentTokens() for agent in agents}
    for token in ApiToken.objects.opening(wiki).filter(agent__in=keys):
        own = keys[token.agent_id]
        (own.usable if token.is_usable else own.unusable).append(token)
    return keys


def insights_of(agent: Agent, wiki: Wiki) -> QuerySet[Insight]:
    """Return insights, newest first."""
    insights = Insight.objects.filter(agent=agent, wiki=wiki).order_by("-pk")
    return insights.select_related("page", "token")


def changes_of(agent: Agent, wiki: Wiki, reader: Person) -> RevisionQuerySet:
    """Return revisions, newest first, for readers with access to the trash."""
    filters = Filters(author_kind=AuthorKind.AGENT, author_name=agent.name)
    return list_changes(wiki, filters, reader, with_trash=True).select_related("page", "token")


def recalls_of(agent: Agent, wiki: Wiki) -> QuerySet[Receipt]:
    """Return the logged recalls, newest first, with `handed_count` pages each."""
    asked = Receipt.objects.filter(agent=agent, wiki=wiki).order_by("-created_at")
    return asked.annotate(handed_count=Count("pages", filter=Q(pages__place__isnull=False)))
