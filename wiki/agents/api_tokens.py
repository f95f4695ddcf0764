"""Tokens of agents, shown once and stored as a hash."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from wiki.accounts.wikis import ensure_wiki
from wiki.db.prepared_queries import Prepared, Slot
from wiki.models import MAX_AGENT_NAME, Agent, ApiToken, Scope, Wiki
from wiki.text.cleaning import clean_line
from wiki.text.slugs import slugify_wiki

# A fixed prefix, for secret scanners.
TOKEN_PREFIX = "covey_"
SHOWN_CHARACTERS = 12
# The precision of last_used_at, which spares a write per request.
USE_NOTED_EVERY = timedelta(minutes=1)
MAX_DAYS = 3650


class InvalidName(Exception):
    """The message says why an agent cannot have this name."""


class AlreadyCreated(Exception):
    """The form was sent before and made `token`, whose secret is not shown again."""

    def __init__(self, token: ApiToken) -> None:
        super().__init__(f"This form has made the token {token.prefix}… already.")
        self.token = token


def create_token(
    agent: Agent,
    wiki: Wiki,
    scope: Scope = Scope.WRITE,
    expires_at: datetime | None = None,
    *,
    also_opens: Iterable[Wiki] = (),
    requests_per_minute: int | None = None,
    form_key: str | None = None,
) -> tuple[ApiToken, str]:
    """Return the token and its secret, which is not stored. Raises AlreadyCreated for a repeated
    `form_key`.

    `wiki` is the default of its calls.
    """
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            token = ApiToken.objects.create(
                agent=agent,
                wiki=wiki,
                scope=scope,
                requests_per_minute=requests_per_minute,
                prefix=secret[:SHOWN_CHARACTERS],
                hash=hash_token(secret),
                form_key=form_key,
                expires_at=expires_at,
            )
            token.also_opens.set(other for other in also_opens if other != wiki)
    except IntegrityError:
        made = ApiToken.objects.filter(form_key=form_key).first() if form_key else None
        if made is None:
            raise
        raise AlreadyCreated(made) from None
    return token, secret


def hash_token(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def find_token(secret: str) -> ApiToken | None:
    """Return the usable token with this secret, and update its last use.

    The lookup by hash leaks no timing; a revoked or expired token is like an unknown one.
    """
    now = timezone.now()
    token = next(iter(_BY_HASH.ask(hash=hash_token(secret), now=now)), None)
    if token and (token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


_BY_HASH = Prepared(
    lambda: (
        ApiToken.objects.usable(Slot("now"))
        .select_related("agent", "wiki")
        .filter(hash=Slot("hash"))
        .order_by()
    )
)


def find_opened_wiki(token: ApiToken, name: str) -> Wiki | None:
    """Return the wiki of this slug or name if the token opens it; its default without a name."""
    slugs = (name, slugify_wiki(name))
    if not name or token.wiki.slug in slugs:
        return token.wiki
    return token.also_opens.filter(slug__in=slugs).first()


@transaction.atomic
def revoke_wiki(token: ApiToken, wiki: Wiki) -> None:
    """Remove the wiki from the token, which is revoked if it opens no other.

    The owner of a wiki decides only about it: the token's other wikis stay open.
    """
    token = ApiToken.objects.select_for_update(of=("self",)).get(pk=token.pk)
    token.also_opens.remove(wiki)
    if token.wiki_id != wiki.pk:
        return
    other = token.also_opens.order_by("pk").first()
    if other is None:
        ApiToken.objects.filter(pk=token.pk).revoke()
        return
    token.wiki = other
    token.also_opens.remove(other)
    token.save(update_fields=["wiki"])


@transaction.atomic
def ensure_agent(name: str, wiki: str = "") -> tuple[Agent, Wiki, bool]:
    """Return the agent, its wiki (by default its home), and whether that wiki is new.

    Both are made if missing. Raises InvalidName and WikiRefused.
    """
    name = clean_name(name)
    agent = Agent.objects.filter(name=name).select_related("home_wiki").first()
    if agent and not wiki:
        return agent, agent.home_wiki, False
    opened, is_new = ensure_wiki(wiki or name)
    return agent or ensure_agent_of(name, opened), opened, is_new


def ensure_agent_of(name: str, home: Wiki) -> Agent:
    """Return the agent of this name; a new one has this home. Raises InvalidName."""
    return Agent.objects.get_or_create(name=clean_name(name), defaults={"home_wiki": home})[0]


def clean_name(name: str) -> str:
    name = clean_line(name)
    if not name or len(name) > MAX_AGENT_NAME:
        raise InvalidName(f"An agent's name has 1 to {MAX_AGENT_NAME} characters.")
    return name
