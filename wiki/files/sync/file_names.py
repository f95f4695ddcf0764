"""File names of pages in a synchronised folder."""

import re
import unicodedata

from wiki.files.import_export import MAX_FILE_NAME_BYTES, file_stem
from wiki.models import Page, Revision
from wiki.text.slugs import slugify

# Beside a file in conflict: what its page says. Not a page itself.
BESIDE = ".covey.md"
# What Windows, Obsidian, or covey itself takes for something else.
_NO_FILE_NAME = re.compile(
    r"[<>:\"/\\|?*#^\[\]\x00-\x1f]|^\.|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.covey$",
    re.IGNORECASE,
)


def page_stem(page: Page | Revision) -> str:
    """The title, since other programs follow a link to the file that is called like it; the slug
    where no file can be called so, or where covey itself would not find the page by it."""
    name = unicodedata.normalize("NFC", page.title)
    fits = len(name.encode()) <= MAX_FILE_NAME_BYTES and not _NO_FILE_NAME.search(name)
    return name if fits and slugify(name) == page.slug else file_stem(page.slug)


def is_named_after(stem: str, page: Page | Revision) -> bool:
    """And not by a person: it is named anew with its page."""
    return stem in (page_stem(page), file_stem(page.slug))
