import signal
from contextlib import closing, suppress
from typing import Any

from django.core.management.base import CommandError, CommandParser

from covey.base_command import CoveyCommand
from embeddings.local_server.model import NAME, MissingPackage
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

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
        with suppress(Stop), closing(_open(port)) as server:
            self.stdout.write(f"serving {NAME} at {server.address}")
            self.stdout.flush()
            server.serve_forever()


def _open(port: int) -> SemanticServer:
    try:
        return SemanticServer(port)
    except MissingPackage as error:
        raise CommandError(str(error)) from error
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "it is no port number"
        raise CommandError(
            f"Port {port} on {HOST} cannot be used: {reason}. Choose another one: --port."
        ) from error
