"""Unlinked mentions: pages that say the title of a page without linking to it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wiki.indexing.lexemes import Query, all_of
from wiki.markdown import LEFT_OUT, find_prose
from wiki.models import Page
from wiki.text.excerpts import ELLIPSIS, Part, quote_sentence

MAX_MENTIONS = 50
# Pages with the words of the title, whose texts are read one after the other, and how many
# characters of all that say it somewhere are parsed, to know whether it is in code: a second's
# work.
_MAX_READ, MAX_PARSED = 300, 1_000_000


@dataclass(frozen=True)
class Mention:
    """A page that says the title, with the sentence in which it does."""

    page: Page
    quote: list[Part]


def find_mentions(page: Page) -> list[Mention]:
    """The first live pages of the wiki by title that say this page's title outside of links and
    code."""
    said = re.compile(rf"(?<!\w){_in_any_case(page.title)}(?!\w)", re.IGNORECASE)
    mentions: list[Mention] = []
    parsed = 0
    for other in _candidates(page):
        if not said.search(other.body):
            continue
        parsed += len(other.body)
        if parsed > MAX_PARSED or len(mentions) == MAX_MENTIONS:
            break
        if quote := _quote(other.body, said):
            mentions.append(Mention(other, quote))
    return mentions


def _candidates(page: Page) -> Iterator[Page]:
    words = Query(all_of(page.wiki_id, page.title))
    others = Page.objects.live().filter(words__lexemes=words).exclude(pk=page.pk)
    unlinked = others.exclude(links__resolved_page=page)
    light = unlinked.only("slug", "title", "title_key", "body").order_by("title_key", "id")
    return light[:_MAX_READ].iterator(chunk_size=20)


def _in_any_case(title: str) -> str:
    return r"\s+".join(map(re.escape, title.split()))


def _quote(body: str, said: re.Pattern[str]) -> list[Part]:
    for paragraph in find_prose(body):
        if match := said.search(paragraph):
            parts = paragraph[: match.start()], match[0], paragraph[match.end() :]
            return quote_sentence(
                *(re.sub(r"\s+", " ", part.replace(LEFT_OUT, ELLIPSIS)) for part in parts)
            )
    return []
