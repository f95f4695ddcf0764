import threading
from collections.abc import Mapping
from fcntl import LOCK_EX
from pathlib import Path

from covey.embedded import locks
from covey.embedded.account import find_account
from covey.embedded.cluster import Cluster, find_programs, wait_until_it_answers
from covey.embedded.errors import ServerError
from covey.embedded.postmaster import Postmaster, find_postmaster
from covey.embedded.refcount import Share


class Server:
    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.data = self.home / "postgres"
        self.share = Share(self.home)
        self._mutex = threading.Lock()

    def find(self, parameters: Mapping[str, str], verify: bool = False) -> Postmaster:
        """Return the server, started if missing, queried if `verify`. Raises ServerError."""
        with self._mutex:
            try:
                locks.make_home(self.home)
                is_new = self.share.take()
                server = None if is_new or verify else find_postmaster(self.data)
                return server or self._find_or_start(parameters)
            except OSError as error:
                raise ServerError(
                    f"{error.filename or self.home} cannot be used: {error.strerror}. "
                    "Run covey as the owner of COVEY_DATA_DIR."
                ) from error

    def _find_or_start(self, parameters: Mapping[str, str]) -> Postmaster:
        # One process at a time.
        with locks.locked(self.home / "postgres.start", LOCK_EX):
            self.share.start_keeper()
            server = find_postmaster(self.data)
            if server and wait_until_it_answers(server, self.home / "postgres.log"):
                return server
            folder = self.data if self.data.exists() else self.home
            account = find_account(find_programs() / "postgres", folder)
            cluster = Cluster(self.home, account, parameters)
            cluster.make()
            return cluster.start()
