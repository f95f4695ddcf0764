import re
import struct
from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from wiki.images.formats import gif, jpeg, png, webp
from wiki.images.formats.errors import (
    MAX_PICTURE_BYTES,
    MAX_PIXELS,
    MAX_SIDE,
    BrokenPicture,
    NotAPicture,
    PictureTooLarge,
    SvgRefused,
    TooManyPixels,
)
from wiki.images.formats.parts import CleanedFile
from wiki.models import PictureFormat

_FIRST_ROTATED = 5
# How far into a text the beginning of an SVG is looked for: behind a declaration, comments, a list
# of entities.
_SVG_WITHIN = 4096
_SVG = re.compile(rb"<(?:\w+:)?svg[\s>/]", re.IGNORECASE)
# What Pillow raises for files that are not what they seem.
_FAULTS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    struct.error,
    Image.DecompressionBombError,
)


@dataclass(frozen=True)
class CleanPicture:
    """A picture without what it says about its origin. Size in pixels, the way it is shown."""

    data: bytes
    format: PictureFormat
    width: int
    height: int


def clean_picture(data: bytes) -> CleanPicture:
    """The picture in a file, known by its bytes alone. Kept are its pixels, colours, frames and
    which side is up.

    Where, when and with what it was taken, comments, and whatever lies behind its end are left out.
    Cleaning it again changes nothing. Raises PictureRefused.
    """
    if len(data) > MAX_PICTURE_BYTES:
        raise PictureTooLarge(len(data))
    format, parts = _read(data)
    width, height = parts.width, parts.height
    if not (width and height):
        raise BrokenPicture
    # Before anything that sets memory aside for it.
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        raise TooManyPixels(width, height)
    _verify(parts, format)
    if parts.orientation >= _FIRST_ROTATED:
        width, height = height, width
    return CleanPicture(parts.data, format, width, height)


def _read(data: bytes) -> tuple[PictureFormat, CleanedFile]:
    if not data:
        raise BrokenPicture
    if data.startswith(png.SIGNATURE):
        return PictureFormat.PNG, png.read_png(data)
    if data.startswith(jpeg.SIGNATURE):
        return PictureFormat.JPEG, jpeg.read_jpeg(data)
    if data.startswith(gif.SIGNATURES):
        return PictureFormat.GIF, gif.read_gif(data)
    if webp.is_webp(data):
        return PictureFormat.WEBP, webp.read_webp(data)
    # UTF-16 puts a zero beside every letter.
    raise SvgRefused if _SVG.search(data[:_SVG_WITHIN].replace(b"\0", b"")) else NotAPicture


def _verify(parts: CleanedFile, format: PictureFormat) -> None:
    """A second opinion on what was kept, from a library that knows the formats. It reads no
    pixel."""
    try:
        with Image.open(BytesIO(parts.data), formats=[format.name]) as image:
            image.verify()
    except _FAULTS as error:
        raise BrokenPicture from error
