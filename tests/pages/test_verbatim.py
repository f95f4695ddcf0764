"""What somebody writes is kept byte for byte, by whichever door it comes in, and drawn as
Markdown means it."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.html import escape

from tests.support.api_client import ApiClient
from tests.support.screens import HOSTILE
from wiki.files.import_export import import_folder
from wiki.models import Page, Wiki

Save = Callable[[str], Page]


@pytest.fixture(params=["form", "form with its own line ends", "api"])
def save(request: pytest.FixtureRequest, browser: Client, api: ApiClient, wiki: Wiki) -> Save:
    def through_the_door(body: str) -> Page:
        if request.param == "api":
            assert api.put("/pages/runner", {"title": "Runner", "body": body}).status_code == 201
        else:
            # A browser sends every line end of a form as CRLF.
            sent = body if request.param == "form" else body.replace("\n", "\r\n")
            assert (
                browser.post(
                    "/w/ops/new", {"title": "Runner", "body": sent, "action": "save"}
                ).status_code
                == 302
            )
        return Page.objects.get()

    return through_the_door


def article(browser: Client) -> str:
    return (
        browser.get("/w/ops/runner")
        .content.decode()
        .partition('<article class="prose">')[2]
        .partition("</article>")[0]
    )


def export(folder: Path) -> bytes:
    call_command("export_pages", str(folder), wiki="ops", stdout=StringIO())
    return (folder / "runner.md").read_bytes()


def test_a_plain_and_a_checked_item_are_both_stored_and_drawn(save: Save, browser: Client) -> None:
    body = "- Item one\n- [ ] Item two"
    assert save(body).body == body
    html = article(browser)
    assert html.count("<li") == 2
    assert html.count('type="checkbox"') == 1
    assert "Item one" in html
    assert "Item two" in html
    assert "[ ]" not in html


def test_lists_around_a_checklist_stay_whole(save: Save, browser: Client) -> None:
    checks = "\n".join(f"- [{'x' if number % 2 else ' '}] step {number}" for number in range(7))
    body = f"- a\n- b\n\ntext\n\n{checks}\n\ntext\n\n1. c\n2. d\n"
    assert save(body).body == body
    html = article(browser)
    assert html.count("<li") == 11
    assert html.count('type="checkbox"') == 7
    assert html.count("checked") >= 3


def test_a_checked_box_in_a_table_cell_is_exported_as_it_was_written(
    save: Save, browser: Client, tmp_path: Path
) -> None:
    body = "| state | what |\n|---|---|\n| [x] done | `a\\|b` |\n| [ ] open | [[Runner\\|this]] |\n"
    assert save(body).body == body
    assert export(tmp_path).endswith(body.encode())
    assert article(browser).count("<td>") == 4


def test_escaped_brackets_around_links_survive_export_and_import_twice(
    save: Save, browser: Client, wiki: Wiki, tmp_path: Path
) -> None:
    body = r"See \[[1](https://a.test/u), [2](https://a.test/v)\] there."
    page = save(body)
    first = export(tmp_path)
    for _ in range(2):
        assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]
        assert export(tmp_path) == first
    page.refresh_from_db()
    assert (page.body, page.revision) == (body, 1)
    html = article(browser)
    assert html.count("<a ") == 2
    assert "[<a " in html
    assert "</a>] there." in html


def test_a_list_below_a_checked_item_is_drawn_inside_of_it(save: Save, browser: Client) -> None:
    body = "- [ ] outer\n  - inner one\n  - [x] inner two\n- last"
    assert save(body).body == body
    html = "".join(article(browser).split())
    assert html.count("<ul") == 2
    assert html.index("outer") < html.index("<ul", 5) < html.index("innerone") < html.index("last")
    assert html.index("</ul></li>") < html.index("last")


@pytest.mark.parametrize(
    "body",
    [
        "it's; DROP TABLE wiki_page; -- \" ` \\ %s %(a)s {0} {{ x }} $1",
        "select * from pages where (a = 'b') and f() is null",
        "()[]{}<>&amp;&lt;\t tab and  two  blanks",
        "\n\n  leading blank lines, trailing blanks  \n\n\n",
        "Ünïcödé 日本語 🎉 e\u0301 ﬁ \u200b\u202e‮ ",
        "",
    ],
)
def test_a_text_is_stored_verbatim(save: Save, browser: Client, body: str) -> None:
    assert save(body).body == body
    assert browser.get("/w/ops/runner.md").content.decode() == body
    assert f">\n{escape(body)}</textarea>" in browser.get("/w/ops/runner/edit").content.decode()


def test_such_words_are_kept_in_title_tags_and_summary(browser: Client, wiki: Wiki) -> None:
    words = 'it\'s "select" () & <b>'
    browser.post(
        "/w/ops/new",
        {"title": words, "body": "x", "tags": words, "summary": words, "action": "save"},
    )
    page = Page.objects.get()
    assert (page.title, page.tags, page.revisions.get().summary) == (words, [words], words)


HOSTILE_BODIES = [
    HOSTILE,
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "[x](javascript:alert(1))",
]


def test_a_hostile_text_is_inert_on_every_screen(save: Save, browser: Client) -> None:
    body = " ".join(HOSTILE_BODIES)
    page = save(f"word {body}")
    posted = {"title": body, "body": body, "tags": body, "summary": body, "type": body}
    base = {"page_id": page.pk, "base_revision": 1}
    answers = [
        *(
            browser.get(f"/w/ops/{path}")
            for path in ("", "runner", "runner/edit", "runner/history", "search?q=word")
        ),
        *(browser.get(f"/w/ops/runner/history/1{query}") for query in ("", "?changes")),
        *(
            browser.post(path, {**posted, **base})
            for path in ("/w/ops/preview", "/w/ops/preview/changes")
        ),
        *(
            browser.post(path, {**posted, **base, "action": action})
            for path in ("/w/ops/new", "/w/ops/runner/edit")
            for action in ("preview", "changes", "save", "template")
        ),
        browser.get("/w/ops/new", {"title": body, "type": body, "template": body}),
    ]
    for answer in answers:
        html = answer.content.decode()
        assert answer.status_code < 500
        assert "<script>alert" not in html
        assert "<img" not in html
        assert "<svg onload" not in html
        assert 'href="javascript' not in html.lower()
