"""Markdown to safe HTML. One parser finds wikilinks (for the Link table) and draws them."""

from wiki.markup.drawing import LinkResolver, LinkTarget, Rendered, render_markdown, render_with_headings
from wiki.markup.finding import LEFT_OUT, find_prose, find_wikilinks, first_heading
from wiki.markup.headings import Heading, heading_id
from wiki.markup.wikilinks import MAX_TARGET, WikiLink

__all__ = [
    "Heading",
    "LEFT_OUT",
    "LinkResolver",
    "LinkTarget",
    "MAX_TARGET",
    "Rendered",
    "WikiLink",
    "find_prose",
    "find_wikilinks",
    "first_heading",
    "heading_id",
    "render_markdown",
    "render_with_headings",
]
