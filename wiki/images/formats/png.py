import zlib

from wiki.images.formats.errors import BrokenPicture
from wiki.images.formats.parts import (
    UPRIGHT,
    CleanedFile,
    count_part,
    read,
    read_orientation,
    write_orientation,
)

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Size, colours, transparency, resolution, frames. Texts, EXIF and times are dropped.
_KEPT = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT cICP mDCV cLLI bKGD hIST pHYs sPLT acTL "
    b"fcTL fdAT".split()
)


def read_png(data: bytes) -> CleanedFile:
    kept: list[bytes] = []
    orientation, kind, position, parts = UPRIGHT, b"", len(SIGNATURE), 0
    has_exif = False
    while kind != b"IEND":
        parts = count_part(parts)
        length = int.from_bytes(read(data, position, 4))
        chunk = read(data, position, length + 12)
        kind, content = chunk[4:8], chunk[8:-4]
        if zlib.crc32(chunk[4:-4]) != int.from_bytes(chunk[-4:]) or (kind == b"IHDR") != (not kept):
            raise BrokenPicture
        if kind == b"eXIf" and not has_exif:
            orientation, has_exif = read_orientation(content), True
        if kind in _KEPT:
            kept.append(chunk)
        position += len(chunk)
    if orientation != UPRIGHT:
        kept.insert(1, _chunk(b"eXIf", write_orientation(orientation)))
    header = read(kept[0], 8, 8)
    width, height = int.from_bytes(header[:4]), int.from_bytes(header[4:])
    return CleanedFile(SIGNATURE + b"".join(kept), width, height, orientation)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4)
