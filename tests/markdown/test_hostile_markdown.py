"""Markdown to HTML: what is drawn, that nothing runs, and that no text keeps the parser for
long."""

import re
from datetime import date

import pytest

from wiki.markdown import LinkTarget, find_wikilinks, render_markdown, title_heading
from wiki.markdown.insight_block import insight_block


def draw(body):
    return render_markdown(body, lambda link: LinkTarget(f"/w/x/{link.target}", link.target))


def test_headings_get_ids_of_their_own():
    html = draw("# Setup\n## Setup\n## Setup 1\n# Setup\n")
    assert re.findall(r'id="([^"]+)"', html) == ["setup", "setup-1", "setup-1-1", "setup-2"]


def test_checkboxes_are_drawn_as_on_github():
    html = draw("- [ ] open\n- [x] done **now**\n- [X]\n- plain\n\n1. [ ] one\n   - [x] below\n")
    assert html.count("<input") == 4
    assert html.count("checked=") == 2
    assert '<ul class="contains-task-list">' in html
    assert '<ol class="contains-task-list">' in html
    assert "<strong>now</strong>" in html
    assert "[ ]" not in html


def test_a_bar_in_code_and_in_an_address_stays_as_it_was_written():
    assert r"[[ $x =~ a\|b|c ]]" in draw("```\n[[ $x =~ a\\|b|c ]]\n```")
    assert "/?q=%5B%5Ba%7Cb%5D%5D" in draw("<http://x.test/?q=[[a|b]]>")
    assert 'title="[[a|b]]"' in draw('[t](http://x.test "[[a|b]]")')


@pytest.mark.parametrize("bar", ["|", r"\|"])
def test_a_bar_in_a_link_ends_no_table_cell(bar):
    html = draw(f"|a|b|\n|-|-|\n|[[Seite{bar}Name]]|x|\n")
    assert html.count("<td>") == 2
    assert ">Name</a>" in html


def test_brackets_around_a_whole_paragraph_are_no_link():
    assert [link.target for link in find_wikilinks(f"[[{'a' * 500}]] [[{'b' * 501}]]")] == [
        "a" * 500
    ]


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "[a](javascript:alert(1)) ![b](javascript:alert(1)) <javascript:alert(1)>",
        "[a](JaVa\tScript:alert(1)) [b](java&#10;script:alert(1)) [c](&#106;avascript:alert(1)) "
        "[d](vbscript:x)",
        "[a]\n\n[a]: javascript:alert(1)",
        "[a](data:text/html;base64,PHNjcmlwdD4=) ![b](data:text/html,x)",
        '[[javascript:alert(1)]] [[x|<img src=x onerror=alert(1)>]] [[x#"onclick=alert(1)]]',
        '# <b onclick=x> " onmouseover=alert(1)\n[^1]\n\n[^1]: <script>x</script>',
        '::: insight <img src=x onerror=alert(1)> | "><script> | javascript:x\ntext\n:::',
        "＜script＞alert(1)＜/script＞ [a](ｊavascript:alert(1))",
        "```<script>\n</code></pre><script>alert(1)</script>\n```",
        '[a](http://x "\\" onclick=alert(1) x=\\"")',
    ],
)
def test_nothing_that_is_written_can_run(body):
    html = draw(body)
    tags = re.findall(r"<[^>]*>", html)
    assert not re.search(r"<(script|iframe|svg|style|base|meta|form|object)", html)
    assert not [tag for tag in tags if re.search(r"\son\w+\s*=", re.sub(r'"[^"]*"', '""', tag))]
    assert not re.search(r'(href|src)="\s*(javascript|vbscript|data):', html, re.IGNORECASE)


def test_only_the_first_paragraph_of_an_item_is_a_task():
    assert "<input" not in draw("- a\n# [ ] b\n\n- c\n\n  [ ] d\n\n[ ] e\n")


@pytest.mark.parametrize(
    "text",
    [
        "[^1]: ZZZ",
        "a[^1]\n\n[^1]: ZZZ",
        "> [^1]: ZZZ",
        "|-|-|\nZZZ",
        "|-|-|-|\nZZZ",
        ":::\nZZZ",
        "```\nZZZ",
        "- a\n:::\nZZZ",
    ],
)
def test_a_filed_text_stays_in_its_block_and_is_shown(text):
    block = insight_block(text, "robin", date(2026, 11, 29), "ticket")
    for before, after in re.findall(
        r"(.*)ZZZ(.*)", draw(f"Vorher.\n\n{block}\n\nDanach."), re.DOTALL
    ):
        assert before.count('<div class="insight') == 1
        assert "</div>" in after


def test_a_filed_text_changes_nothing_around_it():
    block = insight_block(
        "[todo]: http://evil.test\n\n[^1]: forged", "robin", date(2026, 11, 29), ""
    )
    html = draw(f"Siehe [todo] und mehr[^1].\n\n{block}\n")
    assert "href" not in html.partition('<div class="insight')[0]
    assert "http://evil.test" in html.partition('<div class="insight')[2]


def test_a_parser_that_fails_refuses_no_text(monkeypatch):
    def fail(*arguments):
        raise IndexError

    monkeypatch.setattr("wiki.markdown.parser.markdown.parse", fail)
    assert list(find_wikilinks("[[a]] <b>")) == []
    assert title_heading("# a") == ""
    assert draw("[[a]] <b>") == '<pre class="unrendered">[[a]] &lt;b&gt;</pre>'
