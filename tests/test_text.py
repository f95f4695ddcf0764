"""Text as it comes in: what stands in a page already, and titles for text without one."""

import pytest

from wiki.text import derive_title, stands_in


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
