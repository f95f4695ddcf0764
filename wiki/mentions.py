"""Unlinked mentions: pages that say the title of a page without linking to it."""

import re
from dataclasses import dataclass

from django.contrib.postgres.search import SearchQuery

from wiki.excerpts import ELLIPSIS, Part, quote_sentence
from wiki.markup import LEFT_OUT, find_prose
from wiki.models import Page

MAX_MENTIONS = 50
# Pages with the words of the title, whose texts are read one after the other.
_MAX_READ = 300


@dataclass(frozen=True)
class Mention:
    """A page that says the title, with the sentence in which it does."""

    page: Page
    quote: list[Part]


def find_mentions(page: Page) -> list[Mention]:
    """The first live pages of the wiki by title that say this page's title outside of links and code."""
    said = re.compile(rf"(?<!\w){_in_any_case(page.title)}(?!\w)", re.IGNORECASE)
    mentions: list[Mention] = []
    for other in _candidates(page):
        if quote := _quote(other.body, said):
            mentions.append(Mention(other, quote))
        if len(mentions) == MAX_MENTIONS:
            break
    return mentions


def _candidates(page: Page) -> list[Page]:
    words = SearchQuery(page.title, config="pg_catalog.german", search_type="phrase")
    words |= SearchQuery(page.title, config="pg_catalog.english", search_type="phrase")
    others = Page.objects.live().filter(wiki=page.wiki_id, search=words).exclude(pk=page.pk)
    unlinked = others.exclude(links__resolved_page=page)
    return list(unlinked.only("slug", "title", "title_key", "body").order_by("title_key", "id")[:_MAX_READ])


def _in_any_case(title: str) -> str:
    return r"\s+".join(map(re.escape, title.split()))


def _quote(body: str, said: re.Pattern[str]) -> list[Part]:
    if not said.search(body):
        return []
    for paragraph in find_prose(body):
        if match := said.search(paragraph):
            parts = paragraph[: match.start()], match[0], paragraph[match.end() :]
            return quote_sentence(*(re.sub(r"\s+", " ", part.replace(LEFT_OUT, ELLIPSIS)) for part in parts))
    return []
