"""Whoever asks for a page that is not there hears which one is near."""

import pytest

from tests.api.test_calls import assert_problem
from tests.support.writing import create_page
from wiki.models import Agent, Page, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page
from wiki.search.did_you_mean import find_near

READING = (("GET", ""), ("GET", "/revisions"), ("GET", "/neighbours"))
WRITING = (("POST", "/append"), ("POST", "/restore"), ("POST", "/confirm"), ("DELETE", ""))


@pytest.fixture
def pages(write) -> None:
    for title in ("Nightly backup fails", "Runner", "Log store", "Umzug auf PostgreSQL 18"):
        write(title, "Text.")


@pytest.mark.parametrize(
    ("asked", "title", "slug"),
    [
        ("nightly-backup-fail", "Nightly backup fails", "nightly-backup-fails"),
        ("nigthly backup fails", "Nightly backup fails", "nightly-backup-fails"),
        ("runer", "Runner", "runner"),
        ("log-stores", "Log store", "log-store"),
        ("umzug-auf-postgres-18", "Umzug auf PostgreSQL 18", "umzug-auf-postgresql-18"),
    ],
)
def test_every_call_about_a_page_that_is_not_there_names_the_near_one(
    api, pages, asked, title, slug
):
    for method, path in (*READING, *WRITING):
        problem = assert_problem(
            api.call(method, f"/pages/{asked}{path}", {"text": "Nachtrag."}), 404
        )
        assert problem["detail"] == (
            f"There is no page “{asked}” in this wiki. Did you mean “{title}”? Its address is "
            f"“{slug}”."
        )
    assert set(Page.objects.values_list("revision", flat=True)) == {1}


def test_an_insight_and_a_mark_hear_it_too(api, pages):
    refused = assert_problem(
        api.post("/insights", {"text": "Der Runner braucht Kerne.", "page": "runer"}), 422
    )
    assert "Its address is “runner”." in refused["errors"]["page"]
    recall = api.get("/recall?q=Runner").json()["id"]
    refused = assert_problem(
        api.post(f"/recalls/{recall}/marks", {"page": "runer", "useful": True}), 404
    )
    assert "Its address is “runner”." in refused["detail"]


@pytest.mark.parametrize(
    "asked", ["nirgends", "run", "umzug-auf-postgresql-17", "store", "…", "page", "%", "x" * 5000]
)
def test_where_nothing_is_near_nothing_is_named(api, pages, asked):
    assert "Did you mean" not in assert_problem(api.get(f"/pages/{asked}"), 404)["detail"]


def test_a_page_of_another_wiki_or_in_the_trash_is_never_named(api, stranger, write, author):
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    create_page(other, title="Gehaltsliste", body="Geheim.", author=author)
    trash_page(write("Runner", "Text."), author=author)
    for asked in ("gehaltslisten", "runer"):
        assert "Did you mean" not in assert_problem(api.get(f"/pages/{asked}"), 404)["detail"]
    assert "Did you mean" not in assert_problem(stranger.get("/pages/gehaltslisten"), 404)["detail"]


def test_looking_for_it_reads_no_more_pages_the_more_there_are(
    wiki, agent: Agent, django_assert_max_num_queries
):
    Page.objects.bulk_create(
        Page(
            wiki=wiki,
            slug=f"seite-{n:05}",
            title=f"Seite {n}",
            title_key=f"seite {n}",
            text_hash="",
        )
        for n in range(3000)
    )
    create_page(wiki, title="Seite 1500 und mehr", body="Text.", author=Author.of_agent(agent))
    plan = str(
        Page.objects.live()
        .filter(wiki=wiki, slug__gt="seite-01500-alt")
        .order_by("slug")[:100]
        .explain()
    )
    assert "page_slug_unique" in plan
    assert "Seq Scan" not in plan
    with django_assert_max_num_queries(6):
        near = find_near(wiki, "seite-01500-alt")
    assert near is not None
    assert near.slug == "seite-01500"
