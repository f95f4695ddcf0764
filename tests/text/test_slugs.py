"""Addresses of pages and the spellings that reach them."""

import re

import pytest

from tests.support.writing import create_page
from wiki.insights.intake import Handed, file_insight
from wiki.models import Redirect
from wiki.pages.links import resolve_page
from wiki.pages.trash import trash_page
from wiki.pages.write import SlugTaken
from wiki.text.slugs import MAX_SLUG, RESERVED, fold_slug, numbered_slug, slugify


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Wenn die Pipeline rot ist", "wenn-die-pipeline-rot-ist"),
        ("Übung", "übung"),
        ("U\u0308bung", "übung"),
        ("C++ & C#", "c-c"),
        ("v2.4.7", "v2-4-7"),
        ("日本語", "日本語"),
        ("search", "search-page"),
        ("README.md", "readme-md"),
        ("IT/Systemd", "it-systemd"),
        ("Maße", "maße"),
        ("Masse", "masse"),
        ("snake_case", "snake-case"),
        ("  -Rand- ", "rand"),
    ],
)
def test_the_slug_of_a_title(title, slug):
    assert slugify(title) == slug


@pytest.mark.parametrize("title", ["!", "[[", "—", "   ", "🎉", "\udc80"])
def test_a_title_without_letters_gets_a_slug_of_its_hash(title):
    assert re.fullmatch(r"page-[0-9a-f]{6}", slugify(title))
    assert slugify(title) == slugify(title)


def test_different_titles_without_letters_get_different_slugs():
    assert len({slugify(title) for title in ("!", "?", "[[", "[")}) == 4


def test_a_long_slug_is_cut_between_words():
    slug = slugify("wort " * 50)
    assert len(slug) <= MAX_SLUG
    assert slug.endswith("-wort")
    assert len(slugify("x" * 300)) == MAX_SLUG
    assert len(numbered_slug(slugify("x" * 300), 12)) == MAX_SLUG


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_fixed_words_are_no_slugs(word):
    assert slugify(word) == f"{word}-page"


def test_umlauts_and_accents_fold_both_ways():
    assert fold_slug("übung") == ["ubung", "uebung"]
    assert fold_slug("maße") == ["masse"]
    assert fold_slug("déjà-dup") == ["deja-dup"]
    assert fold_slug("がぎ") == ["がぎ"]


@pytest.mark.parametrize(
    "spelling", ["übung", "uebung", "ubung", "Übung", "UEBUNG", "U\u0308bung", " übung "]
)
def test_a_page_is_reached_by_every_spelling(write, wiki, spelling):
    page = write("Übung")
    resolved = resolve_page(wiki, spelling)
    assert resolved is not None
    assert resolved.page == page


def test_the_exact_spelling_comes_before_the_folded_one(write, wiki):
    pages = {
        title: write(title)
        for title in ("Masse", "Maße", "Déjà Dup", "Deja Dup", "Papá", "Papa", "위키", "Niño")
    }
    for title, page in pages.items():
        for spelling in (title, page.slug):
            resolved = resolve_page(wiki, spelling)
            assert resolved is not None
            assert resolved.page == page


def test_resolution_goes_slug_then_slug_of_text_then_title_then_redirect_then_folded(write, wiki):
    by_slug = write("Ganz anders", slug="das-ziel")
    assert resolve_page(wiki, "das-ziel").page == by_slug
    assert resolve_page(wiki, "Das Ziel!").page == by_slug
    by_title = write("Das Ziel", slug="woanders")
    assert resolve_page(wiki, "Das Ziel").page == by_slug
    assert resolve_page(wiki, "ganz  ANDERS").page == by_slug
    old = Redirect.objects.create(wiki=wiki, slug="früher", page=by_title)
    assert resolve_page(wiki, "Früher").page == by_title
    assert resolve_page(wiki, "Früher").redirected_from == "früher"
    folded = write("Fruher")
    assert resolve_page(wiki, "Früher").page == by_title
    old.delete()
    assert resolve_page(wiki, "Früher").page == folded


@pytest.mark.parametrize(
    "title", ["My Article Title", "[brackets]", "hello.", "site.com", "100 % sicher?"]
)
def test_a_title_reaches_its_page(write, wiki, title):
    page = write(title)
    assert resolve_page(wiki, title).page == page


def test_a_taken_slug_is_numbered(write):
    assert [write("Doppelt").slug for _ in range(3)] == ["doppelt", "doppelt-2", "doppelt-3"]


def test_a_former_address_is_taken_over_by_who_names_a_page_so(write, wiki):
    page = write("Neu")
    Redirect.objects.create(wiki=wiki, slug="alt", page=page)
    Redirect.objects.create(wiki=wiki, slug="alt-2", page=page)
    assert write("Alt").slug == "alt"
    assert write("Alt").slug == "alt-3"


def test_a_former_address_is_not_given_to_an_untitled_newcomer(write, wiki, agent):
    page = write("Neu", "Rechnungen im Januar.")
    for slug in ("der-proxy-verwirft-antworten", "große-räder-laden"):
        Redirect.objects.create(wiki=wiki, slug=slug, page=page)
    assert (
        file_insight(wiki, agent, Handed("Der Proxy verwirft Antworten")).page.slug
        == "der-proxy-verwirft-antworten-2"
    )
    assert (
        file_insight(wiki, agent, Handed("In Teilen.", title="Große Räder laden")).page.slug
        == "große-räder-laden"
    )


def test_a_given_slug_that_is_taken_is_refused(write, wiki, author):
    page = write("Privat")
    with pytest.raises(SlugTaken):
        create_page(wiki, title="Anders", body="", author=author, slug="privat")
    trash_page(page, author=author)
    assert create_page(wiki, title="Anders", body="", author=author, slug="privat").slug == "privat"


def test_two_wikis_have_their_own_addresses(write, wiki, author):
    from_here = write("readme")
    other = type(wiki).objects.create(slug="zwei", name="Zwei")
    there = create_page(other, title="readme", body="", author=author)
    assert (from_here.slug, there.slug) == ("readme", "readme")
    assert resolve_page(other, "readme").page == there
