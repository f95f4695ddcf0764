"""Normalise the spelling of abbreviations, units and links before a comparison."""

import re

_WORDS = [
    (r"z\.\s?B\.", "zum Beispiel"),
    (r"d\.\s?h\.", "das heißt"),
    (r"u\.\s?a\.", "unter anderem"),
    (r"e\.\s?g\.", "for example"),
    (r"i\.\s?e\.", "that is"),
    (r"bzw\.", "beziehungsweise"),
    (r"inkl\.", "inklusive"),
    (r"incl\.", "including"),
    (r"(?:circa|zirka|ca\.|etwa|ungefähr)(?!\w)", "ca"),
    (r"(?:approximately|approx\.|roughly)(?!\w)", "approx"),
    (r"(?:isn't|is\snot)\b", "is not"),
]
# Behind a number.
_UNITS = [
    (r"(?:percent|per\scent|Prozent)\b", " %"),
    (r"(?:minutes?|Minuten?|mins?)\b", " min"),
    (r"(?:seconds?|Sekunden?|secs?|sec)\b", " s"),
    (r"(?:hours?|Stunden?|hrs?)\b", " h"),
    (r"(?:milliseconds?|Millisekunden?)\b", " ms"),
]
_SPELLINGS = [*_WORDS, *_UNITS]


def _one_of(spellings: list[tuple[str, str]]) -> str:
    return "|".join(f"({pattern})" for pattern, _ in spellings)


# One pattern looks for the beginnings of words once for all: it runs over every page.
_ANY = re.compile(rf"\b(?:{_one_of(_WORDS)})|(?<=\d)\s?(?:{_one_of(_UNITS)})", re.IGNORECASE)
# A link without words of its own is the name of its page; others name a page beside their words.
_WIKILINK = re.compile(r"\[\[([^\[\]|\n]{1,300})\]\]")
_SMALL_NUMBERS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
DIGITS = {
    language: {word: str(number) for number, word in enumerate(words.split())}
    for language, words in _SMALL_NUMBERS.items()
}

# Replacements; a page that says the same need not have them.
REPLACED = frozenset(" ".join(spelling for _, spelling in _SPELLINGS).lower().split())


def spell_alike(text: str) -> str:
    """Write out abbreviations, shorten units, and remove the brackets of plain links."""
    return _ANY.sub(
        lambda found: _SPELLINGS[(found.lastindex or 1) - 1][1], _WIKILINK.sub(r"\1", text)
    )
