from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.base_command import CoveyCommand
from wiki.accounts.wikis import WikiRefused
from wiki.agents.api_tokens import InvalidName, ensure_agent
from wiki.mcp.stdio import serve
from wiki.models import Scope


class Command(CoveyCommand):
    help = (
        "Serves the wiki's tools to one agent by the Model Context Protocol, on standard input "
        "and output."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--agent", required=True, help="the agent's name; it is made if it is missing"
        )
        parser.add_argument(
            "--wiki", default="", help="the wiki that it works with (default: the agent's home)"
        )
        parser.add_argument("--scope", choices=Scope.values, default=Scope.WRITE.value)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            agent, wiki, is_new = ensure_agent(options["agent"], options["wiki"])
        except (InvalidName, WikiRefused) as error:
            raise CommandError(str(error)) from error
        if is_new:
            self.stderr.write(f"The wiki “{wiki.slug}” was made; there is no page in it yet.")
        serve(agent, wiki, Scope(options["scope"]))
