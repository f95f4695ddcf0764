"""Whether a sentence holds under the same here and there."""

from collections.abc import Sequence

from wiki.comparison.entailment.attribution_phrases import (
    Keys,
    dress_ends,
    is_dress,
    is_plain_heading,
)
from wiki.comparison.entailment.sentence_index import Place, Said, keys_of
from wiki.comparison.lexicon import RESTRICTIONS


def context_fits(
    own: Sequence[Keys],
    theirs: Sequence[Keys],
    place: Place,
    titles: Sequence[Keys],
    words: Keys,
    language: str,
) -> bool:
    """`own`: what stands above the sentence in the insight; `theirs`: on the page.

    What only the page has above it must be said by the insight too, in the `words` of the sentence
    or above them.
    """
    above = [keys for keys in own if not is_dress(keys, titles, place.title, language)]
    below = [keys for keys in theirs if not is_plain_heading(keys)]
    if not all(any(form in theirs for form in _forms(keys, titles, language)) for keys in above):
        return False
    forms = {form for keys in above for form in _forms(keys, titles, language)}
    said = {
        *words,
        *(key for keys in above for key in keys),
        *(key for key in place.title if not _narrows(key)),
    }
    return all(keys in forms or said.issuperset(keys) for keys in below)


def _forms(keys: Keys, titles: Sequence[Keys], language: str) -> list[Keys]:
    """As it stands, and without the dress before it."""
    return [keys, *(keys[end:] for end, _ in dress_ends(keys, titles, language) if end < len(keys))]


def is_denied(sentences: Sequence[Said], place: Place, title: tuple[Keys, ...]) -> bool:
    """Whether one of the sentences stands on the page only below words that take it back or narrow
    it, the page's `title` among them, or before such words."""
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


def is_taken_back(keys: Keys, place: Place, sentences: Sequence[Said]) -> bool:
    """Whether the page takes back behind the sentence what the insight lets stand."""
    behind = place.taken_back.get(keys, set())
    return bool(behind) and behind.isdisjoint(keys_of(said.statement.tokens) for said in sentences)


def _is_narrowed(context: Sequence[Keys], own: set[str]) -> bool:
    return any(_narrows(key) and key not in own for keys in context for key in keys)


def _narrows(key: str) -> bool:
    return key.lower() in RESTRICTIONS
