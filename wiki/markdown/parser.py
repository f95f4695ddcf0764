"""The Markdown parser of all texts; one that it cannot take is shown as it was written."""

import logging
import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import reference, table
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def

from wiki.markdown.block_rules import align_by_class, not_from_fences, outside_insights
from wiki.markdown.callouts import mark_callouts
from wiki.markdown.checkboxes import draw_checkboxes
from wiki.markdown.headings import name_headings
from wiki.markdown.image_syntax import place_pictures
from wiki.markdown.insight_block import INSIGHT
from wiki.markdown.vault_syntax import (
    keep_formula,
    name_blocks,
    parse_break,
    parse_comment,
    parse_embed,
    parse_lines,
    parse_mark,
)
from wiki.markdown.wikilinks import hide_bars, parse_wikilink, show_bars

logger = logging.getLogger(__name__)

MAX_NESTING = 40


def _build_parser() -> MarkdownIt:
    # Raw HTML stays text: "git clone <url>" must not lose a word, and nothing written can run.
    parser = MarkdownIt("gfm-like", {"html": False, "linkify": True, "maxNesting": MAX_NESTING})
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False})  # type: ignore[union-attr]
    parser.use(footnote_plugin)
    parser.use(container_plugin, INSIGHT)
    parser.block.ruler.at("table", not_from_fences(table), {"alt": ["paragraph", "reference"]})
    parser.block.ruler.at("reference", outside_insights(reference))
    parser.block.ruler.at(
        "footnote_def", outside_insights(footnote_def), {"alt": ["paragraph", "reference"]}
    )
    parser.core.ruler.before("normalize", "hide_bars", hide_bars)
    parser.core.ruler.after("inline", "checkboxes", draw_checkboxes)
    parser.core.ruler.push("heading_ids", name_headings)
    parser.core.ruler.push("pictures", place_pictures)
    parser.core.ruler.push("alignment", align_by_class)
    parser.core.ruler.push("show_bars", show_bars)
    parser.inline.ruler.before("link", "wikilink", parse_wikilink)
    parser.inline.ruler.after("image", "embed", parse_embed)
    parser.inline.ruler.before("autolink", "comment", parse_comment)
    parser.inline.ruler.before("autolink", "break", parse_break)
    parser.inline.ruler.before("emphasis", "mark", parse_mark)
    parser.inline.ruler.before("emphasis", "formula", keep_formula)
    parser.block.ruler.before(
        "fence", "vault_lines", parse_lines, {"alt": ["paragraph", "reference", "blockquote"]}
    )
    parser.core.ruler.after("block", "callouts", mark_callouts)
    parser.core.ruler.after("checkboxes", "block_names", name_blocks)
    return parser


markdown = _build_parser()

# The parser takes seconds for endless runs of these; nobody reads them as markup anyway.
_ABSURD = re.compile(r"([!*_]?\[|[*_~][^\s*_~]?[*_~]|>|<|`[^`]?|\|[ -]?)\1{800}")
# So many addresses without a blank between them, things that look like the beginning of one, and
# brackets never closed.
_MAX_ADDRESSES = 200
_MAX_BEGINNINGS = 2_000
_MAX_OPEN = 20_000
_BEGINNING = re.compile("(?<!https)(?<!http)://")


def _is_absurd(body: str) -> bool:
    if _ABSURD.search(body) or body.count("[") - body.count("]") > _MAX_OPEN:
        return True
    if body.count("://") > _MAX_BEGINNINGS and len(_BEGINNING.findall(body)) > _MAX_BEGINNINGS:
        return True
    return body.count("//") > _MAX_ADDRESSES and any(
        run.count("//") > _MAX_ADDRESSES for run in body.split()
    )


# Raised by faults of the parser or its plugins. No text may be refused or hidden for one.
PARSER_FAULTS = (RecursionError, ValueError, IndexError, KeyError)


def log_fault(body: str, error: Exception) -> None:
    logger.warning(
        "A page of %s characters could not be rendered (%s).", len(body), type(error).__name__
    )


def parse(body: str, env: dict[str, Any]) -> list[Token]:
    """Return the tokens of a text; none where the text is too absurd to be Markdown."""
    if _is_absurd(body):
        return []
    try:
        tokens = markdown.parse(body, env)
    except PARSER_FAULTS as error:
        log_fault(body, error)
        return []
    # The parser drops what is nested deeper, and everything after it.
    return (
        []
        if any(token.nesting == 1 and token.level >= MAX_NESTING - 1 for token in tokens)
        else tokens
    )
