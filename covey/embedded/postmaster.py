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
# Its start tells the folder that was made for a socket from the data folder.
SOCKET_FOLDER_PREFIX = "covey-"


@dataclass(frozen=True)
class Postmaster:
    process: psutil.Process
    port: str
    socket_folder: Path

    def stop(self, patience: float = 20) -> None:
        """Ends it and waits: fast, then at once (the next start recovers), then by force."""
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if end_processes([self.process], number, patience):
                break
        remove_socket_folder(self.socket_folder)


def find_postmaster(data: Path) -> Postmaster | None:
    """The living server of this data folder, once its postmaster.pid says where it listens."""
    lines = _read_pid_file(data)
    process = _process_of(lines)
    # The line with the socket's folder is filled in as soon as the server listens.
    if process is None or len(lines) < 5 or not lines[4] or not is_server_of(process, data):
        return None
    return Postmaster(process, lines[3], Path(lines[4]))


def end_server_processes(data: Path, patience: float = 10) -> bool:
    """Ends a postmaster of this data folder or what outlived one; returns whether nothing is left.

    Each of them may hold the shared memory of the folder, beside which no new server may start.
    """
    for number in (signal.SIGTERM, signal.SIGQUIT):
        processes = [process for process in psutil.process_iter() if is_server_of(process, data)]
        if end_processes(processes, number, patience):
            return True
    return False


def end_processes(
    processes: Sequence[psutil.Process], number: signal.Signals, patience: float
) -> bool:
    """Sends this signal and waits; returns whether all have ended."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    deadline = time.monotonic() + patience
    while any(map(is_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(is_alive, processes))


def is_alive(process: psutil.Process) -> bool:
    """An orphan that nobody reaps, as in a container whose first process does not, counts as
    ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def clear_remains(data: Path) -> None:
    """Removes what a killed server left and would keep a new one from starting: its socket, and a
    pid file with the id of a process that is no server, or with no id at all.

    Call it only when no process of that server is left. A file whose process is gone is left to
    PostgreSQL, which looks first whether the shared memory named in it is still in use.
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
    """Every server process works in its data folder, and keeps doing so when the folder is
    moved."""
    try:
        if process.name() != "postgres" or not is_alive(process):
            return False
        return os.path.samefile(process.cwd(), data)
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        # One that we may not look at belongs to another user; ours runs as ourselves, and root sees
        # all.
        return False


def _read_pid_file(data: Path) -> list[str]:
    try:
        return [
            line.strip()
            for line in (data / "postmaster.pid").read_text(errors="replace").splitlines()
        ]
    except FileNotFoundError:
        return []


def _process_of(lines: list[str]) -> psutil.Process | None:
    try:
        return psutil.Process(int(lines[0]))
    except (ValueError, IndexError, OverflowError, psutil.NoSuchProcess):
        return None
