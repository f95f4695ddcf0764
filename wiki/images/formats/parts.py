"""The result of the four readers, and their common functions."""

from dataclasses import dataclass
from typing import Literal

from wiki.images.formats.errors import BrokenPicture

UPRIGHT = 1
# Segments, chunks or blocks of one file: photographs have dozens, long animations some ten
# thousand, a hostile file of 5 MiB two million.
MAX_PARTS = 65_536
_ORIENTATION = 0x0112
_ENTRY = 12


@dataclass(frozen=True)
class CleanedFile:
    """The kept bytes and the header's values; `orientation` is EXIF's, rotated by 90° from 5 on."""

    data: bytes
    width: int
    height: int
    orientation: int = UPRIGHT


def read(data: bytes, start: int, length: int) -> bytes:
    """Return exactly so many bytes. Raises BrokenPicture."""
    if len(part := data[start : start + length]) < length:
        raise BrokenPicture
    return part


def count_part(number: int) -> int:
    """Add one. Raises BrokenPicture from MAX_PARTS on."""
    if number >= MAX_PARTS:
        raise BrokenPicture
    return number + 1


def read_orientation(exif: bytes) -> int:
    """Return the orientation, the only part of EXIF that is kept."""
    tiff = exif.removeprefix(b"Exif\0\0")
    if tiff[:2] not in (b"II", b"MM"):
        return UPRIGHT

    byte_order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"

    def number(start: int, length: int) -> int:
        return int.from_bytes(tiff[start : start + length], byte_order)

    first = number(4, 4) + 2
    # The announced number is bounded by the bytes.
    count = min(number(first - 2, 2), (len(tiff) - first) // _ENTRY)
    for entry in range(first, first + count * _ENTRY, _ENTRY):
        if number(entry, 2) == _ORIENTATION:
            value = number(entry + 8, 2)
            return value if 1 <= value <= 8 else UPRIGHT
    return UPRIGHT


def write_orientation(orientation: int) -> bytes:
    """Build EXIF with nothing but the orientation."""
    entry = _ORIENTATION.to_bytes(2) + b"\0\3\0\0\0\1" + orientation.to_bytes(2) + b"\0\0"
    return b"MM\0*\0\0\0\x08\0\1" + entry + b"\0\0\0\0"
