"""Markdown to safe HTML; one parser finds wikilinks for the table of links and draws them."""

from wiki.markdown.address_rewriting import rewrite_addresses
from wiki.markdown.headings import Heading, heading_id
from wiki.markdown.image_rewriting import PictureReference, replace_pictures, rewrite_pictures
from wiki.markdown.image_syntax import (
    PICTURE_ADDRESS,
    PICTURE_NAME_DIGITS,
    Pictures,
    ShownPicture,
    find_picture_names,
    is_outside,
    picture_address,
    picture_name,
)
from wiki.markdown.inspect import (
    LEFT_OUT,
    Links,
    PlacedLink,
    SourceBlock,
    anchor_in,
    close_blocks,
    find_links,
    find_prose,
    find_wikilinks,
    list_headings,
    place_wikilinks,
    split_blocks,
    title_heading,
)
from wiki.markdown.render import (
    LinkResolver,
    LinkTarget,
    Rendered,
    render_markdown,
    render_with_headings,
)
from wiki.markdown.wikilinks import MAX_NAME, MAX_TARGET, WikiLink

__all__ = [
    "Heading",
    "LEFT_OUT",
    "LinkResolver",
    "LinkTarget",
    "Links",
    "MAX_NAME",
    "MAX_TARGET",
    "PICTURE_ADDRESS",
    "PICTURE_NAME_DIGITS",
    "PictureReference",
    "Pictures",
    "PlacedLink",
    "Rendered",
    "ShownPicture",
    "SourceBlock",
    "WikiLink",
    "anchor_in",
    "close_blocks",
    "find_links",
    "find_picture_names",
    "find_prose",
    "find_wikilinks",
    "heading_id",
    "is_outside",
    "list_headings",
    "title_heading",
    "picture_address",
    "picture_name",
    "place_wikilinks",
    "render_markdown",
    "render_with_headings",
    "replace_pictures",
    "rewrite_addresses",
    "rewrite_pictures",
    "split_blocks",
]
