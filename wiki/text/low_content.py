"""Insights without content: no word, "n/a", a greeting, "task completed", a refusal.

Judged sentence by sentence, by closed lists: one word that is in none of them, and the text is
kept.
"""

import re

from embeddings.hash_embedder import split_words
from wiki.text.sentences import split_sentences

_PHRASES = """
n a; na; none; nil; null; nothing; nothing new; nothing to add; nothing to report; no news;
no comment; no insights; no new insights; no findings; no new findings; no new information;
not applicable; see above; same as above; same as before; as above; as before; as discussed; todo;
tbd; tba; wip; test; testing; test test; this is a test; asdf; lorem ipsum; foo; foo bar; unknown;
no idea; i do not know; i don t know; no answer; no output; no result; no results; nichts;
nichts neues; keine; keine erkenntnisse; keine neuen erkenntnisse;
keine neuen erkenntnisse gewonnen; keine neuen informationen; keine anmerkungen; entfällt;
siehe oben; s o; wie oben; wie gehabt; wie besprochen; nicht zutreffend; unbekannt; keine ahnung;
ich weiß es nicht; weiß ich nicht; das ist ein test; kein ergebnis; keine ergebnisse; keine angabe;
keine angaben; k a; o b; ohne befund; es gibt nichts neues; nichts hinzuzufügen;
es gibt nichts zu berichten; nichts zu berichten; nichts gelernt; ich habe nichts neues gelernt;
alles gut; passt; alles funktioniert; alles läuft; alles läuft wie erwartet; keine fehler gefunden;
keine probleme gefunden; mache ich; undefined; ok danke; okay danke; ok thanks; okay thanks; lgtm;
looks good to me; will do; all good; no issues found; everything works;
everything works as expected; no problems found; no errors found; there is nothing to report;
nothing was learned; i learned nothing new; i did not learn anything new;
i didn t learn anything new; lorem ipsum dolor sit amet
"""
# Below a title, these answer what it asks: "Does the mirror speak IPv6?" – "No."
_ANSWERS = (
    "yes; no; ja; nein; ok; okay; done; erledigt; fertig; yep; nope; sure; klar; genau; stimmt"
)

# A status line without a fact has one of the first and nothing but both.
_STATUS = """
done completed complete completes finished finishes successful successfully success succeeded
accomplished fulfilled executed performed processed working progress ongoing started starting ready
acknowledged understood noted received fine well insights findings information updates changes
learned learnt erledigt abgeschlossen fertig fertiggestellt beendet erfolgreich ausgeführt
durchgeführt bearbeitet umgesetzt verstanden notiert bereit gestartet begonnen läuft arbeite
erkenntnisse informationen änderungen auffälligkeiten besonderheiten gelernt
"""
_AROUND = """
thanks thank please danke bitte i ve we it s this that the a my our your you have has had is was
were been be are am now already all everything task tasks job work request step steps assignment
action actions process as requested asked instructed without errors error issues problems problem
any further no new more else anything nothing needed required necessary to report add say learn
found here there in on of for with and so just made were during while status yes ok okay great good
perfect ich wir es das die der den dem ein eine habe haben hat hatte wurde wurden worden ist sind
war waren bin nun jetzt alle alles aufgabe aufgaben auftrag arbeit arbeiten schritt schritte anfrage
vorgang ohne fehler probleme problem keine kein keinerlei weitere weiteren neue neuen besondere
besonderen nötig erforderlich gemäß wie gewünscht verlangt zu und mit gibt gab nichts hinzuzufügen
mehr bisher gefunden gewonnen dabei daran vorhanden ja gut prima wunschgemäß
"""
_GREETINGS = """
hello hi hey dear team all everyone everybody there thanks thank you very much so a lot for your
help welcome re you good morning afternoon evening day bye goodbye cheers best kind regards see
later greetings please again hallo moin servus tag guten morgen abend zusammen liebe lieber alle
danke vielen dank schön sehr gern gerne geschehen bitte tschüss viele liebe beste freundliche grüße
gruß mit freundlichen grüßen und auf wiedersehen bis bald später für deine eure ihre hilfe
"""
# A sentence of these alone is kept: "Morgen." may be the answer to something.
_GREETING = """
hello hi hey thanks thank welcome goodbye bye cheers regards greetings morning afternoon evening
hallo moin servus danke dank gern gerne bitte tschüss grüße gruß grüßen wiedersehen guten liebe
"""
_REFUSALS = [
    # A lesson about a model, or its use by others, is no refusal.
    r"as an? (?:ai|artificial intelligence|large language|language)(?: language)?(?: model| "
    r"assistant)?"
    r"(?: (?:trained|developed|created|made|built) by(?: \w+){1,3})? (?:i|my) "
    r"(?:can|could|cannot|can t|am|m|do|don t|have no|lack|was not|wasn t|won t|will "
    r"not|knowledge|training)\b",
    r"als (?:ki|künstliche intelligenz|sprachmodell|ki sprachmodell|ki assistent)"
    r" (?:kann|könnte|darf|bin|habe|verfüge|weiß|besitze|fehlt|fehlen) (?:ich|mir)\b",
    r"(?:i m sorry|i am sorry|sorry|i apologize|unfortunately)?(?: but)? ?i (?:can ?not|can t|am "
    r"unable to|m unable to|"
    r"am not able to|won t|will not) "
    r"(?:help|assist|comply|do|fulfil|fulfill|complete|answer|provide)"
    r"(?: you)?(?: with)? ?(?:that|this|it|the|your|any)?(?: "
    r"(?:request|task|question|information|that))?",
    r"(?:es )?tut mir leid(?: aber)?(?: (?:dabei|damit|das|diese anfrage|hierbei) kann ich "
    r"(?:leider )?nicht"
    r" (?:helfen|tun|beantworten|bearbeiten|weiterhelfen))?",
    r"(?:dabei|damit|hierbei) kann ich (?:leider )?nicht (?:weiter)?helfen",
    r"leider kann ich (?:dabei|damit|hierbei|das|diese anfrage) nicht "
    r"(?:weiter)?(?:helfen|tun|beantworten)",
    # Endings of a chat.
    r"(?:please )?(?:let me know|feel free to ask|do not hesitate to ask|don t hesitate to ask)"
    r"(?: if (?:you|there) (?:have|need|is|are|want) (?:any|anything|something|more|further|other)"
    r"(?: (?:else|more|further|other|help|questions?|you need))*)?",
    r"(?:i )?hope (?:this|that|it) helps(?: you)?",
    r"(?:is there anything|can i help you with anything|anything) else(?: (?:i can|that i can) "
    r"(?:help|assist)"
    r"(?: you)?(?: with)?)?",
    r"(?:wenn|falls) du (?:noch )?(?:weitere )?(?:fragen hast|etwas brauchst)"
    r"(?: melde dich gerne?| sag bescheid)?",
    r"melde dich(?: gerne?)?(?: wenn du (?:noch )?(?:fragen hast|etwas brauchst))?",
    r"ich hoffe das hilft(?: dir| weiter| dir weiter)?",
    r"kann ich (?:dir |ihnen )?(?:sonst )?noch (?:bei etwas |mit etwas )?(?:weiter)?helfen",
    r"i am an? (?:ai|language model)\b",
    r"ich bin (?:eine ki|ein sprachmodell)\b",
]
_PARTS = re.compile(r"(?<=;)\s+|\n+")
# Sentences of a text, and words of a sentence; a longer one is kept unread.
_MAX_SENTENCES = 6
_MAX_WORDS = 40


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(";"))


_NOISE = _phrases(_PHRASES)
_BARE_ANSWERS = _phrases(_ANSWERS)
_STATUS_WORDS = frozenset(_STATUS.split())
_STATUS_LINE = _STATUS_WORDS | frozenset(_AROUND.split())
_GREETING_WORDS = frozenset(_GREETING.split())
_GREETING_LINE = _GREETING_WORDS | frozenset(_GREETINGS.split())
# Words behind "As an AI language model" are more of the same, unless they have a number.
_REFUSAL = re.compile("|".join(f"(?:{refusal})" for refusal in _REFUSALS))
_OPEN = re.compile("|".join(refusal for refusal in _REFUSALS if refusal.endswith(r"\b")))


def is_noise(title: str, text: str) -> bool:
    """Tell an insight without content; below a title even "Completed successfully" has some."""
    words = split_words(text)
    if not words or " ".join(words) in _NOISE:
        return True
    if split_words(title):
        return False
    sentences = [
        words
        for part in _PARTS.split(text)
        for sentence in split_sentences(part)
        if (words := split_words(sentence))
    ]
    return len(sentences) <= _MAX_SENTENCES and all(map(_says_nothing, sentences))


def _says_nothing(words: list[str]) -> bool:
    phrase = " ".join(words)
    if phrase in _NOISE or phrase in _BARE_ANSWERS:
        return True
    if len(words) > _MAX_WORDS:
        return False
    return (
        _is_made_of(words, _STATUS_LINE, _STATUS_WORDS)
        or _is_made_of(words, _GREETING_LINE, _GREETING_WORDS)
        or _REFUSAL.fullmatch(phrase) is not None
        or (_OPEN.match(phrase) is not None and not any(letter.isdigit() for letter in phrase))
    )


def _is_made_of(words: list[str], line: frozenset[str], needed: frozenset[str]) -> bool:
    return line.issuperset(words) and not needed.isdisjoint(words)
