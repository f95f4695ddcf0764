"""Markdown to safe HTML. One parser finds wikilinks (for the Link table) and draws them."""

from wiki.markup.drawing import LinkResolver, LinkTarget, Rendered, render_markdown, render_with_headings
from wiki.markup.finding import PlacedLink, find_wikilinks, first_heading, place_wikilinks
from wiki.markup.headings import Heading, heading_id
from wiki.markup.wikilinks import MAX_TARGET, WikiLink

__all__ = [
    "Heading",
    "LinkResolver",
    "LinkTarget",
    "MAX_TARGET",
    "PlacedLink",
    "Rendered",
    "WikiLink",
    "find_wikilinks",
    "first_heading",
    "heading_id",
    "place_wikilinks",
    "render_markdown",
    "render_with_headings",
]
