"""The user that runs PostgreSQL: a system user for root, as which PostgreSQL refuses to run."""

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
_NO_LOGIN = ("--no-create-home", "--shell", "/usr/sbin/nologin")
MAKE_USER = (
    ("useradd", "--system", "--user-group", *_NO_LOGIN, SYSTEM_USER),
    ("adduser", "-S", "-D", "-H", SYSTEM_USER),  # BusyBox
)
# Without the caller's PGPORT, PGDATA, PGOPTIONS and language.
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
        """Start a process in its own session, out of reach of a Ctrl-C in the terminal."""
        words = [*self.prefix, *map(str, command)]
        return subprocess.Popen(words, start_new_session=True, **{**self.options(), **options})

    def may_run(self, program: Path, folder: Path) -> bool:
        script = 'cd "$1" && "$2" --version'
        return self.run(["/bin/sh", "-c", script, "sh", folder, program]).returncode == 0


def find_account(program: Path, folder: Path) -> Account:
    """Return this process's user; for root the folder's owner or the system user."""
    if os.geteuid() != 0:
        entry = _entry_of(os.geteuid())
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    owner = folder.stat().st_uid
    entry = _entry_of(owner) if owner != 0 else _system_user()
    for account in (_by_setuid(entry), _by_capability(entry)):
        if account and account.may_run(program, folder):
            return account
    raise ServerError(
        f"PostgreSQL refuses to run as root, and the user {entry.pw_name} may not enter {folder} "
        f"or run {program}. "
        "Set COVEY_DATA_DIR to a folder that other users may enter, such as /var/lib/covey, "
        "install setpriv "
        "(package util-linux), or run covey as an ordinary user."
    )


def _by_setuid(entry: pwd.struct_passwd) -> Account:
    uid, gid = entry.pw_uid, entry.pw_gid
    switch: tuple[tuple[str, Any], ...] = (("user", uid), ("group", gid), ("extra_groups", []))
    return Account(entry.pw_name, uid, gid, switch=switch)


def _by_capability(entry: pwd.struct_passwd) -> Account | None:
    """Grant only the right to pass closed folders, such as /root."""
    setpriv = shutil.which("setpriv")
    if not setpriv:
        return None
    identity = (f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups")
    # The securebit makes access(2), which initdb calls for its programs, heed the capability.
    capability = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    prefix = (setpriv, *identity, "--securebits=+no_setuid_fixup", *capability, "--")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, prefix)


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
