"""Whether a page says what a short text says, in other words."""

import json
from pathlib import Path

import pytest

from wiki.comparison.difference import Text
from wiki.comparison.restatement import Wording

STAGING = Text("Staging database", "The staging database listens on port 5433.")


def likeness(text: str, *pages: str, title: str = "Note"):
    return Wording("", text).find_likeness(Text(title, "\n\n".join(pages)))


@pytest.mark.parametrize(
    "text",
    [
        "Port 5433 is where the database of staging listens.",
        "Staging: database port 5433",
        "Took me an hour: the staging database does not answer on the default port but on 5433.",
        "In staging the database is not on the standard port but on 5433.",
        "Q: Which port does the staging database use? A: 5433.",
    ],
)
def test_other_words_for_the_same_are_enough(text):
    assert Wording("", text).find_likeness(STAGING).is_enough


@pytest.mark.parametrize(
    "text",
    [
        "The production database listens on port 5433.",
        "The staging database listens on port 5432.",
        "The staging database never listens on port 5433.",
        "The staging database is reset every Sunday night.",
        "The staging web server listens on port 8080.",
        "On 3 May the staging database moved to port 5433.",
        "The fire drill is on the second Thursday of May.",
        "Use the vault of Okafor.",
        "",
        "?",
    ],
)
def test_something_else_is_not_the_same(text):
    found = Wording("", text).find_likeness(STAGING)
    assert not (found and found.is_enough)


def test_what_most_of_a_page_says_must_be_said():
    page = [
        "Lindqvist wants invoices as PDF by mail to the bookkeeping.",
        "Mail the PDF of an invoice to the bookkeeping of Lindqvist.",
        "For Lindqvist, every invoice has to be a PDF mailed to the bookkeeping.",
    ]
    assert likeness("The bookkeeping of Lindqvist takes PDF invoices by mail.", *page).is_enough
    assert likeness("The bookkeeping of Okafor takes PDF invoices by mail.", *page) is None


@pytest.mark.parametrize(
    "text",
    [
        "1. Stop the worker\n2. Take the backup\n3. Start the worker",
        "## Production\n\nUse the big node.",
        "Run this:\n\n```\nmake build\n```",
    ],
)
def test_what_depends_on_an_order_is_not_judged_by_its_words(text):
    assert Wording("", text).find_likeness(Text("Note", text)) is None


# A detail more, of which nothing is lost; a sentence of two that are said; "ein" is no number.
HARMLESS = {"Zusatz im Satz", "two other sentences", "ein und zwei"}


def test_hard_pairs_are_not_the_same():
    lines = (Path(__file__).parent / "hard_pairs.jsonl").read_text().splitlines()
    for row in map(json.loads, lines):
        if row["same"] or row["why"] in HARMLESS:
            continue
        for first, second in ((row["first"], row["second"]), (row["second"], row["first"])):
            found = Wording(*first).find_likeness(Text(*second))
            assert not (found and found.is_enough), row


def test_a_long_text_says_more_than_one_thing():
    text = " ".join(f"The valve {number} of the pump is open." for number in range(200))
    assert Wording("", text).find_likeness(Text("Pump", text)) is None
