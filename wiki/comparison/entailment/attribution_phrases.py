"""What quoting puts around a statement: "According to our notes on the proxy: …", "Recap:", "Laut
Wiki …".

Dress is made of a closed list of words and the titles of pages, and of nothing else: "According to
outdated notes: …" says something. All words here are keys as the guard makes them.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wiki.comparison.lexicon import NUMBERS, RESTRICTIONS
from wiki.comparison.stemming import stem_word

Keys = tuple[str, ...]

# One of these at least makes dress of the others.
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
    """As keys. Strong words are those of both languages, since people write "Recap:" above German
    too; of the small ones some say something in the other: "was"."""
    both = ["en", "de"]
    own = [language] if language else both

    def keys(words: dict[str, str], languages: Sequence[str]) -> frozenset[str]:
        return frozenset(
            stem_word(word, language) for name in languages for word in words[name].split()
        )

    return _Words(keys(_STRONG, both), keys(_WEAK, own), keys(_POINTERS, both))


def is_dress_word(key: str, language: str) -> bool:
    return any(key in words for words in _words(language))


def may_dress(title: Keys) -> bool:
    """Whether a title can name a page without saying anything; "Only at night" says something."""
    return bool(title) and not any(key.lower() in RESTRICTIONS for key in title)


def dress_ends(
    keys: Sequence[str], titles: Sequence[Keys], language: str
) -> Iterator[tuple[int, frozenset[Keys]]]:
    """Where the dress at the beginning may end, farthest first, and which titles it names.

    A title alone dresses too: "Proxy: …" says which page it is about.
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
    """The five of "a summary of five pages"."""
    key = keys[place]
    following = keys[place + 1] if place + 1 < len(keys) else ""
    return (key.isdecimal() or key in NUMBERS) and (
        following in strong or following in ("seit", "page")
    )


def is_dress(keys: Keys, titles: Sequence[Keys], page: Keys, language: str) -> bool:
    """Whether it says nothing, or names this page among others."""
    if is_plain_heading(keys):
        return True
    return any(
        end == len(keys) and (not named or page in named)
        for end, named in dress_ends(keys, titles, language)
    )


def is_all_dress(keys: Keys, titles: Sequence[Keys], language: str) -> bool:
    """Whether it says nothing but which pages are quoted."""
    if is_plain_heading(keys):
        return True
    return any(end == len(keys) for end, _ in dress_ends(keys, titles, language))


def source_begins(keys: Keys, title: Keys, language: str) -> int:
    """Where "see Proxy" begins at the end of a statement; its length if there is none."""
    place = len(keys) - len(title) - 1
    points = place > 0 and keys[place] in _words(language).pointers and keys[place + 1 :] == title
    return place if points else len(keys)


def is_plain_heading(keys: Keys) -> bool:
    return len(keys) == 1 and keys[0] in _PLAIN_HEADINGS
