"""File locks of the kernel (flock): given back however a process ends, so nothing is ever stale."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def make_home(home: Path) -> None:
    """Makes COVEY_DATA_DIR. Root lets the server's user pass through it, no further."""
    home.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)


def open_file(path: Path, flags: int = os.O_RDWR) -> int:
    """A descriptor of this file, made when missing; programs that are started later do not inherit
    it."""
    descriptor = os.open(path, flags | os.O_CREAT, 0o600)
    if os.geteuid() == 0:
        # Made by root in somebody else's folder, it must not lock out that somebody.
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def take(descriptor: int, operation: int) -> bool:
    """Whether the lock was got; only with LOCK_NB can it be refused."""
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(path: Path, operation: int) -> Iterator[bool]:
    """Holds this lock inside the block; yields whether it was got."""
    descriptor = open_file(path)
    try:
        yield take(descriptor, operation)
    finally:
        os.close(descriptor)


def wait_until_free(path: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_free:
            if is_free:
                return
        time.sleep(0.01)
