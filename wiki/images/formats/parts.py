"""What the readers of the four formats give back, and what two or more of them need."""

from dataclasses import dataclass

from wiki.images.formats.errors import BrokenPicture

UPRIGHT = 1
# Segments, chunks or blocks of one file. Photographs have dozens, long animations some ten
# thousand; a file of 5 MiB could have two million, and every one costs a step.
MAX_PARTS = 65_536
_ORIENTATION = 0x0112
_ENTRY = 12


@dataclass(frozen=True)
class CleanedFile:
    """The bytes that are kept, and what the header says. `orientation` is EXIF's: from 5 on it lies
    on its side."""

    data: bytes
    width: int
    height: int
    orientation: int = UPRIGHT


def read(data: bytes, start: int, length: int) -> bytes:
    """Exactly so many bytes. Raises BrokenPicture where the file ends before."""
    if len(part := data[start : start + length]) < length:
        raise BrokenPicture
    return part


def count_part(number: int) -> int:
    """The number of the next part. Raises BrokenPicture for a file in more pieces than any program
    makes."""
    if number >= MAX_PARTS:
        raise BrokenPicture
    return number + 1


def read_orientation(exif: bytes) -> int:
    """How a photograph must be turned; the rest of EXIF says where, when and by whom it was
    taken."""
    tiff = exif.removeprefix(b"Exif\0\0")
    if tiff[:2] not in (b"II", b"MM"):
        return UPRIGHT

    def number(start: int, length: int) -> int:
        return int.from_bytes(
            tiff[start : start + length], "little" if tiff[:2] == b"II" else "big"
        )

    first = number(4, 4) + 2
    # Not more entries than there are bytes for: the number that the file announces is anybody's.
    count = min(number(first - 2, 2), (len(tiff) - first) // _ENTRY)
    for entry in range(first, first + count * _ENTRY, _ENTRY):
        if number(entry, 2) == _ORIENTATION:
            value = number(entry + 8, 2)
            return value if 1 <= value <= 8 else UPRIGHT
    return UPRIGHT


def write_orientation(orientation: int) -> bytes:
    """EXIF that says nothing else."""
    entry = _ORIENTATION.to_bytes(2) + b"\0\3\0\0\0\1" + orientation.to_bytes(2) + b"\0\0"
    return b"MM\0*\0\0\0\x08\0\1" + entry + b"\0\0\0\0"
