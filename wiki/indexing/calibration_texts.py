"""Notes of a work wiki, by which a model is calibrated: each page with two insights that belong to
it and to no other, though some subjects are close. The first has most of the words of its page, the
second has others, often in another language."""

from typing import NamedTuple


class Note(NamedTuple):
    title: str
    body: str
    insights: tuple[str, str]


NOTES = (
    Note(
        "Nächtliche Sicherung",
        "Die Sicherung der Datenbank läuft jede Nacht um zwei Uhr auf dem Server im Keller. "
        "Bricht sie ab, steht der Grund im Protokoll, und sie wird von Hand neu gestartet.",
        (
            "Bricht die Sicherung der Datenbank auf dem Server im Keller nachts ab, steht der "
            "Grund im Protokoll, und sie wird von Hand neu gestartet.",
            "When the nightly database backup aborts, read its log and start it again by hand.",
        ),
    ),
    Note(
        "Wiederherstellung üben",
        "Einmal im Quartal wird eine Sicherung auf einem eigenen Rechner zur Probe "
        "zurückgespielt. Wer übt, schreibt auf, wie lange es gedauert und was gefehlt hat.",
        (
            "Eine Sicherung wird einmal im Quartal zur Probe zurückgespielt, auf einem eigenen "
            "Rechner; wer übt, schreibt auf, was gefehlt hat.",
            "Alle drei Monate testen wir, ob sich ein Backup einspielen lässt, und notieren die "
            "Dauer.",
        ),
    ),
    Note(
        "Zertifikat des Webservers",
        "Das Zertifikat des Webservers läuft jedes Jahr im Mai ab. Erneuert wird es auf dem "
        "Verteiler, nicht auf den einzelnen Maschinen.",
        (
            "Im Mai läuft das Zertifikat des Webservers ab; erneuert wird es auf dem Verteiler "
            "und nicht auf den einzelnen Maschinen.",
            "Every May we renew the web server certificate on the load balancer.",
        ),
    ),
    Note(
        "Zeiterfassung",
        "Arbeitsstunden kommen bis Freitagabend in die Zeiterfassung, auch die aus dem "
        "Homeoffice. Korrekturen an alten Stunden macht nur die Personalabteilung.",
        (
            "Arbeitsstunden aus dem Homeoffice kommen bis Freitagabend in die Zeiterfassung; "
            "Korrekturen macht nur die Personalabteilung.",
            "Late corrections of recorded working hours go through HR.",
        ),
    ),
    Note(
        "Kunde Meyer",
        "Rechnungen an Meyer Metallbau gehen immer per Post, nie per Mail. Ansprechpartnerin beim "
        "Kunden ist Frau Schulz, erreichbar am Dienstag.",
        (
            "Rechnungen an den Kunden Meyer Metallbau gehen nie per Mail, immer per Post, und "
            "Ansprechpartnerin ist Frau Schulz.",
            "The customer Meyer Metallbau wants printed invoices; their contact is Ms Schulz.",
        ),
    ),
    Note(
        "Bestellungen freigeben",
        "Eine Bestellung über 500 Euro braucht die Unterschrift der Teamleitung, über 5000 Euro "
        "die der Bereichsleitung. Ohne Unterschrift lehnt der Einkauf sie ab.",
        (
            "Der Einkauf lehnt eine Bestellung über 5000 Euro ohne die Unterschrift der "
            "Bereichsleitung ab, eine über 500 Euro ohne die der Teamleitung.",
            "Große Einkäufe muss die Leitung freigeben, sonst kommen sie vom Einkauf zurück.",
        ),
    ),
    Note(
        "Drucker im zweiten Stock",
        "Der Drucker im zweiten Stock zieht Papier schief ein, wenn die hintere Klappe offen ist. "
        "Klappe fest zudrücken, dann die Walze einmal drehen.",
        (
            "Zieht der Drucker im zweiten Stock Papier schief ein, ist die hintere Klappe offen: "
            "fest zudrücken und die Walze drehen.",
            "The printer on the second floor jams until its rear cover is closed firmly.",
        ),
    ),
    Note(
        "WLAN für Gäste",
        "Das WLAN für Gäste wechselt jeden Montag sein Kennwort, der Zettel hängt am Empfang. "
        "Geräte der Firma gehören nicht in dieses Netz.",
        (
            "Jeden Montag wechselt das Kennwort im WLAN für Gäste, der Zettel hängt am Empfang; "
            "Geräte der Firma gehören nicht hinein.",
            "Besucher kommen mit dem Zettel vom Tresen ins drahtlose Gästenetz, er gilt eine "
            "Woche.",
        ),
    ),
    Note(
        "Buildserver",
        "Ist die Platte auf dem Buildserver voll, brechen die Tests mitten im Lauf ab. Alte "
        "Abbilder mit dem Skript prune löschen, das schafft wieder Platz.",
        (
            "Brechen die Tests auf dem Buildserver mitten im Lauf ab, ist die Platte voll; das "
            "Skript prune löscht alte Abbilder und schafft Platz.",
            "A full disk on the build server makes tests fail; delete old images to get space.",
        ),
    ),
    Note(
        "Auslieferung",
        "Neue Versionen werden dienstags ausgeliefert, nie vor einem Feiertag. Muss eine Version "
        "zurück, entscheidet das die Bereitschaft.",
        (
            "Ausgeliefert werden neue Versionen dienstags und nie vor einem Feiertag; ob eine "
            "Version zurück muss, entscheidet die Bereitschaft.",
            "Releases go out on Tuesdays only; rolling one back is up to the person on call.",
        ),
    ),
    Note(
        "Message queue",
        "The message queue stops when a consumer keeps its connection open for an hour. Restart "
        "the consumer, not the queue.",
        (
            "When the message queue stops, a consumer has kept its connection open for an hour: "
            "restart the consumer and not the queue.",
            "Steht die Nachrichtenschlange, hilft es, den hängenden Verbraucher neu zu starten.",
        ),
    ),
    Note(
        "Log retention",
        "Log files are kept on the server for thirty days, then moved to the archive, which is "
        "deleted after a year. Logs of payments are kept for ten years.",
        (
            "After thirty days log files are moved from the server to the archive, which is "
            "deleted after a year, but logs of payments are kept for ten years.",
            "Old logs are archived after a month and dropped a year later.",
        ),
    ),
    Note(
        "First day at work",
        "New colleagues get laptop and badge from the service desk on their first morning. A "
        "mentor of the team shows them around.",
        (
            "On their first morning new colleagues get a laptop and a badge from the service "
            "desk, and a mentor shows them around.",
            "Wer neu anfängt, holt Rechner und Ausweis am ersten Tag beim Service Desk ab.",
        ),
    ),
    Note(
        "Travel expenses",
        "Travel expenses must be handed in within six weeks with all receipts attached. Flights "
        "are booked by the travel office.",
        (
            "Hand in travel expenses within six weeks, with all receipts attached; flights are "
            "booked by the travel office alone.",
            "A claim for a business trip without its receipts is not refunded, nor is a late one.",
        ),
    ),
    Note(
        "Coffee machine",
        "The coffee machine in the kitchen must be descaled on the first Friday of a month. It "
        "leaks if its water tank is not pushed in completely.",
        (
            "The coffee machine in the kitchen leaks if its water tank is not pushed in, and must "
            "be descaled on the first Friday of each month.",
            "Einmal im Monat wird die Kaffeemaschine in der Küche entkalkt.",
        ),
    ),
    Note(
        "Meeting rooms",
        "Meeting rooms are booked in the calendar, and whoever comes ten minutes late loses the "
        "room. The remote control of the camera is at the reception.",
        (
            "Whoever comes ten minutes late loses the meeting room booked in the calendar; the "
            "remote control of its camera is at the reception.",
            "A reserved conference room is given away if nobody shows up in time.",
        ),
    ),
    Note(
        "Payment gateway",
        "The payment gateway answers with error 502 while its provider does maintenance. Orders "
        "are kept and sent again after an hour.",
        (
            "While its provider does maintenance, the payment gateway answers with error 502, and "
            "orders are kept and sent again later.",
            "Bei Wartung des Zahlungsdienstes kommt ein Fehler 502; die Aufträge werden später "
            "gesendet.",
        ),
    ),
    Note(
        "Search index",
        "The search index is rebuilt on Sundays, which takes about forty minutes. If the rebuild "
        "fails, the old index stays and a mail goes to the team.",
        (
            "If the rebuild of the search index on Sundays fails, which takes about forty "
            "minutes, the old index stays and the team gets a mail.",
            "Searches still get answers from the previous index when the weekly rebuild fails.",
        ),
    ),
    Note(
        "Spare parts",
        "The office in Hamburg has no spare parts; order them from the warehouse in Kassel. They "
        "arrive within two days.",
        (
            "Order spare parts for the office in Hamburg from the warehouse in Kassel; they "
            "arrive within two days.",
            "Ersatzteile liegen nur in Kassel, Hamburg muss sie dort bestellen.",
        ),
    ),
    Note(
        "Feature flags",
        "Feature flags that are older than three months are removed from the code. A flag without "
        "an owner is switched off first and then deleted.",
        (
            "Feature flags older than three months are removed from the code; one without an "
            "owner is first switched off, then deleted.",
            "Toggles must not live longer than a quarter; those that nobody owns are turned off.",
        ),
    ),
)
