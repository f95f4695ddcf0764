"""What agents hand in when they have nothing to hand in."""

from embeddings.hashing import split_words

_PHRASES = """
n a; na; none; nil; null; nothing; nothing new; nothing to add; nothing to report; no; no news; no comment; no insights;
no new insights; no findings; no new findings; no new information; not applicable; see above; todo; tbd; ok; okay; done;
test; yes; ja; nein; nichts; nichts neues; keine; keine erkenntnisse; keine neuen erkenntnisse;
keine neuen erkenntnisse gewonnen; keine neuen informationen; keine anmerkungen; entfällt; erledigt; fertig; siehe oben
"""
_NOISE = frozenset(" ".join(phrase.split()) for phrase in _PHRASES.split(";"))


def is_noise(text: str) -> bool:
    """Whether a text says nothing: it has no word, or is one of the phrases for "I have nothing"."""
    words = split_words(text)
    return not words or " ".join(words) in _NOISE
