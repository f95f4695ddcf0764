"""The words by which a page is found follow its text, however that is changed."""

from collections import Counter

import pytest
from django.db import connection
from django.db.models import Value
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.screens import Write
from tests.support.writing import append_text, revise_page
from wiki.indexing import words as indexing
from wiki.indexing.lexemes import Lexemes, lexeme_of, place_of, term_in
from wiki.indexing.words import fill_words, keep_words, read_page, weigh
from wiki.models import AskedAs, Page, PageWords, Term, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import restore_page, trash_page
from wiki.recall.questions import keep_question

LINES = st.text(st.sampled_from("aäeéß1.-_/<>`\n \u0301日#"), max_size=40)


def lexemes(page: Page) -> set[str]:
    """What is kept."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT unnest(tsvector_to_array(lexemes)) FROM wiki_pagewords WHERE page_id = %s",
            [page.pk],
        )
        return {lexeme for (lexeme,) in cursor.fetchall()}


def lexemes_anew(page: Page) -> set[str]:
    """What is said."""
    counts = read_page(page.title, page.body, page.tags, page.aliases).counts
    return {lexeme_of(page.wiki_id, term) for term in counts}


def weights(page: Page) -> dict[int, float]:
    row = PageWords.objects.get(page=page)
    return dict(zip(row.weights.indices(), row.weights.values(), strict=True))


def weights_anew(page: Page) -> dict[int, float]:
    said = weigh(read_page(page.title, page.body, page.tags, page.aliases))
    return dict(zip(said.indices(), said.values(), strict=True))


def put(page: Page, term: str) -> None:
    """A word that no text says, as a sign that nothing was read again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE wiki_pagewords SET lexemes = lexemes || array_to_tsvector(%s::text[])"
            " WHERE page_id = %s",
            [[lexeme_of(page.wiki_id, term)], page.pk],
        )


def counted() -> dict[str, int]:
    return {term: pages for term, pages in Term.objects.values_list("lexeme", "pages") if pages}


def counted_anew() -> dict[str, int]:
    pages = Page.objects.live()
    said = Counter(lexeme for page in pages for lexeme in lexemes_anew(page))
    return {lexeme: n for lexeme, n in said.items() if not term_in(lexeme).startswith("_")}


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ("The mirror answers.", "Restarted after 17 seconds."),
        ("Größe über alles", "Übung migração cafe\u0301"),
        ("`snake_case_name`", "see https://example.org/a/b.html and 10.0.4.12:5432"),
        ("```\nopen fence", "behind the fence"),
        ("an open <tag", "of='x'> and more"),
        ("e", "\u0301 stands alone"),
        ("日本語", "データベース"),
        ("mirror", "mirror mirror mirror\n\n# Mirror"),
        ("", "The first line"),
    ],
)
def test_what_is_appended_is_found_and_weighed_like_what_stood_there(
    write: Write, author: Author, before: str, added: str
) -> None:
    page = append_text(write("Notes", before), added, author=author)
    assert lexemes(page) == lexemes_anew(page)
    assert weights(page) == pytest.approx(weights_anew(page), rel=1e-4)
    assert counted() == counted_anew()


def test_after_many_additions_the_weights_are_those_of_the_whole(
    write: Write, author: Author
) -> None:
    page = write("Notes", "The mirror answers.")
    for number in range(60):
        page = append_text(page, f"The mirror answers, pump {number}.", author=author)
    assert weights(page) == pytest.approx(weights_anew(page), rel=1e-3)


def test_only_what_is_appended_is_read(write: Write, author: Author) -> None:
    page = write("Notes", "The mirror answers.")
    put(page, "unread")
    page = append_text(page, "Restarted.", author=author)
    assert lexeme_of(page.wiki_id, "unread") in lexemes(page)
    assert lexemes(page) >= lexemes_anew(page)


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
    assert lexemes(page) == lexemes_anew(page)
    assert counted() == counted_anew()


def test_terms_are_counted_on_live_pages_alone(write: Write, author: Author) -> None:
    page = write("Notes", "The mirror answers.")
    write("More notes", "The mirror is broken.")
    mirror = lexeme_of(page.wiki_id, "mirror")
    assert counted()[mirror] == 2
    trash_page(page, author=author)
    assert counted()[mirror] == 1
    restore_page(page, author=author)
    assert counted() == counted_anew()
    Page.objects.filter(pk=page.pk).delete()
    assert counted() == counted_anew()
    assert not PageWords.objects.filter(page=page.pk).exists()


def test_pages_that_were_never_read_or_by_other_rules_are_read_at_the_start(
    write: Write, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write("Notes", "The mirror answers.")
    Page.objects.bulk_create(
        Page(wiki=wiki, slug=f"p-{n}", title=f"P {n}", title_key=f"p {n}", text_hash="", body="x")
        for n in range(3)
    )
    put(page, "unread")
    assert fill_words() == 3
    assert counted() == counted_anew() | {lexeme_of(wiki.pk, "unread"): 1}
    monkeypatch.setattr(indexing, "RECIPE", indexing.RECIPE + 1)
    assert fill_words() == 4
    assert counted() == counted_anew()
    assert fill_words() == 0


def test_questions_that_were_read_by_other_rules_are_read_at_the_start(
    write: Write, author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, _ = keep_question(write("Tor"), "Warum klemmt es?", author=author)
    kept = AskedAs.objects.filter(pk=question.pk)
    before = kept.get()
    assert before.lexemes
    assert before.recipe == indexing.RECIPE
    kept.update(lexemes=Lexemes(Value([])))
    fill_words()
    assert kept.get().lexemes == ""
    monkeypatch.setattr(indexing, "RECIPE", indexing.RECIPE + 1)
    fill_words()
    after = kept.get()
    assert (after.lexemes, after.recipe) == (before.lexemes, indexing.RECIPE)


def test_a_page_of_nothing_but_different_names_is_kept_and_found(
    write: Write, author: Author
) -> None:
    page = write(
        "Notes", "\n".join(f"srv-{n}.example.org 10.1.{n // 250}.{n}" for n in range(6000))
    )
    assert PageWords.objects.get(page=page).weights.indices().__len__() == indexing.MAX_WEIGHTS
    page = append_text(page, "srv-99999.example.org", author=author)
    assert lexeme_of(page.wiki_id, "srv-99999.example.org") in lexemes(page)


def test_a_page_of_long_names_in_wide_letters_is_kept_and_added_to(
    write: Write, author: Author
) -> None:
    names = (f"сервер{n}.отделение{n}.предприятие{n}.область{n}" for n in range(2_000))
    page = write("Notes", "\n".join(names)[:120_000])
    page = append_text(page, "последний.пример", author=author)
    assert page.body.endswith("последний.пример")
    assert lexeme_of(page.wiki_id, "сервер0") in lexemes(page)


def test_a_place_is_the_same_in_every_process() -> None:
    assert [place_of(term) for term in ("neustart", "日本", "srv-256")] == [
        71539778,
        350711756,
        755888991,
    ]


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
    keep_words(page)
    for line in lines:
        before = (page.title, page.body, page.tags, page.aliases)
        page.body = f"{page.body}\n\n{line}"
        page.save()
        keep_words(page, before)
    assert lexemes(page) == lexemes_anew(page)
