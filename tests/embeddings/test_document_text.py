"""The text that is embedded."""

import numpy as np
import pytest

from embeddings.client import active_fingerprint, embed_documents, embed_query
from embeddings.text import Document, document_text, query_text, replace_unusable


def test_title_and_text_are_cut_to_8000_characters():
    text = document_text(Document("Titel", "x" * 10_000))
    assert len(text) == 8000
    assert text.startswith("Titel\nx")
    assert len(query_text("y" * 9000)) == 8000


def test_what_stands_behind_the_cut_does_not_count():
    body = "wort " * 1600
    first, second = embed_documents(
        [Document("Titel", body), Document("Titel", body + "ganz anderes")]
    )
    np.testing.assert_array_equal(first, second)


def test_an_insight_without_a_title_is_its_text_alone():
    assert document_text(Document("", "Text")) == "Text"
    assert document_text(Document("Titel", "Text")) == "Titel\nText"


@pytest.mark.parametrize("bad", ["\x00", "\x07", "\x1b", "\x7f", "\x80", "\ud83d"])
def test_what_cannot_be_stored_is_replaced(bad):
    assert replace_unusable(f"a{bad}b") == "a\ufffdb"


@pytest.mark.parametrize("good", ["\n", "\t", "\r", "\u0085", "ä", "🎉", "\u200b", "\ufdd0"])
def test_what_can_be_stored_stays(good):
    assert replace_unusable(good) == good


def test_vectors_come_in_order_and_wordless_texts_have_none():
    first, second, third = embed_documents(
        [Document("", "eins"), Document("", "—"), Document("", "drei")]
    )
    assert second is None
    np.testing.assert_array_equal(first, embed_query("eins"))
    np.testing.assert_array_equal(third, embed_query("drei"))


def test_the_fingerprint_of_builtin():
    assert active_fingerprint() == "builtin:hash:256"
