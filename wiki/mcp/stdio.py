"""The tools over standard input and output, for one agent whose client starts covey as a child
process."""

import signal
import threading
from contextlib import suppress
from datetime import timedelta
from types import FrameType

import anyio
from django.db import close_old_connections
from django.db.models import Exists, OuterRef
from django.utils import timezone
from mcp.server.stdio import stdio_server

from wiki.agents.api_tokens import create_token
from wiki.mcp.api_client import Answer, Call, Caller
from wiki.mcp.server import Sender, make_server
from wiki.models import Agent, ApiToken, Revision, Scope, Wiki

# How long the process' own token opens the wiki if it was killed and could not revoke it. It is
# renewed while in use.
LIFETIME = timedelta(hours=1)
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stop(BaseException):
    """Somebody asked the process to stop."""


class BriefToken:
    """Calls with a token that is made for this process alone."""

    def __init__(self, agent: Agent, wiki: Wiki, scope: Scope) -> None:
        token, secret = create_token(agent, wiki, scope, timezone.now() + LIFETIME)
        self._row = ApiToken.objects.filter(pk=token.pk)
        self._renew_at = timezone.now() + LIFETIME / 2
        self._caller = Caller(f"Bearer {secret}")

    def send(self, call: Call) -> Answer:
        # No request of Django's begins here, which would do it.
        close_old_connections()
        now = timezone.now()
        if now > self._renew_at:
            # One that somebody has revoked stays revoked.
            self._row.filter(revoked_at=None).update(expires_at=now + LIFETIME)
            self._renew_at = now + LIFETIME / 2
        return self._caller.send(call)

    def end(self) -> None:
        """One with which nothing was written is forgotten; the history goes on to name the
        others."""
        self._row.revoke()
        self._row.exclude(Exists(Revision.objects.filter(token=OuterRef("pk")))).delete()


def serve(agent: Agent, wiki: Wiki, scope: Scope) -> None:
    """Returns when the input ends or a signal asks for it."""
    for number in SIGNALS:
        signal.signal(number, _stop)
    token = BriefToken(agent, wiki, scope)
    # What waits for a line of input cannot be woken by a signal; the process ends without it.
    reader = threading.Thread(target=_run, args=(token,), daemon=True)
    try:
        with suppress(Stop):
            reader.start()
            reader.join()
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        token.end()


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stop


def _run(sender: Sender) -> None:
    try:
        anyio.run(_serve, sender)
    except* BrokenPipeError:
        # The client is gone, and nobody reads an answer.
        pass


async def _serve(sender: Sender) -> None:
    server = make_server(sender)
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())
