"""Tokens of agents: made once, shown once, kept as a hash."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from wiki.models import Agent, ApiToken, Scope, Wiki
from wiki.slugs import slugify_wiki
from wiki.text import MAX_TITLE, clean_line

# A fixed beginning lets secret scanners know a token of covey when it turns up where it should not.
TOKEN_PREFIX = "covey_"
SHOWN_CHARACTERS = 12
USE_NOTED_EVERY = timedelta(minutes=1)


class InvalidName(Exception):
    """An agent's or a wiki's name that cannot be used; the message says why."""


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


def ensure_wiki(name: str) -> Wiki:
    """The wiki of this slug or name, made if it is missing."""
    name = clean_line(name)
    if not name or len(name) > MAX_TITLE:
        raise InvalidName(f"A wiki's name has 1 to {MAX_TITLE} characters.")
    return Wiki.objects.get_or_create(slug=slugify_wiki(name), defaults={"name": name})[0]


@transaction.atomic
def ensure_agent(name: str, wiki: str = "") -> tuple[Agent, Wiki]:
    """The agent and the wiki its token is for; both are made if missing. Without a wiki it is the agent's home."""
    name = clean_line(name)
    if not name or len(name) > 100:
        raise InvalidName("An agent's name has 1 to 100 characters.")
    agent = Agent.objects.filter(name=name).select_related("home_wiki").first()
    if agent:
        return agent, ensure_wiki(wiki) if wiki else agent.home_wiki
    home = ensure_wiki(wiki or name)
    return Agent.objects.get_or_create(name=name, defaults={"home_wiki": home})[0], home
