"""What would take long if it grew faster than a text: markup, patterns and comparisons that
repeat without end."""

import pytest

from tests.support.thorough import assert_grows_linearly, share_of
from wiki.comparison import Text, find_differences
from wiki.history.diff import ChangeKind, find_changes
from wiki.markdown import LinkTarget, find_wikilinks, render_markdown, title_heading
from wiki.redaction import mask_secrets
from wiki.text.first_sentence import derive_title
from wiki.text.plain_text import plain_text


@pytest.mark.parametrize(
    "unit",
    [
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n",
        "PuTTY-User-Key-File-2:",
        "sk-",
        "-sk-a",
        "eyJ",
        ".eyJ",
        "eyJaaaaaaaaaa.",
        "a://",
        "a://a:",
        "a.",
        "password",
        "password:",
        "password = ",
        'password="',
        "A_",
        "A_PASSWORD=",
        "export A_",
        "authorization: ",
        "bearer ",
        "token:token",
        "-u a:",
        "1234567890:AA",
        "A",
        "\\n",
        "*",
        "covey_",
        "login -p ",
        "mysql -p ",
        "<password>",
        "| password |\n|---|\n| x |\n",
        "password\n",
        "seed phrase: abc ",
        "accessToken:",
        "token=" + "a1" * 200 + " ",
        "sessionToken:" + "a1" * 200,
        "\u200b",
    ],
)
def test_repetition_is_redacted_in_linear_time(unit):
    def redact(size: int) -> None:
        text = unit * (size // len(unit))
        mask_secrets(text)
        mask_secrets(f"{text}x")

    assert_grows_linearly(redact, share_of(1 << 19))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a-",
        "a.",
        "a/",
        "`",
        "` ``",
        "*",
        "_a",
        "1.",
        "[[",
        "~~",
        "- a\n",
        "1. a\n",
        "a:\n\n",
        "# a\n",
        "|a\n",
        "a. ",
        "not ",
        "http://",
        "a@",
        "<",
        "\\",
        "> ",
        "```\n",
        "(",
        "**a ",
        "[0, ",
        ".a",
        "never, ",
        "\u200b",
    ],
)
def test_repetition_is_compared_or_refused_in_linear_time(unit):
    def compare(size: int) -> None:
        text = unit * (size // len(unit))
        find_differences(Text("Note", text), Text("Note", text[:-1] + " 7"))
        find_differences(Text("Note", text + "x"), Text("Note", "y" + text))

    assert_grows_linearly(compare, share_of(50_000))


REPEATED = [
    "[",
    "[[",
    "*a_",
    ">",
    "`",
    "![",
    "<",
    "**[[",
    "://x ",
    "http://a.",
    "# a\n",
    "- [ ] a\n",
]
WHOLE = {
    **{repr(unit): lambda size, unit=unit: unit * (size // len(unit)) for unit in REPEATED},
    "a deep list before a long one": lambda size: (
        "".join("  " * depth + "- a\n" for depth in range(400)) + "- b\n" * (size // 4)
    ),
    "columns": lambda size: (
        "|" + "a|" * (size // 6) + "\n|" + "-|" * (size // 6) + "\n|" + "b|" * (size // 6)
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_repeated_markup_is_drawn_in_linear_time_and_shows_its_text(kind):
    def draw(size: int) -> None:
        text = WHOLE[kind](size)
        html = render_markdown(
            f"{text}\n\nEND", lambda link: LinkTarget(f"/w/x/{link.target}", link.target)
        )
        assert "END" in html
        assert title_heading(text) in ("", "a")
        assert list(find_wikilinks(text)) == []

    assert_grows_linearly(draw, share_of(100_000))


def test_a_quote_of_endless_blanks_is_made_in_linear_time():
    def quote(size: int) -> None:
        assert plain_text("a" + " " * size + "| x") == "a · x"

    assert_grows_linearly(quote, share_of(400_000))


@pytest.mark.parametrize("unit", ["a ", "\n", "ab\n"])
def test_huge_texts_of_one_unit_are_compared_in_linear_time(unit):
    def compare(size: int) -> None:
        text = unit * (size // len(unit))
        changes = find_changes(text, text[1:] + "x")
        assert (
            "".join(change.text for change in changes if change.kind != ChangeKind.REMOVED)
            == text[1:] + "x"
        )

    assert_grows_linearly(compare, share_of(200_000))


@pytest.mark.parametrize(
    "unit",
    ["[a](", "[[", "**", "`", "„", '"', "a. ", "z. B. ", "![", "<http://", "_a", "[^", "1. "],
)
def test_repetition_becomes_a_title_in_linear_time(unit):
    def derive(size: int) -> None:
        assert derive_title(unit * (size // len(unit)))

    assert_grows_linearly(derive, share_of(200_000))
