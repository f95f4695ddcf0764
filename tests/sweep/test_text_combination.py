"""Texts are put together and taken apart: nobody's line is lost, and the effort is bounded."""

import random
from collections.abc import Callable

import pytest

from tests.support.thorough import share_of
from wiki.history.diff import ChangeKind, find_changes
from wiki.history.revert import reverse_text
from wiki.pages.edit_conflicts import combine_texts
from wiki.text.bounded_difflib import MAX_LOOKS, Effort

FEW_WORDS = "".join(f"{'a ' * 1400}\nsame {number}\n" for number in range(60))


OTHER_WORDS = "".join(f"{'a b ' * 700}\nsame {number}\n" for number in range(60))


FEW_LINES, OTHER_LINES = "a\nb\n" * 990, "a\na\nb\n" * 660


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> list[Effort]:
    """Every effort that is made, to be looked at when all is done."""
    made: list[Effort] = []
    begin = Effort.__init__

    def note(effort: Effort, looks: int = MAX_LOOKS) -> None:
        begin(effort, looks)
        made.append(effort)

    monkeypatch.setattr(Effort, "__init__", note)
    return made


@pytest.mark.parametrize(
    "compare",
    [
        lambda: find_changes(FEW_WORDS, OTHER_WORDS),
        lambda: combine_texts(FEW_LINES, OTHER_LINES, f"x\n{FEW_LINES}x\n"),
        lambda: reverse_text(FEW_LINES, OTHER_LINES, f"x\n{OTHER_LINES}x\n"),
    ],
)
def test_texts_of_few_different_words_or_lines_share_one_effort(
    compare: Callable[[], object], spent: list[Effort]
) -> None:
    compare()
    assert len(spent) == 1
    assert spent[0].left < MAX_LOOKS


def test_a_comparison_whose_effort_is_spent_still_joins_to_both_texts() -> None:
    effort = Effort()
    changes = find_changes(FEW_WORDS, OTHER_WORDS, effort=effort)
    assert effort.left < 0
    assert (
        "".join(change.text for change in changes if change.kind != ChangeKind.ADDED) == FEW_WORDS
    )
    assert (
        "".join(change.text for change in changes if change.kind != ChangeKind.REMOVED)
        == OTHER_WORDS
    )


def _edit(lines: list[str], chance: random.Random, name: str) -> list[str]:
    """The lines with some of them changed, taken out, or new; every new line tells who wrote it."""
    edited: list[str] = []
    for number, line in enumerate(lines):
        fate = chance.random()
        edited += [] if fate < 0.1 else [f"{name} {number}"] if fate < 0.2 else [line]
        edited += [f"{name} new {number}"] if chance.random() < 0.1 else []
    return edited


@pytest.mark.parametrize("seed", range(share_of(200)))
def test_no_line_that_somebody_else_wrote_is_lost(seed: int) -> None:
    """Neither by putting two edits together nor by taking an earlier one back."""
    chance = random.Random(seed)
    base = [chance.choice(["", "the same", f"line {n}"]) for n in range(chance.randrange(1, 25))]
    mine, theirs = _edit(base, chance, "mine"), _edit(base, chance, "theirs")
    end = chance.choice(["", "\n"])
    if (
        combined := combine_texts(*("\n".join(text) + end for text in (base, mine, theirs)))
    ) is not None:
        lines = combined.split("\n")
        for line in {*mine, *theirs} - {*base}:
            assert lines.count(line) == 1
    later = _edit(mine, chance, "later")
    if (
        reversed_ := reverse_text(*("\n".join(text) + end for text in (base, mine, later)))
    ) is not None:
        lines = reversed_.split("\n")
        for line in {*later} - {*mine, *base}:
            assert lines.count(line) == 1
        assert not [line for line in lines if line.startswith("mine")]
