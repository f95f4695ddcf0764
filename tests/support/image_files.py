"""Pictures as the tests need them, made on the spot."""

from io import BytesIO
from random import Random

from PIL import Image

from wiki.images.storage import picture_path
from wiki.models import Picture

EXIF_ORIENTATION, EXIF_GPS, EXIF_MAKER = 0x0112, 0x8825, 0x010F


def image(width: int = 40, height: int = 30, seed: int = 1) -> Image.Image:
    return Image.frombytes("RGB", (width, height), Random(seed).randbytes(width * height * 3))


def file_of(kind: str = "PNG", picture: Image.Image | None = None, **options) -> bytes:
    saved = BytesIO()
    (picture or image()).save(saved, kind, **options)
    return saved.getvalue()


def photograph(kind: str, orientation: int = 6) -> bytes:
    """With the place and the camera in it, as a phone makes them."""
    exif = Image.Exif()
    exif[EXIF_ORIENTATION], exif[EXIF_MAKER] = orientation, "Phonemaker"
    exif[EXIF_GPS] = {1: "N", 2: (48.0, 8.0, 14.0), 3: "E", 4: (11.0, 34.0, 31.0)}
    return file_of(kind, exif=exif)


def shown(data: bytes) -> list[bytes]:
    """The pixels of every frame."""
    opened, frames = Image.open(BytesIO(data)), []
    for number in range(getattr(opened, "n_frames", 1)):
        opened.seek(number)
        frames.append(opened.convert("RGBA").tobytes())
    return frames


def stored_files(wiki) -> list[str]:
    folder = picture_path(Picture(wiki=wiki, hash="x", format="png")).parent
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []
