"""Recognise a picture by its bytes and strip its metadata, without decoding a pixel."""

from wiki.images.formats.errors import (
    MAX_PICTURE_BYTES,
    MAX_PIXELS,
    MAX_SIDE,
    BrokenPicture,
    NotAPicture,
    PictureRefused,
    PictureTooLarge,
    SvgRefused,
    TooManyPixels,
)
from wiki.images.formats.strip_metadata import CleanPicture, clean_picture

__all__ = [
    "BrokenPicture",
    "CleanPicture",
    "MAX_PICTURE_BYTES",
    "MAX_PIXELS",
    "MAX_SIDE",
    "NotAPicture",
    "PictureRefused",
    "PictureTooLarge",
    "SvgRefused",
    "TooManyPixels",
    "clean_picture",
]
