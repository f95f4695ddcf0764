"""Pages, insights that belong to one of them each, and insights that belong to none."""

PAGES = {
    "Aufzug im Nordflügel": "Der Aufzug im Nordflügel fährt nachts nicht. Lasten über 300 Kilo gehören in den Lastenaufzug am Tor.",
    "Kunde Albrecht": "Albrecht Optik bestellt immer im Voraus. Lieferscheine gehen an das Lager, Rechnungen an Frau Winter.",
    "Telefonanlage": "Die Telefonanlage leitet nach drei Minuten an die Zentrale weiter. Neue Nebenstellen richtet die Haustechnik ein.",
    "Staging": "Das Staging-System wird jede Nacht aus der Produktion befüllt. Namen und Adressen werden dabei ersetzt.",
    "Monatsabschluss": "Der Monatsabschluss beginnt am dritten Werktag. Bis dahin müssen alle Belege verbucht sein.",
    "VPN gateway": "The VPN gateway drops idle sessions after twenty minutes. Reconnect with the client, never with the browser.",
    "Image resizer": "The image resizer fails on files above forty megapixels. Shrink them before the upload.",
    "Forklift licence": "Only people with a licence may drive the forklift. Licences are renewed every two years in Building C.",
    "Metrics database": "The metrics database keeps raw values for two weeks. Older values are averaged by the hour.",
    "Newsletter": "The newsletter is sent on the first Wednesday of a month. Two people read it before it goes out.",
}
BELONGING = {
    "Aufzug im Nordflügel": "Lasten über 300 Kilo gehören nicht in den Aufzug im Nordflügel, sondern in den Lastenaufzug am Tor; nachts fährt der Aufzug nicht.",
    "Kunde Albrecht": "Rechnungen für Albrecht Optik gehen an Frau Winter und Lieferscheine an das Lager, denn Albrecht bestellt immer im Voraus.",
    "Telefonanlage": "Die Telefonanlage leitet jetzt nach zwei Minuten an die Zentrale weiter, und neue Nebenstellen richtet weiter die Haustechnik ein.",
    "Staging": "Aus der Produktion wird jede Nacht das Staging-System befüllt, wobei Namen, Adressen und jetzt auch Telefonnummern ersetzt werden.",
    "Monatsabschluss": "Der Monatsabschluss beginnt am dritten Werktag, auch im Dezember; bis dahin müssen alle Belege verbucht sein, auch die aus Kassel.",
    "VPN gateway": "After twenty minutes the VPN gateway drops idle sessions; reconnect with the client and never with the browser, even at home.",
    "Image resizer": "Files above forty megapixels make the image resizer fail, so shrink them before the upload, panoramas above all.",
    "Forklift licence": "Only people with a licence may drive the forklift, and since May licences are renewed every three years in Building C.",
    "Metrics database": "The metrics database keeps the raw values for two weeks, and older values are averaged by the hour, except those of billing.",
    "Newsletter": "The newsletter is sent on the first Wednesday of a month, and two people must read it before it goes out, one from sales.",
}
UNRELATED = (
    "Apfelkuchen gelingt mit Boskoop, wenig Zucker und 45 Minuten bei 180 Grad.",
    "Die Kaffeemaschine im dritten Stock braucht freitags einen neuen Filter.",
    "Bei Vollmond laufen Igel über den Parkplatz, bitte langsam fahren.",
    "Die Betriebsärztin impft im Oktober gegen Grippe, Anmeldung am Aushang.",
    "Das Sommerfest steigt am 12. Juli im Stadtpark, mit Grill und Musik.",
    "The new logo uses Pantone 7462 and must not be stretched.",
    "Grace rents the second garage until her lease ends in spring.",
    "Screen readers announce our date picker twice because of a doubled label.",
    "Solar panels on the roof deliver forty kilowatt hours on a sunny day.",
    "A sourdough starter needs flour and water each evening to stay alive.",
)
