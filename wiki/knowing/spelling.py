"""One spelling for what is written in several ways, before two texts are compared."""

import re

_SPELLINGS = [
    (r"\bz\.\s?B\.", "zum Beispiel"),
    (r"\bd\.\s?h\.", "das heißt"),
    (r"\bu\.\s?a\.", "unter anderem"),
    (r"\be\.\s?g\.", "for example"),
    (r"\bi\.\s?e\.", "that is"),
    (r"\bbzw\.", "beziehungsweise"),
    (r"\binkl\.", "inklusive"),
    (r"\bincl\.", "including"),
    (r"\b(?:circa|zirka|ca\.|etwa|ungefähr)(?!\w)", "ca"),
    (r"\b(?:approximately|approx\.|roughly)(?!\w)", "approx"),
    (r"\b(?:isn't|is\snot)\b", "is not"),
    (r"(?<=\d)\s?(?:percent|per\scent|Prozent)\b", " %"),
    (r"(?<=\d)\s?(?:minutes?|Minuten?|mins?)\b", " min"),
    (r"(?<=\d)\s?(?:seconds?|Sekunden?|secs?|sec)\b", " s"),
    (r"(?<=\d)\s?(?:hours?|Stunden?|hrs?)\b", " h"),
    (r"(?<=\d)\s?(?:milliseconds?|Millisekunden?)\b", " ms"),
]
_ANY = re.compile("|".join(f"({pattern})" for pattern, _ in _SPELLINGS), re.IGNORECASE)
# A link by the name of its page is that name; with words of its own it leads somewhere that they do not say.
_WIKILINK = re.compile(r"\[\[([^\[\]|\n]{1,300})\]\]")
_SMALL_NUMBERS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
DIGITS = {
    language: {word: str(number) for number, word in enumerate(words.split())}
    for language, words in _SMALL_NUMBERS.items()
}

# What stands in place of something else: it need not be on a page that says the same.
REPLACED = frozenset(" ".join(spelling for _, spelling in _SPELLINGS).lower().split())


def spell_alike(text: str) -> str:
    """The text with abbreviations written out, units shortened, and plain links without their brackets."""
    return _ANY.sub(lambda found: _SPELLINGS[(found.lastindex or 1) - 1][1], _WIKILINK.sub(r"\1", text))
