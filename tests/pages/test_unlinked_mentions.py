"""Unlinked mentions: looked for when somebody asks."""

import pytest
from django.test import Client

from tests.support.screens import HOSTILE, Write, count_queries, text
from wiki.pages import unlinked_mentions
from wiki.pages.unlinked_mentions import MAX_MENTIONS, find_mentions


def mentioning(page) -> list[str]:
    return [mention.page.title for mention in find_mentions(page)]


def test_mentions_are_pages_that_say_the_title_without_a_link(write: Write) -> None:
    page = write("Build server", "The build server is here.")
    write("Said", "First.\n\nAsk the *old* build  server for it. Or not.")
    write("Linked", "Ask the [[Build server]]; the build server knows.")
    write("Only in code", "`build server` and\n\n```\nbuild server\n```")
    write("Only in a link", "[build server](https://example.org) and [[Other|build server]]")
    write("Other words", "The rebuild servers, the build of a server")
    assert mentioning(page) == ["Said"]
    (mention,) = find_mentions(page)
    assert [(part.text, part.is_marked) for part in mention.quote] == [
        ("Ask the old ", False),
        ("build server", True),
        (" for it.", False),
    ]


@pytest.mark.parametrize(
    ("title", "said", "not_said"),
    [
        ("C++", "We write C++ here", "We write C here"),
        ("Straße 5", "An der STRASSE 5, nein: Straße 5.", "Straße 55"),
        ("日本", "今日は 日本 です", "日本語"),
        ("die Pipeline", "wenn die Pipeline steht", "eine Pipeline"),
        (r"a.c \1 $", r"so a.c \1 $ here", "so abc 1 here"),
    ],
)
def test_titles_are_taken_as_they_are_written(
    write: Write, title: str, said: str, not_said: str
) -> None:
    page = write(title)
    write("Yes", said)
    write("No", not_said)
    assert mentioning(page) == ["Yes"]


def test_a_title_of_stop_words_is_mentioned_nowhere(write: Write) -> None:
    page = write("in")
    write("Other", "one in the other")
    assert mentioning(page) == []


def test_the_trash_and_other_wikis_mention_nothing(write: Write, browser: Client, author) -> None:
    page = write("Runner")
    trashed = write("Old", "the runner")
    browser.post("/w/ops/old/trash", {"page_id": trashed.pk, "base_revision": 1})
    assert mentioning(page) == []


def test_the_screen_says_which_and_how_many(browser: Client, write: Write) -> None:
    write("Runner")
    html = text(browser.get("/w/ops/runner/mentions"))
    assert "No other page says “Runner” without a link." in html
    write("One", f"A runner {HOSTILE}")
    answer = browser.get("/w/ops/runner/mentions")
    assert "1 page says “Runner” without a link." in text(answer)
    assert HOSTILE not in answer.content.decode()
    before = count_queries(browser, "/w/ops/runner/mentions")
    for number in range(MAX_MENTIONS):
        write(f"Page {number}", "the runner")
    assert f"The first {MAX_MENTIONS} pages" in text(browser.get("/w/ops/runner/mentions"))
    assert count_queries(browser, "/w/ops/runner/mentions") == before


def test_the_page_itself_does_not_look_for_them(browser: Client, write: Write) -> None:
    write("Runner")
    write("One", "A runner")
    html = text(browser.get("/w/ops/runner"))
    assert "/w/ops/runner/mentions" in html
    assert "<q>" not in html


def test_another_spelling_leads_to_the_page_and_nothing_is_changed_by_posting(
    browser: Client, write: Write
) -> None:
    write("Runner")
    assert browser.get("/w/ops/RUNNER/mentions")["Location"] == "/w/ops/runner/mentions"
    assert browser.get("/w/ops/nothing/mentions").status_code == 404
    assert browser.post("/w/ops/runner/mentions").status_code == 405


def test_no_more_text_is_parsed_than_takes_a_moment(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write("Build server")
    for number in range(6):
        write(f"Long {number}", "`build server`" + " and so on" * 30)
    write("Said", "The build server.")
    assert mentioning(page) == ["Said"]
    monkeypatch.setattr(unlinked_mentions, "MAX_PARSED", 1_000)
    parsed: list[str] = []
    monkeypatch.setattr(unlinked_mentions, "find_prose", lambda body: parsed.append(body) or [])
    assert mentioning(page) == []
    assert len(parsed) == 3
