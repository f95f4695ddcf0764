from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.commands import CoveyCommand
from wiki.models import Scope
from wiki.tokens import InvalidName, create_token, ensure_agent
from wiki.wikis import WikiRefused


class Command(CoveyCommand):
    help = "Makes a token for an agent and prints it alone. Agent and wiki are made if they are missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", help="the agent's name")
        parser.add_argument("--wiki", default="", help="the wiki that the token opens (default: the agent's home)")
        parser.add_argument("--scope", choices=Scope.values, default=Scope.WRITE.value)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            agent, wiki, is_new = ensure_agent(options["agent"], options["wiki"])
        except (InvalidName, WikiRefused) as error:
            raise CommandError(str(error)) from error
        if is_new:
            self.stderr.write(f"The wiki “{wiki.slug}” was made; there is no page in it yet.")
        _, secret = create_token(agent, wiki, Scope(options["scope"]))
        self.stdout.write(secret)
