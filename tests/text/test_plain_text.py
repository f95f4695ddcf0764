"""The words of a line of Markdown, as titles and quotations have them."""

import pytest

from wiki.text.plain_text import plain_line, strip_emphasis


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("- [x] Check the [[Runner|old runner]]", "Check the old runner"),
        ("See [[Runner#Keys]] and [the guide](docs/guide.md).", "See Runner and the guide."),
        ("calls[0](it) for user*", "calls[0](it) for user*"),
        ("**Never *ever* rebase** `__init__`[^1]", "Never ever rebase __init__"),
        ("| Host | Port |", "Host | Port"),
        ("## See <https://example.org> ##", "See https://example.org"),
    ],
)
def test_a_line_has_its_words_without_marks(line, words):
    assert plain_line(line) == words


def test_emphasis_goes_and_code_stays():
    assert strip_emphasis("*a* __b__ `*c*` __init__ user*") == "a b `*c*` __init__ user*"
    assert strip_emphasis("**a _b_ c**") == "a b c"
