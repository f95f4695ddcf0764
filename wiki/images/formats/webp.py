from wiki.images.formats.errors import BrokenPicture
from wiki.images.formats.parts import (
    UPRIGHT,
    CleanedFile,
    count_part,
    read,
    read_orientation,
    write_orientation,
)

_EXTENDED, _LOSSY, _LOSSLESS, _EXIF = b"VP8X", b"VP8 ", b"VP8L", b"EXIF"
_KEPT = frozenset([_EXTENDED, _LOSSY, _LOSSLESS, b"ALPH", b"ANIM", b"ANMF", b"ICCP"])
_HAS_EXIF, _HAS_XMP = 0x08, 0x04


def is_webp(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def read_webp(data: bytes) -> CleanedFile:
    chunks: list[tuple[bytes, bytes]] = []
    parts, has_exif = 0, False
    orientation, position, end = UPRIGHT, 12, 8 + int.from_bytes(data[4:8], "little")
    read(data, 0, end)
    while position < end:
        parts = count_part(parts)
        kind, size = read(data, position, 4), int.from_bytes(read(data, position + 4, 4), "little")
        content = read(data, position + 8, size)
        if kind == _EXIF and not has_exif:
            orientation, has_exif = read_orientation(content), True
        if kind in _KEPT:
            chunks.append((kind, content))
        position += 8 + size + size % 2
    width, height = _size(*chunks[0]) if chunks else (0, 0)
    if chunks and chunks[0][0] == _EXTENDED:
        is_turned = orientation != UPRIGHT
        chunks[0] = _EXTENDED, _with_flags(chunks[0][1], _HAS_EXIF if is_turned else 0)
        chunks += [(_EXIF, write_orientation(orientation))] if is_turned else []
    kept = b"WEBP" + b"".join(_chunk(kind, content) for kind, content in chunks)
    return CleanedFile(b"RIFF" + len(kept).to_bytes(4, "little") + kept, width, height, orientation)


def _size(kind: bytes, content: bytes) -> tuple[int, int]:
    if kind == _EXTENDED:
        size = read(content, 4, 6)
        return int.from_bytes(size[:3], "little") + 1, int.from_bytes(size[3:], "little") + 1
    if kind == _LOSSLESS:
        bits = int.from_bytes(read(content, 1, 4), "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == _LOSSY:
        size = read(content, 6, 4)
        return int.from_bytes(size[:2], "little") & 0x3FFF, int.from_bytes(
            size[2:], "little"
        ) & 0x3FFF
    raise BrokenPicture


def _with_flags(content: bytes, exif: int) -> bytes:
    return bytes([read(content, 0, 1)[0] & ~(_HAS_EXIF | _HAS_XMP) | exif]) + content[1:]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)
