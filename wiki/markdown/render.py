"""Render Markdown as HTML without scripts."""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

import nh3
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from markdown_it.common.utils import unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from wiki.markdown.code_highlighting import CodePainter
from wiki.markdown.headings import HEADINGS, Heading, find_anchor, find_headings
from wiki.markdown.image_syntax import Pictures, render_picture
from wiki.markdown.insight_block import INSIGHT, parse_insight_line
from wiki.markdown.parser import PARSER_FAULTS, log_fault, markdown, parse
from wiki.markdown.parser_tokens import plain_words
from wiki.markdown.wikilinks import WikiLink
from wiki.text.slugs import title_key


@dataclass(frozen=True)
class LinkTarget:
    """The address of a link, empty for none, and its page's title, empty without a page.

    `is_whole` if the title has all of the link's name, a `#` included; `is_choice` if several pages
    have it.
    """

    url: str
    title: str = ""
    is_whole: bool = False
    is_choice: bool = False

    @property
    def css(self) -> str:
        if self.is_choice:
            return ' class="several"'
        return "" if self.title else ' class="new"'


LinkResolver = Callable[[WikiLink], LinkTarget]
# None for an address that is not one of a page.
AddressResolver = Callable[[str], LinkTarget | None]


@dataclass(frozen=True)
class Rendered:
    html: SafeString
    headings: list[Heading]
    # The anchor of a first heading that was left out as equal to the title.
    title_id: str = ""
    # The same as covey wrote it before.
    former_title_id: str = ""


_ATTRIBUTES = {
    "*": {"class", "id"},
    "a": {"href", "title", "class", "id", "aria-label"},
    "input": {"type", "checked", "disabled", "class", "aria-label"},
    "img": {"src", "alt", "title", "width", "height", "loading"},
    "ol": {"start", "class"},
    "span": {"title", "class"},
    **{f"h{level}": {"aria-label"} for level in range(1, 7)},
}
_TAGS = set(
    "a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr img input li mark ol p pre s section "
    "span strong sup table tbody td th thead tr ul".split()
)
_cleaner = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    url_schemes={"http", "https", "mailto", "tel", "obsidian"},
    link_rel="noopener noreferrer nofollow",
)


def render_markdown(body: str, resolve: LinkResolver | None = None) -> SafeString:
    """Render the body as safe HTML, or as it was written where the parser cannot take it."""
    return render_with_headings(body, resolve).html


def render_with_headings(
    body: str,
    resolve: LinkResolver | None = None,
    title: str = "",
    pictures: Pictures | None = None,
    *,
    resolve_address: AddressResolver | None = None,
    has_permalinks: bool = False,
) -> Rendered:
    """Render the body, and list its headings for a table of contents.

    A picture of the wiki that is not in `pictures` is shown as missing. A first heading equal to
    the title is left out, for a screen with the title above; `title_id` is then its anchor.
    """
    try:
        env: dict[str, Any] = {
            "resolve": resolve,
            "resolve_address": resolve_address,
            "pictures": pictures,
            "has_permalinks": has_permalinks,
        }
        env["painter"] = CodePainter()
        tokens = parse(body, env)
        if tokens or not body.strip():
            is_titled = _begins_with_title(tokens, title)
            shown = tokens[3:] if is_titled else tokens
            drawn = _cleaner.clean(markdown.renderer.render(shown, markdown.options, env))
            ids = (tokens[0].attrs["id"], tokens[0].meta["former_id"]) if is_titled else ("", "")
            return Rendered(mark_safe(drawn), [*find_headings(shown)], *map(str, ids))
    except PARSER_FAULTS as error:
        log_fault(body, error)
    return Rendered(mark_safe(f'<pre class="unrendered">{html.escape(body)}</pre>'), [])


def _begins_with_title(tokens: Sequence[Token], title: str) -> bool:
    is_heading = len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return is_heading and title_key(plain_words(tokens[1])) == title_key(title)


def _render_wikilink(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    link: WikiLink = tokens[index].meta["link"]
    resolve: LinkResolver | None = env.get("resolve")
    words = link.label or " › ".join(filter(None, [link.target, link.heading]))
    if not link.target:
        return f'<a href="{_anchor(link.heading, env)}">{html.escape(words)}</a>'
    if resolve is None:
        return html.escape(words)
    target = resolve(link)
    if not link.label and target.title:
        heading = "" if target.is_whole else link.heading
        words = " › ".join(filter(None, [target.title, heading]))
    if not target.url:
        return _render_unwritten(words)
    return f'<a href="{html.escape(target.url)}"{target.css}>{html.escape(words)}</a>'


def _anchor(fragment: str, env: EnvType) -> str:
    return html.escape(f"#{quote(find_anchor(fragment, env.get(HEADINGS, [])))}")


def _render_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Lead Markdown links by the addresses of pages to them, and those within the page to its
    headings, however they are spelled."""
    token = tokens[index]
    href = str(token.attrs["href"])
    resolve: AddressResolver | None = env.get("resolve_address")
    if href.startswith("#"):
        token.attrs["href"] = f"#{quote(find_anchor(unquote(href[1:]), env.get(HEADINGS, [])))}"
    elif resolve and (target := resolve(href)):
        if target.url:
            token.attrs["href"] = target.url
        if target.css:
            token.attrJoin("class", "several" if target.is_choice else "new")
        # A pasted address says less than the title of its page.
        if target.title and token.info == "auto":
            tokens[index + 1].content = target.title
    return self.renderToken(tokens, index, options, env)


def _render_unwritten(words: str) -> str:
    """Render the name of a page that does not exist, for a reader without the right to write."""
    hint = html.escape(gettext("This page is not written yet."))
    return (
        f'<span class="new" title="{hint}">{html.escape(words)}<span class="unseen"> '
        f"({hint})</span></span>"
    )


def _render_heading_start(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    if env.get("has_permalinks"):
        # Read aloud, the words of its link are not part of a heading.
        tokens[index].attrSet("aria-label", plain_words(tokens[index + 1]))
    mark = _render_former_id(tokens[index]) if env.get("has_permalinks") else ""
    return self.renderToken(tokens, index, options, env) + mark


def _render_former_id(heading: Token) -> str:
    """Addresses with it were handed out before."""
    former = str(heading.meta.get("former_id", ""))
    return f'<span id="{html.escape(former)}"></span>' if former != heading.attrs["id"] else ""


def _render_heading_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    end = f"</{tokens[index].tag}>\n"
    if not env.get("has_permalinks"):
        return end
    id, words = str(tokens[index - 2].attrs.get("id", "")), plain_words(tokens[index - 1])
    label = gettext("Link to “{heading}”").format(heading=words)
    return (
        f'<a class="permalink" href="#{html.escape(id)}" '
        f'aria-label="{html.escape(label)}">#</a>{end}'
    )


def _render_insight(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    if tokens[index].nesting != 1:
        return "</div>\n"
    line = parse_insight_line(tokens[index].info)
    source = gettext("from {source}").format(source=line.source) if line.source else ""
    about = " · ".join(html.escape(part) for part in (_local_date(line.date), source) if part)
    return (
        f'<div class="insight"><p class="meta"><span class="who '
        f'agent">{html.escape(line.agent)}</span> {about}</p>\n'
    )


def _local_date(text: str) -> str:
    """Write an ISO date in the reader's language; leave anything else as it stands."""
    try:
        return date_format(date.fromisoformat(text))
    except ValueError:
        return text


def _render_formula(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return f'<pre class="formula">{html.escape(tokens[index].content)}</pre>\n'


def _render_comment(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return ""


def _render_fence(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    language = unescapeAll(token.info).split(maxsplit=1)[0] if token.info.strip() else ""
    named = f' class="language-{html.escape(language)}"' if language else ""
    return f"<pre><code{named}>{env['painter'].paint(token.content, language)}</code></pre>\n"


def _render_table(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Frame a table, so that a wide one scrolls."""
    return '<div class="scroll"><table>\n' if tokens[index].nesting == 1 else "</table></div>\n"


markdown.add_render_rule("wikilink", _render_wikilink)
markdown.add_render_rule("link_open", _render_link)
markdown.add_render_rule("image", render_picture)
markdown.add_render_rule(f"container_{INSIGHT}_open", _render_insight)
markdown.add_render_rule(f"container_{INSIGHT}_close", _render_insight)
markdown.add_render_rule("fence", _render_fence)
markdown.add_render_rule("formula", _render_formula)
markdown.add_render_rule("comment", _render_comment)
markdown.add_render_rule("heading_open", _render_heading_start)
markdown.add_render_rule("heading_close", _render_heading_end)
markdown.add_render_rule("table_open", _render_table)
markdown.add_render_rule("table_close", _render_table)
