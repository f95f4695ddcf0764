"""Links by the path of a file, as Obsidian writes them: in the wiki, which has no folders, they say
its name alone."""

import os
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from wiki.markdown import WikiLink, place_wikilinks
from wiki.pages.link_rewriting import Target
from wiki.text.slugs import slugify

# What would end the target of a link, or begin code.
_UNFIT = frozenset("#|[]\\`")


class FolderLinks:
    """Finds the files that the links of a folder mean. `slug_of` says the slug of a file's page,
    empty for none."""

    def __init__(
        self, root: Path, find: Callable[[Path], Iterable[Path]], slug_of: Callable[[Path], str]
    ) -> None:
        self._root, self._find, self._slug_of = root, find, slug_of
        self._names: dict[Path, str] = {}

    def bring_in(self, path: Path, body: str) -> str:
        """The text of a file with links that find their pages in the wiki too."""
        return _retarget(body, lambda link: self._name(path, link.target)) if "/" in body else body

    def take_out(self, path: Path, body: str, former: str) -> str:
        """A page's text with the links of which the file's `former` text says the path written so
        again."""
        if "/" not in former:
            return body
        written: dict[WikiLink, str] = {}
        for placed in place_wikilinks(former):
            if name := self._name(path, placed.link.target):
                written.setdefault(replace(placed.link, target=name), placed.link.target)
        return _retarget(body, lambda link: written.get(link, "")) if written else body

    def _name(self, path: Path, target: str) -> str:
        """Return the target in the wiki for the page of this file; empty to keep the link."""
        file = self._find_file(path, target) if "/" in target else None
        if file is None:
            return ""
        if file not in self._names:
            self._names[file] = self._name_of(file)
        return self._names[file]

    def _name_of(self, file: Path) -> str:
        slug = self._slug_of(file)
        namesakes = (
            other for other in self._files.values() if slugify(other.stem) == slugify(file.stem)
        )
        # Of two files with one address the first became the page.
        if (
            not slug
            or next((other for other in namesakes if self._slug_of(other) == slug), file) != file
        ):
            return ""
        return file.stem if slugify(file.stem) == slug and _UNFIT.isdisjoint(file.stem) else slug

    def _find_file(self, path: Path, target: str) -> Path | None:
        """From the top of the folder, from the file, or by the end of its path; then the one
        nearest to the top."""
        key = _key(target)
        beside = os.path.normpath(path.parent / target)
        from_file = _key(os.path.relpath(beside, self._root))
        if found := self._files.get(key) or self._files.get(from_file):
            return found
        ending = [known for known in self._files if known.endswith(f"/{key}")]
        return (
            self._files[min(ending, key=lambda known: (known.count("/"), known))]
            if ending
            else None
        )

    @cached_property
    def _files(self) -> dict[str, Path]:
        return {
            _key(path.relative_to(self._root).as_posix()): path for path in self._find(self._root)
        }


def _key(path: str) -> str:
    """Some systems write the dots of an ä as a character of its own; most tell no capitals from
    small letters."""
    pure = PurePosixPath(path)
    plain = pure.with_suffix("") if pure.suffix.lower() in (".md", ".markdown") else pure
    return unicodedata.normalize("NFC", plain.as_posix()).casefold()


def _retarget(body: str, choose: Callable[[WikiLink], str]) -> str:
    """The text with the targets that `choose` gives to its links; empty leaves one as it is. As a
    whole it stays as it is where the parser would find other links in it then."""
    parts, end, wanted = [], 0, []
    for placed in place_wikilinks(body):
        target = choose(placed.link)
        wanted.append(replace(placed.link, target=target) if target else placed.link)
        if target:
            parts += [
                body[end : placed.start],
                Target(target).draw(body[placed.start : placed.end], placed.link),
            ]
            end = placed.end
    renamed = "".join([*parts, body[end:]])
    return (
        renamed
        if parts and [placed.link for placed in place_wikilinks(renamed)] == wanted
        else body
    )
