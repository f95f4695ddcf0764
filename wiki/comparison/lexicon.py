"""The small words of English and German that need a judgement of their own."""

from wiki.text.lexicon import ENGLISH_MONTHS, GERMAN_MONTHS, WEEKDAYS


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _first_forms(groups: list[str], words: str) -> dict[str, str]:
    """Map each form to the first of its group, and each word without forms to itself."""
    return {word: group.split()[0] for group in [*groups, *words.split()] for word in group.split()}


# Say nothing at all: with or without them, or one for another, a sentence says the same.
EMPTY = {
    "en": _set("a an the please kindly simply also really very quite actually basically"),
    "de": _set("die das eine einer bitte auch sehr eigentlich"),
}
# Their case tells subject from object: "der Proxy ruft den Server", "den Proxy ruft der Server".
CASES = ["der ein", "den einen", "dem einem", "des eines"]

# May be there or not, but not one for another: "write for Ina" and "write to Ina". The value is
# the first form of the word.
LIGHT = {
    "en": _first_forms(
        ["be is are", "have has", "do does", "this these", "it they", "its their"],
        "of to for and that which you your we our then there here so",
    ),
    "de": _first_forms(
        [
            "sein ist sind",
            "haben hat habt",
            "dieser diese dieses diesen diesem dies",
            "welcher welche welches welchen welchem",
            "dein deine deinen deinem deiner",
            "unser unsere unseren unserem unserer",
            *CASES,
        ],
        "und für dass man du wir sie es hier dort da dann so",
    ),
}

# Acronyms that in small letters are filling words.
NEVER_FILLING_IN_CAPITALS = _set("IT WE SO DO DA ES")

# Only to tell the two languages apart.
TYPICAL = {
    "en": _set(
        "the of and to is are for with from this that it in on at by be not or an as if when use "
        "you can must has have into all new only was will after before every each our your its"
    ),
    "de": _set(
        "der die das und ist sind nicht ein eine einen einem einer mit für auf im zu von dem den "
        "des wird werden bei nach aus oder wenn als auch nur am zum zur vom wir du sie es man kein "
        "keine vor über jede jeder jedes jeden alle hat haben kann muss soll darf an unter seit"
    ),
}

NEGATIONS = _set(
    "not no never none nothing nobody nowhere neither nor without hardly barely cannot ~~ ☐ kein "
    "nicht nie niemals nichts niemand nirgends weder ohne kaum keinesfalls keineswegs mitnichten"
)
# Forms of one negation.
SAME_NEGATION = dict.fromkeys("keine keinen keinem keiner keines".split(), "kein")

# A sentence with one of these may take back or narrow what stands elsewhere.
RESTRICTIONS = NEGATIONS | _set(
    "only except excluding unless instead but however although though despite longer formerly "
    "previously obsolete outdated deprecated wrong false incorrect until till replaced superseded "
    "merely supersedes replaces overrides rather yet contrary unlike whereas nur außer ausgenommen "
    "statt stattdessen anstatt sondern aber jedoch allerdings obwohl trotz früher ehemals veraltet "
    "überholt falsch ungültig bis ersetzt abgelöst bloß lediglich hinfällig sofern solange "
    "vielmehr dagegen hingegen abweichend anders"
)

# A sentence that begins so belongs to the one before it.
POINTERS = _set(
    "it its this that these those they their them he she his her then there here afterwards after "
    "next finally otherwise instead but however so therefore thus both such again and or else "
    "later before also too now es er sie ihr dies diese dieser dieses diesen diesem dann danach "
    "dort hier sonst stattdessen aber jedoch deshalb daher darum also damit dabei dafür davon "
    "darauf daran dadurch beide beides außerdem schließlich deren dessen zuletzt anschließend "
    "später vorher davor und oder dazu hierzu hierfür jetzt nun"
)
# "Das geht nur nachts": its first word is an article elsewhere, and dropped.
POINTING_VERBS = _set(
    "sein haben geht gilt heißt war wird kann muss darf soll macht läuft steht dauert"
)

CONJUNCTIONS = _set(
    "if when whenever unless because since once while although after before until "
    "wenn falls sobald solange weil da obwohl nachdem bevor während ehe bis sofern"
)
# Others that begin the clause behind a comma.
SUBORDINATE = CONJUNCTIONS | _set(
    "that which who whose as so dass ob damit der die das den dem dessen deren wie"
)

NUMBERS = _set(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred "
    "thousand million half once twice double triple first second third null eins zwei drei vier "
    "fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend million halb "
    "einmal zweimal dreimal doppelt dreifach erste zweite dritte"
)
UNITS = _set(
    "second seconds minute minutes hour hours day days week weeks month months year years hourly "
    "daily weekly monthly yearly byte bytes kilobyte megabyte gigabyte terabyte bit bits percent "
    "degrees celsius fahrenheit metres meters miles inches feet litres euro euros dollar dollars "
    "cents sekunde sekunden stunde stunden minuten tag tage tagen woche wochen monat monate "
    "monaten jahr jahre jahren stündlich täglich wöchentlich monatlich jährlich prozent grad meter "
    "kilometer liter cent"
)
DATES = frozenset([*WEEKDAYS, *ENGLISH_MONTHS, *GERMAN_MONTHS]) | _set(
    "today tomorrow yesterday heute morgen gestern spring summer autumn winter"
)

HONORIFICS = _set("mr mrs ms miss dr prof sir herr herrn frau familie")

# Behind one of these a German word with a capital is a noun, otherwise perhaps a name.
BEFORE_NOUNS = (
    EMPTY["de"]
    | _set(" ".join(CASES))
    | _set(
        "im am zum zur vom beim ins ans kein keine keinen jede jeder jedes jeden alle diese dieser "
        "dieses diesen ihr ihre sein seine unser unsere mein meine dein deine"
    )
)
