from wiki.images.formats.errors import MAX_PIXELS, BrokenPicture, TooManyPixels
from wiki.images.formats.parts import CleanedFile, count_part, read

SIGNATURES = (b"GIF87a", b"GIF89a")
_EXTENSION, _FRAME, _END = 0x21, 0x2C, 0x3B
_TIMING, _APPLICATION = 0xF9, 0xFF
# The loop count of an animation. Comments, XMP and other applications' blocks are dropped.
_LOOPS = (b"\x0bNETSCAPE2.0", b"\x0bANIMEXTS1.0")


def read_gif(data: bytes) -> CleanedFile:
    screen = read(data, 6, 7)
    position = 13 + _colour_table_size(screen[4])
    kept, has_frame, parts = [read(data, 0, position)], False, 0
    while (kind := read(data, position, 1)[0]) != _END:
        parts = count_part(parts)
        if is_frame := kind == _FRAME:
            end = _end_of_frame(data, position)
        else:
            end = _end_of_extension(data, position, kind)
        has_frame = has_frame or is_frame
        if is_frame or _is_shown(data, position):
            kept.append(data[position:end])
        position = end
    if not has_frame:
        raise BrokenPicture
    width, height = int.from_bytes(screen[:2], "little"), int.from_bytes(screen[2:4], "little")
    return CleanedFile(b"".join(kept) + bytes([_END]), width, height)


def _colour_table_size(flags: int) -> int:
    """Return the bytes of the colour table that these flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _end_of_frame(data: bytes, position: int) -> int:
    head = read(data, position, 10)
    width, height = int.from_bytes(head[5:7], "little"), int.from_bytes(head[7:9], "little")
    if width * height > MAX_PIXELS:
        raise TooManyPixels(width, height)
    return _end_of_blocks(data, position + 10 + _colour_table_size(head[9]) + 1)


def _end_of_extension(data: bytes, position: int, kind: int) -> int:
    if kind != _EXTENSION:
        raise BrokenPicture
    return _end_of_blocks(data, position + 2)


def _end_of_blocks(data: bytes, position: int) -> int:
    while length := read(data, position, 1)[0]:
        position += 1 + length
    return position + 1


def _is_shown(data: bytes, position: int) -> bool:
    kind = data[position + 1]
    return kind == _TIMING or (kind == _APPLICATION and data.startswith(_LOOPS, position + 2))
