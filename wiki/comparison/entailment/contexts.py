"""Compare the contexts of a sentence in an insight and on a page."""

from collections.abc import Sequence

from wiki.comparison.entailment.attribution_phrases import (
    Keys,
    attribution_ends,
    is_attribution,
    is_plain_heading,
    narrows,
)
from wiki.comparison.entailment.sentence_index import PageIndex, Sentence, keys_of


def context_fits(
    own: Sequence[Keys],
    theirs: Sequence[Keys],
    place: PageIndex,
    titles: Sequence[Keys],
    words: Keys,
    language: str,
) -> bool:
    """Compare the contexts above a sentence: its `own` in the insight and `theirs` on the page.

    The insight must have the words of the page's, in the sentence or above it.
    """
    above = [keys for keys in own if not is_attribution(keys, titles, language, place.title)]
    below = [keys for keys in theirs if not is_plain_heading(keys)]
    if not all(any(form in theirs for form in _forms(keys, titles, language)) for keys in above):
        return False
    forms = {form for keys in above for form in _forms(keys, titles, language)}
    said = {
        *words,
        *(key for keys in above for key in keys),
        *(key for key in place.title if not narrows([key])),
    }
    return all(keys in forms or said.issuperset(keys) for keys in below)


def _forms(keys: Keys, titles: Sequence[Keys], language: str) -> list[Keys]:
    """Return the keys with and without attributions before them."""
    return [
        keys,
        *(keys[end:] for end, _ in attribution_ends(keys, titles, language) if end < len(keys)),
    ]


def is_denied(sentences: Sequence[Sentence], place: PageIndex, title: tuple[Keys, ...]) -> bool:
    """Tell whether the page has a sentence only near words that narrow or take it back, among them
    its `title`."""
    if any(is_taken_back(keys_of(said.statement.tokens), place, sentences) for said in sentences):
        return True
    for said in sentences:
        own = {key for keys in said.context for key in keys}
        found = [
            other
            for other in place.find(said.statement)
            if other.statement.key == said.statement.key
        ]
        if found and all(_is_narrowed((*title, *other.context), own) for other in found):
            return True
    return False


def is_taken_back(keys: Keys, place: PageIndex, sentences: Sequence[Sentence]) -> bool:
    """Tell whether the page takes back behind the sentence what the insight does not."""
    behind = place.taken_back.get(keys, set())
    return bool(behind) and behind.isdisjoint(keys_of(said.statement.tokens) for said in sentences)


def _is_narrowed(context: Sequence[Keys], own: set[str]) -> bool:
    return any(narrows([key]) and key not in own for keys in context for key in keys)
