"""What is taken for nothing, and what never is: short facts are facts."""

import pytest

from wiki.text.low_content import is_noise

NOISE = """
There is nothing to report.
I learned nothing new.
No issues found.
Everything works as expected.
Ok, thanks.
LGTM 👍
Let me know if you need anything else!
Task completed. Let me know if you have any questions.
I hope this helps!
Is there anything else I can help you with?
Ich habe nichts Neues gelernt.
Alles läuft wie erwartet.
Leider kann ich dabei nicht helfen.
Ich hoffe, das hilft!
Wenn du noch Fragen hast, melde dich gern.
n/a
N.A.
-
…
!!!
👍
✅🎉
***
---
None.
nothing to report
Nothing new.
No new insights.
No new findings
See above.
TODO
TBD
Done.
done!
Done, thanks!
OK
Okay, done.
Task completed successfully.
The task has been completed successfully.
Task complete ✅
I have completed the task.
I've finished the task as requested.
All steps were executed successfully.
All done, no errors.
Everything is fine.
Work in progress
Nothing to add. Task finished.
Hello!
Hi there
Hello everyone, thanks for your help!
Good morning
Thank you very much.
You're welcome!
Best regards
As an AI language model, I cannot browse the internet.
As an AI assistant I do not have personal opinions.
I'm sorry, but I can't help with that.
I'm sorry, but I cannot assist with that request.
Test
this is a test
I don't know.
Keine neuen Erkenntnisse.
keine neuen erkenntnisse gewonnen
Es gibt keine neuen Erkenntnisse.
Es wurden keine neuen Erkenntnisse gewonnen.
Keine Änderungen.
Nichts Neues.
Siehe oben.
s. o.
Entfällt
k. A.
Erledigt.
Fertig!
Alles erledigt, keine Probleme.
Ich habe die Aufgabe erledigt.
Ich habe die Aufgabe erfolgreich abgeschlossen.
Die Aufgabe wurde erfolgreich abgeschlossen.
Aufgabe abgeschlossen ✔
Der Auftrag wurde wie gewünscht ausgeführt.
Alle Schritte wurden ohne Fehler durchgeführt.
Hallo zusammen!
Guten Morgen
Vielen Dank!
Gern geschehen.
Viele Grüße
Mit freundlichen Grüßen
Als KI-Sprachmodell kann ich das nicht beurteilen.
Es tut mir leid, aber dabei kann ich nicht helfen.
Dabei kann ich leider nicht helfen.
Verstanden.
Ja.
Keine Ahnung.
Das ist ein Test.
"""
FACTS = """
Port 8443.
8443
Passwort-Reset nur über SSO.
Ina hat den Schlüssel.
Kein IPv6.
No IPv6.
Use Node 18.
Never rebase main.
Immer rebasen.
Rebase first.
The task runner needs 2 GB.
The task fails without a key.
The task was completed by Ole.
Job 17 is done.
The migration is done.
Tests are done on Fridays.
Deployment completed at 02:30.
All jobs run on web-01.
The process is started by systemd.
Nothing is logged on web-02.
No errors since v2.4.7.
No changes after 17:00.
Done means merged.
Everything is in the cellar.
Hello is the name of the canary host.
Thanks to the cache it takes 3 s.
See RFC 9457.
https://example.org/run/17
Test hosts are in Oslo.
Test data must be anonymous.
I don't know Ole's number; Ina has it.
As an AI language model, it needs 8 GB of memory.
I'm sorry, but I can't connect: the proxy drops TLS 1.2.
As of May the mirror is read-only.
As an AI team we use the mirror of Oslo.
As an AI assistant I learned that the proxy needs a reload after each certificate.
Als Sprachmodell nutzen wir Gemma.
Als KI setzt der Kunde Claude ein.
No issues found on web-01.
Everything works as expected on Debian.
Let me know is the name of the newsletter.
Passt nicht in den Schrank.
Alles läuft wie erwartet auf web-01.
None of the hosts speaks IPv6.
Unknown hosts are refused.
TODO lists are kept in Forgejo.
Aufgaben laufen nachts.
Die Aufgabe braucht den Schlüssel von Ina.
Die Aufgabe wurde von Ole erledigt.
Der Vorgang läuft auf web-01.
Erledigt wird das von Ole.
Fertige Bilder liegen in /srv/pics.
Keine Änderungen nach 17 Uhr.
Keine neuen Erkenntnisse ohne Quelle ablegen.
Nichts davon steht im Protokoll.
Nichts geht ohne VPN.
Morgen.
Guten Morgen sagt der Canary-Dienst beim Start.
Danke an den Cache: nur noch 3 s.
Siehe Seite Proxy.
Alles im Keller.
Als KI-Server dient web-03.
Es tut mir leid, aber der Proxy verwirft TLS 1.2.
Läuft unter root.
Bereit erst nach 30 Sekunden.
Unbekannte Rechner werden abgewiesen.
Ja, aber nur über VPN.
🔥 web-01
日本語
"""


def lines(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(NOISE))
def test_what_says_nothing_is_noise(text):
    assert is_noise("", text)
    assert is_noise("", f"\n {text} \n")


@pytest.mark.parametrize("text", lines(FACTS))
def test_a_short_fact_is_none(text):
    assert not is_noise("", text)


def test_the_lists_are_long_enough():
    assert min(len(lines(NOISE)), len(lines(FACTS))) >= 60


@pytest.mark.parametrize(
    "text",
    ["No.", "Done.", "Ja.", "Task completed successfully.", "Ich habe die Aufgabe erledigt."],
)
def test_below_a_title_an_answer_says_something(text):
    assert is_noise("", text)
    assert not is_noise("Is db-7 migrated?", text)
    assert is_noise("?", text)


@pytest.mark.parametrize("text", ["n/a", "Keine neuen Erkenntnisse.", "👍", "siehe oben"])
def test_nothing_is_nothing_below_a_title_too(text):
    assert is_noise("Is db-7 migrated?", text)


def test_a_fact_among_noise_is_kept():
    assert is_noise("", "Hello! Task completed successfully. Nothing to add. Best regards")
    assert not is_noise("", "Hello! Task completed successfully. Port 8443. Best regards")


def test_a_long_text_of_such_words_is_read_at_once():
    assert not is_noise("", "done " * 200_000)
    assert not is_noise("", "i am sorry but " * 20_000)
