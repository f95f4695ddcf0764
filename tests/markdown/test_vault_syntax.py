"""What people write in vaults of notes is drawn or left quietly alone, and stays in the text."""

import pytest

from wiki.markdown import anchor_in, find_wikilinks, render_markdown, split_blocks


@pytest.mark.parametrize(
    ("body", "drawn"),
    [
        (
            "> [!warning] Careful\n> **Hot**",
            '<blockquote class="callout loud">\n<p class="callout-title">Careful</p>\n'
            "<p><strong>Hot</strong></p>\n</blockquote>",
        ),
        ("> [!tip]-\n> x", '<p class="callout-title">Tip</p>\n<p>x</p>'),
        ("> [!recipe]", '<p class="callout-title">Recipe</p>'),
        ("> a [!tip] b", "<p>a [!tip] b</p>"),
        ("a ==marked **so**== b", "a <mark>marked <strong>so</strong></mark> b"),
        ("x==1 and y==2", "<p>x==1 and y==2</p>"),
        ("a == b == c", "<p>a == b == c</p>"),
        ("a %%hidden%% b", "<p>a  b</p>"),
        ("a\n\n%%\nhidden\n\n- it\n%%\n\nb", "<p>a</p>\n<p>b</p>"),
        ("<!-- hidden -->\n\nb", "<p>b</p>"),
        ("a <!-- hidden --> b", "<p>a  b</p>"),
        ("50%% of 100%%", "<p>50%% of 100%%</p>"),
        ("a %% b", "<p>a %% b</p>"),
        ("`%%code%%`", "<code>%%code%%</code>"),
        ("![[note]]", "<p>note</p>"),
        ("![[note#part]]", "<p>note › part</p>"),
        ("|a|\n|-|\n|x<br>y<br/>z|", "<td>x<br>\ny<br>\nz</td>"),
        ("git clone <url>", "git clone &lt;url&gt;"),
        ("Text ^abc-1", '<p id="^abc-1">Text</p>'),
        ("E = m c ^2", "<p>E = m c ^2</p>"),
        ("$a_b*c*d_e$", "<p>$a_b*c*d_e$</p>"),
        ("costs $5 *and* $6", "<p>costs $5 <em>and</em> $6</p>"),
        ("$$\na_b\n\n- c\n$$", '<pre class="formula">$$\na_b\n\n- c\n$$</pre>'),
        ("$$\nopen", "<p>$$\nopen</p>"),
        ("[t](tel:+49123)", '<a href="tel:+49123"'),
        ("[m](mailto:a@b.example)", '<a href="mailto:a@b.example"'),
        ("[o](obsidian://open?vault=x)", '<a href="obsidian://open?vault=x"'),
        ("[j](data:text/html,x)", "[j](data:text/html,x)"),
    ],
)
def test_it_is_drawn_as_it_is_meant(body: str, drawn: str) -> None:
    assert drawn in render_markdown(body)


@pytest.mark.parametrize("hidden", ["%%[[X]]%%", "<!-- [[X]] -->", "%%\n[[X]]\n%%"])
def test_a_link_in_a_comment_is_none(hidden: str) -> None:
    assert [link.target for link in find_wikilinks(f"[[A]]\n\n{hidden}\n\n[[B]]")] == ["A", "B"]


def test_a_link_between_two_prices_is_one() -> None:
    assert [link.target for link in find_wikilinks("$5 for [[A]] and 6$")] == ["A"]


def test_an_embedded_note_is_a_link() -> None:
    assert [link.name for link in find_wikilinks("![[A]] ![[B#c]]")] == ["A", "B#c"]


def test_the_name_of_a_block_is_its_anchor() -> None:
    assert anchor_in("Text ^abc\n\n## abc", "^abc") == "^abc"


def test_no_line_is_lost_when_a_text_is_taken_apart() -> None:
    body = "a\n\n%%\nhidden\n\n%%\n\n> [!tip] b\n> c\n\n$$\nd\n\n$$\n\ne ^f"
    assert "\n\n".join(block.source for block in split_blocks(body)) == body
