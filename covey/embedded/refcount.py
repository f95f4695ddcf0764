"""Reference counting of the server by two file locks in COVEY_DATA_DIR.

- postgres.users is shared by all processes that use the server. The last one to end gets it
  exclusively and stops the server.
- postgres.keeper is held by the keeper, a small process that waits for postgres.users. It stops
  the server if the last user was killed, or ended without exit handlers, as the queue's do.
"""

import atexit
import os
import subprocess
import sys
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH
from pathlib import Path

from covey.embedded import locks
from covey.embedded.postmaster import end_server_processes, find_postmaster

SOURCE = Path(__file__).resolve().parent.parent.parent


class Share:
    def __init__(self, home: Path) -> None:
        self.data = home / "postgres"
        self.users = home / "postgres.users"
        self.keeper = home / "postgres.keeper"
        self._descriptor: int | None = None
        self._holder = 0

    def take(self) -> bool:
        """Hold a share until this process ends; return whether it had none before."""
        if self._descriptor is not None:
            return False
        descriptor = locks.open_file(self.users)
        locks.take(descriptor, LOCK_SH)
        self._descriptor, self._holder = descriptor, os.getpid()
        atexit.register(self.release)
        return True

    def release(self) -> None:
        """Release the share; if it was the last one, return when the server has stopped."""
        if self._descriptor is None or self._holder != os.getpid():
            return
        # Closed, not unlocked: forked processes share this lock and keep it.
        os.close(self._descriptor)
        self._descriptor = None
        with locks.locked(self.users, LOCK_EX | LOCK_NB) as is_last:
            if is_last:
                self.stop_server()
        if is_last:
            locks.wait_until_free(self.keeper, seconds=2)
        else:
            # Waits only for a keeper that is stopping the server.
            with locks.locked(self.users, LOCK_SH):
                pass

    def stop_server(self) -> None:
        if server := find_postmaster(self.data):
            server.stop()
        end_server_processes(self.data)

    def start_keeper(self) -> None:
        with locks.locked(self.keeper, LOCK_EX | LOCK_NB) as is_missing:
            pass
        if is_missing:
            # Returns when the keeper has forked.
            subprocess.run(
                [sys.executable, "-m", "covey.embedded.keeper", str(self.data.parent)],
                cwd=SOURCE,
                env={"PATH": os.defpath},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def keep(self) -> None:
        """Run the keeper, in a fork: wait for the last user and stop the server."""
        with locks.locked(self.keeper, LOCK_EX | LOCK_NB) as is_only_one:
            if not is_only_one or os.fork():
                return
            with locks.locked(self.users, LOCK_EX):
                self.stop_server()
                # The kernel releases the older lock first, so the next user starts a new keeper.
                os._exit(0)
