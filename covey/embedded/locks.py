"""File locks (flock), which the kernel releases when a process ends, so none is ever stale."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def make_home(home: Path) -> None:
    """Make COVEY_DATA_DIR; root's lets the server's user pass through, but not read it."""
    home.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)


def open_file(path: Path, flags: int = os.O_RDWR) -> int:
    """Open the file, made when missing; child programs do not inherit the descriptor."""
    descriptor = os.open(path, flags | os.O_CREAT, 0o600)
    if os.geteuid() == 0:
        # Made by root in another user's folder, it must not lock out that user.
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def take(descriptor: int, operation: int) -> bool:
    """Take the lock; return False if it is held elsewhere, only with LOCK_NB."""
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(path: Path, operation: int) -> Iterator[bool]:
    """Hold the lock inside the block; yield whether it was taken."""
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
