"""Who runs PostgreSQL. It refuses to run as root, so root hands it to a system user."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.embedded.errors import ServerError

SYSTEM_USER = "pgserver"
MAKE_USER = (
    (
        "useradd",
        "--system",
        "--user-group",
        "--no-create-home",
        "--shell",
        "/usr/sbin/nologin",
        SYSTEM_USER,
    ),
    ("adduser", "-S", "-D", "-H", SYSTEM_USER),  # BusyBox
)
# Nothing of the caller's environment (PGPORT, PGDATA, PGOPTIONS, a language) may change how the
# server runs.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int
    # Words before the command that change the user.
    prefix: tuple[str, ...] = ()
    # What tells subprocess to change the user.
    switch: tuple[tuple[str, Any], ...] = ()

    def options(self) -> dict[str, Any]:
        return {"cwd": "/", "env": ENVIRONMENT, "stdin": subprocess.DEVNULL, **dict(self.switch)}

    def run(
        self, command: Sequence[str | Path], **options: Any
    ) -> subprocess.CompletedProcess[str]:
        words = [*self.prefix, *map(str, command)]
        return subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            **{**self.options(), **options},
        )

    def start(self, command: Sequence[str | Path], **options: Any) -> subprocess.Popen[bytes]:
        """A process in a session of its own: a Ctrl-C in the terminal does not reach it."""
        return subprocess.Popen(
            [*self.prefix, *map(str, command)],
            start_new_session=True,
            **{**self.options(), **options},
        )

    def may_run(self, program: Path, folder: Path) -> bool:
        script = 'cd "$1" && "$2" --version'
        return self.run(["/bin/sh", "-c", script, "sh", folder, program]).returncode == 0


def find_account(program: Path, folder: Path) -> Account:
    """Who is to run `program` on `folder`: ourselves, or for root the folder's owner or the system
    user."""
    if os.geteuid() != 0:
        return _describe(_entry_of(os.geteuid()))
    owner = folder.stat().st_uid
    entry = _entry_of(owner) if owner != 0 else _system_user()
    ways = (_by_setuid(entry), _by_capability(entry))
    for account in ways:
        if account and account.may_run(program, folder):
            return account
    raise ServerError(
        f"PostgreSQL refuses to run as root, and the user {entry.pw_name} may not enter {folder} "
        f"or run {program}. "
        "Set COVEY_DATA_DIR to a folder that other users may enter, such as /var/lib/covey, "
        "install setpriv "
        "(package util-linux), or run covey as an ordinary user."
    )


def _describe(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _by_setuid(entry: pwd.struct_passwd) -> Account:
    switch: tuple[tuple[str, Any], ...] = (
        ("user", entry.pw_uid),
        ("group", entry.pw_gid),
        ("extra_groups", []),
    )
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=switch)


def _by_capability(entry: pwd.struct_passwd) -> Account | None:
    """For a place that is closed to others, such as /root: the right to pass closed folders, no
    other."""
    setpriv = shutil.which("setpriv")
    if not setpriv:
        return None
    identity = (f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups")
    # The securebit makes access(2), by which initdb looks for its programs, heed the capability
    # too.
    capability = (
        "--securebits=+no_setuid_fixup",
        "--inh-caps=+dac_read_search",
        "--ambient-caps=+dac_read_search",
    )
    return Account(
        entry.pw_name, entry.pw_uid, entry.pw_gid, prefix=(setpriv, *identity, *capability, "--")
    )


def _entry_of(uid: int) -> pwd.struct_passwd:
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        raise ServerError(
            f"User id {uid} has no name on this system, and PostgreSQL needs one. Add it to "
            f"/etc/passwd, "
            "or set DATABASE_URL to another PostgreSQL."
        ) from None


def _system_user() -> pwd.struct_passwd:
    for command in MAKE_USER:
        try:
            return pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            if shutil.which(command[0]):
                subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        raise ServerError(
            f"PostgreSQL refuses to run as root, and the system user {SYSTEM_USER} for it could "
            f"not be made. "
            f"Make it (`useradd --system {SYSTEM_USER}`) or run covey as an ordinary user."
        ) from None
