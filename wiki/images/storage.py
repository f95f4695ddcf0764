"""Store, find and remove pictures; their files in COVEY_DATA_DIR are named by a hash."""

import hashlib
import logging
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F, Func, Q, TextField, Value
from django.utils.translation import gettext

from wiki.db.locks import lock_pictures
from wiki.images.formats import PictureRefused, clean_picture
from wiki.markdown import PICTURE_ADDRESS, picture_address, picture_name
from wiki.models import Page, Picture, Revision, Wiki
from wiki.pages.author import Author
from wiki.text.cleaning import MAX_TITLE, clean_line

logger = logging.getLogger(__name__)

_NOT_IN_ALT = str.maketrans(dict.fromkeys("[]<>`|\\", " "))


class PictureNotStored(PictureRefused):
    def __init__(self) -> None:
        super().__init__(
            gettext("The picture could not be written to the disk. Tell whoever runs covey.")
        )


def store_picture(wiki: Wiki, data: bytes, name: str, author: Author) -> Picture:
    """Store the picture without its metadata, or return the one that the wiki has already.

    A lost file is written again. Raises PictureRefused.
    """
    clean = clean_picture(data)
    picture = Picture(
        wiki=wiki,
        hash=hashlib.sha256(clean.data).hexdigest(),
        format=clean.format,
        name=clean_name(name),
        bytes=len(clean.data),
        width=clean.width,
        height=clean.height,
        author_kind=author.kind,
        author_name=author.name,
    )
    with transaction.atomic():
        lock_pictures(wiki.pk)
        # The file first, because a row without one is a broken picture.
        _write(picture, clean.data)
        if known := Picture.objects.filter(wiki=wiki, hash=picture.hash).first():
            return known
        picture.save()
    return picture


def address_of(data: bytes) -> str:
    """Return the address of the picture, stored or not. Raises PictureRefused."""
    clean = clean_picture(data)
    return Picture(hash=hashlib.sha256(clean.data).hexdigest(), format=clean.format).address


def _write(picture: Picture, data: bytes) -> None:
    try:
        write_bytes(picture_path(picture), data)
    except OSError as error:
        logger.error(
            "A picture of wiki %s could not be written: %s", picture.wiki_id, error.strerror
        )
        raise PictureNotStored from error


def clean_name(name: str) -> str:
    """Strip folders, and format characters, which can reverse the reading direction."""
    last = clean_line(name).replace("\\", "/").rpartition("/")[2]
    visible = (character for character in last if unicodedata.category(character) != "Cf")
    return "".join(visible).strip()[:MAX_TITLE]


def picture_path(picture: Picture) -> Path:
    folder = settings.COVEY_DATA_DIR / "pictures" / str(picture.wiki_id)
    return folder / f"{picture.hash}.{picture.format}"


def write_bytes(path: Path, data: bytes) -> None:
    """Write the file atomically and durably."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_markdown(picture: Picture, name: str = "") -> str:
    """Return the Markdown of a picture, its alternative text without markup characters."""
    stem = PurePosixPath(clean_name(name) or picture.name).stem
    return f"![{clean_line(stem.translate(_NOT_IN_ALT))}]({picture.address})"


def find_picture(wiki: Wiki, name: str) -> Picture | None:
    return find_pictures(wiki, [name]).get(name)


def find_pictures(wiki: Wiki, names: Iterable[str]) -> dict[str, Picture]:
    """Return pictures by the file names in texts, in one query, or none for no names."""
    wanted = [name for name in names if picture_name(picture_address(name))]
    pictures = Picture.objects.filter(wiki=wiki).named(wanted) if wanted else ()
    found: dict[str, Picture] = {}
    for picture in pictures:
        picture.wiki = wiki
        found.setdefault(picture.file_name, picture)
    return found


class PictureUse(NamedTuple):
    """A page that shows a picture."""

    slug: str
    title: str


def find_uses(wiki: Wiki, names: Iterable[str] | None = None) -> dict[str, list[PictureUse]]:
    """Return the live pages that show each of these pictures, or any, by title, in one query."""
    chosen = "|".join(map(re.escape, names or ()))
    pattern = PICTURE_ADDRESS if names is None else picture_address(f"(?:{chosen})")
    address = Func(
        F("body"), Value(pattern), Value("g"), function="regexp_matches", output_field=TextField()
    )
    address.set_returning = True
    pages = Page.objects.live().filter(wiki=wiki, body__contains=picture_address(""))
    rows = pages.annotate(address=address).order_by("title_key", "id")
    uses: dict[str, list[PictureUse]] = {}
    for slug, title, found in rows.values_list("slug", "title", "address"):
        of_picture, use = uses.setdefault(found[0].rpartition("/")[2], []), PictureUse(slug, title)
        if use not in of_picture[-1:]:
            of_picture.append(use)
    return uses


@dataclass(frozen=True)
class HiddenUses:
    """Numbers of pages that show a picture in the trash, or only in an earlier revision."""

    trashed: int
    earlier: int


def count_hidden_uses(picture: Picture) -> HiddenUses:
    names_it = Q(body__contains=picture.address)
    pages = Page.objects.filter(wiki=picture.wiki_id)
    revisions = Revision.objects.filter(names_it, page__wiki=picture.wiki_id)
    earlier = pages.live().exclude(names_it).filter(pk__in=revisions.values("page"))
    return HiddenUses(trashed=pages.trashed().filter(names_it).count(), earlier=earlier.count())


def remove_picture(picture: Picture) -> None:
    """Delete row and file; the same picture can be stored again."""
    Picture.objects.filter(pk=picture.pk).delete()
    with transaction.atomic():
        lock_pictures(picture.wiki_id)
        # It may have been stored again by now.
        if not Picture.objects.filter(wiki=picture.wiki_id, hash=picture.hash).exists():
            picture_path(picture).unlink(missing_ok=True)
