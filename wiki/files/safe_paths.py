"""Files in a folder that others may write into: nothing is read or written through their links."""

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path


class LeadsOut(OSError):
    """A link on the way to a file leads out of its folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ELOOP, "a link leads out of the folder", str(path))


def below(root: Path, path: str | Path) -> Path:
    """Return the path of a file whose folder, once links are followed, is `root` or below it.
    Raises LeadsOut."""
    file = root / path
    if ".." in file.parts or not file.parent.resolve().is_relative_to(root.resolve()):
        raise LeadsOut(file)
    return file


def read_regular(path: Path, limit: int) -> bytes:
    """Return a regular file, at most `limit` bytes of it. Raises OSError for all else, such as a
    pipe or a device, which might never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        return file.read(limit)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, in place of a link too. It keeps its rights; a new one has
    those that the umask leaves."""
    draft = path.with_name(f".{secrets.token_hex(8)}")
    mode = 0o666
    with suppress(FileNotFoundError):
        found = path.lstat()
        mode = found.st_mode & 0o777 if stat.S_ISREG(found.st_mode) else mode
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(draft, path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
