"""A covey of its own for a test: a data folder, a free port, real processes. Whatever is left of
it is ended by id."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import psutil
from django.conf import settings

QUERY = (
    "from django.db import connection; connection.cursor().execute('SELECT 1'); "
    "print('answered', flush=True)"
)
PATIENCE = 60
T = TypeVar("T")


def wait_for(look: Callable[[], T], what: str, seconds: float = PATIENCE) -> T:
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what}"
        time.sleep(0.1)
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class Installation:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "var"
        self.log = folder / "log"
        self.environment = {
            **os.environ,
            "COVEY_DATA_DIR": str(self.home),
            "COVEY_PORT": "0",
            "DATABASE_URL": "",
        }

    @property
    def project(self) -> Path:
        return Path(settings.BASE_DIR)

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "manage.py", *words]

    def start(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                self.command(*words),
                cwd=self.project,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                # Under nohup this test run ignores it, and so would what it starts.
                preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
            )

    def run(self, *words: str, **environment: str) -> int:
        return self.start(*words, **environment).wait(PATIENCE)

    def query(self, then: str = "") -> subprocess.Popen[bytes]:
        """A process that has used the database and now does `then`."""
        before = self.output().count("answered")
        process = self.start("shell", "-v0", "-c", f"{QUERY}\n{then}")
        wait_for(
            lambda: process.poll() is not None or self.output().count("answered") > before,
            "an answer",
        )
        return process

    def can_query(self) -> bool:
        return self.query().wait(PATIENCE) == 0

    def start_up(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        """An `up` that serves."""
        before = self.output().count("covey is ready")
        process = self.start("up", "--no-demo", *words, **environment)
        wait_for(
            lambda: process.poll() is not None or self.output().count("covey is ready") > before,
            "readiness",
        )
        assert process.poll() is None, self.output()
        return process

    def address(self) -> str:
        return self.output().rsplit("covey is ready: ", 1)[1].split()[0]

    def status(self, path: str) -> int:
        with urllib.request.urlopen(self.address() + path, timeout=10) as answer:
            return int(answer.status)

    def output(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def processes(self, *words: str) -> list[psutil.Process]:
        """The living processes that were given this folder, those whose command line has these
        words."""
        return [process for process in psutil.process_iter() if self._owns(process, words)]

    def kill_all(self) -> None:
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)

    def _owns(self, process: psutil.Process, words: tuple[str, ...]) -> bool:
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            line = " ".join(process.cmdline())
            given = f"{line} {process.environ()}"
            return str(self.folder) in given and all(word in line for word in words)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            return False


@contextmanager
def installation(template: Installation | None = None) -> Iterator[Installation]:
    """A new one, or a copy of one that has run and stopped."""
    folder = Path(tempfile.mkdtemp(prefix="covey-test-"))
    folder.chmod(0o711)
    made = Installation(folder)
    try:
        if template:
            subprocess.run(["cp", "-a", template.home, made.home], check=True)
        yield made
    finally:
        made.kill_all()
        wait_for(lambda: not made.processes(), "the end of killed processes")
        shutil.rmtree(folder, ignore_errors=True)
