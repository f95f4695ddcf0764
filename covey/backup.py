"""Back up an installation into one file, and restore it: pg_dump, pictures and secret key.

The programs are those of the embedded PostgreSQL, also for an older server outside.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.db import connection

from covey.embedded.cluster import find_programs
from covey.embedded.errors import ServerError

DATABASE = "database.dump"
PICTURES = "pictures"
KEY = "secret_key"
# The rest needs a superuser of an outside database.
_PORTABLE = ("--no-owner", "--no-privileges", "--no-comments")


class BackupFailed(Exception):
    """The message says why, and what to do."""


def create_backup(file: Path) -> None:
    """Write the file whole or not at all, readable by its owner alone. Raises BackupFailed.

    covey may run: pictures are copied after the dump, so all that its pages show are there.
    """
    if file.exists():
        raise BackupFailed(f"{file} exists already. Name another file.")
    with _folder_beside(file) as folder:
        dump, draft = folder / DATABASE, folder / "draft"
        _run("pg_dump", "--format=custom", *_PORTABLE, f"--file={dump}", f"--dbname={_name()}")
        with (
            open(os.open(draft, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as out,
            tarfile.open(fileobj=out, mode="w") as tar,
        ):
            tar.add(dump, DATABASE)
            for name in (PICTURES, KEY):
                if (settings.COVEY_DATA_DIR / name).exists():
                    tar.add(settings.COVEY_DATA_DIR / name, name)
        draft.rename(file)


def restore_backup(file: Path) -> None:
    """Restore into an empty database and data folder. Raises BackupFailed."""
    if connection.introspection.table_names() or (settings.COVEY_DATA_DIR / PICTURES).exists():
        raise BackupFailed(
            "There is something in this installation already. Set COVEY_DATA_DIR to a new folder."
        )
    try:
        with _folder_beside(settings.COVEY_DATA_DIR / KEY) as folder, tarfile.open(file) as tar:
            unpack(tar, folder)
            dump = folder / DATABASE
            if not dump.is_file():
                raise BackupFailed(f"{file} is no backup of covey.")
            strict = ("--exit-on-error", "--single-transaction")
            _run("pg_restore", *strict, *_PORTABLE, f"--dbname={_name()}", str(dump))
            for name in (PICTURES, KEY):
                if (folder / name).exists():
                    (folder / name).rename(settings.COVEY_DATA_DIR / name)
    except tarfile.TarError as error:
        raise BackupFailed(f"{file} is no backup of covey.") from error


def unpack(tar: tarfile.TarFile, folder: Path) -> None:
    """Take out what a backup of covey has, regular files alone: a link, or a name that leads
    elsewhere, could overwrite any file of this user. Raises OSError for a name that is there
    twice."""
    for member in tar:
        parts = PurePosixPath(member.name).parts
        is_picture = len(parts) == 3 and parts[0] == PICTURES and ".." not in parts
        if not member.isreg() or not (is_picture or member.name in (DATABASE, KEY)):
            continue
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        source = tar.extractfile(member)
        with open(descriptor, "wb") as file:
            if source:
                shutil.copyfileobj(source, file)


@contextmanager
def _folder_beside(file: Path) -> Iterator[Path]:
    """Make a temporary folder on the same disk, so that files can be moved into place."""
    if not file.parent.is_dir():
        raise BackupFailed(f"There is no folder {file.parent}.")
    try:
        with tempfile.TemporaryDirectory(prefix=".covey-", dir=file.parent) as folder:
            yield Path(folder)
    except OSError as error:
        raise BackupFailed(f"{error.filename or file} cannot be used: {error.strerror}.") from error


def _name() -> str:
    return str(connection.get_connection_params()["dbname"])


def _run(program: str, *words: str) -> None:
    # The embedded server runs as long as a connection is open.
    connection.ensure_connection()
    given = connection.get_connection_params()
    names = ("host", "port", "user", "password", "sslmode")
    access = {f"PG{name.upper()}": str(given[name]) for name in names if given.get(name)}
    try:
        done = subprocess.run(
            [find_programs() / program, *words],
            env={"PATH": os.defpath, "LC_ALL": "C", **access},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except ServerError as error:
        raise BackupFailed(str(error)) from error
    if done.returncode != 0:
        raise BackupFailed(f"{program} failed: {done.stderr.strip()[-2000:]}")
