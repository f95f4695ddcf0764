"""Text as it comes in: what stands in a page already, and titles for text without one."""

import pytest

from wiki.pages.fields import InvalidPage, PageFields
from wiki.text.cleaning import clean_title, stands_in
from wiki.text.first_sentence import derive_title


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Always rebase.", "Always rebase."),
        ("Always  rebase.\n", "Intro.\n\n- Always rebase.\n- Never merge."),
        ("Always rebase", "Rules apply. Always rebase. Then push."),
        ("Always rebase.", "Rules apply. Always rebase. Then push."),
        ("Always rebase.", "Rules apply!\nAlways rebase.\nThen push."),
        ("Always rebase", "::: insight robin | 2026-11-29\nAlways rebase\n:::"),
        ("One.\n\nTwo", "Zero.\n\nOne.\n\n\nTwo\n\nThree"),
        ("Always rebase", "# Always rebase\ntext"),
        ("Always rebase", "1. Always rebase\n2. Push"),
        ("Always rebase.", "He said (loudly.) Always rebase."),
    ],
)
def test_a_text_stands_in_a_page_that_says_it_in_whole_sentences(text, body):
    assert stands_in(text, body)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Port 80", "Port 8080"),
        ("Port 80", "Port 80.5"),
        ("always rebase.", "Do not always rebase."),
        ("always rebase.", "You should never\nalways rebase."),
        ("Always rebase.", "Wrong: Always rebase."),
        ("Restart the server.", "Do not (ever) Restart the server."),
        ("Server im Keller.", "Das gilt nicht für z. B. Server im Keller."),
        ("März starten.", "Nicht am 1. März starten."),
        ("Restart the server", "Restart the server\nonly on Sunday."),
        ("Deploy on Fri.", "Deploy on Fri. is forbidden."),
        ("The backup runs", "The backup runs?"),
        ("5 degrees is the limit", "-5 degrees is the limit"),
        ("5 GB fails", ">5 GB fails"),
        ("Backups are encrypted", "- [ ] Backups are encrypted"),
        ("Backups are encrypted", "~~Backups are encrypted~~"),
    ],
)
def test_a_text_does_not_stand_in_a_page_that_says_something_else(text, body):
    assert not stands_in(text, body)


def test_a_text_of_endless_repetition_is_compared_in_one_pass():
    assert not stands_in("a " * 60_000 + "b", "a " * 128_000)
    assert not stands_in("a", "a " * 128_000 + "b")


def test_a_title_is_derived_from_endless_dots_at_once():
    assert derive_title("." * 200_000 + "x").endswith("…")
    assert derive_title("Warten... dann weiter") == "Warten"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        # A sentence that goes on in small letters is one
        ("Am 24.12. ist das Lager zu. Am 25.12. auch.", "Am 24.12. ist das Lager zu"),
        ("Heinrich VIII. war der Kunde. Dann Ole.", "Heinrich VIII. war der Kunde"),
        (
            "Der Server web-01.example.org. antwortet nicht. Neu starten.",
            "Der Server web-01.example.org. antwortet nicht",
        ),
        ("use the mirror. then push.", "use the mirror"),
        # Other signs
        ("&lt;b&gt; macht fett. Sonst nicht.", "&lt;b&gt; macht fett"),
        (
            "![](pictures/9f86d081884c7d65.png)\nDer Spiegel steht in Oslo.",
            "Der Spiegel steht in Oslo",
        ),
        # Short words
        ("Die Fa. Meier zahlt spät. Mahnen.", "Die Fa. Meier zahlt spät"),
        ("Siehe Bd. 3 der Akten. Dann mehr.", "Siehe Bd. 3 der Akten"),
        ("Große Räder, z. B. numpy, laden. Dann mehr.", "Große Räder, z. B. numpy, laden"),
        ("Große Räder, z.B. numpy, laden. Dann mehr.", "Große Räder, z.B. numpy, laden"),
        ("Nur nachts, d. h. ab 22 Uhr. Sonst nie.", "Nur nachts, d. h. ab 22 Uhr"),
        ("Es hilft u. a. Ina. Dann Ole.", "Es hilft u. a. Ina"),
        ("Big wheels, e.g. numpy, fail. Then more.", "Big wheels, e.g. numpy, fail"),
        ("Use the mirror, i.e. Oslo. Then push.", "Use the mirror, i.e. Oslo"),
        ("Fehler Nr. 17 ist behoben. Danach mehr.", "Fehler Nr. 17 ist behoben"),
        ("Frag Dr. Weber nach dem Schlüssel. Er hat ihn.", "Frag Dr. Weber nach dem Schlüssel"),
        ("It takes approx. 3 minutes. Then it ends.", "It takes approx. 3 minutes"),
        ("See Fig. 3 for the layout. It is old.", "See Fig. 3 for the layout"),
        ("The node in St. Gallen is slow. Ask Ina.", "The node in St. Gallen is slow"),
        ("Acme Inc. pays on Fridays. Always.", "Acme Inc. pays on Fridays"),
        (
            "Backups begin at 2 a.m. each night. They end at 4.",
            "Backups begin at 2 a.m. each night",
        ),
        ("Es dauert ca. 3 Minuten. Danach ist Ruhe.", "Es dauert ca. 3 Minuten"),
        ("Siehe Abb. 2 und Kap. 4 im Handbuch. Ende.", "Siehe Abb. 2 und Kap. 4 im Handbuch"),
        ("Das kostet 3 Mio. Euro. Im Jahr.", "Das kostet 3 Mio. Euro"),
        ("J. R. Weber hat den Schlüssel. Wirklich.", "J. R. Weber hat den Schlüssel"),
        ("Ole vs. Ina steht 2:1. Stand Mai.", "Ole vs. Ina steht 2:1"),
        ("Port no. 80 is open. Port 81 is not.", "Port no. 80 is open"),
        ("Is it open? No. Then open it.", "Is it open"),
        ("Logs, Spuren usw. liegen in Oslo. Danach.", "Logs, Spuren usw. liegen in Oslo"),
        ("Es gibt Logs, Spuren usw. Danach wird gelöscht.", "Es gibt Logs, Spuren usw"),
        ("So ist es so. Danach anders.", "So ist es so"),
        # Domains, numbers, versions, files
        ("The wiki is at covey.example.org. Ask Ina.", "The wiki is at covey.example.org"),
        ("Pi is 3.14 here. Not more.", "Pi is 3.14 here"),
        ("Es kostet 1.000,50 Euro im Monat. Zu viel.", "Es kostet 1.000,50 Euro im Monat"),
        ("Release v2.4.7 fixes it. Release v2.4.8 breaks it.", "Release v2.4.7 fixes it"),
        ("The fix is in v2.4.7. Take it.", "The fix is in v2.4.7"),
        ("Host 10.0.4.12 is down. Restart it.", "Host 10.0.4.12 is down"),
        ("Edit config.yaml first. Then restart.", "Edit config.yaml first"),
        ("Das steht in README.md. Nirgends sonst.", "Das steht in README.md"),
        (".env is read once. Then cached.", ".env is read once"),
        (
            "Open https://example.org/a?b=1.5&c=d. Then log in.",
            "Open https://example.org/a?b=1.5&c=d",
        ),
        ("-5 degrees is the limit. Below it stops.", "-5 degrees is the limit"),
        ("--force deletes the lock. Be careful.", "--force deletes the lock"),
        ("#17 is closed. #18 is not.", "#17 is closed"),
        ("Port 80. Danach Port 81.", "Port 80"),
        # Dates
        ("Am 3. März wird umgezogen. Danach ist Ruhe.", "Am 3. März wird umgezogen"),
        (
            "Der Umzug ist am 31. Dezember um 17.30 Uhr. Danach Feier.",
            "Der Umzug ist am 31. Dezember um 17.30 Uhr",
        ),
        ("Erst der 2. Versuch gelingt. Immer.", "Erst der 2. Versuch gelingt"),
        ("Das gilt seit 2024. Vorher nicht.", "Das gilt seit 2024"),
        ("Bis 1. Apr. gilt das. Danach nicht.", "Bis 1. Apr. gilt das"),
        # Ellipses and quotes
        ("Warten… dann weiter", "Warten"),
        (
            "„Nicht jetzt. Später.“ steht im Protokoll. Mehr nicht.",
            "„Nicht jetzt. Später.“ steht im Protokoll",
        ),
        ('The log says "Stop. Wait." and ends. Restart it.', 'The log says "Stop. Wait." and ends'),
        ("He said “no.” Then he left.", "He said “no.” Then he left"),
        # Markdown
        ("See [the manual](https://example.org/m.html). Then start.", "See the manual"),
        ("**Always** rebase. Never merge.", "Always rebase"),
        ("*Always* rebase. Never merge.", "Always rebase"),
        ("__Always__ rebase my_file_name. Never merge.", "Always rebase my_file_name"),
        ("`kubectl get pods` hangs. Restart the node.", "kubectl get pods hangs"),
        ("## Runner im Keller ##\n\nText", "Runner im Keller"),
        ("> Quoted. Not mine.", "Quoted"),
        ("* [x] Check the [[Runner|old runner]]. Then go.", "Check the old runner"),
        ("1. [[Runner]] stoppen\n2. warten", "Runner stoppen"),
        ("```python\nprint(1)\n```\nDas druckt eins.", "print(1)"),
        ("![Plan des Kellers](plan.png)\n\nText", "Plan des Kellers"),
        ("> [!NOTE]\n> Der Runner ist alt.", "Der Runner ist alt"),
        ("<!-- draft -->\nDer Runner ist alt.", "Der Runner ist alt"),
        ("| Host | Port |\n|---|---|\n| a | 80 |", "Host | Port"),
        ("Hinweis: Der Runner ist alt. Bald kommt ein neuer.", "Der Runner ist alt"),
        ("TL;DR: restart the runner. Details below.", "restart the runner"),
        ("Load test 1 March: p95 420 ms", "Load test 1 March"),
        ("2 * 3 * 4 is 24. Not 25.", "2 * 3 * 4 is 24"),
        ("日本語のページ。次", "日本語のページ。次"),
        ("???\n!!!", "??? !!!"),
    ],
)
def test_a_title_is_the_first_sentence(text, title):
    assert derive_title(text) == title


def test_a_title_never_has_half_a_mask():
    mask = "[secret removed: password or key]"
    for length in range(90):
        title = derive_title(
            f"{'wort ' * (length // 5)}{'x' * (length % 5)} {mask} and then use it on every host. "
            f"Next."
        )
        assert ("[secret" in title) == (mask in title)
        assert title.count("[") == title.count("]")
    assert (
        derive_title(f"For the mirror use the key {mask}. Next.")
        == f"For the mirror use the key {mask}"
    )


@pytest.mark.parametrize("title", ["", " ", "\u200b", "\u202e\u202c", "\u00a0\ufeff"])
def test_a_title_that_nobody_can_see_is_none(title):
    with pytest.raises(InvalidPage, match="A page needs a title"):
        PageFields.clean(title, "Text.")


@pytest.mark.parametrize("title", ["!", "🙂", "שלום", "C++"])
def test_a_title_of_signs_is_one(title):
    assert PageFields.clean(title, "Text.").title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Remember: staging database, port 5433.", "staging database, port 5433"),
        ("Fix: clear the cache on the edge. Then wait.", "clear the cache on the edge"),
        ("Q: how long do we keep logs? 30 days.", "how long do we keep logs"),
        ("2026-11-30: the router in the hall was replaced.", "the router in the hall was replaced"),
        ("30.11.2026 – Der Router wurde getauscht.", "Der Router wurde getauscht"),
        ("2026-11-30 14:05: Note: disk full on db-7.", "disk full on db-7"),
        ("TIL that the printer needs A5. Odd.", "the printer needs A5"),
        ("Til kommt am Montag. Später.", "Til kommt am Montag"),
        (r"C:\Temp fills up on build-3. Clean it.", r"C:\Temp fills up on build-3"),
        (
            "Runner: stopped, since the disk is full. More.",
            "Runner: stopped, since the disk is full",
        ),
        ("2024 was a long year. Really.", "2024 was a long year"),
        ("Fix:", "Fix"),
    ],
)
def test_a_label_or_a_date_alone_is_no_title(text, title):
    assert derive_title(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Rech\u00adnung", "Rechnung"),
        ("\u202egnuH\u202c", "gnuH"),
        ("\u2066a\u2069\u200eb\u200f\ufeff", "ab"),
        ("zero\u200bwidth", "zerowidth"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u200dA \u200cB\u200d", "A B"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
        ("tag\U000e0067\U000e0062ged", "tagged"),
    ],
)
def test_signs_that_nobody_sees_do_not_stay_in_a_title(text, title):
    assert clean_title(text) == title
