"""Markdown to safe HTML. One parser finds wikilinks (for the Link table) and draws them."""

import html
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import nh3
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, reference, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def

from wiki.insight_blocks import INSIGHT, parse_insight_line
from wiki.slugs import slugify, title_key

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WikiLink:
    """`[[target#heading|label]]`"""

    target: str
    heading: str
    label: str


@dataclass(frozen=True)
class LinkTarget:
    """Where a wikilink leads. `title` is the page's, empty for a page that does not exist."""

    url: str
    title: str = ""


LinkResolver = Callable[[WikiLink], LinkTarget]


@dataclass(frozen=True)
class Heading:
    """A heading of a rendered text; `id` is its anchor."""

    level: int
    id: str
    text: str


@dataclass(frozen=True)
class Rendered:
    html: SafeString
    headings: list[Heading]
    # The anchor of a first heading that was left out, since it only says the title.
    title_id: str = ""


# A bar inside [[…]] would end a table cell. It is this character while Markdown is parsed.
BAR = "\ufdd0"
MAX_TARGET = 500
MAX_NESTING = 40
_WIKILINK = re.compile(r"\[\[([^\[\]\n]{1,600})\]\]")


# An escaped one ends no cell, and in code it must stay as it is: `[[ $x =~ a\|b ]]`.
_PLAIN_BAR = re.compile(r"(?<!\\)\|")


def heading_id(heading: str) -> str:
    return f"h-{slugify(heading)}"


def _hide_bars(state: StateCore) -> None:
    state.src = _WIKILINK.sub(lambda match: _PLAIN_BAR.sub(BAR, match[0]), state.src)


def _finish_tokens(state: StateCore) -> None:
    for token in _walk(state.tokens):
        token.content, token.info = token.content.replace(BAR, "|"), token.info.replace(BAR, "|")
        for name in ("href", "src", "title"):
            if isinstance(value := token.attrs.get(name), str):
                token.attrs[name] = value.replace(quote(BAR), "%7C").replace(BAR, "|")
        # The Content-Security-Policy allows no inline style.
        if style := token.attrs.pop("style", ""):
            token.attrs["class"] = str(style).replace("text-align:", "align-")


# The plugins for headings and checkboxes look through all headings or list items before each one: a page of 60,000
# takes them minutes.
def _name_headings(state: StateCore) -> None:
    """Gives every heading an id by its words; the second of the same words `…-1`."""
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for opening, inline in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type != "heading_open":
            continue
        words = "".join(child.content for child in inline.children or () if child.type in ("text", "code_inline"))
        base = name = heading_id(words)
        while name in used:
            numbers[base] += 1
            name = f"{base}-{numbers[base]}"
        used.add(name)
        opening.attrSet("id", name)


_CHECKBOX = re.compile(r"\[([ xX])\]\s+")


def _draw_checkboxes(state: StateCore) -> None:
    """`- [ ] task`, as on GitHub."""
    lists: list[Token] = []
    item = paragraph = Token("", "", 0)
    for token in state.tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        is_first_in_item = (item.type, paragraph.type, token.type) == ("list_item_open", "paragraph_open", "inline")
        if is_first_in_item and (mark := _CHECKBOX.match(token.content)):
            _draw_checkbox(token, is_done=mark[1] != " ")
            item.attrSet("class", "task-list-item")
            lists[-1].attrSet("class", "contains-task-list")
        item, paragraph = paragraph, token


def _draw_checkbox(inline: Token, *, is_done: bool) -> None:
    box = Token("html_inline", "", 0)
    checked = 'checked="checked" ' if is_done else ""
    box.content = f'<input class="task-list-item-checkbox" {checked}disabled="disabled" type="checkbox">'
    children = inline.children or []
    children[0].content, inline.content = children[0].content[3:], inline.content[3:]
    inline.children = [box, *children]


_OUTSIDE = re.compile(r"(?:https?:)?//", re.IGNORECASE)


def _link_outside_pictures(state: StateCore) -> None:
    """The Content-Security-Policy loads no picture from elsewhere: it would tell its host who reads which page."""
    for token in state.tokens:
        if any(child.type == "image" for child in token.children or ()):
            token.children = list(_without_outside_pictures(token.children or ()))


def _without_outside_pictures(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        source = str(token.attrs.get("src", ""))
        if token.type != "image" or not _OUTSIDE.match(source):
            yield token
            continue
        words = Token("text", "", 0, content=_plain_text(token.children or ()) or source)
        if depth:
            yield words
            continue
        title = gettext("picture on {host}").format(host=_host(source))
        yield Token("link_open", "a", 1, attrs={"href": source, "title": title})
        yield words
        yield Token("link_close", "a", -1)


def _host(address: str) -> str:
    return _OUTSIDE.sub("", address, count=1).partition("/")[0].rpartition("@")[2]


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _parse_wikilink(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    name, _, label = match[1].replace("\\|", BAR).replace("|", BAR).partition(BAR)
    target, _, heading = name.partition("#")
    target = " ".join(target.split())
    if not 0 < len(target) <= MAX_TARGET:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = match[0]
        token.meta["link"] = WikiLink(target, heading.strip(), label.replace(BAR, "|").strip())
    state.pos = match.end()
    return True


def _render_wikilink(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    link: WikiLink = tokens[index].meta["link"]
    resolve: LinkResolver | None = env.get("resolve")
    words = link.label or " › ".join(filter(None, [link.target, link.heading]))
    if resolve is None:
        return html.escape(words)
    target = resolve(link)
    if not link.label and target.title:
        words = " › ".join(filter(None, [target.title, link.heading]))
    css = "" if target.title else ' class="new"'
    return f'<a href="{html.escape(target.url)}"{css}>{html.escape(words)}</a>'


def _render_insight(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    if tokens[index].nesting != 1:
        return "</div>\n"
    line = parse_insight_line(tokens[index].info)
    source = gettext("from {source}").format(source=line.source) if line.source else ""
    about = " · ".join(html.escape(part) for part in (_local_date(line.date), source) if part)
    return (
        f'<div class="insight"><p class="meta"><span class="who agent">{html.escape(line.agent)}</span> {about}</p>\n'
    )


def _local_date(text: str) -> str:
    """An ISO date as the reader's language writes it; anything else as it stands."""
    try:
        return date_format(date.fromisoformat(text))
    except ValueError:
        return text


def _render_table(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """A wide table scrolls inside its own frame."""
    return '<div class="scroll"><table>\n' if tokens[index].nesting == 1 else "</table></div>\n"


BlockRule = Callable[[StateBlock, int, int, bool], bool]


def _outside_insights(rule: BlockRule) -> BlockRule:
    """A definition counts for the whole page and is shown elsewhere or not at all. What an agent filed stays in its
    block, readable, and changes no text around it."""

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return not _is_in_insight(state) and rule(state, start, end, silent)

    return guarded


def _not_from_fences(rule: BlockRule) -> BlockRule:
    """The bars of an insight's first line make no table with a ruler below it."""

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        return not state.src.startswith(":::", first) and rule(state, start, end, silent)

    return guarded


def _is_in_insight(state: StateBlock) -> bool:
    seen, depth = state.env.get("insights", (0, 0))
    for token in state.tokens[seen:]:
        if token.type in (f"container_{INSIGHT}_open", f"container_{INSIGHT}_close"):
            depth += token.nesting
    state.env["insights"] = (len(state.tokens), depth)
    return depth > 0


def _build_parser() -> MarkdownIt:
    # Raw HTML stays text: "git clone <url>" must not lose a word, and nothing written can run.
    parser = MarkdownIt("gfm-like", {"html": False, "linkify": True, "maxNesting": MAX_NESTING})
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False})  # type: ignore[union-attr]
    parser.use(footnote_plugin)
    parser.use(container_plugin, INSIGHT, render=_render_insight)
    parser.block.ruler.at("table", _not_from_fences(table), {"alt": ["paragraph", "reference"]})
    parser.block.ruler.at("reference", _outside_insights(reference))
    parser.block.ruler.at("footnote_def", _outside_insights(footnote_def), {"alt": ["paragraph", "reference"]})
    parser.core.ruler.before("normalize", "hide_bars", _hide_bars)
    parser.core.ruler.after("inline", "checkboxes", _draw_checkboxes)
    parser.core.ruler.push("heading_ids", _name_headings)
    parser.core.ruler.push("outside_pictures", _link_outside_pictures)
    parser.core.ruler.push("finish_tokens", _finish_tokens)
    parser.inline.ruler.before("link", "wikilink", _parse_wikilink)
    parser.add_render_rule("wikilink", _render_wikilink)
    parser.add_render_rule("table_open", _render_table)
    parser.add_render_rule("table_close", _render_table)
    return parser


_parser = _build_parser()

# The parser takes seconds for endless runs of these; nobody reads them as markup anyway.
_ABSURD = re.compile(r"([!*_]?\[|[*_~][^\s*_~]?[*_~]|>|<|`[^`]?|\|[ -]?)\1{800}")


# So many addresses without a blank between them, things that look like the beginning of one, and brackets never closed.
_MAX_ADDRESSES, _MAX_BEGINNINGS, _MAX_OPEN = 200, 2_000, 20_000
_BEGINNING = re.compile("(?<!https)(?<!http)://")


def _is_absurd(body: str) -> bool:
    if _ABSURD.search(body) or body.count("[") - body.count("]") > _MAX_OPEN:
        return True
    if body.count("://") > _MAX_BEGINNINGS and len(_BEGINNING.findall(body)) > _MAX_BEGINNINGS:
        return True
    return body.count("//") > _MAX_ADDRESSES and any(run.count("//") > _MAX_ADDRESSES for run in body.split())


# What a fault in the parser or a plugin of it looks like. No text may be refused or hidden for it.
PARSER_FAULTS = (RecursionError, ValueError, IndexError, KeyError)


def _log_fault(body: str, error: Exception) -> None:
    logger.warning("A page of %s characters could not be rendered (%s).", len(body), type(error).__name__)


def _parse(body: str, env: dict[str, Any]) -> list[Token]:
    """The tokens of a text; none when it is no text that anybody could mean as Markdown."""
    if _is_absurd(body):
        return []
    try:
        tokens = _parser.parse(body, env)
    except PARSER_FAULTS as error:
        _log_fault(body, error)
        return []
    # The parser drops what is nested deeper, and everything after it.
    return [] if any(token.nesting == 1 and token.level >= MAX_NESTING - 1 for token in tokens) else tokens


# A save asks several times for the links of one text.
@lru_cache(maxsize=8)
def find_wikilinks(body: str) -> Sequence[WikiLink]:
    """Every wikilink of a text in order; none of those that stand in code."""
    if "[[" not in body:
        return []
    return [token.meta["link"] for token in _walk(_parse(body, {})) if token.type == "wikilink"]


def first_heading(body: str) -> str:
    """The text of the first heading; empty if there is none."""
    tokens = _parse(body, {})
    for opening, inline in zip(tokens, tokens[1:], strict=False):
        if opening.type == "heading_open" and (words := _plain_words(inline)):
            return words
    return ""


def _plain_words(inline: Token) -> str:
    """What a reader sees of an inline token, on one line."""
    parts = [
        (child.meta["link"].label or child.meta["link"].target) if child.type == "wikilink" else child.content or " "
        for child in inline.children or ()
        if child.type not in ("link_open", "link_close", "em_open", "em_close", "strong_open", "strong_close")
    ]
    return " ".join("".join(parts).split())


_ATTRIBUTES = {
    "*": {"class", "id"},
    "a": {"href", "title", "class", "id"},
    "img": {"src", "alt", "title"},
    "input": {"type", "checked", "disabled", "class"},
    "ol": {"start", "class"},
}
_TAGS = set(
    "a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr img input li ol p pre s section span strong sup table tbody "
    "td th thead tr ul".split()
)
_cleaner = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)


def render_markdown(body: str, resolve: LinkResolver | None = None) -> SafeString:
    """The body as HTML that cannot run anything. What the parser cannot take is shown as it was written."""
    return render_with_headings(body, resolve).html


def render_with_headings(body: str, resolve: LinkResolver | None = None, title: str = "") -> Rendered:
    """Like `render_markdown`, with the text's headings in their order for a table of contents.

    A first heading that only says the title is left out, for a screen that shows the title above; its anchor is then
    `title_id`, for that title.
    """
    try:
        env: dict[str, Any] = {"resolve": resolve}
        tokens = _parse(body, env)
        if tokens or not body.strip():
            title_id = str(tokens[0].attrs.get("id", "")) if _begins_with_title(tokens, title) else ""
            shown = tokens[3:] if title_id else tokens
            drawn = _cleaner.clean(_parser.renderer.render(shown, _parser.options, env))
            return Rendered(mark_safe(drawn), _headings(shown), title_id)
    except PARSER_FAULTS as error:
        _log_fault(body, error)
    return Rendered(mark_safe(f'<pre class="unrendered">{html.escape(body)}</pre>'), [])


def _begins_with_title(tokens: Sequence[Token], title: str) -> bool:
    is_heading = len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return is_heading and title_key(_plain_words(tokens[1])) == title_key(title)


def _headings(tokens: Sequence[Token]) -> list[Heading]:
    return [
        Heading(int(token.tag[1:]), str(token.attrs.get("id", "")), _plain_text(inline.children or ()))
        for token, inline in zip(tokens, tokens[1:], strict=False)
        if token.type == "heading_open"
    ]


def _plain_text(tokens: Sequence[Token]) -> str:
    return "".join(_link_words(token) if token.type == "wikilink" else token.content for token in tokens)


def _link_words(token: Token) -> str:
    link: WikiLink = token.meta["link"]
    return link.label or link.target
