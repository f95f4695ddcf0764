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
# Bytes that are searched for the root of an SVG, after a declaration, comments and entities.
_SVG_WITHIN = 4096
_SVG = re.compile(rb"<(?:\w+:)?svg[\s>/]", re.IGNORECASE)
# Pillow's errors for broken files.
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
    """A picture without metadata; size in pixels as displayed."""

    data: bytes
    format: PictureFormat
    width: int
    height: int


def clean_picture(data: bytes) -> CleanPicture:
    """Recognise the format and keep only pixels, colours, frames and orientation.

    Place, time, camera, comments and trailing bytes are dropped. Idempotent. Raises PictureRefused.
    """
    if len(data) > MAX_PICTURE_BYTES:
        raise PictureTooLarge(len(data))
    format, parts = _read(data)
    width, height = parts.width, parts.height
    if not (width and height):
        raise BrokenPicture
    # Before memory is allocated for it.
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
    # The zero bytes are those of UTF-16.
    raise SvgRefused if _SVG.search(data[:_SVG_WITHIN].replace(b"\0", b"")) else NotAPicture


def _verify(parts: CleanedFile, format: PictureFormat) -> None:
    """Let Pillow verify the kept bytes, without decoding pixels."""
    try:
        with Image.open(BytesIO(parts.data), formats=[format.name]) as image:
            image.verify()
    except _FAULTS as error:
        raise BrokenPicture from error
