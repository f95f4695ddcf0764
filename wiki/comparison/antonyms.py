"""Words that turn a sentence around when one stands for the other."""

_GROUPS = """
always never sometimes | all none some | every no | everybody nobody | everything nothing
with without | before after during | earlier later | first last | early late | old new | past future
yesterday today tomorrow | up down | upper lower | above below | over under | top bottom
left right | front back | inside outside | in out | into from | to from | on off | north south
east west | forward backward | incoming outgoing | inbound outbound | upstream downstream
upload download | push pull | import export | read write | enable disable | enabled disabled
activate deactivate | allow deny forbid block | allowed forbidden denied blocked | permit prohibit
permitted prohibited | start stop | started stopped | begin end | open close | opened closed
lock unlock | locked unlocked | connect disconnect | mount unmount | install uninstall remove
add remove | create delete | insert delete | attach detach | load unload | grant revoke
accept reject | approve reject | show hide | visible hidden | public private | internal external
local remote | online offline | manual automatic | manually automatically | increase decrease
increased decreased | increases decreases | rise fall | grow shrink | more less fewer | most least
maximum minimum | max min | high low | higher lower | fast slow | faster slower | big small
large small | long short | longer shorter | many few | full empty | hot cold | warm cold | wet dry
true false | yes no | on-call off-call | required optional | mandatory optional | must may
should must | primary secondary | primary replica | source target | client server | sender recipient
parent child | success failure | succeeds fails | succeeded failed | working broken | valid invalid
safe unsafe | good bad | better worse | possible impossible | encrypt decrypt
encrypted unencrypted | compress decompress extract | synchronous asynchronous
ascending descending | even odd | positive negative | is was | are were | will was | can cannot
keep delete | kept deleted | win lose | buy sell | staging production | only also | ☑ ☐ | ✅ ❌
< > | <= >=
+ - | → ← | and or | immer nie manchmal | stets nie | immer niemals | alle keine | alle kein
jeder keiner | jemand niemand | alles nichts | mit ohne | vor nach während | vorher nachher
davor danach | erst zuletzt | erste letzte | ersten letzten | früh spät | früher später | alt neu
alte neue | alten neuen | gestern heute morgen | auf ab | oben unten | obere untere | über unter
links rechts | vorne hinten | innen außen | innerhalb außerhalb | in aus | an aus | ein aus | auf zu
von nach | von zu | von an | hin her | norden süden | osten westen | vorwärts rückwärts
eingehend ausgehend | eingehende ausgehende | hochladen herunterladen | importieren exportieren
lesen schreiben | liest schreibt | lesend schreibend | aktivieren deaktivieren
aktiviert deaktiviert | aktiv inaktiv | einschalten ausschalten | eingeschaltet ausgeschaltet
anschalten ausschalten | erlauben verbieten | erlaubt verboten | zulassen sperren
zugelassen gesperrt | freigeben sperren | freigegeben gesperrt | starten stoppen
gestartet gestoppt | startet stoppt | beginnen enden | beginnt endet | anfang ende
öffnen schließen | geöffnet geschlossen | offen geschlossen | verbinden trennen | verbunden getrennt
installieren deinstallieren | hinzufügen entfernen | anlegen löschen | erstellen löschen
einfügen löschen | anhängen lösen | laden entladen | annehmen ablehnen | angenommen abgelehnt
zeigen verbergen | sichtbar unsichtbar | öffentlich privat | intern extern | lokal entfernt
manuell automatisch | erhöhen senken | erhöht gesenkt | steigen fallen | steigt fällt | steigt sinkt
wachsen schrumpfen | mehr weniger | meiste wenigste | maximal minimal | mindestens höchstens
hoch niedrig | hohe niedrige | höher niedriger | schnell langsam | schneller langsamer | groß klein
große kleine | lang kurz | länger kürzer | viele wenige | voll leer | heiß kalt | warm kalt
nass trocken | wahr falsch | richtig falsch | ja nein | pflicht optional | muss darf | soll darf
quelle ziel | absender empfänger | erfolg fehler | gelingt scheitert | gültig ungültig
sicher unsicher | gut schlecht | besser schlechter | möglich unmöglich | verschlüsseln entschlüsseln
verschlüsselt unverschlüsselt | aufsteigend absteigend | gerade ungerade | positiv negativ | ist war
sind waren | wird wurde | behalten löschen | kaufen verkaufen | und oder | nur auch | tag nacht
day night
"""


def _read(groups: str) -> dict[str, frozenset[str]]:
    opposites: dict[str, frozenset[str]] = {}
    for group in groups.replace("\n", "|").split("|"):
        words = frozenset(group.split())
        for word in words:
            opposites[word] = opposites.get(word, frozenset()) | (words - {word})
    return opposites


OPPOSITES = _read(_GROUPS)
_PREFIXES = "un in im ir il dis non de miss mis ent nicht anti ab aus an".split()


def are_opposites(first: str, second: str) -> bool:
    return (
        second in OPPOSITES.get(first, ()) or _is_denied(first, second) or _is_denied(second, first)
    )


def _is_denied(word: str, denied: str) -> bool:
    return len(word) > 2 and any(denied == prefix + word for prefix in _PREFIXES)
