"""The server process behind a data folder: found by its postmaster.pid, verified, ended."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

SOCKET_NAME = ".s.PGSQL.5432"
# The prefix of a folder made for a socket, as opposed to the data folder.
SOCKET_FOLDER_PREFIX = "covey-"


@dataclass(frozen=True)
class Postmaster:
    process: psutil.Process
    port: str
    socket_folder: Path

    def stop(self, patience: float = 20) -> None:
        """Stop fast, then immediately (the next start recovers), then by force; `patience` is
        seconds each."""
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if end_processes([self.process], number, patience):
                break
        remove_socket_folder(self.socket_folder)


def find_postmaster(data: Path) -> Postmaster | None:
    """Return the running server, once its postmaster.pid says where it listens."""
    lines = _read_pid_file(data)
    process = _process_of(lines)
    # Line 5, the socket's folder, is filled in when the server listens.
    if process is None or len(lines) < 5 or not lines[4] or not is_server_of(process, data):
        return None
    return Postmaster(process, lines[3], Path(lines[4]))


def end_server_processes(data: Path, patience: float = 10) -> bool:
    """End a postmaster of this data folder and its orphans; return whether none is left.

    Each of them may hold the folder's shared memory, which keeps a new server from starting.
    """
    for number in (signal.SIGTERM, signal.SIGQUIT):
        processes = [process for process in psutil.process_iter() if is_server_of(process, data)]
        if end_processes(processes, number, patience):
            return True
    return False


def end_processes(
    processes: Sequence[psutil.Process], number: signal.Signals, patience: float
) -> bool:
    """Send this signal and wait up to `patience` seconds; return whether all have ended."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    deadline = time.monotonic() + patience
    while any(map(is_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(is_alive, processes))


def is_alive(process: psutil.Process) -> bool:
    """Count a zombie as ended: in a container, process 1 may never reap it."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def clear_remains(data: Path) -> None:
    """Remove the socket of a killed server, and a pid file without an id or with another process's.

    Call it only when no process of that server is left. A pid file whose process is gone stays:
    PostgreSQL checks first whether the shared memory in it is in use.
    """
    lines = _read_pid_file(data)
    if not lines or not lines[0].isdigit() or _process_of(lines) is not None:
        (data / "postmaster.pid").unlink(missing_ok=True)
    _remove_socket(data)
    if len(lines) > 4:
        remove_socket_folder(Path(lines[4]))


def remove_socket_folder(folder: Path) -> None:
    if folder.name.startswith(SOCKET_FOLDER_PREFIX):
        with suppress(OSError):
            _remove_socket(folder)
            folder.rmdir()


def _remove_socket(folder: Path) -> None:
    for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
        (folder / name).unlink(missing_ok=True)


def is_server_of(process: psutil.Process, data: Path) -> bool:
    """Recognise a server process by its working directory, which stays right if it is moved."""
    try:
        if process.name() != "postgres" or not is_alive(process):
            return False
        return os.path.samefile(process.cwd(), data)
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        # A process that cannot be inspected is another user's, so not the server.
        return False


def _read_pid_file(data: Path) -> list[str]:
    try:
        text = (data / "postmaster.pid").read_text(errors="replace")
        return [line.strip() for line in text.splitlines()]
    except FileNotFoundError:
        return []


def _process_of(lines: list[str]) -> psutil.Process | None:
    try:
        return psutil.Process(int(lines[0]))
    except (ValueError, IndexError, OverflowError, psutil.NoSuchProcess):
        return None
