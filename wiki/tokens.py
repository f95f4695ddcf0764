"""Tokens of agents: made once, shown once, kept as a hash."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from wiki.models import MAX_AGENT_NAME, Agent, ApiToken, Scope, Wiki
from wiki.text import clean_line
from wiki.wikis import ensure_wiki

# A fixed beginning lets secret scanners know a token of covey when it turns up where it should not.
TOKEN_PREFIX = "covey_"
SHOWN_CHARACTERS = 12
USE_NOTED_EVERY = timedelta(minutes=1)


class InvalidName(Exception):
    """An agent's name that cannot be used; the message says why."""


def create_token(
    agent: Agent, wiki: Wiki, scope: Scope = Scope.WRITE, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """The stored token and the secret itself, which is nowhere else."""
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        agent=agent,
        wiki=wiki,
        scope=scope,
        prefix=secret[:SHOWN_CHARACTERS],
        hash=hash_token(secret),
        expires_at=expires_at,
    )
    return token, secret


def hash_token(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def find_token(secret: str) -> ApiToken | None:
    """The usable token with this secret; notes that it was used, at most once a minute."""
    token = ApiToken.objects.usable().select_related("agent", "wiki").filter(hash=hash_token(secret)).first()
    now = timezone.now()
    if token and (token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


@transaction.atomic
def ensure_agent(name: str, wiki: str = "") -> tuple[Agent, Wiki, bool]:
    """The agent, the wiki its token is for, and whether that wiki is new; without a wiki it is the agent's home.

    Agent and wiki are made if they are missing. Raises InvalidName and WikiRefused.
    """
    name = clean_line(name)
    if not name or len(name) > MAX_AGENT_NAME:
        raise InvalidName(f"An agent's name has 1 to {MAX_AGENT_NAME} characters.")
    agent = Agent.objects.filter(name=name).select_related("home_wiki").first()
    if agent and not wiki:
        return agent, agent.home_wiki, False
    opened, is_new = ensure_wiki(wiki or name)
    agent = agent or Agent.objects.get_or_create(name=name, defaults={"home_wiki": opened})[0]
    return agent, opened, is_new
