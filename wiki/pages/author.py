from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from wiki.models import MAX_AUTHOR_NAME, Agent, ApiToken, AuthorKind, Revision


@dataclass(frozen=True)
class Author:
    """A person, an agent, or covey's own maintenance."""

    kind: AuthorKind
    name: str
    user: User | None = None
    agent: Agent | None = None
    token: ApiToken | None = None

    @classmethod
    def person(cls, user: Any) -> "Author":
        return cls(
            AuthorKind.PERSON,
            (user.get_full_name() or user.get_username())[:MAX_AUTHOR_NAME],
            user=user,
        )

    @classmethod
    def of_agent(cls, agent: Agent, token: ApiToken | None = None) -> "Author":
        return cls(AuthorKind.AGENT, agent.name, agent=agent, token=token)

    @classmethod
    def of_token(cls, token: ApiToken) -> "Author":
        """The agent that came with it."""
        return cls.of_agent(token.agent, token)

    @classmethod
    def of_revision(cls, revision: Revision) -> "Author":
        return cls(
            AuthorKind(revision.author_kind), revision.author_name, revision.user, revision.agent
        )

    @classmethod
    def maintenance(cls) -> "Author":
        return cls(AuthorKind.MAINTENANCE, "covey")
