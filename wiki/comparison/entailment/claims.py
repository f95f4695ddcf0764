"""Match the sentences of an insight with the pages that say them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wiki.comparison import Text
from wiki.comparison.entailment.attribution_phrases import (
    Keys,
    attribution_ends,
    can_attribute,
    find_source,
    is_attribution,
)
from wiki.comparison.entailment.contexts import context_fits, is_denied, is_taken_back
from wiki.comparison.entailment.sentence_index import (
    PageIndex,
    Sentence,
    cut,
    keys_of,
    read_page,
    read_sentences,
    read_title,
)
from wiki.comparison.entailment.word_order import is_same_statement
from wiki.comparison.statements import Statement
from wiki.comparison.stemming import find_language
from wiki.comparison.tokenizer import TooLong
from wiki.text.cleaning import stands_in
from wiki.text.slugs import title_key

# Sentences; a longer insight is compared only as a whole.
MAX_SENTENCES = 300
# Words; a shorter sentence may depend on the one beside it.
_SELF_CONTAINED = 4


def said_on(title: str, text: str, page_title: str) -> str:
    """Return the text as it is added to a page, with its title if that differs from the page's."""
    if not title or title_key(title) == title_key(page_title):
        return text
    return f"**{title}**\n\n{text}"


class Claims:
    """The sentences of one insight. Each text of a page is read once."""

    def __init__(self, title: str, text: str) -> None:
        self.title, self.text = title, text
        self.language: str | None = None
        self._places: dict[Text, PageIndex | None] = {}
        self._literal: dict[Text, bool] = {}
        self._weighed: dict[tuple[Text, ...], _Found] = {}

    def find_homes(self, pages: Sequence[Text]) -> list[int]:
        """Return the numbers of the pages that together say all of it, the fullest first, or none.

        A page that has the text as written is enough by itself.
        """
        literal = [number for number, page in enumerate(pages) if self._has_literally(page)]
        if literal or not pages:
            return literal[:1]
        found = self._weigh(pages)
        return _choose(found) if found.missing is None and self._hold_together(found) else []

    def missing_words(self, pages: Sequence[Text]) -> str:
        """Return the words of the first sentence on no page; they may lead to another page."""
        missing = self._weigh(pages).missing
        if missing is None:
            return ""
        tokens = self.sentences[missing].statement.tokens
        start = next(
            (end for end, _ in attribution_ends(keys_of(tokens), (), self.language or "")), 0
        )
        return " ".join(token.raw for token in tokens[start:])

    @cached_property
    def sentences(self) -> list[Sentence]:
        try:
            said = list(read_sentences(self.text, self.title, self.language or ""))
        except TooLong:
            return []
        return said if len(said) <= MAX_SENTENCES else []

    def _titles(self, pages: Sequence[Text]) -> tuple[Keys, ...]:
        if self.language is None:
            # A few words show no language; then it is the one of the page that is nearest.
            self.language = find_language(self.title, self.text) or find_language(
                *(pages[0] if pages else ())
            )
        return tuple(
            filter(
                can_attribute,
                dict.fromkeys(read_title(page.title, self.language) for page in pages),
            )
        )

    def _weigh(self, pages: Sequence[Text]) -> "_Found":
        """Weigh the pages once, though asked before the wiki is locked and after."""
        if (key := tuple(pages)) not in self._weighed:
            self._weighed[key] = self._find_all(pages)
        return self._weighed[key]

    def _find_all(self, pages: Sequence[Text]) -> "_Found":
        """Look for each sentence but mere attributions, until one is on no page."""
        titles, language = self._titles(pages), self.language or ""
        found = _Found([{} for _ in pages])
        texts = [
            unicodedata.normalize("NFC", f"{page.title}\n{page.body}").lower() for page in pages
        ]
        unread = list(range(len(pages)))
        for number, said in enumerate(self.sentences):
            # Reading a long page takes a while: first a look whether the words of the sentence are
            # on it.
            likely = [
                place for place in unread if all(probe in texts[place] for probe in said.probes)
            ]
            while likely and not found.has(number):
                place = likely.pop(0)
                unread.remove(place)
                found.covered[place] = self._covered(pages[place], titles)
            if found.has(number):
                found.wanted.append(number)
            elif not is_attribution(keys_of(said.statement.tokens), titles, language):
                found.missing = number
                break
        return found

    def _covered(self, page: Text, titles: tuple[Keys, ...]) -> dict[int, bool]:
        """Return the numbers of the sentences on the page, and whether they name it."""
        place = self._place(page)
        if place is None:
            return {}
        own, above = self._own_title(page), self._title_above(page, place)
        found = (
            (number, self._find(said, place, titles, own, above))
            for number, said in enumerate(self.sentences)
        )
        return {number: is_named for number, is_named in found if is_named is not None}

    def _place(self, page: Text) -> PageIndex | None:
        """Index a page; None for one too long for a request."""
        if page not in self._places:
            try:
                self._places[page] = read_page(page, self.language or "")
            except TooLong:
                self._places[page] = None
        return self._places[page]

    def _find(
        self,
        said: Sentence,
        place: PageIndex,
        titles: Sequence[Keys],
        own: tuple[Keys, ...],
        above: tuple[Keys, ...],
    ) -> bool | None:
        """Tell whether the sentence names the page that says it; None if the page does not."""
        language, statement = self.language or "", said.statement
        keys = keys_of(statement.tokens)
        if keys == place.title:
            return True
        names = [place.title] if can_attribute(place.title) else []
        begins = [
            (0, False),
            *((end, bool(named)) for end, named in attribution_ends(keys, names, language)),
        ]
        end = find_source(keys, place.title, language)
        for start, is_named in begins:
            rest = cut(statement, start, end)
            # "The proxy loads it" is no "Load it" on the page of the proxy.
            begins_alike = is_named and start == len(place.title)
            if rest.tokens and any(
                is_same_statement(rest, other.statement, language, start > 0)
                and (not begins_alike or _first_word(rest) == _first_word(other.statement))
                and context_fits(
                    (*own, *said.context),
                    (*above, *other.context),
                    place,
                    titles,
                    keys_of(rest.tokens),
                    language,
                )
                and not is_taken_back(keys_of(other.statement.tokens), place, self.sentences)
                for other in place.find(rest)
            ):
                return is_named or end < len(keys)
        return None

    def _title_above(self, page: Text, place: PageIndex) -> tuple[Keys, ...]:
        return () if title_key(self.title) == title_key(page.title) else place.above

    def _own_title(self, page: Text) -> tuple[Keys, ...]:
        """Return the insight's title as a heading of its text, unless the text has its words."""
        title = read_title(self.title, self.language or "")
        if not title or title_key(self.title) == title_key(page.title):
            return ()
        words = {key for said in self.sentences for key in keys_of(said.statement.tokens)}
        return () if words.issuperset(title) else (title,)

    def _hold_together(self, found: "_Found") -> bool:
        """Tell whether short sentences are on a page with their neighbours, and there is any."""
        wanted = found.wanted
        for place, number in enumerate(wanted):
            beside = wanted[place - 1] if place else wanted[min(1, len(wanted) - 1)]
            is_short = len(self.sentences[number].statement.tokens) < _SELF_CONTAINED
            homes = [said for said in found.covered if number in said]
            if is_short and not any(said[number] or beside in said for said in homes):
                return False
        return bool(wanted)

    def _has_literally(self, page: Text) -> bool:
        if page not in self._literal:
            stands = stands_in(said_on(self.title, self.text, page.title), page.body)
            self._literal[page] = stands and not self._is_denied(page)
        return self._literal[page]

    def _is_denied(self, page: Text) -> bool:
        """Tell whether it stands below words that take it back: "Never do this:"."""
        self._titles([page])
        place = self._place(page)
        return place is not None and is_denied(
            self.sentences, place, self._title_above(page, place)
        )


def _first_word(statement: Statement) -> str:
    return statement.tokens[0].raw.lower()


@dataclass
class _Found:
    """`covered` has the sentences of each page by number, and whether they name it; `wanted` are
    the sentences on any page, `missing` is the first on none."""

    covered: list[dict[int, bool]]
    wanted: list[int] = field(default_factory=list)
    missing: int | None = None

    def has(self, number: int) -> bool:
        return any(number in said for said in self.covered)


def _choose(found: _Found) -> list[int]:
    """Choose few pages that say it all: each time the one with most of the rest."""
    left, chosen, covered = set(found.wanted), [], found.covered
    while left:
        best = max(
            range(len(covered)), key=lambda number: (len(left & covered[number].keys()), -number)
        )
        chosen.append(best)
        left -= covered[best].keys()
    return chosen
