"""The guard before an automatic merge: what distinguishes two texts that look alike."""

import json
import random
import re
from itertools import combinations
from pathlib import Path

import pytest

from wiki.comparison import Difference, DifferenceKind, Text, find_differences

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("hard_pairs.jsonl").read_text("utf-8").splitlines()
]
DIFFERENT = [pair for pair in PAIRS if not pair["same"]]
SAME = [pair for pair in PAIRS if pair["same"]]

PAGE = """The proxy listens on port 8080 and 10.0.4.12 since 2026-03-01.

Load test 1 March: p95 was 420 ms, see https://example.com/run/17.

## Start

1. Run `make build-2` on web-01
2. Wait 5 minutes
3. Open /srv/app/v3/index.html

```python3
limit = 400
```

| Host | Port |
|------|------|
| db-7 | 5432 |
"""

PARAGRAPHS = [
    "The proxy listens on port 8080 of the first node.",
    "Backups run each night at 02:30. The log is kept for 30 days.",
    "Ina knows the keys of the cellar.",
    "- web\n- mail\n- queue",
    "`make build` builds the image and `make test` checks it.",
]


def body(first, second, title="Note"):
    return find_differences(Text(title, first), Text(title, second))


def kinds(differences):
    return [difference.kind.value for difference in differences]


def named(pair):
    return f"{pair['language']}-{pair['why']}"


def test_the_hard_set_is_large_and_balanced():
    for pairs in (DIFFERENT, SAME):
        assert len(pairs) >= 40
        german = sum(pair["language"] == "de" for pair in pairs)
        assert 0.45 <= german / len(pairs) <= 0.55
    assert 0.4 <= len(SAME) / len(PAIRS) <= 0.6


@pytest.mark.parametrize("pair", DIFFERENT, ids=named)
def test_what_only_looks_alike_is_told_apart(pair):
    assert find_differences(Text(*pair["first"]), Text(*pair["second"]))


def test_what_says_the_same_passes():
    held = [
        named(pair)
        for pair in SAME
        if find_differences(Text(*pair["first"]), Text(*pair["second"]))
    ]
    assert len(held) <= len(SAME) // 10, held


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_both_orders_answer_the_same(pair):
    first, second = Text(*pair["first"]), Text(*pair["second"])
    forward, backward = find_differences(first, second), find_differences(second, first)
    assert forward == [Difference(found.kind, found.second, found.first) for found in backward]


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_text_says_the_same_as_itself(pair):
    for side in (Text(*pair["first"]), Text(*pair["second"])):
        assert find_differences(side, side) == []
        assert find_differences(side, Text(side.title, side.body + "\n")) == []


@pytest.mark.parametrize("place", [found.start() for found in re.finditer(r"\d", PAGE)])
def test_any_other_digit_is_a_difference(place):
    changed = PAGE[:place] + str((int(PAGE[place]) + 1) % 10) + PAGE[place + 1 :]
    assert body(PAGE, changed)


SENTENCES = [
    "Copy nightly backups from Oslo into Bergen before noon, unless Ina forbids it by mail.",
    "Nach dem Umzug holt Ole jede Sicherung von Bonn nach Köln, wenn kein Techniker widerspricht.",
]
SMALL = {"it", "dem", "jede", "nach"}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_any_other_word_is_a_difference(sentence):
    """Words that may be left out are not among them, but for SMALL."""
    for found in re.finditer(r"\w+", sentence):
        if found[0].lower() not in SMALL:
            assert body(sentence, sentence[: found.start()] + "Tulpe" + sentence[found.end() :]), (
                found[0]
            )
            assert body(sentence, sentence[: found.start()] + sentence[found.end() :]), found[0]
        assert body(sentence, sentence[: found.start()] + "Tulpe " + sentence[found.start() :])


@pytest.mark.parametrize("sentence", SENTENCES)
def test_any_two_words_exchanged_are_a_difference(sentence):
    places = [found for found in re.finditer(r"\w+", sentence) if found[0].lower() not in SMALL]
    for one, other in combinations(places, 2):
        between = sentence[one.end() : other.start()]
        swapped = sentence[: one.start()] + other[0] + between + one[0] + sentence[other.end() :]
        assert body(sentence, swapped), swapped


@pytest.mark.parametrize("seed", range(20))
def test_paragraphs_in_another_order_say_the_same(seed):
    shuffled = random.Random(seed).sample(PARAGRAPHS, len(PARAGRAPHS))
    assert body("\n\n".join(PARAGRAPHS), "\n\n".join(shuffled)) == []


@pytest.mark.parametrize(
    ("first", "second", "kind", "only_first", "only_second"),
    [
        ("The port is 8080.", "The port is 8081.", "number", "8080", "8081"),
        ("Take release 2.4.7 now.", "Take release 2.4.8 now.", "version", "2.4.7", "2.4.8"),
        ("The end is on 2027-03-01.", "The end is on 2027-04-01.", "date", "2027-03-01", "2027-04-01"),
        ("The run is at 02:30.", "The run is at 03:30.", "time", "02:30", "03:30"),
        ("The limit is 256 kB.", "The limit is 256 MB.", "quantity", "256 kB", "256 MB"),
        ("The board has an ASR1603.", "The board has an ASR1605.", "identifier", "ASR1603", "ASR1605"),
        ("The log is /var/a.log.", "The log is /var/b.log.", "path", "/var/a.log", "/var/b.log"),
        ("Write to a@example.com.", "Write to b@example.com.", "address", "a@example.com", "b@example.com"),
        ("Call `cp -r` first.", "Call `cp -R` first.", "code", "`cp -r`", "`cp -R`"),
        ("The keys are with Ina.", "The keys are with Ole.", "name", "Ina", "Ole"),
        ("Agents may delete.", "Agents may not delete.", "negation", "", "not"),
        ("Flush it before the run.", "Flush it after the run.", "opposite", "before", "after"),
        ("The train goes from Bonn to Oslo.", "The train goes from Oslo to Bonn.", "direction",
         "The train goes from Bonn to Oslo", "The train goes from Oslo to Bonn"),
        ("The box is red.", "The box is blue.", "word", "red", "blue"),
        ("The red cable is right.", "Take a walk.", "statement", "The red cable is right", "Take a "
                                                                                           "walk"),
        ("Editors may write.", "Editors may write. Only on Mondays.", "negation", "", "Only on "
                                                                                      "Mondays"),
    ],
)  # fmt: skip
def test_a_difference_says_what_only_one_says(first, second, kind, only_first, only_second):
    assert body(first, second) == [Difference(DifferenceKind(kind), only_first, only_second)]


def test_several_differences_of_a_kind_are_told_together():
    first = "The proxy listens on port 80 here.\n\nAsk Ina for 3 keys of the cellar."
    second = "The proxy listens on port 81 here.\n\nAsk Ole for 4 keys of the cellar."
    assert body(first, second) == [
        Difference(DifferenceKind.NUMBER, "80, 3", "81, 4"),
        Difference(DifferenceKind.NAME, "Ina", "Ole"),
    ]


def test_two_revisions_of_a_bulletin_are_two_things():
    pair = [
        Text(f"Bulletin SB-2024-001 Rev {letter}", "Check the valve each year.") for letter in "AB"
    ]
    assert find_differences(*pair) == [
        Difference(DifferenceKind.TITLE, "Bulletin SB-2024-001 Rev A", "Bulletin SB-2024-001 Rev B")
    ]


def test_runbooks_from_one_template_are_never_the_same():
    template = "# Runbook {0}\n\n1. Stop {0}\n2. Read the log\n3. Start {0}\n"
    services = (
        "billing search mail queue login orders stock prices images reports chat maps "
        "backup proxy cron"
    ).split()
    pages = [Text(f"Runbook {name}", template.format(name)) for name in services]
    assert len(pages) == 15
    assert all(find_differences(one, other) for one in pages for other in pages if one is not other)


def test_merged_requests_are_never_the_same():
    pages = [
        Text(f"Merged PR #{number}: search", "It is on the main branch.") for number in range(1, 21)
    ]
    assert all(find_differences(one, other) for one in pages for other in pages if one is not other)


def test_two_dated_entries_show_date_and_value():
    found = body("Load test 1 March: p95 420 ms", "Load test 1 April: p95 180 ms")
    assert (DifferenceKind.DATE, "1 March", "1 April") in found
    assert (DifferenceKind.QUANTITY, "420 ms", "180 ms") in found


def test_pages_of_one_title_with_other_bodies_differ():
    assert body("The agency grants the permit.", "The form asks for the tax number.", title="DGIA")


def test_what_takes_back_a_page_is_no_mere_addition():
    assert kinds(
        body("The shop uses MySQL.", "The shop uses MySQL.\n\nIt is no longer MySQL, now Postgres.")
    ) == ["negation"]


def test_an_addition_between_two_steps_is_a_difference():
    assert "direction" in kinds(
        body("1. Stop it\n2. Start it", "1. Stop it\n2. Take a backup\n3. Start it")
    )


def test_forms_of_a_word_count_in_titles():
    assert kinds(
        find_differences(Text("mount", "It is a command."), Text("mounts", "It is a command."))
    ) == ["title"]


def test_an_insight_is_compared_without_who_filed_it_and_when():
    block = "::: insight {} | {} | {}\nLogs stay for 30 days.\n:::"
    assert (
        body(
            block.format("robin", "2026-11-01", "ticket-1"),
            block.format("kim", "2026-11-02", "ticket-2"),
        )
        == []
    )


def test_an_empty_body_is_no_difference():
    assert body("", "The proxy listens on port 80.") == []
    assert body("", "") == []


def test_a_body_longer_than_a_page_is_not_compared():
    long = "word " * 70_000
    assert kinds(body(long, long + "word")) == ["length"]


def test_sentences_too_long_to_align_differ():
    words = [f"word{number}" for number in range(2000)]
    assert kinds(body(" ".join(words), " ".join([*words[:-2], "other", "words"]))) == ["length"]
