"""A page has further names: they lead to it, find it, and go along everywhere."""

import pytest

from tests.support.folders import put, run
from tests.support.search import recall
from tests.support.writing import create_page, revise_page
from wiki.files.front_matter import read_head
from wiki.files.import_export import export_page
from wiki.models import Link, Page
from wiki.pages.fields import MAX_ALIASES, InvalidPage
from wiki.pages.link_completion import propose_pages
from wiki.search.retrieval import Mode


def leads_to(source: Page) -> dict[str, str | None]:
    rows = Link.objects.filter(from_page=source)
    return dict(rows.values_list("target_text", "resolved_page__slug"))


@pytest.mark.parametrize(
    ("head", "aliases"),
    [
        ('aliases: [OQ, "Offene Fragen"]', ["OQ", "Offene Fragen"]),
        ("aliases:\n- OQ\n- Offene Fragen", ["OQ", "Offene Fragen"]),
        ("aliases: Meier, Anna", ["Meier, Anna"]),
        ("alias: OQ", ["OQ"]),
        ("alias: OQ\naliases: [Fragen]", ["Fragen", "OQ"]),
        ("aliases:", []),
        ("title: Ohne", None),
    ],
)
def test_a_file_says_them_in_several_ways(head, aliases):
    read = read_head(head)
    assert (read.aliases, read.extra) == (aliases, "")


def test_an_alias_comes_with_the_file_leads_to_the_page_and_goes_out_again(wiki, tmp_path, write):
    put(tmp_path, "Fragen.md", '---\naliases: [OQ, "Offene Fragen"]\n---\nWas noch offen ist.')
    put(tmp_path, "Start.md", "[[OQ]], [[offene fragen]] und [[Fragen]]")
    run(wiki, tmp_path)
    page = Page.objects.get(slug="fragen")
    assert page.aliases == ["OQ", "Offene Fragen"]
    assert set(leads_to(Page.objects.get(slug="start")).values()) == {"fragen"}
    assert read_head(export_page(page).split("---\n")[1]).aliases == page.aliases
    assert {file.outcome for file in run(wiki, tmp_path).values()} == {"unchanged"}


def test_recall_by_words_finds_an_alias_like_a_title(wiki, author, write):
    create_page(wiki, title="Ablage", body="Hier liegt es.", author=author, aliases=["Zwinger"])
    for number in range(5):
        write(f"Bericht {number}", "Der Zwinger wurde gestern einmal erwähnt, sonst war nichts.")
    hits = recall(wiki, "Zwinger", mode=Mode.KEYWORD).hits
    assert hits[0].page.title == "Ablage"


def test_an_alias_is_proposed_for_a_link(wiki, author):
    create_page(wiki, title="Ablage", body="", author=author, aliases=["Zwinger"])
    assert [proposal.page.title for proposal in propose_pages(wiki, "zwin")] == ["Ablage"]


def test_aliases_are_cleaned_and_bounded(wiki, author):
    page = create_page(
        wiki, title="Seite", body="", author=author, aliases=[" A  b", "a B", "", "seite", "C"]
    )
    assert page.aliases == ["A b", "C"]
    for wrong in ([f"n{n}" for n in range(MAX_ALIASES + 1)], ["x" * 201]):
        with pytest.raises(InvalidPage) as refused:
            revise_page(page, 1, title="Seite", body="", aliases=wrong, author=author)
        assert list(refused.value.errors) == ["aliases"]


def test_the_form_shows_and_takes_them(client, person, wiki, author):
    page = create_page(wiki, title="Seite", body="x", author=author, aliases=["Eins", "Zwei"])
    client.force_login(person)
    address = f"/w/{wiki.slug}/seite/edit"
    assert "Eins\nZwei</textarea>" in client.get(address).content.decode()
    sent = {"title": "Seite", "body": "x", "aliases": "Zwei\r\nDrei, vier\r\n", "action": "save"}
    sent |= {"page_id": page.pk, "base_revision": 1}
    assert client.post(address, sent).status_code == 302
    page.refresh_from_db()
    assert page.aliases == ["Zwei", "Drei, vier"]
    assert page.revisions.first().aliases == page.aliases
