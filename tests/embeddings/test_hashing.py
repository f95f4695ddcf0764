"""The builtin embedding, pinned by the golden vectors where they are at hand and by the
documented examples."""

import json
import math
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from embeddings.hash_embedder import WORD, fnv1a, hash_text, split_words

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "hash_embedder.json"
RED_PIPELINE, FAILING_BUILD = (
    "was zu tun ist, wenn die Pipeline rot ist",
    "Der CI-Build schlägt fehl",
)


def similarity(first: str, second: str) -> float:
    a, b = hash_text(first), hash_text(second)
    assert a is not None
    assert b is not None
    return float(a @ b)


def test_the_running_example_has_similarity_exactly_zero():
    assert similarity(RED_PIPELINE, FAILING_BUILD) == 0


def test_the_english_example_shares_three_features_of_eight():
    assert similarity("The CI build is failing", FAILING_BUILD) == pytest.approx(0.375, abs=1e-6)


def test_the_recipe_by_hand():
    # One word: its index is the hash modulo 256, its sign bit 31.
    word = fnv1a(b"pipeline")
    vector = hash_text("Pipeline")
    assert vector is not None
    assert {index: float(value) for index, value in enumerate(vector) if value} == {
        word % 256: -1.0 if word >> 31 else 1.0
    }


def test_fnv1a_has_its_published_values():
    # From the FNV reference tables.
    assert (fnv1a(b""), fnv1a(b"a"), fnv1a(b"foobar")) == (0x811C9DC5, 0xE40C292C, 0xBF9CF968)


def test_a_pair_weighs_half_a_word():
    one, two, pair = fnv1a(b"rote"), fnv1a(b"pipeline"), fnv1a(b"rote_pipeline")
    expected = np.zeros(256)
    for feature, weight in ((one, 1.0), (two, 1.0), (pair, 0.5)):
        expected[feature % 256] += -weight if feature >> 31 else weight
    vector = hash_text("Rote Pipeline")
    assert vector is not None
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


@pytest.mark.parametrize("text", ["", "   \n\t ", "—!?…", "_ _"])
def test_a_text_without_a_word_has_no_vector(text):
    assert hash_text(text) is None


def test_words_are_exactly_runs_of_unicode_letters_and_numbers():
    wrong = [
        hex(code)
        for code in range(0x110000)
        if bool(WORD.fullmatch(chr(code))) != (unicodedata.category(chr(code))[0] in "LN")
    ]
    assert wrong == []


def test_case_and_composition_do_not_matter():
    assert split_words("U\u0308BUNG übung") == ["übung", "übung"]


def test_every_vector_has_norm_one():
    vector = hash_text("Port 5432 ERR_CONN_4711 " * 50)
    assert vector is not None
    assert math.isclose(float(np.linalg.norm(vector)), 1, abs_tol=1e-6)


@pytest.mark.skipif(
    not GOLDEN.exists(), reason="the golden vectors lie beside the project, not in it"
)
def test_the_golden_vectors_come_out():
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for case in golden["cases"]:
        expected = np.zeros(golden["dimensions"])
        for index, value in case["nonzero"].items():
            expected[int(index)] = value
        vector = hash_text(case["text"])
        got = np.zeros(256) if vector is None else vector
        np.testing.assert_allclose(got, expected, atol=1e-6, err_msg=case["text"])
        assert len(split_words(case["text"])) == case["tokens"]
    for pair in golden["pairs"]:
        first, second = (golden["cases"][pair[name]]["text"] for name in "ab")
        assert similarity(first, second) == pytest.approx(pair["similarity"], abs=1e-6)
