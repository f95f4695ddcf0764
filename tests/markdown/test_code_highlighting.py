"""Code on pages: in colours, and never at the price of a character."""

import re
from html import unescape

import pytest

from wiki.markdown import code_highlighting, render_markdown


def shown(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", re.search(r"<code[^>]*>(.*)</code>", html, re.S)[1]))


def fence(text: str, language: str = "python") -> str:
    return f"~~~~~{language}\n{text}\n~~~~~"


def test_a_known_language_has_colours() -> None:
    html = render_markdown(fence("def run():\n    return 'x'  # why"))
    assert '<span class="c-k">def</span>' in html
    assert '<span class="c-c1"># why</span>' in html
    assert shown(html) == "def run():\n    return 'x'  # why\n"


@pytest.mark.parametrize(
    "language", ["", "no-such-language", "text", "<script>", "autoit", "python;x", "\u202epython"]
)
def test_other_code_stays_as_it_is(language: str) -> None:
    html = render_markdown(fence("if a < b: <b>x</b> & y", language))
    assert "<span" not in html
    assert "<b>" not in html
    assert shown(html) == "if a < b: <b>x</b> & y\n"


@pytest.mark.parametrize("language", sorted(code_highlighting.LANGUAGES))
def test_colours_change_no_character(language: str) -> None:
    text = (
        "\n\n  <a href='x'>&amp;\t\"q\" {{ x }}\n# ä 日本 \u200b $HOME [[x|y]] `z`\r-- 1.5e3 \\n "
        ";;\n\n\n  end  "
    )
    assert shown(render_markdown(fence(text, language))) == text.replace("\r", "\n") + "\n"


def test_the_language_may_be_said_in_any_case_and_with_more_words() -> None:
    assert "c-k" in render_markdown(fence("def x(): pass", "Python title=x"))
    assert "c-" in render_markdown(fence("ls $HOME", "console"))


def test_code_over_the_limits_keeps_one_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_highlighting, "SECONDS", 60.0)
    line = "x = 1\n"
    assert "c-" in render_markdown(fence(line * (code_highlighting.MAX_CODE // len(line) - 1)))
    assert "c-" not in render_markdown(fence(line * (code_highlighting.MAX_CODE // len(line) + 1)))
    assert "c-" in render_markdown(fence("x" * code_highlighting.MAX_LINE))
    assert "c-" not in render_markdown(fence("x" * (code_highlighting.MAX_LINE + 1)))


def test_code_that_takes_too_long_keeps_one_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_highlighting, "SECONDS", 0.0)
    html = render_markdown(fence("def x(): pass"))
    assert "<span" not in html
    assert shown(html) == "def x(): pass\n"
    # The time runs out in the middle.
    monkeypatch.setattr(code_highlighting, "SECONDS", 1e-9)
    assert shown(render_markdown(fence("def x(): pass\n" * 50))) == "def x(): pass\n" * 50 + "\n"


def test_links_in_code_stay_code() -> None:
    assert "[[x|y]]" in shown(render_markdown(fence("[[x|y]]")))
