"""The words by which a page is found follow its text, however that is changed."""

from itertools import product

import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.screens import Write
from tests.support.writing import append_text, revise_page
from wiki.models import Page, Wiki
from wiki.pages.author import Author

LINES = st.text(st.sampled_from("aäeéß1.-_/<>`\n \u0301日"), max_size=40)


def words(page: Page) -> set[str]:
    """What is kept."""
    return _ask("SELECT unnest(tsvector_to_array(search)) FROM wiki_page WHERE id = %s", page)


def words_anew(page: Page) -> set[str]:
    """What is said."""
    said = "covey_search_vector(title, tags, body)"
    return _ask(f"SELECT unnest(tsvector_to_array({said})) FROM wiki_page WHERE id = %s", page)


def _ask(question: str, page: Page) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(question, [page.pk])
        return {word for (word,) in cursor.fetchall()}


def put(page: Page, lexeme: str) -> None:
    """A word that no text says, as a sign that nothing was read again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE wiki_page SET search = search || %s::tsvector WHERE id = %s", [lexeme, page.pk]
        )


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ("The mirror answers.", "Restarted after 17 seconds."),
        ("Größe über alles", "Übung migração cafe\u0301"),
        ("Only ASCII before", "migração"),
        ("migração", "Only ASCII after"),
        ("`snake_case_name`", "see https://example.org/a/b.html and 10.0.4.12:5432"),
        ("```\nopen fence", "behind the fence"),
        ("an open <tag", "of='x'> and more"),
        ("e", "\u0301 stands alone"),
        ("日本語", "データベース"),
    ],
)
def test_what_is_appended_is_found_like_what_stood_there(
    write: Write, author: Author, before: str, added: str
) -> None:
    page = append_text(write("Notes", before), added, author=author)
    assert words(page) >= words_anew(page)
    assert Page.objects.with_all_words("notes").get() == page


def test_only_what_is_appended_is_read(write: Write, author: Author) -> None:
    page = write("Notes", "The mirror answers.")
    put(page, "unread")
    page = append_text(page, "Restarted.", author=author)
    assert {"unread", "mirror", "restart"} <= words(page)


def test_a_mark_or_a_vector_has_nothing_read(write: Write) -> None:
    page = write("Notes", "The mirror answers.")
    put(page, "unread")
    page.save()
    assert "unread" in words(page)


@pytest.mark.parametrize(
    "changed",
    [
        {"title": "Other"},
        {"tags": ["other"]},
        {"body": "Before. The mirror answers."},
        {"body": "The mirror"},
        {"body": "The mirror answers. Now."},
        {"body": ""},
    ],
    ids=str,
)
def test_whatever_else_changes_has_the_page_read_anew(
    write: Write, author: Author, changed: dict[str, object]
) -> None:
    page = write("Notes", "The mirror answers.")
    put(page, "unread")
    fields = {
        "title": page.title,
        "body": page.body,
        "type": page.type,
        "tags": page.tags,
        **changed,
    }
    page = revise_page(page, page.revision, **fields, author=author)  # type: ignore[arg-type]
    assert words(page) == words_anew(page)


def test_a_page_can_be_read_anew(write: Write) -> None:
    page = write("Notes", "The mirror answers.")
    put(page, "unread")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE wiki_page SET search = NULL")
    assert words(page) == words_anew(page)


def test_a_page_with_more_words_than_an_index_takes_is_appended_to(
    write: Write, author: Author
) -> None:
    letters = ["".join(three) for three in product("bcdfghjklmnpqrstvwxz", repeat=3)]
    # The index keeps up to nine forms of each: of the whole and its parts, as both languages and
    # without accents.
    pairs = list(zip(letters, reversed(letters), strict=True))
    names = [f"{vowel}{one}en-ö{other}{vowel}" for vowel in "äü" for one, other in pairs]
    page = write("Notes", "\n".join(names[::2]))
    page = append_text(page, "\n".join(names[1::2]), author=author)
    everything = " || ".join(
        f"to_tsvector('{language}', body)" for language in ("german", "english")
    )
    with (
        connection.cursor() as cursor,
        pytest.raises(DatabaseError, match="too long"),
        transaction.atomic(),
    ):
        cursor.execute(
            f"SELECT {everything} || to_tsvector('english', translate(body, 'äöü', 'aou')) FROM "
            f"wiki_page"
        )
    assert names[0] in words(page)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(lines=st.lists(LINES, min_size=1, max_size=4))
def test_nothing_that_a_page_says_is_missing(wiki: Wiki, lines: list[str]) -> None:
    page = Page.objects.create(wiki=wiki, slug=f"p{Page.objects.count()}", title="P", body="")
    for line in lines:
        page.body = f"{page.body}\n\n{line}"
        page.save()
    assert words(page) >= words_anew(page)
