"""One fact in many words, facts beside it, and facts that have nothing to do with it: for measuring
into how many pages filing puts them (`benchmarks/one_fact.py`).

Written as agents write: sentences, notes, questions with their answer, stories of an hour lost.
`beside` are other facts about the same things, `changed` the same sentence about another thing.
Of none of them does a wording say the same.
"""

from typing import NamedTuple


class Fact(NamedTuple):
    wordings: tuple[str, ...]
    beside: tuple[str, ...]


STAGING_PORT = Fact(
    (
        "The staging database listens on port 5433.",
        "Port 5433 is where the database of staging listens.",
        "To reach the staging DB, connect to port 5433.",
        "Staging Postgres runs on 5433, not on the usual port.",
        "Note: the database on staging uses port 5433.",
        "If psql is refused on staging, you forgot the port: it is 5433.",
        "Connection refused when connecting to staging? Its database is on port 5433.",
        "Our staging environment has its database at port 5433.",
        "The DB port for staging is 5433.",
        "Use `psql -p 5433` for the staging database.",
        "Took me an hour: the staging database does not answer on the default port, one has to "
        "use 5433.",
        "Q: Which port does the staging database use? A: 5433.",
        "On staging, PostgreSQL is configured with port = 5433.",
        "Staging: database port 5433",
        "The tests against staging failed until I set the database port to 5433.",
        "For the staging system, set DB_PORT=5433.",
        "You have to give port 5433 explicitly for the staging database server.",
        "The staging database server accepts connections on port 5433 only.",
        "Learned today that staging's Postgres is reachable on 5433.",
        "The port of the Postgres instance in the staging environment: 5433.",
        "Whoever wants to query the staging database must use port number 5433.",
        "In staging the database is not on the standard port but on 5433.",
        "The migration on staging hung because the database is on port 5433.",
        "Remember to change the port to 5433 before connecting to staging's database.",
        "Staging DB => 5433",
        "The connection string of staging ends in :5433, since its database listens there.",
        "The database for staging has been put on port 5433.",
        "A client that connects to the staging database needs port 5433 in its settings.",
        "It turned out that 5433 is the right port for the database in staging.",
        "The staging database can be found at port 5433.",
        "Configure 5433 as the port when you work with the staging database.",
    ),
    (
        "The production database listens on port 5432.",
        "The staging web server listens on port 8080.",
        "The staging database is reset every Sunday night.",
        "The password of the staging database is in the vault under staging/db.",
        "The staging mail server drops every message that leaves the house.",
        "Connections to the production database go through pgbouncer.",
        "The staging environment is deployed from the main branch.",
    ),
)

LABEL_PRINTER = Fact(
    (
        "Der Etikettendrucker im Lager zieht schief ein, wenn die Walze staubig ist; mit Alkohol "
        "abwischen.",
        "Zieht der Etikettendrucker im Lager schief ein, ist Staub auf der Walze: mit Alkohol "
        "reinigen.",
        "Lager, Etikettendrucker: schiefer Einzug kommt von der staubigen Walze.",
        "Die Walze des Etikettendruckers im Lager mit Alkohol abwischen, dann zieht er wieder "
        "gerade ein.",
        "Schiefe Etiketten im Lager: Walze des Druckers mit Alkohol putzen.",
        "Wenn im Lager die Etiketten schief aus dem Drucker kommen, hilft es, die Walze mit "
        "Alkohol abzuwischen.",
        "Gegen den schiefen Einzug des Etikettendruckers hilft Alkohol auf der Walze.",
        "Der Drucker für die Etiketten im Lager braucht eine saubere Walze, sonst zieht er schief.",
        "Frage: Warum zieht der Etikettendrucker schief ein? Antwort: Die Walze ist staubig.",
        "Heute gelernt: Staub auf der Walze lässt den Etikettendrucker im Lager schief einziehen.",
        "Eine Stunde gesucht, warum der Etikettendrucker schief einzieht: Die Walze war voller "
        "Staub.",
        "Den Etikettendrucker im Lager reinigt man mit Alkohol an der Walze, wenn er schief zieht.",
        "Ist die Walze verstaubt, zieht der Etikettendrucker die Rolle schief ein.",
        "Alkohol auf ein Tuch, Walze abwischen: So zieht der Etikettendrucker im Lager wieder "
        "gerade.",
        "Etikettendrucker zieht schief -> Walze mit Alkohol abwischen",
        "Der Etikettendrucker im Lager druckt schief? Staubige Walze, mit Alkohol abwischen.",
        "Die Ursache für schiefe Etiketten ist Staub auf der Walze des Druckers im Lager.",
        "Merke: Walze vom Etikettendrucker abwischen, bevor man wegen schiefem Einzug den Dienst "
        "ruft.",
        "Wegen einer staubigen Walze hat der Etikettendrucker im Lager schief eingezogen.",
        "Beim Etikettendrucker im Lager muss bei schiefem Einzug die Walze gereinigt werden.",
        "Schief eingezogene Etiketten im Lager: Die Walze war staubig und musste mit Alkohol "
        "gereinigt werden.",
        "Mit Alkohol gereinigt, zieht die Walze des Etikettendruckers nicht mehr schief ein.",
        "Staubt die Walze ein, laufen die Etiketten im Drucker des Lagers schief.",
        "Der Techniker sagt, der schiefe Einzug am Etikettendrucker liege am Staub auf der Walze.",
        "Wer im Lager Etiketten druckt und sie schief bekommt, wischt die Walze mit Alkohol ab.",
        "Etiketten werden schief eingezogen, solange die Walze des Etikettendruckers staubig ist.",
        "Die Walze im Etikettendrucker gehört mit Alkohol abgewischt, sobald er schief einzieht.",
        "Problem am Etikettendrucker (Lager): zieht schief. Lösung: Walze mit Alkohol säubern.",
        "Das schiefe Einziehen am Etikettendrucker im Lager behebt man durch Abwischen der Walze.",
        "Staub an der Walze ist schuld, wenn der Etikettendrucker im Lager schief zieht.",
        "Im Lager: Walze des Etikettendruckers bei schiefem Einzug mit Alkohol abwischen.",
    ),
    (
        "Der Etikettendrucker im Lager braucht Rollen mit 76 Millimetern Kern.",
        "Der Bürodrucker im ersten Stock zieht kein Papier, wenn das Fach zu voll ist.",
        "Die Etiketten für Gefahrgut liegen im Lager im roten Schrank.",
        "Der Etikettendrucker im Versand wird jeden Abend ausgeschaltet.",
        "Die Walze der Laminiermaschine darf nicht mit Alkohol gereinigt werden.",
        "Im Lager gilt ab November wieder der Winterdienst.",
        "Zieht der Bürodrucker schief ein, ist die hintere Klappe offen.",
        "Neue Rollen für den Etikettendrucker bestellt die Frühschicht.",
    ),
)

INVOICES = Fact(
    (
        "Invoices for the customer Lindqvist must be sent by mail to their bookkeeping as PDF, "
        "never by post.",
        "Lindqvist wants invoices as PDF by mail to the bookkeeping, not by post.",
        "Never post an invoice to Lindqvist: send a PDF to their bookkeeping.",
        "Customer Lindqvist: invoices as PDF to bookkeeping by mail.",
        "The bookkeeping of Lindqvist accepts invoices only as PDF by mail.",
        "Lindqvist's bookkeeping gets its invoices as PDF files by mail; paper is sent back.",
        "When billing Lindqvist, mail the PDF to their bookkeeping instead of posting a letter.",
        "Invoices to Lindqvist go by mail, as PDF.",
        "Q: How does Lindqvist get invoices? A: As PDF by mail to the bookkeeping.",
        "An invoice on paper was returned by Lindqvist; they take PDF by mail only.",
        "Lindqvist asked for PDF invoices by mail to bookkeeping from now on.",
        "Do not send paper invoices to Lindqvist, send PDF to the bookkeeping.",
        "For Lindqvist, every invoice has to be a PDF mailed to the bookkeeping.",
        "The customer Lindqvist does not want invoices by post but by mail as PDF.",
        "TIL: Lindqvist only processes invoices that arrive as PDF at their bookkeeping.",
        "We must mail invoices for Lindqvist as PDF to bookkeeping.",
        "Lindqvist: no invoices by post, PDF by mail",
        "Invoice delivery for Lindqvist: PDF, mail, bookkeeping.",
        "Lindqvist refuses posted invoices, so mail a PDF to its bookkeeping.",
        "If you invoice Lindqvist, attach the PDF and mail it to bookkeeping.",
        "The way to invoice Lindqvist is a PDF mailed to bookkeeping.",
        "Remember that Lindqvist receives invoices by mail in PDF format.",
        "Bookkeeping at Lindqvist wants our invoices mailed as PDF.",
        "Posting invoices to Lindqvist is wrong, their bookkeeping needs a PDF by mail.",
        "Invoices which go to Lindqvist have to be mailed as PDF.",
        "Our invoices reach Lindqvist only when mailed as PDF to bookkeeping.",
        "Lindqvist insists on PDF invoices, mailed to its bookkeeping.",
        "PDF by mail to the bookkeeping is how Lindqvist takes invoices.",
        "All invoices of the customer Lindqvist are mailed to bookkeeping as PDF.",
        "Sending Lindqvist an invoice by post means sending it twice: they want PDF by mail.",
        "The invoices for Lindqvist leave as PDF by mail to bookkeeping, not in an envelope.",
    ),
    (
        "Invoices for the customer Okafor must be sent by post, never by mail.",
        "The customer Lindqvist gets a discount of three per cent.",
        "Lindqvist is closed for the whole of July.",
        "Invoices above ten thousand need two signatures.",
        "The contact at Lindqvist for orders is the purchasing department.",
        "Delivery notes for Lindqvist must be signed on paper.",
        "Okafor wants invoices on paper, by post to the head office.",
        "Reminders to Lindqvist are sent after thirty days.",
    ),
)

VPN = Fact(
    (
        "Access from home goes through vpn2.example.org since the gateway was moved.",
        "From home, use vpn2.example.org.",
        "The gateway for working at home is vpn2.example.org.",
        "Von zu Hause kommt man über vpn2.example.org ins Netz.",
        "Working remotely? Connect to vpn2.example.org.",
        "VPN address: vpn2.example.org",
        "The VPN gateway was moved to vpn2.example.org.",
        "Das VPN für zu Hause läuft jetzt über vpn2.example.org.",
        "The VPN client must be pointed to vpn2.example.org.",
        "Set vpn2.example.org as the server in the VPN client.",
        "Remote access is via vpn2.example.org.",
        "Home office: connect with vpn2.example.org.",
        "If the VPN does not connect from home, the server must be vpn2.example.org.",
        "vpn2.example.org is the VPN server for home office.",
        "Im Homeoffice als Server vpn2.example.org eintragen.",
        "The new VPN gateway is called vpn2.example.org.",
        "People at home reach the network through vpn2.example.org.",
        "Our VPN moved, the host is vpn2.example.org.",
        "Q: Which VPN server from home? A: vpn2.example.org",
        "You get into the office network from home with vpn2.example.org.",
        "Everybody who works from home has to use the gateway vpn2.example.org.",
        "Host name of the VPN gateway: vpn2.example.org.",
        "Der VPN-Zugang heißt vpn2.example.org.",
        "Changed the VPN settings to vpn2.example.org, now it works from home.",
        "For the VPN at home enter vpn2.example.org.",
        "Login from outside works over vpn2.example.org.",
        "The VPN connects when vpn2.example.org is entered as the gateway.",
        "Use the gateway vpn2.example.org for access to the network from home.",
        "The home access gateway: vpn2.example.org.",
        "Wer von zu Hause arbeitet, verbindet sich mit vpn2.example.org.",
        "Since the move, VPN clients have to connect to vpn2.example.org.",
    ),
    (
        "The VPN needs a second factor from the phone.",
        "The old gateway vpn1.example.org is switched off in March.",
        "The VPN client for Macs must be version 5.2 or newer.",
        "From home the printers of the office cannot be reached.",
        "vpn2.example.org is restarted every Sunday at four.",
        "Files on the share are slow from home.",
        "Suppliers get into the network through partner.example.org.",
        "Who works from home books a desk in the calendar.",
    ),
)

FACTS = (STAGING_PORT, LABEL_PRINTER, INVOICES, VPN)

# What an agent learns in a week, each about something else.
UNRELATED = (
    "The fire drill is on the second Thursday of May.",
    "Apple cake keeps for three days in the fridge.",
    "Die Kaffeemaschine in der Küche wird freitags entkalkt.",
    "The parser drops a byte order mark at the start of a file.",
    "Reisekosten sind binnen sechs Wochen einzureichen.",
    "The nightly report counts cancelled orders twice.",
    "Unit tests of the billing module need the locale de_DE.",
    "Der Schlüssel zum Serverraum liegt beim Empfang.",
    "Retry the upload when the bucket answers 503.",
    "The logo may only be used on white ground.",
)
