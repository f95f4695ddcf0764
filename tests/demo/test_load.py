"""The demo wiki: every screen has something to show, and builtin's limit can be seen."""

import pytest

from tests.support.search import recall
from wiki.demo.load import INSIGHTS, PAGES_BY_AGENT, load_demo_wiki
from wiki.models import Insight, Link, Page, Revision
from wiki.search.retrieval import Mode, neighbours


@pytest.fixture
def demo(db):
    return load_demo_wiki()


def test_the_demo_wiki_has_linked_pages_in_two_languages_and_three_dead_links(demo):
    assert Page.objects.filter(wiki=demo).count() >= 25
    dead = set(Link.objects.filter(resolved_page=None).values_list("target_text", flat=True))
    assert dead == {"Testkarte", "Rufbereitschaft", "Capacity plan"}
    assert Link.objects.exclude(resolved_page=None).count() > 60


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("Why does the nightly backup fail with no space left on device?", "nightly-backup-fails"),
        ("Zertifikat läuft ab, wie erneuere ich es?", "zertifikat-läuft-ab"),
        ("Die Pipeline ist rot, was ist zu tun?", "wenn-die-pipeline-rot-ist"),
    ],
)
def test_questions_that_share_words_are_answered(demo, question, slug):
    assert recall(demo, question).hits[0].page.slug == slug


def test_the_running_example_is_what_builtin_cannot_do(demo):
    hits = recall(demo, "Der CI-Build schlägt fehl", limit=50).hits
    [hit] = [hit for hit in hits if hit.page.slug == "wenn-die-pipeline-rot-ist"]
    assert hit.similarity == pytest.approx(0, abs=0.05)
    assert hit not in hits[:5]


def test_there_are_near_duplicates_to_look_at(demo):
    page = Page.objects.get(wiki=demo, slug="abrechnung-db-07")
    [nearest] = neighbours(page, 1)
    assert nearest.page.slug == "abrechnung-db-08"
    assert nearest.similarity is not None
    assert nearest.similarity >= 0.93


def test_people_and_agents_wrote_it_and_agents_added_to_it(demo):
    kinds = Revision.objects.filter(page__wiki=demo).values_list("author_kind", "kind")
    assert {("person", "import"), ("agent", "import"), ("agent", "insight")} == set(kinds)
    assert set(Insight.objects.values_list("outcome", flat=True)) == {"appended"}


def test_every_slug_named_in_the_demo_is_a_page(demo):
    named = {slug for slugs in PAGES_BY_AGENT.values() for slug in slugs} | {
        page for _, page, _, _ in INSIGHTS
    }
    assert named == set(
        Page.objects.filter(wiki=demo, slug__in=named).values_list("slug", flat=True)
    )


def test_no_mode_finds_the_running_example(demo):
    for mode in Mode:
        slugs = {hit.page.slug for hit in recall(demo, "Der CI-Build schlägt fehl", mode=mode).hits}
        assert "wenn-die-pipeline-rot-ist" not in slugs
