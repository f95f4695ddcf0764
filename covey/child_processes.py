"""The child processes of `up`."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
from django.conf import settings

from covey.embedded.postmaster import end_processes

# Seconds before a restart; the pause doubles with each.
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
# A process that ran longer starts again after the first pause.
STEADY_SECONDS = 60.0
# The environment variable with the data folder of the `up` that started a process.
STARTED_BY_UP = "COVEY_STARTED_BY_UP_ON"
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class Console:
    """Whole lines on standard output, from several threads; a closed terminal is ignored."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()

    def write(self, text: str) -> None:
        with self._mutex, suppress(OSError, ValueError):
            sys.stdout.write(text)
            sys.stdout.flush()

    def write_line(self, text: str) -> None:
        self.write(f"{text}\n")


class Child:
    """A process in its own group, restarted when it ends."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        console: Console,
        environment: Mapping[str, str],
        descriptors: Sequence[int] = (),
    ) -> None:
        self.name, self.command, self.console = name, command, console
        self.environment, self.descriptors = environment, descriptors
        self.started_at = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._pause = FIRST_PAUSE
        self._next_start = 0.0

    def restart_if_ended(self) -> None:
        """Note an end, and start the process when its pause is over."""
        if self.is_running():
            return
        now = time.monotonic()
        if self._process is not None:
            self._note_end(now, self._process)
        elif now >= self._next_start:
            self._start(now)

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def uptime(self) -> float:
        """Return the seconds since its last start."""
        return time.monotonic() - self.started_at

    def terminate(self) -> None:
        # The leader alone, which ends its group in order.
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the whole group."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _start(self, now: float) -> None:
        self.started_at = now
        self._process = subprocess.Popen(
            self.command,
            cwd=settings.BASE_DIR,
            env=self.environment,
            pass_fds=self.descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(_end_with_parent, os.getpid()),
        )
        threading.Thread(target=self._show_output, args=(self._process,), daemon=True).start()

    def _show_output(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        for line in process.stdout:
            if text := line.decode(errors="replace").rstrip():
                self.console.write_line(f"{self.name:<6} | {text}")

    def _note_end(self, now: float, process: subprocess.Popen[bytes]) -> None:
        self.kill()
        self._process = None
        if now - self.started_at > STEADY_SECONDS:
            self._pause = FIRST_PAUSE
        again = f"it starts again in {self._pause:.0f} s"
        self.console.write_line(
            f"covey: {self.name} ended with status {process.returncode}; {again}"
        )
        self._next_start = now + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)


def end_orphans(home: Path, patience: float = 15) -> None:
    """End the children of a killed `up` on this data folder. Call it with the lock of `up` held."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        orphans = [child for child in psutil.process_iter() if _was_started_by_up(child, home)]
        if end_processes(orphans, number, patience):
            return


def _was_started_by_up(process: psutil.Process, home: Path) -> bool:
    try:
        return process.environ().get(STARTED_BY_UP) == str(home.resolve())
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        return False


def _end_with_parent(parent: int) -> None:
    """Ask the kernel (Linux only) to stop this new process when `up` is killed."""
    if libc is not None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)
