"""What Markdown becomes: links, headings, code, and nothing that can run."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from wiki.markdown import LinkTarget, WikiLink, render_markdown, render_with_headings
from wiki.models import Link, Page, Wiki
from wiki.pages.links import find_backlinks

Write = Callable[..., Page]


@pytest.fixture
def browser(client: Client, person) -> Client:
    client.force_login(person)
    return client


@pytest.fixture
def see(browser: Client) -> Callable[[Page], str]:
    """The article as a reader gets it."""

    def article(page: Page) -> str:
        html = browser.get(page.get_absolute_url()).content.decode()
        return html.partition('<article class="prose">')[2].partition("</article>")[0]

    return article


def to_pages(link: WikiLink) -> LinkTarget:
    return LinkTarget(f"/{link.target}", link.target)


# -- links


def test_a_link_is_blue_in_any_case_and_spelling(write: Write, see) -> None:
    write("My Page")
    html = see(write("Other", "[[My Page]] and [[my page]] and [[ MY   PAGE ]]"))
    assert html.count('<a href="/w/ops/my-page"') == 3
    assert 'class="new"' not in html


def test_following_a_link_in_other_case_changes_nothing(write: Write, browser: Client) -> None:
    page = write("BugTest")
    assert browser.get("/w/ops/BUGTEST", follow=True).status_code == 200
    page.refresh_from_db()
    assert (page.title, page.revision) == ("BugTest", 1)


def test_a_link_that_looks_like_a_file_is_a_page_to_be_written(write: Write, see) -> None:
    html = see(write("Other", "[[site.com]]"))
    assert '<a href="/w/ops/new?title=site.com" class="new"' in html


def test_a_label_is_shown_and_its_target_opened(write: Write, see) -> None:
    write("Target")
    assert re.search(
        r'<a href="/w/ops/target"[^>]*>Label</a>', see(write("Other", "[[Target|Label]]"))
    )


def test_a_page_that_gets_written_turns_its_links_blue(write: Write, see) -> None:
    linking = write("Other", "[[Sought]]")
    assert 'class="new"' in see(linking)
    write("Sought")
    assert 'class="new"' not in see(linking)
    assert 'href="/w/ops/sought"' in see(linking)


def test_a_link_to_a_heading_shows_page_and_heading(write: Write, see) -> None:
    write("Plan", "## First week\n")
    html = see(write("Other", "[[Plan#First week]]"))
    assert re.search(r'<a href="/w/ops/plan#first-week"[^>]*>Plan › First week</a>', html)


def test_a_page_has_a_hint_ready_for_a_heading_that_is_not_there(
    write: Write, browser: Client
) -> None:
    assert b'id="no-heading" hidden' in browser.get(write("Plan").get_absolute_url()).content


@pytest.mark.parametrize(
    "body", ["`[[1]]`", "```\n[[x]]\n```", "~~~\nsee [[ns:page]]\n~~~", "    [[indented]]"]
)
def test_a_link_in_code_is_text(write: Write, see, body: str) -> None:
    html = see(write("Other", body))
    assert "[[" in html
    assert "<a " not in html
    assert not Link.objects.exists()


@pytest.mark.parametrize("cell", ["[[page|x]]", "[[page\\|x]]"])
def test_a_label_does_not_split_a_table_cell(cell: str) -> None:
    html = render_markdown(f"| a | b |\n|---|---|\n| {cell} | c |", to_pages)
    assert html.count("<td") == 2
    assert re.search(r'<td><a href="/page"[^>]*>x</a></td>', html)


def test_plain_and_checked_items_are_all_kept(write: Write, see) -> None:
    page = write("List", "- Item one\n- [ ] Item two")
    assert page.body == "- Item one\n- [ ] Item two"
    assert see(page).count("<li") == 2


def test_a_longer_target_than_any_title_is_text(write: Write) -> None:
    write("Other", f"[[{'x' * 550}]]")
    assert not Link.objects.exists()


def test_backlinks_quote_the_sentence_and_mark_the_link(wiki: Wiki, write: Write) -> None:
    foo = write("foo")
    write("Test", "Something else. Then - see *here* [[foo|the words]], please. And more.")
    write("Code", "Not a link: `[[foo]]`")
    found, total = find_backlinks(foo, 10)
    assert [backlink.page.title for backlink in found] == ["Test"]
    assert total == 1
    assert [(part.text, part.is_marked) for part in found[0].quote] == [
        ("Then - see here ", False),
        ("the words", True),
        (", please.", False),
    ]


def test_a_page_that_links_to_itself_is_no_backlink(write: Write) -> None:
    assert find_backlinks(write("Self", "[[Self]]"), 10) == ([], 0)


# -- headings


def test_headings_of_any_script_have_their_own_anchors() -> None:
    rendered = render_with_headings("# 日本語\n\n## 概要\n\n## Setup\n\n## Setup\n")
    anchors = [heading.id for heading in rendered.headings]
    assert len(set(anchors)) == 4
    assert all(anchors)
    assert re.findall(r'<h\d id="([^"]+)"', rendered.html) == anchors
    assert [(heading.level, heading.text) for heading in rendered.headings][1:3] == [
        (2, "概要"),
        (2, "Setup"),
    ]


def test_a_heading_with_marks_and_links_is_listed_by_its_words() -> None:
    rendered = render_with_headings("# Der *rote* [[Runner|Läufer]] und `x`")
    assert rendered.headings[0].text == "Der rote Läufer und x"


# -- insights


def test_an_insight_block_names_its_agent_date_and_source() -> None:
    html = render_markdown("::: insight robin | 2026-11-29 | ticket-17\nText\n:::")
    assert '<div class="insight">' in html
    assert '<span class="who agent">robin</span> Nov. 29, 2026 · from ticket-17' in html


def test_an_insight_block_cannot_smuggle_markup_in_its_first_line() -> None:
    html = render_markdown(
        "::: insight <img src=x onerror=alert(1)> | <b>1</b> | <script>x</script>\nText\n:::"
    )
    assert "<img" not in html
    assert "<script" not in html
    assert "<b>" not in html


# -- nothing can run

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '<iframe srcdoc="<script>alert(1)</script>">',
    '<meta http-equiv=refresh content="0;url=//evil">',
    '<base href="//evil">',
    '<form action="//evil"><button>x</button></form>',
    "<style>*{display:none}</style>",
    '"><script>alert(1)</script>',
    "＜script＞alert(1)＜/script＞",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_html_in_a_page_is_text(text: str) -> None:
    for body in (
        text,
        f"# {text}",
        f"- {text}",
        f"[[{text}]]",
        f"[{text}](http://a.b)",
        f"| {text} |\n|---|",
    ):
        html = render_markdown(body, to_pages)
        assert not re.search(r"<(script|img|svg|iframe|meta|base|form|button|style)\b", html)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVa\tScript:alert(1)",
        "&#106;avascript:alert(1)",
        "javascript&colon;alert(1)",
        "vbscript:x",
        "data:text/html,<script>alert(1)</script>",
    ],
)
def test_no_link_leads_to_a_script(address: str) -> None:
    for body in (
        f"[x]({address})",
        f"[x][r]\n\n[r]: {address}",
        f"<{address}>",
        f"![x]({address})",
        f"[x](<{address}>)",
    ):
        html = render_markdown(body, to_pages)
        assert not re.search(
            r"""(?:href|src)=["']?\s*(?:javascript|vbscript|data):""", html, re.IGNORECASE
        )


def test_a_wikilink_to_a_script_is_a_page_to_be_written(write: Write, see) -> None:
    html = see(write("Other", "[[javascript:alert(1)]]"))
    assert 'href="/w/ops/new?title=javascript%3Aalert%281%29"' in html


def test_a_page_is_never_a_template(write: Write, browser: Client) -> None:
    body = "{{ 7|add:7 }} {% load static %} {{ request.user.password }}"
    page = write("{{ 7|add:7 }}", body, tags=["{% now %}"])
    html = browser.get(page.get_absolute_url()).content.decode()
    assert "{{ 7|add:7 }} {% load static %} {{ request.user.password }}" in html
    assert "<h1>{{ 7|add:7 }}</h1>" in html


def test_attributes_of_script_libraries_do_not_get_through() -> None:
    html = render_markdown('<div hx-get="/x" hx-on:click="y" x-data="{}" @click="z">text</div>')
    assert "<div" not in html


def test_a_heading_of_two_lines_is_one_line_in_the_table_of_contents() -> None:
    [heading] = render_with_headings("Wenn die *Pipeline*\nrot ist\n=======\n").headings
    assert heading.text == "Wenn die Pipeline rot ist"


def test_a_renderer_that_fails_shows_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError

    monkeypatch.setattr("wiki.markdown.parser.markdown.renderer.render", fail)
    assert render_markdown("<b>text</b>") == '<pre class="unrendered">&lt;b&gt;text&lt;/b&gt;</pre>'


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            "See ![the *rack*](https://pic.example/a.png)",
            '<p>See <a href="https://pic.example/a.png" title="picture on pic.example" '
            'rel="noopener noreferrer nofollow">the rack</a></p>',
        ),
        (
            "![](//pic.example:81/a.png)",
            '<p><a href="//pic.example:81/a.png" title="picture on pic.example:81" '
            'rel="noopener noreferrer nofollow">//pic.example:81/a.png</a></p>',
        ),
        (
            "[![build](HTTP://ci.example/badge)](https://ci.example/)",
            '<p><a href="https://ci.example/" rel="noopener noreferrer nofollow">build</a></p>',
        ),
    ],
    ids=["alt", "no-alt", "badge"],
)
def test_a_picture_from_elsewhere_is_a_link(markdown: str, html: str) -> None:
    assert render_markdown(markdown).strip() == html
