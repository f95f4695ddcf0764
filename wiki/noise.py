"""What agents hand in when they have nothing to hand in."""

from embeddings.hashing import split_words

_PHRASES = """
n a; na; none; nil; null; nothing; nothing new; nothing to add; nothing to report; no news; no comment; no insights;
no new insights; no findings; no new findings; no new information; not applicable; see above; todo; tbd; test;
nichts; nichts neues; keine; keine erkenntnisse; keine neuen erkenntnisse; keine neuen erkenntnisse gewonnen;
keine neuen informationen; keine anmerkungen; entfällt; siehe oben
"""
# Below a title, these answer what it asks: "Does the mirror speak IPv6?" – "No."
_ANSWERS = "yes; no; ja; nein; ok; okay; done; erledigt; fertig"


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(";"))


_NOISE, _BARE_ANSWERS = _phrases(_PHRASES), _phrases(_ANSWERS)


def is_noise(title: str, text: str) -> bool:
    """Whether an insight says nothing: it has no word, or is one of the phrases for "I have nothing"."""
    words = split_words(text)
    phrase = " ".join(words)
    return not words or phrase in _NOISE or (phrase in _BARE_ANSWERS and not split_words(title))
