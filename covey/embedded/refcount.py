"""How long the server lives: as long as somebody holds a share in it.

Two locks in COVEY_DATA_DIR, both of the kernel:
- postgres.users is shared by all processes that use the server. The last one gets it alone and
  stops it.
- postgres.keeper is held by the keeper, a small process that waits for postgres.users. It stops
  the server if the last user was killed, or left without running its exit handlers as the queue's
  processes do.
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
        """Holds a share for as long as this process lives; returns whether it had none before."""
        if self._descriptor is not None:
            return False
        descriptor = locks.open_file(self.users)
        locks.take(descriptor, LOCK_SH)
        self._descriptor, self._holder = descriptor, os.getpid()
        atexit.register(self.release)
        return True

    def release(self) -> None:
        """Gives the share back. Returns only after the server has stopped if nobody else uses
        it."""
        if self._descriptor is None or self._holder != os.getpid():
            return
        # Closed, not unlocked: processes that were forked off share this lock and keep it.
        os.close(self._descriptor)
        self._descriptor = None
        with locks.locked(self.users, LOCK_EX | LOCK_NB) as is_last:
            if is_last:
                self.stop_server()
        if is_last:
            locks.wait_until_free(self.keeper, seconds=2)
        else:
            # Others share it, and this is got at once; or the keeper was quicker and is stopping
            # the server.
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
            # Returns as soon as the keeper has left for a process of its own.
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
        """The keeper's life."""
        with locks.locked(self.keeper, LOCK_EX | LOCK_NB) as is_only_one:
            if not is_only_one or os.fork():
                return
            with locks.locked(self.users, LOCK_EX):
                self.stop_server()
                # The kernel gives up the older lock first: who comes next finds that it needs a new
                # keeper.
                os._exit(0)
