"""Whether pages say already what an insight says: in other words, quoted, from several; never if
a fact differs."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wiki.comparison import Text
from wiki.comparison.entailment import Claims

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("known_pairs.jsonl").read_text("utf-8").splitlines()
]
KNOWN = [pair for pair in PAIRS if pair["known"]]
NEW = [pair for pair in PAIRS if not pair["known"]]


def named(pair):
    return f"{pair['language']}-{pair['why']}"


def homes(pair):
    return Claims(pair.get("title", ""), pair["text"]).find_homes(
        [Text(*page) for page in pair["pages"]]
    )


def test_the_set_is_large_and_balanced():
    counts = Counter((pair["known"], pair["language"]) for pair in PAIRS)
    assert min(counts.values()) >= 25
    assert min(len(KNOWN), len(NEW)) >= 55


@pytest.mark.parametrize("pair", NEW, ids=named)
def test_what_is_new_is_never_taken_for_known(pair):
    assert homes(pair) == []


@pytest.mark.parametrize("pair", KNOWN, ids=named)
def test_what_stands_there_in_other_words_is_known(pair):
    assert homes(pair)
