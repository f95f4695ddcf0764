"""`manage.py up`: prepare the installation, then supervise web server and worker."""

import errno
import http.client
import os
import queue
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError
from django.db import Error, close_old_connections, connections

from covey.bootstrap import prepare
from covey.checks import log_warnings
from covey.child_processes import STARTED_BY_UP, Child, Console, end_orphans
from covey.embedded import locks
from covey.embedded.base import server
from embeddings.client import active_model, active_provider
from embeddings.local_server.models import MODELS, MissingPackage
from embeddings.local_server.server import HOST
from wiki.operations.health import WORKER_SILENCE, worker_heartbeat_age

# Seconds between two looks at the children.
TICK = 0.5
# Seconds for the children to end by themselves.
STOP_SECONDS = 20.0
# Seconds between two looks at the worker's heartbeat.
HEARTBEAT_CHECK_SECONDS = 15.0


class StopRequested(BaseException):
    """A signal asks `up` to stop."""


class Supervisor:
    def __init__(self, demo: bool, only_worker: bool = False, semantic: bool = False) -> None:
        """`semantic`: run the semantic service too; raises CommandError unless the settings use
        it."""
        self.demo = demo
        self.only_worker = only_worker
        self.semantic_port = _semantic_port() if semantic else None
        self.home: Path = settings.COVEY_DATA_DIR
        self.console = Console()
        self.children: list[Child] = []
        self._wake: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._is_interruptible = False
        # Without a proxy that the environment names.
        self._client = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def run(self) -> None:
        """Run until a signal, and return when all has ended. Raises CommandError."""
        self._listen_to_signals()
        with suppress(StopRequested), ExitStack() as stack:
            stack.enter_context(_exclusive(self.home))
            log_warnings()
            with self._interruptible():
                end_orphans(self.home)
            listener = None if self.only_worker else stack.enter_context(_listen())
            if self.semantic_port:
                _require_free(self.semantic_port)
            stack.callback(server.share.release)
            stack.callback(connections.close_all)
            stack.callback(self._stop_children)
            if self.semantic_port:
                self._serve_embeddings(self.semantic_port)
            if listener:
                # Closed first, so that no client waits for a server that is stopping.
                stack.callback(listener.close)
                self._serve(listener)
            else:
                self._supervise(self._worker(settings.COVEY_PORT))

    def _serve(self, listener: socket.socket) -> None:
        port = listener.getsockname()[1]
        address = _public_address(port)
        with self._interruptible():
            prepare(self.demo, self.console, address)
        connections.close_all()
        web = [sys.executable, "-m", "gunicorn", "--config", "python:covey.gunicorn_settings"]
        self._child("web", [*web, "--bind", f"fd://{listener.fileno()}"], port, [listener.fileno()])
        self._supervise(self._worker(port), address, f"http://{_local_address(listener)}/readyz")

    def _serve_embeddings(self, port: int) -> None:
        # Started before the preparation, which embeds the demo wiki.
        command = [sys.executable, "manage.py", "serve_embeddings", "--port", str(port)]
        command += ["--model", active_model()]
        self._child("model", command, settings.COVEY_PORT).restart_if_ended()

    def _worker(self, port: int) -> Child:
        # `up` has run the checks.
        command = [sys.executable, "manage.py", "qcluster", "--skip-checks"]
        return self._child("worker", command, port)

    def _child(
        self, name: str, command: list[str], port: int, descriptors: list[int] | None = None
    ) -> Child:
        environment = {
            **os.environ,
            "COVEY_DATA_DIR": str(self.home),
            "COVEY_PORT": str(port),
            STARTED_BY_UP: str(self.home.resolve()),
            "PYTHONUNBUFFERED": "1",
        }
        child = Child(name, command, self.console, environment, descriptors or [])
        self.children.append(child)
        return child

    def _supervise(self, worker: Child, address: str = "", ready: str = "") -> None:
        """Return at a signal. Print `address` once the web server answers at `ready`, if given."""
        is_ready, next_check = not ready, 0.0
        while True:
            for child in self.children:
                child.restart_if_ended()
            if not is_ready and self._answers(ready):
                is_ready = True
                self.console.write_line(f"covey is ready: {address}")
            if is_ready and time.monotonic() > next_check:
                next_check = time.monotonic() + HEARTBEAT_CHECK_SECONDS
                close_old_connections()
                with self._interruptible():
                    is_silent = is_worker_silent(worker)
                if is_silent:
                    text = "covey: the worker gives no sign of life; it is started again"
                    self.console.write_line(text)
                    worker.kill()
            with suppress(queue.Empty):
                self._wake.get(timeout=TICK)
                return

    def _answers(self, address: str) -> bool:
        try:
            # This Host is allowed on every address.
            probe = urllib.request.Request(address, headers={"Host": "127.0.0.1"})
            with self._interruptible(), self._client.open(probe, timeout=2) as answer:
                return bool(answer.status == 200)
        except (OSError, http.client.HTTPException):
            return False

    def _listen_to_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Under nohup a closing terminal does not stop it.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._is_interruptible:
            self._is_interruptible = False
            raise StopRequested
        self._wake.put(number)

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Let a signal interrupt the block; elsewhere it waits in the queue."""
        self._is_interruptible = True
        try:
            with suppress(queue.Empty):
                self._wake.get_nowait()
                raise StopRequested
            yield
        finally:
            self._is_interruptible = False

    def _stop_children(self) -> None:
        self.console.write_line("covey is stopping")
        for child in self.children:
            child.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        while any(child.is_running() for child in self.children) and time.monotonic() < deadline:
            with suppress(queue.Empty):
                self._wake.get(timeout=0.05)
                break  # asked a second time: at once
        for child in self.children:
            child.kill()


def is_worker_silent(worker: Child) -> bool:
    """Whether a running cluster does nothing, as it may for good once a process of it is killed."""
    if worker.uptime() < WORKER_SILENCE.total_seconds():
        return False
    try:
        age = worker_heartbeat_age()
    except Error:
        # The database is down for a moment.
        return False
    return age is None or age > WORKER_SILENCE


@contextmanager
def _exclusive(home: Path) -> Iterator[None]:
    locks.make_home(home)
    with locks.locked(home / "up.lock", LOCK_EX | LOCK_NB) as is_first:
        if not is_first:
            raise CommandError(f"covey is already running on COVEY_DATA_DIR={home}. Stop it first.")
        yield


def _listen() -> socket.socket:
    """Open the web server's socket here, so that it outlives every child."""
    host, port = settings.COVEY_BIND, settings.COVEY_PORT
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        problem = f"COVEY_PORT={port} on COVEY_BIND={host} cannot be used: {error.strerror}."
        raise CommandError(f"{problem} {_remedy(error)}") from error


def _remedy(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "Stop what uses it, or set COVEY_PORT to another number."
    if error.errno in (errno.EACCES, errno.EPERM):
        return "Set COVEY_PORT to a number from 1024 on."
    return (
        "Set COVEY_BIND to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of "
        "them."
    )


def _semantic_port() -> int:
    """Return the port at which the settings expect the semantic service. Raises CommandError."""
    address = urlsplit(settings.COVEY_EMBEDDING_URL)
    local = MODELS.get(active_model()) if active_provider() == "ollama" else None
    if local is None or address.hostname != HOST or not address.port:
        raise CommandError(
            f"--semantic needs COVEY_EMBEDDING_PROVIDER=ollama, "
            f"COVEY_EMBEDDING_URL=http://{HOST}:8495 "
            f"and COVEY_EMBEDDING_MODEL={' or '.join(MODELS)}. `make run-semantic` sets them."
        )
    try:
        local.require()
    except MissingPackage as error:
        raise CommandError(str(error)) from error
    return address.port


def _require_free(port: int) -> None:
    """Raise CommandError for a port in use before anything starts; the service opens it itself."""
    try:
        socket.create_server((HOST, port)).close()
    except OSError as error:
        raise CommandError(
            f"Port {port} of COVEY_EMBEDDING_URL cannot be used: {os.strerror(error.errno or 0)}. "
            "Stop what uses it, or name another one there."
        ) from error


def _public_address(port: int) -> str:
    address = str(settings.COVEY_PUBLIC_URL)
    return f"{address.removesuffix(':0')}:{port}" if urlsplit(address).port == 0 else address


def _local_address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if listener.family == socket.AF_INET6:
        return f"[::1]:{port}" if host == "::" else f"[{host}]:{port}"
    return f"127.0.0.1:{port}" if host == "0.0.0.0" else f"{host}:{port}"
