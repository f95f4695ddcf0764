"""The reasons to refuse a file as a picture."""

from django.utils.translation import gettext

MAX_PICTURE_BYTES = 5 * 1024 * 1024
# A few KiB can decompress to gigabytes in a browser; phones make up to 50 million.
MAX_PIXELS = 50_000_000
MAX_SIDE = 30_000


class PictureRefused(Exception):
    """The message says why and what to do."""


class PictureTooLarge(PictureRefused):
    def __init__(self, size: int) -> None:
        sentence = gettext(
            "It has {size} MiB; a picture may have at most 5. Make it smaller first."
        )
        # Rounded up, so that no refused picture has "5.0".
        super().__init__(sentence.format(size=-(-size * 10 // (1024 * 1024)) / 10))


class NotAPicture(PictureRefused):
    def __init__(self) -> None:
        super().__init__(
            gettext("It is no picture that covey takes. It takes PNG, JPEG, GIF and WebP.")
        )


class SvgRefused(PictureRefused):
    def __init__(self) -> None:
        super().__init__(gettext("SVG can run scripts and is not taken. Save it as PNG first."))


class TooManyPixels(PictureRefused):
    def __init__(self, width: int, height: int) -> None:
        sentence = gettext(
            "It has {width} × {height} pixels; that is more than a page can show. Make it smaller "
            "first."
        )
        super().__init__(sentence.format(width=width, height=height))


class BrokenPicture(PictureRefused):
    def __init__(self) -> None:
        super().__init__(gettext("The file is damaged or cut off."))
