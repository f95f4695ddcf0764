"""Pictures: the wiki's own are drawn, all others are links."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from wiki.markdown.parser_tokens import plain_words

PICTURE_NAME_DIGITS = 16
_NAME = rf"[0-9a-f]{{{PICTURE_NAME_DIGITS}}}\.(?:png|jpg|gif|webp)"
# How a text names a picture of its wiki, beside its pages as in an exported folder. PostgreSQL
# reads this too.
PICTURE_ADDRESS = rf"pictures/{_NAME}"
_ADDRESS = re.compile(rf"(?:\./)?pictures/({_NAME})")
_OUTSIDE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
# Pixels; a larger one may be shown smaller than it is, and leads to itself.
_SMALL = 320


@dataclass(frozen=True)
class ShownPicture:
    url: str
    width: int
    height: int


Pictures = Mapping[str, ShownPicture]


def picture_address(name: str) -> str:
    return f"pictures/{name}"


def picture_name(address: str) -> str:
    """Return the name in the address of a picture of the wiki; empty for any other address."""
    match = _ADDRESS.fullmatch(address)
    return match[1] if match else ""


def find_picture_names(body: str) -> set[str]:
    """Return the names of all pictures that a text may show, without parsing: also those in code
    and links."""
    return set(_ADDRESS.findall(body)) if "pictures/" in body else set()


def is_outside(address: str) -> bool:
    return _OUTSIDE.match(address) is not None


def place_pictures(state: StateCore) -> None:
    """Turn pictures of other hosts into links: loading one would tell its host of every reader."""
    for token in state.tokens:
        if any(child.type in ("image", "link_open") for child in token.children or ()):
            token.children = list(_placed(token.children or (), state.env.get("pictures") or {}))


def _placed(tokens: Sequence[Token], pictures: Pictures) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "link_open" and (
            picture := pictures.get(picture_name(str(token.attrs.get("href", ""))))
        ):
            token.attrs["href"] = picture.url
        source = str(token.attrs.get("src", ""))
        if token.type != "image" or not is_outside(source):
            token.meta["is_in_link"] = depth > 0
            yield token
            continue
        words = Token("text", "", 0, content=plain_words(token) or source)
        if depth:
            yield words
            continue
        title = gettext("picture on {host}").format(host=_host(source))
        yield Token("link_open", "a", 1, attrs={"href": source, "title": title})
        yield words
        yield Token("link_close", "a", -1)


def _host(address: str) -> str:
    return _OUTSIDE.sub("", address, count=1).partition("/")[0].rpartition("@")[2]


def render_picture(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token, pictures = tokens[index], env.get("pictures") or {}
    words = html.escape(plain_words(token))
    picture: ShownPicture | None = pictures.get(picture_name(str(token.attrs.get("src", ""))))
    if picture is None:
        missing = html.escape(gettext("picture is missing"))
        return (
            f'<span class="absent">{words} ({missing})</span>'
            if words
            else f'<span class="absent">{missing}</span>'
        )
    url, title = html.escape(picture.url), html.escape(str(token.attrs.get("title", "")))
    named = f' title="{title}"' if title else ""
    size = f'width="{picture.width}" height="{picture.height}"'
    drawn = f'<img src="{url}" alt="{words}"{named} {size} loading="lazy">'
    is_small = max(picture.width, picture.height) <= _SMALL
    return drawn if is_small or token.meta.get("is_in_link") else f'<a href="{url}">{drawn}</a>'
