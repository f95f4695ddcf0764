"""A query that was built once answers each time with the values of that time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from embeddings.client import embed_query
from tests.support.screens import Write, revise
from wiki.agents.api_tokens import create_token, find_token
from wiki.db.prepared_queries import IsAnyOf, Prepared, Slot
from wiki.indexing.counts import recall_counts
from wiki.indexing.lexemes import Query, all_of
from wiki.insights.candidates import prepare_worded
from wiki.models import Agent, ApiToken, Link, Page, Revision, Wiki
from wiki.pages.author import Author
from wiki.search.snippets import find_origins
from wiki.search.vector_search import nearest_fields, nearest_in_wiki, nearest_pages

BY_TITLE = Prepared(
    lambda: Page.objects.filter(wiki=Slot("wiki"), title=Slot("title")).select_related("wiki")
)
TITLES = Prepared(
    lambda: Page.objects.filter(IsAnyOf("pk", Slot("pages"))).order_by("title").values_list("title")
)


def test_each_time_the_values_count_that_are_given(write: Write, wiki: Wiki) -> None:
    pages = [write("It's 100 % %s", "x"), write("Zwei \\ \U0001d518", "y")]
    for page in pages:
        [found] = BY_TITLE.ask(wiki=wiki.pk, title=page.title)
        assert (found, found.wiki) == (page, wiki)
    assert BY_TITLE.ask(wiki=wiki.pk, title="Drei") == []
    assert TITLES.ask(pages=[page.pk for page in pages]) == [(page.title,) for page in pages]
    assert TITLES.ask(pages=[]) == []


def test_a_related_row_needs_no_query_of_its_own(write: Write, wiki: Wiki) -> None:
    page = write("Eins", "x")
    with CaptureQueriesContext(connection) as queries:
        [found] = BY_TITLE.ask(wiki=wiki.pk, title=page.title)
        assert found.wiki.slug == wiki.slug
    assert len(queries) == 1


def test_a_slot_without_a_value_is_no_query(wiki: Wiki) -> None:
    with pytest.raises(KeyError, match="title"):
        BY_TITLE.ask(wiki=wiki.pk)


@pytest.mark.django_db(transaction=True)
def test_many_threads_ask_at_once(write: Write, wiki: Wiki) -> None:
    pages = [write(f"Seite {number}", "x") for number in range(8)]

    def ask(page: Page) -> bool:
        try:
            return all(BY_TITLE.ask(wiki=wiki.pk, title=page.title) == [page] for _ in range(20))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, pages))


def test_a_token_that_has_expired_since_is_refused(wiki: Wiki, agent: Agent) -> None:
    token, secret = create_token(agent, wiki, expires_at=timezone.now() + timedelta(days=1))
    assert find_token(secret) == token
    ApiToken.objects.update(expires_at=timezone.now())
    assert find_token(secret) is None


def test_the_nearest_of_a_wiki_are_those_of_any_search(write: Write, wiki: Wiki) -> None:
    for number in range(12):
        write(f"Runner {number % 4}", f"The runner {number % 3} is red", slug=f"p{number}")
    other = Wiki.objects.create(slug="other", name="Other")
    for query in ("red runner", "runner 2", "nothing like it"):
        vector = embed_query(query)
        assert vector is not None
        for limit in (1, 5, 20):
            pages = nearest_pages(
                Page.objects.filter(wiki=wiki).exclude(embedding=None), vector, limit
            )
            near = nearest_in_wiki(wiki, vector, limit)
            assert [(hit.page, hit.similarity) for hit in near] == [
                (hit.page, hit.similarity) for hit in pages
            ]
            assert nearest_fields(wiki, vector, limit, "pk") == [(hit.page.pk,) for hit in pages]
            assert nearest_in_wiki(other, vector, limit) == []


def test_the_origins_of_pages_are_those_that_a_plain_query_finds(
    write: Write, wiki: Wiki, author: Author
) -> None:
    pages = [write("Ziel"), write("Quelle", "[[ziel]] und [[Fehlt]]"), write("Drei", "x")]
    revise(pages[2], "y", author)
    found = find_origins(pages)
    assert found.keys() == {page.pk for page in pages}
    for page in pages:
        last = Revision.objects.filter(page=page).order_by("number").last()
        links = Link.objects.filter(from_page=page).select_related("resolved_page")
        assert found[page.pk].author == {"kind": last.author_kind, "name": last.author_name}
        assert found[page.pk].links == [
            {"title": link.resolved_page.title, "slug": link.resolved_page.slug}
            if link.resolved_page
            else {"title": link.target_text, "slug": None}
            for link in links
        ]


def test_pages_with_all_words_are_those_that_a_plain_query_finds(write: Write, wiki: Wiki) -> None:
    for number in range(6):
        write(f"Runner {number}", f"The runner {number % 2} is red" if number % 3 else "Nothing")
    other = Wiki.objects.create(slug="other", name="Other")
    for words in ("runner red", "red 1", "missing"):
        for without in ([], [Page.objects.latest("pk").pk]):
            plain = (
                Page.objects.live()
                .filter(wiki=wiki)
                .exclude(pk__in=without)
                .filter(words__lexemes=Query(all_of(wiki.pk, words)))
                .order_by("id")[:3]
            )
            asked = {"without": without, "words": all_of(wiki.pk, words)}
            assert prepare_worded(3).ask(wiki=wiki.pk, **asked) == list(plain)
            assert prepare_worded(3, ("pk",)).ask(wiki=wiki.pk, **asked) == list(
                plain.values_list("pk")
            )
            assert prepare_worded(3).ask(wiki=other.pk, **asked) == []


def test_a_glance_counts_each_wiki_for_itself(write: Write, wiki: Wiki) -> None:
    page, _ = write("Eins", "x"), write("Zwei", "y")
    Page.objects.filter(pk=page.pk).update(embed_model="", embedding=None)
    assert recall_counts(wiki) == (2, 1, False)
    assert recall_counts(Wiki.objects.create(slug="other", name="Other")) == (0, 0, False)
