from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from covey.base_command import CoveyCommand
from wiki.accounts.wikis import WikiRefused, ensure_wiki
from wiki.agents.api_tokens import MAX_DAYS, InvalidName, create_token, ensure_agent
from wiki.models import Scope


class Command(CoveyCommand):
    help = (
        "Makes a token for an agent and prints it alone. Agent and wikis are made if they are "
        "missing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", help="the agent's name")
        parser.add_argument(
            "--wiki",
            action="append",
            default=[],
            metavar="SLUG",
            help="a wiki that the token opens (default: the agent's home); said again, it opens "
            "several, and its calls "
            "are about the first unless they name another",
        )
        parser.add_argument(
            "--scope",
            choices=Scope.values,
            default=Scope.WRITE.value,
            help="read: recall and read pages; file: recall and hand in insights; write: "
            "everything (default)",
        )
        parser.add_argument(
            "--expires", type=int, metavar="DAYS", help="after so many days (default: never)"
        )
        parser.add_argument(
            "--requests-per-minute",
            type=int,
            metavar="N",
            help="instead of COVEY_REQUESTS_PER_MINUTE; 0: as many as it likes",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        days, limit = options["expires"], options["requests_per_minute"]
        if days is not None and not 1 <= days <= MAX_DAYS:
            raise CommandError(f"--expires takes a number of days from 1 to {MAX_DAYS}.")
        if limit is not None and not 0 <= limit < 2**31:
            raise CommandError("--requests-per-minute takes a number from 0 on.")
        first, *further = options["wiki"] or [""]
        try:
            agent, home, is_new = ensure_agent(options["agent"], first)
            ensured = [(home, is_new), *(ensure_wiki(name) for name in further)]
        except (InvalidName, WikiRefused) as error:
            raise CommandError(str(error)) from error
        for wiki, is_new in ensured:
            if is_new:
                self.stderr.write(f"The wiki “{wiki.slug}” was made; there is no page in it yet.")
        _, secret = create_token(
            agent,
            home,
            Scope(options["scope"]),
            timezone.now() + timedelta(days=days) if days else None,
            also_opens=[wiki for wiki, _ in ensured],
            requests_per_minute=limit,
        )
        self.stdout.write(secret)
