"""What helps people read: contrast, and links to headings that a keyboard reaches."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests.support.screens import Write, text
from wiki.markdown import render_markdown, render_with_headings

TEXT = 4.5  # WCAG 2.2, 1.4.3
EDGES = 3.0  # WCAG 2.2, 1.4.11: of what is operated

# Which token of text stands on which token of ground.
PAIRS = [
    *[
        (ink, ground)
        for ink in ("ink", "soft", "accent", "red", "amber", "agent")
        for ground in ("paper", "card")
    ],
    *[(ink, "accent-soft") for ink in ("ink", "soft", "accent")],
    *[(ink, "amber-soft") for ink in ("ink", "soft", "amber", "accent")],
    *[(ink, "agent-soft") for ink in ("ink", "soft", "agent", "accent", "red")],
    *[
        ("red", "red-soft"),
        ("on-add", "add"),
        ("on-del", "del"),
        ("on-accent", "accent"),
        ("maintenance", "card"),
    ],
    *[("maintenance", "paper"), ("ink", "line")],
]


def palettes() -> dict[str, dict[str, str]]:
    """The tokens by their names: light, and dark as the system or the switch asks for it."""
    css = Path(str(finders.find("covey/covey.css"))).read_text(encoding="utf-8")
    blocks = re.findall(r"(:root[^{]*)\{([^}]*--paper:[^}]*)\}", css)
    tokens = [
        (where, dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{3,8})\b", block)))
        for where, block in blocks
    ]
    return {
        ("light" if where == ":root" else where): {**tokens[0][1], **found}
        for where, found in tokens
    }


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(digit * 2 for digit in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("name", list(palettes()))
def test_text_stands_out_from_its_ground(name: str) -> None:
    tokens = palettes()[name]
    found = {
        (ink, ground): round(contrast(tokens[ink], tokens[ground]), 2) for ink, ground in PAIRS
    }
    assert {pair: ratio for pair, ratio in found.items() if ratio < TEXT} == {}
    edges = {
        ground: round(contrast(tokens["edge"], tokens[ground]), 2) for ground in ("paper", "card")
    }
    assert {ground: ratio for ground, ratio in edges.items() if ratio < EDGES} == {}


def test_the_two_ways_to_the_dark_look_alike() -> None:
    light, *dark = palettes().values()
    assert len(dark) == 2
    assert [one for one, other in pairwise(dark) if one != other] == []
    assert light != dark[0]


def test_headings_have_a_link_that_a_keyboard_reaches(browser: Client, write: Write) -> None:
    html = text(
        browser.get(write("Page", '# First "one"\n\ntext\n\n## 概要 *now*\n').get_absolute_url())
    )
    assert '<a class="permalink" href="#first-one" aria-label="Link to “First "one"”" rel=' in html
    assert 'aria-label="Link to “概要 now”" rel="noopener noreferrer nofollow">#</a></h2>' in html
    article = html.partition("<article")[2].partition("</article>")[0]
    assert "tabindex" not in article


def test_read_aloud_a_heading_is_its_words_alone(browser: Client, write: Write) -> None:
    html = text(browser.get(write("Page", "## 概要 *now*").get_absolute_url()))
    assert (
        '<h2 id="概要-now" aria-label="概要 now"><span id="h-概要-now"></span>概要 <em>now</em><a '
        in html
    )


def test_a_text_that_is_not_a_screen_has_no_such_links() -> None:
    assert render_markdown("## Setup") == '<h2 id="setup">Setup</h2>\n'
    assert "permalink" not in render_with_headings("## Setup").html


def test_a_heading_cannot_break_out_of_its_label() -> None:
    html = render_with_headings('## "><script>alert(1)</script>', has_permalinks=True).html
    assert "<script>" not in html
    assert html.count("<a ") == 1
