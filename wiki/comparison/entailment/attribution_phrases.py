"""Phrases of attribution around a statement: "According to our notes on the proxy: …", "Recap:".

They are made of a closed list of words and the titles of pages alone: "According to outdated notes:
…" is a statement. All words here are keys of tokens.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wiki.comparison.lexicon import NUMBERS, RESTRICTIONS
from wiki.comparison.stemming import stem_word

Keys = tuple[str, ...]

# An attribution has one of these at least.
_STRONG = {
    "en": "according notes note pages wiki covey memory recap summary summarised summarized "
    "reminder quote quoted "
    "quoting says say states stated documented noted recalled recalling known know knowledge tl dr",
    "de": "laut gemäß notiz notizen wiki covey zusammenfassung zusammengefasst erinnerung "
    "rückblick zitat zitiert steht stehen sagt sagen bekannt wissen weiß festgehalten "
    "notiert dokumentiert vermerkt gedächtnis wissensstand nachgelesen",
}
_WEAK = {
    "en": "to our the my on about of in from page is are as we i that these this following here "
    "what by entry entries base already it tells us and written found everything all topic "
    "subject for has have you your its own there",
    "de": "unser unsere unseren unserem mein meine meinen zu zum zur über auf im in aus von vom "
    "ist sind wie wir ich dass diese dieses dieser folgende folgendes folgenden hier bereits "
    "schon dort und es eintrag einträge seite seiten uns thema alles für hat haben mir man "
    "gefunden kurz so",
}
_POINTERS = {"en": "see source cf", "de": "siehe quelle vgl"}
# Headings that say nothing about what stands below them.
_PLAIN_HEADINGS = frozenset(
    "summary overview details notes note facts background info information description about "
    "general recap zusammenfassung überblick übersicht einzelheiten notizen notiz fakten "
    "hintergrund informationen beschreibung allgemein allgemeines".split()
)
_MAX_WORDS = 40


class _Words(NamedTuple):
    strong: frozenset[str]
    weak: frozenset[str]
    pointers: frozenset[str]


@lru_cache(maxsize=8)
def _words(language: str) -> _Words:
    """Return the words as keys. Strong ones are of both languages, since "Recap:" stands above
    German too; weak ones may mean something in the other: "was"."""
    both = ["en", "de"]
    own = [language] if language else both

    def keys(words: dict[str, str], languages: Sequence[str]) -> frozenset[str]:
        return frozenset(
            stem_word(word, language) for name in languages for word in words[name].split()
        )

    return _Words(keys(_STRONG, both), keys(_WEAK, own), keys(_POINTERS, both))


def is_attribution_word(key: str, language: str) -> bool:
    return any(key in words for words in _words(language))


def narrows(keys: Sequence[str]) -> bool:
    return any(key.lower() in RESTRICTIONS for key in keys)


def can_attribute(title: Keys) -> bool:
    """Tell whether a title only names a page; "Only at night" is a statement."""
    return bool(title) and not narrows(title)


def attribution_ends(
    keys: Sequence[str], titles: Sequence[Keys], language: str
) -> Iterator[tuple[int, frozenset[Keys]]]:
    """Yield the ends of an attribution at the beginning, farthest first, with the titles it names.

    A title alone is one too: "Proxy: …" names a page.
    """
    strong, weak, _ = _words(language)
    keys = keys[:_MAX_WORDS]
    # By place: whether a strong word was met, and the titles that were named.
    states: list[set[tuple[bool, frozenset[Keys]]]] = [set() for _ in range(len(keys) + 1)]
    states[0].add((False, frozenset()))
    for place, key in enumerate(keys):
        for is_strong, named in states[place]:
            if key in strong or key in weak or _counts_pages(keys, place, strong):
                states[place + 1].add((is_strong or key in strong, named))
            for title in titles:
                end = place + len(title)
                if title and tuple(keys[place:end]) == title:
                    states[end].add(
                        (is_strong or (place == 0 and end == len(title)), named | {title})
                    )
    for place in range(len(keys), 0, -1):
        for is_strong, named in states[place]:
            if is_strong:
                yield place, named


def _counts_pages(keys: Sequence[str], place: int, strong: frozenset[str]) -> bool:
    """Recognise the number in "a summary of five pages"."""
    key = keys[place]
    following = keys[place + 1] if place + 1 < len(keys) else ""
    return (key.isdecimal() or key in NUMBERS) and (
        following in strong or following in ("seit", "page")
    )


def is_attribution(
    keys: Keys, titles: Sequence[Keys], language: str, page: Keys | None = None
) -> bool:
    """Recognise a mere attribution; with a page given, only one that may be to it."""
    return is_plain_heading(keys) or any(
        end == len(keys) and (page is None or not named or page in named)
        for end, named in attribution_ends(keys, titles, language)
    )


def find_source(keys: Keys, title: Keys, language: str) -> int:
    """Find the start of "see Proxy" at the end of a statement, else its length."""
    place = len(keys) - len(title) - 1
    points = place > 0 and keys[place] in _words(language).pointers and keys[place + 1 :] == title
    return place if points else len(keys)


def is_plain_heading(keys: Keys) -> bool:
    return len(keys) == 1 and keys[0] in _PLAIN_HEADINGS
