"""Addresses of pages in Markdown links: `page.md`, `../folder/page.md`, `/w/wiki/page`, and whole
ones of this site."""

import re
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings

from wiki.text.slugs import RESERVED

SUFFIXES = (".md", ".markdown")


@lru_cache(maxsize=4096)
def page_path(href: str, wiki_slug: str) -> str:
    """Return what an address says of a page of this wiki, such as `page` or `folder/page.md`; empty
    for any other address. What stands behind `#` and `?` does not count."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme or parts.netloc:
        is_own = parts.scheme in ("http", "https") and _is_own_host(parts.netloc)
        return _path_of_screen(path, wiki_slug) if is_own else ""
    if path.startswith("/"):
        return _path_of_screen(path, wiki_slug)
    return "" if parts.query else _relative_path(path)


def with_slug(href: str, slug: str) -> str:
    """Lead the address of a page to another one, in the form in which it was written."""
    path, sign, rest = re.match(r"([^?#]*)([?#]?)(.*)", href, re.DOTALL).groups()  # type: ignore[union-attr]
    folder, slash, name = path.rpartition("/")
    suffix = name[len(without_suffix(name)) :]
    return f"{folder}{slash}{quote(slug)}{suffix}{sign}{rest}"


def page_in(path: str) -> str:
    """Return the last name in a path, without the ending of a file."""
    return without_suffix(path).rpartition("/")[2]


def fragment(href: str) -> str:
    """Return what stands behind the `#`, decoded."""
    return unquote(href.partition("#")[2])


def is_markdown_file(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


def without_suffix(path: str) -> str:
    return path[: path.rindex(".")] if is_markdown_file(path) else path


def _is_own_host(netloc: str) -> bool:
    public = urlsplit(settings.COVEY_PUBLIC_URL)
    local = {f"{host}:{settings.COVEY_PORT}" for host in ("127.0.0.1", "localhost", "[::1]")}
    return netloc.lower() in {public.netloc.lower(), *local}


def _path_of_screen(path: str, wiki_slug: str) -> str:
    before, own, name = path.partition(f"/w/{wiki_slug}/")
    is_page = own and not before and name and "/" not in name.rstrip("/")
    # `page.md` is the text of a page, which somebody may want to link to.
    name = name.rstrip("/")
    return name if is_page and name not in RESERVED and not is_markdown_file(name) else ""


def _relative_path(path: str) -> str:
    """A page beside this one, or a file of a folder that was brought in."""
    if is_markdown_file(path):
        return "/".join(part for part in path.split("/") if part not in ("", ".", ".."))
    name = path.removeprefix("./")
    is_page = name and "/" not in name and not PurePosixPath(name).suffix
    return name if is_page and name not in (*RESERVED, ".", "..") else ""
