"""A backup from elsewhere is unpacked into its folder alone."""

import io
import tarfile
from pathlib import Path

import pytest

from covey.backup import unpack


def _member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    member.size = 4 if kind == tarfile.REGTYPE else 0
    return member


def _unpack(folder: Path, *members: tarfile.TarInfo) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(b"text") if member.size else None)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as tar:
        unpack(tar, folder)


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_only_what_a_backup_has_is_taken_out(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    good = ["database.dump", "secret_key", "pictures/1/a.png"]
    _unpack(
        folder,
        _member("pictures/2", tarfile.SYMTYPE, str(outside)),
        _member("pictures/3/a.png", tarfile.LNKTYPE, "/etc/hostname"),
        _member("pictures/4/pipe", tarfile.FIFOTYPE),
        *map(_member, ["../x", "/x", "pictures/../x", "pictures/1/../x", "pictures/x", "other"]),
        _member("pictures/" + "a" * 300 + "/../../x"),
        _member("pictures/2/a.png"),
        *map(_member, good),
    )
    assert _names(folder) == {*good, "pictures/2/a.png"}
    assert _names(tmp_path) == {f"in/{name}" for name in _names(folder)}
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        _unpack(tmp_path, _member("secret_key"), _member("secret_key"))
