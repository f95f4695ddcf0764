"""Everything that names or compares a similarity follows the two settings."""

import pytest

from wiki.merging.queue_filters import similarity_bands
from wiki.search.similarity import similarity_word
from wiki.search.thresholds import (
    append_from,
    merge_from,
    reaches,
    related_from,
    same_from,
    suspect_from,
)


def test_the_bounds_as_they_come():
    bounds = [related_from(), append_from(), suspect_from(), merge_from(), same_from()]
    assert bounds == [0.60, 0.80, 0.88, 0.93, 0.98]


@pytest.mark.parametrize(
    ("similarity", "word"),
    [
        (0.97, "nearly the same"),
        (0.969, "very similar"),
        (0.90, "very similar"),
        (0.899, "related"),
    ],
)
def test_words_follow_the_settings(settings, similarity, word):
    settings.COVEY_APPEND_THRESHOLD, settings.COVEY_MERGE_THRESHOLD = 0.90, 0.97
    assert similarity_word(similarity) == word


def test_low_thresholds_take_the_fixed_ones_along(settings):
    settings.COVEY_APPEND_THRESHOLD, settings.COVEY_MERGE_THRESHOLD = 0.40, 0.70
    assert (related_from(), suspect_from()) == (0.40, 0.70)
    assert list(similarity_bands()) == ["same", "merge", "far"]


def test_bands_follow_the_merge_threshold(settings):
    settings.COVEY_MERGE_THRESHOLD = 0.97
    assert similarity_bands() == {
        "same": (0.98, None),
        "merge": (0.97, 0.98),
        "near": (0.88, 0.97),
        "far": (None, 0.88),
    }
    settings.COVEY_MERGE_THRESHOLD = 0.99
    assert list(similarity_bands()) == ["same", "near", "far"]


def test_a_bound_is_reached_at_it_and_by_what_32_bits_make_of_it():
    assert reaches(0.80, 0.80)
    assert reaches(0.7999999, 0.80)
    assert not reaches(0.7999, 0.80)
    assert not reaches(None, 0.0)
