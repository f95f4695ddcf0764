import re

from wiki.images.formats.errors import BrokenPicture
from wiki.images.formats.parts import (
    UPRIGHT,
    CleanedFile,
    count_part,
    read,
    read_orientation,
    write_orientation,
)

SIGNATURE = b"\xff\xd8\xff"
# Markers of the standard (ITU T.81, annex B).
_START = b"\xff\xd8"
_END = 0xD9
_SCAN = 0xDA
_EXIF = 0xE1
_TABLES = frozenset([*range(0xC0, 0xD0), *range(0xDA, 0xE0)])
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Kept application segments: JFIF, the colour profile, and Adobe's coding of colours.
_ADDED = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
_JFIF_WITHOUT_THUMBNAIL = 12
# In a scan FF 00 is no marker, and the eight restart markers do not end it.
_AFTER_SCAN = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")


def read_jpeg(data: bytes) -> CleanedFile:
    kept = [_START]
    orientation, width, height, parts = UPRIGHT, 0, 0, 0
    has_exif = False
    marker, position = _next_marker(data, len(_START))
    while marker != _END:
        parts = count_part(parts)
        length = int.from_bytes(read(data, position, 2))
        content = read(data, position, length)[2:]
        position += max(length, 2)
        if marker == _EXIF and not has_exif:
            orientation, has_exif = read_orientation(content), content.startswith(b"Exif\0\0")
        if marker in _FRAMES:
            height, width = int.from_bytes(read(content, 1, 2)), int.from_bytes(read(content, 3, 2))
        kept.append(_cleaned_segment(marker, content))
        if marker == _SCAN:
            end = _end_of_scan(data, position)
            kept.append(data[position:end])
            position = end
        marker, position = _next_marker(data, position)
    if orientation != UPRIGHT:
        kept.insert(1, _segment(_EXIF, b"Exif\0\0" + write_orientation(orientation)))
    return CleanedFile(b"".join(kept) + bytes([0xFF, _END]), width, height, orientation)


def _next_marker(data: bytes, position: int) -> tuple[int, int]:
    """Return the marker at this position, and the start of its content."""
    if read(data, position, 1) != b"\xff":
        raise BrokenPicture
    while read(data, position, 1) == b"\xff":
        position += 1
    return data[position], position + 1


def _end_of_scan(data: bytes, position: int) -> int:
    match = _AFTER_SCAN.search(data, position)
    if match is None:
        raise BrokenPicture
    return match.start()


def _cleaned_segment(marker: int, content: bytes) -> bytes:
    if marker in _TABLES:
        return _segment(marker, content)
    if marker in _ADDED and content.startswith(_ADDED[marker]):
        if marker == 0xE0:
            # Its thumbnail may show a part that was cropped from the picture.
            content = content[:_JFIF_WITHOUT_THUMBNAIL] + b"\0\0"
        return _segment(marker, content)
    return b""


def _segment(marker: int, content: bytes) -> bytes:
    return bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2) + content
