"""Many writers at once, with real threads on the real database."""

import pytest

from tests.support.concurrency import at_once
from tests.support.thorough import share_of
from tests.support.writing import append_text, create_page
from wiki.models import Agent, Link, Revision, Wiki
from wiki.pages.author import Author

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def agent():
    return Agent.objects.create(
        name="robin", home_wiki=Wiki.objects.create(slug="ops", name="Betrieb")
    )


@pytest.fixture
def author(agent):
    return Author.of_agent(agent)


def test_appends_from_sixteen_threads_all_stand_in_the_page(agent, author):
    page = create_page(agent.home_wiki, title="Protokoll", body="Anfang.", author=author)
    count = share_of(400)
    at_once(count, 16, lambda number: append_text(page, f"Eintrag {number} steht.", author=author))
    page.refresh_from_db()
    assert all(f"\n\nEintrag {number} steht." in page.body for number in range(count))
    assert page.body.startswith("Anfang.")
    assert page.revision == count + 1
    assert page.embed_model == "builtin:hash:256"
    assert sorted(page.revisions.values_list("number", flat=True)) == list(range(1, count + 2))


def test_pages_that_link_to_each_other_can_be_saved_at_once(agent, author):
    wiki = agent.home_wiki
    pages = [
        create_page(wiki, title=f"Seite {n}", body="[[Seite 0]] [[Seite 1]]", author=author)
        for n in range(2)
    ]

    def save(number: int) -> None:
        append_text(
            pages[number % 2],
            f"Zeile {number} mit [[Seite {(number + 1) % 2}]] und [[Neu {number}]].",
            author=author,
        )

    count = share_of(240)
    at_once(count, 12, save)
    assert Revision.objects.count() == count + 2


def test_a_link_written_while_its_page_is_made_leads_there(agent, author):
    wiki = agent.home_wiki
    sources = [
        create_page(wiki, title=f"Quelle {n}", body="Anfang.", author=author) for n in range(6)
    ]

    def write(number: int) -> None:
        target, part = divmod(number, 7)
        if part == 3:
            create_page(wiki, title=f"Ziel {target}", body="Text.", author=author)
        else:
            append_text(sources[part % 6], f"Siehe [[Ziel {target}]] Nummer {part}.", author=author)

    at_once(7 * share_of(100), 14, write)
    assert list(Link.objects.filter(resolved_page=None).values_list("target_text", flat=True)) == []
