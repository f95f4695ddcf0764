import signal
from contextlib import closing, suppress
from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.base_command import CoveyCommand
from embeddings.local_server.models import DEFAULT, MODELS, LocalModel, MissingPackage
from embeddings.local_server.server import HOST, SemanticServer


class Stop(BaseException):
    """A signal asks the service to stop."""


def _stop(*_: object) -> None:
    raise Stop


class Command(CoveyCommand):
    help = (
        f"Serves a semantic embedding on {HOST} in Ollama's and OpenAI's form. Ctrl-C or "
        f"SIGTERM stops it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        text = "where it listens (default: 8495; 0: any free port)"
        parser.add_argument("--port", type=int, default=8495, help=text)
        costs = "; ".join(
            f"{local.name}: {local.price.query:g} ms a query, {local.price.page / 1000:g} s a page"
            for local in MODELS.values()
        )
        parser.add_argument(
            "--model",
            choices=MODELS,
            default=DEFAULT.name,
            help=f"what it serves (default: {DEFAULT.name}). On one core, about: {costs}",
        )

    def handle(self, *args: Any, port: int, model: str, **options: Any) -> None:
        local = MODELS[model]
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
        with suppress(Stop), closing(_open(port, local)) as server:
            self.stdout.write(f"serving {local.name} at {server.address}")
            self.stdout.flush()
            server.serve_forever()


def _open(port: int, local: LocalModel) -> SemanticServer:
    try:
        return SemanticServer(port, local)
    except MissingPackage as error:
        raise CommandError(str(error)) from error
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "it is no port number"
        raise CommandError(
            f"Port {port} on {HOST} cannot be used: {reason}. Choose another one: --port."
        ) from error
