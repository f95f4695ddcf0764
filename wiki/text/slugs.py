"""Slugs of pages, and the spellings that reach them."""

import hashlib
import re
import unicodedata

MAX_SLUG = 96

# Words that stand for something else below /w/{wiki}/, now or in a later version.
RESERVED = frozenset(
    "new search edit history changes health map feed trash admin api static import export review "
    "merge tags types status settings pictures files preview index login logout agents tokens "
    "recalls insights wanted random titles members suggestions connect".split()
)

_SEPARATORS = re.compile(r"[\W_]+")


def slugify(text: str) -> str:
    """Make a slug of a title: lower-case letters and digits of any script, else hyphens."""
    slug = slugify_wiki(text)
    return f"{slug}-page" if slug in RESERVED else slug


def slugify_wiki(text: str) -> str:
    """Make the slug of a wiki; no word is reserved in its place."""
    slug = _cut(_SEPARATORS.sub("-", unicodedata.normalize("NFC", text).lower()).strip("-"))
    return slug or f"page-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:6]}"


def numbered_slug(slug: str, number: int) -> str:
    """Return `slug`, `slug-2` or `slug-3`, within the maximum length."""
    if number == 1:
        return slug
    ending = f"-{number}"
    return _cut(slug, MAX_SLUG - len(ending)) + ending


def _cut(slug: str, length: int = MAX_SLUG) -> str:
    if len(slug) <= length:
        return slug
    head, hyphen, _ = slug[: length + 1].rpartition("-")
    return (head if hyphen and head else slug[:length]).strip("-")


_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def fold_slug(slug: str) -> list[str]:
    """Return the spellings of a slug without accents: `uebung` and `ubung` for `übung`."""
    return sorted({fold_accents(slug.translate(_GERMAN)), fold_accents(slug.replace("ß", "ss"))})


# The accents of Latin, Greek and Cyrillic; the voicing marks of Japanese change the word and stay.
_ACCENTS = re.compile("[\u0300-\u036f]")


def fold_accents(text: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def title_key(title: str) -> str:
    """Return the form of a title that links compare: without case and repeated blanks."""
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())
