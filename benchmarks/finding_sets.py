"""Sets of pages with questions, made by rule, for measuring how well pages are found.

Docstrings are real text: each page is a docstring of the standard library or an installed package
without its first sentence, by which it is asked. The others are made of small parts, so that every
page has near neighbours: runbooks asked by symptom, turns of conversations asked by what was said,
and tables asked by a name in one of their rows.
"""

import ast
import random
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Question:
    """`page` is the place of the page that answers it."""

    text: str
    page: int


@dataclass(frozen=True)
class FindingSet:
    """Pages as title and text, and what they are asked by."""

    name: str
    pages: list[tuple[str, str]]
    questions: list[Question]


def make_sets() -> list[FindingSet]:
    return [docstrings(), symptoms(), turns(), tables()]


def docstrings(pages: int = 1500, questions: int = 300) -> FindingSet:
    found: dict[str, str] = {}
    for folder in ("stdlib", "purelib"):
        for path in sorted(Path(sysconfig.get_path(folder)).rglob("*.py")):
            if not {"test", "tests", "site-packages"} & set(path.parts) or folder == "purelib":
                found |= dict(_docstrings_of(path))
    chosen = random.Random(8494).sample(sorted(found.items()), pages)
    step = pages // questions
    asked = [Question(chosen[n][0], n) for n in range(0, pages, step)]
    return FindingSet(
        "docstrings", [(f"Note {n}", text) for n, (_, text) in enumerate(chosen)], asked
    )


def _docstrings_of(path: Path) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
            first, _, rest = text.partition("\n\n")
            if 6 <= len(first.split()) <= 40 and 15 <= len(rest.split()) <= 800:
                yield " ".join(first.split()), rest


# A thing that breaks, in English and German, and what it does.
_SYSTEMS = [
    ("label printer", "Etikettendrucker"),
    ("mail gateway", "Mailgateway"),
    ("build runner", "Build-Runner"),
    ("backup job", "Sicherungslauf"),
    ("payment service", "Zahlungsdienst"),
    ("search index", "Suchindex"),
    ("door controller", "Türsteuerung"),
    ("time clock", "Stempeluhr"),
    ("order import", "Auftragsimport"),
    ("map server", "Kartenserver"),
    ("video archive", "Videoarchiv"),
    ("price feed", "Preisabruf"),
]
# What was found out and done, and how somebody asks who knows nothing of it.
_CAUSES = [
    (
        "The disk is full of old logs. Delete what is older than a week and restart the {0}.",
        "{0} stopped writing, no space left",
    ),
    (
        "The certificate has expired. Renew it, reload the {0}, and note the next date.",
        "{0}: connection refused, TLS handshake fails since midnight",
    ),
    (
        "A process keeps its lock after a crash. Remove the lock file, then start the {0} again.",
        "{0} hangs and says that another instance is running",
    ),
    (
        "Der Dienst läuft mit dem falschen Konto. Rechte am Ordner vergeben, {1} neu starten.",
        "{1} darf nicht schreiben, Zugriff verweigert",
    ),
    (
        "Die Warteschlange läuft voll, weil ein Empfänger fehlt. Empfänger eintragen, {1} leeren.",
        "{1} nimmt nichts mehr an, Aufträge stauen sich",
    ),
    (
        "Nach der Zeitumstellung geht die Uhr eine Stunde vor. Zeitzone setzen, {1} neu laden.",
        "{1} zeigt eine falsche Uhrzeit an",
    ),
    (
        "Memory grows with each request until it is killed. Limit the workers of the {0} to four.",
        "{0} gets slower all day and then restarts by itself",
    ),
    (
        "Der Namensdienst antwortet nicht. Zweiten Server eintragen, dann {1} prüfen.",
        "{1} findet den Host nicht",
    ),
    (
        "An update changed the dates. Pin the version of the {0} until the parser reads them.",
        "{0} rejects every record since the last release",
    ),
    (
        "Das Kabel am Verteiler sitzt locker. Stecker tauschen, danach {1} einmal ausschalten.",
        "{1} fällt immer wieder kurz aus",
    ),
]


def symptoms() -> FindingSet:
    pages: list[tuple[str, str]] = []
    questions = []
    for number, names in enumerate(_SYSTEMS):
        for place, (found, symptom) in enumerate(_CAUSES):
            # Half of the pages name the thing in the other language than the question.
            told = names if (number + place) % 2 else names[::-1]
            pages.append((f"Note {len(pages) + 1}", found.format(*told)))
            questions.append(Question(symptom.format(*names), len(pages) - 1))
    return FindingSet("symptoms", pages, questions)


_PEOPLE = ["Ana", "Bo", "Chi", "Dario", "Edda", "Femi", "Gul", "Hugo", "Ines", "Jun"]
# What was said, with something that only this turn has, and how it is asked later.
_SAID = [
    ("I went to {0} last weekend, the trains were late.", "Where did {1} travel?", "place"),
    ("My sister gave me a {0} for my birthday.", "What did {1} get as a present?", "thing"),
    ("We adopted a dog and named it {0}.", "What is the name of {1}'s pet?", "name"),
    (
        "I am learning to play the {0}, it is harder than I thought.",
        "Which instrument is {1} learning?",
        "instrument",
    ),
    ("The doctor told me to stop eating {0}.", "What food must {1} avoid?", "food"),
    ("I start the new job as a {0} in spring.", "What will {1} work as?", "job"),
    ("For the party I baked a cake with {0}.", "What did {1} bake for the party?", "food"),
    ("I finally read the book about {0} you lent me.", "Which book did {1} read?", "topic"),
    ("Our flat has a leak, the {0} is ruined.", "What was damaged in {1}'s home?", "thing"),
    ("I run every morning along the {0}.", "Where does {1} go jogging?", "place"),
    ("I voted for the plan to close the {0}.", "What did {1} vote on?", "place"),
    ("Last night I dreamt of a {0}.", "What was {1}'s dream about?", "thing"),
]
_FILL = {
    "place": "Porto Tromsø Lviv Bursa harbour canal quarry Gdansk Nara orchard dam".split(),
    "thing": "kettle carpet compass violin-case lantern bicycle wardrobe sofa drum".split(),
    "name": "Pepper Waldo Mochi Biscuit Juno Kaya Otto Pixel Rufus Nala".split(),
    "instrument": "cello banjo oboe harp ukulele trombone lute sitar flute accordion".split(),
    "food": "walnuts plums shrimp gluten apricots ginger rhubarb celery figs yeast".split(),
    "job": "surveyor baker pilot nurse welder librarian gardener florist clerk".split(),
    "topic": "glaciers Byzantium beekeeping volcanoes chess tides opera moss comets".split(),
}


def turns() -> FindingSet:
    chance = random.Random(17)
    pages: list[tuple[str, str]] = []
    questions = []
    for person in _PEOPLE:
        for said, asked, kind in _SAID:
            text = said.format(chance.choice(_FILL[kind]))
            pages.append((f"Turn {len(pages) + 1}", f"{person}: {text}"))
            questions.append(Question(asked.format("", person), len(pages) - 1))
    return FindingSet("turns", pages, questions)


def tables(pages: int = 20, rows: int = 60, questions: int = 120) -> FindingSet:
    chance = random.Random(4711)
    made = []
    named = []
    for number in range(pages):
        lines = ["| Host | Address | Serial |", "|---|---|---|"]
        for row in range(rows):
            host = f"srv-{number * rows + row:04}"
            address = f"10.{chance.randrange(4)}.{chance.randrange(256)}.{chance.randrange(256)}"
            serial = f"SN{chance.randrange(10**6):06}-{chance.choice('ABCDEF')}"
            lines.append(f"| {host} | {address} | {serial} |")
            named += [(host, number), (address, number), (serial, number)]
        made.append((f"Inventory {number + 1}", "\n".join(lines)))
        text = f"The srv team meets in room {number}. Each host has an address and a serial."
        made.append((f"Meeting {number + 1}", text))
    asks = ["Where is {0}?", "{0}", "address of {0}", "Zu welchem Gerät gehört {0}?"]
    chosen = chance.sample(named, questions)
    return FindingSet(
        "tables",
        made,
        [
            Question(asks[n % len(asks)].format(name), page * 2)
            for n, (name, page) in enumerate(chosen)
        ],
    )
