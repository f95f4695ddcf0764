"""Two pages become one and two again; nothing is lost on the way."""

import random
from datetime import date

import pytest
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.screens import Write, text
from tests.support.search import recall
from tests.support.writing import append_text, create_page, revise_page
from wiki.insights.intake import Handed, file_insight
from wiki.merging.combine_texts import unite_texts
from wiki.merging.merge import MergeRefused, UndoConflict, choose_survivor, merge_pages, undo_merge
from wiki.merging.queue import propose
from wiki.models import (
    Agent,
    Insight,
    Merge,
    MergeProposal,
    Page,
    ProposalState,
    Redirect,
    RevisionKind,
    Wiki,
)
from wiki.pages.author import Author
from wiki.pages.links import resolve_page
from wiki.pages.rename import rename_page
from wiki.pages.trash import trash_page
from wiki.pages.write import SlugTaken
from wiki.search.retrieval import Mode

BOT = Author.maintenance()


def fresh(page: Page) -> Page:
    return Page.objects.get(pk=page.pk)


def state(*pages: Page) -> list[tuple]:
    names = ("slug", "title", "body", "type", "tags", "embed_model", "trashed_at", "merged_into")
    rows = Page.objects.filter(pk__in=[page.pk for page in pages]).order_by("pk")
    links = [sorted(row.links.values_list("target_text", "resolved_page")) for row in rows]
    return [*rows.values_list(*names), links, sorted(Redirect.objects.values_list("slug", "page"))]


def test_the_survivor_says_what_both_said_and_the_source_keeps_its_history(write: Write) -> None:
    survivor = write("Queue workers", "Restart the workers. Workers hang at night.", tags=["queue"])
    source = write(
        "Workers of the queue",
        "Workers hang at night.\n\nLook at the log first.",
        tags=["ops", "queue"],
    )
    write("Reader", "See [[Workers of the queue]] and [[Queue workers]].")
    merge = merge_pages(survivor, source, author=BOT)
    kept, gone = fresh(survivor), fresh(source)
    assert kept.body.startswith(
        "Restart the workers. Workers hang at night.\n\n*From “Workers of the queue”, merged on "
    )
    assert kept.body.endswith("\n\nLook at the log first.")
    assert kept.body.count("Workers hang at night.") == 1
    assert kept.tags == ["queue", "ops"]
    assert kept.embed_model
    last = kept.revisions.first()
    assert (last.kind, last.merged_from) == (RevisionKind.MERGE, source.revisions.get(number=1))
    assert gone.merged_into == kept
    assert gone.body == source.body
    assert gone.revisions.count() == 2
    assert resolve_page(kept.wiki, "workers-of-the-queue").page == kept
    assert Page.objects.live().linking_to(kept).count() == 1
    assert merge.undone_at is None


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("", "Der Spiegel ist nachts nicht zu erreichen.", "Aus „Zweite“, zusammengeführt am "),
        ("en", "Der Spiegel ist nachts nicht zu erreichen.", "From “Zweite”, merged on "),
        ("", "The mirror is not reached at night.", "From “Zweite”, merged on "),
        ("de", "The mirror is not reached at night.", "Aus „Zweite“, zusammengeführt am "),
    ],
)
def test_what_came_is_introduced_in_the_language_of_the_wiki_else_of_the_text(
    write: Write, wiki: Wiki, language: str, text: str, said: str
) -> None:
    wiki.language = language
    wiki.save()
    survivor, source = write("Erste", text), write("Zweite", "Proxy 7.")
    merge_pages(survivor, source, author=BOT)
    assert said in fresh(survivor).body


def test_the_merged_page_is_in_no_list_and_its_address_leads_on(
    browser: Client, write: Write, api: ApiClient
) -> None:
    survivor, source = write("Alpha page", "One thing."), write("Beta page", "Another thing.")
    merge_pages(survivor, source, author=BOT)
    assert browser.get("/w/ops/beta-page")["Location"] == "/w/ops/alpha-page?from=beta-page"
    assert "Beta page" not in text(browser.get("/w/ops/trash"))
    assert api.get("/pages/beta-page").json()["redirected_from"] == "beta-page"
    assert [row["slug"] for row in api.get("/pages").json()["pages"]] == ["alpha-page"]
    # Both texts are found at once, by words and by vector.
    for mode in Mode:
        assert [
            hit.page.slug for hit in recall(survivor.wiki, "another thing", mode=mode).hits
        ] == ["alpha-page"]


def test_backlinks_of_both_lead_to_the_survivor(write: Write) -> None:
    survivor, source = write("Alpha", "a"), write("Beta", "b")
    for number in range(3):
        write(f"To beta {number}", "[[Beta]]")
    write("To alpha", "[[Alpha]]")
    merge_pages(survivor, source, author=BOT)
    titles = list(
        Page.objects.live().linking_to(survivor).order_by("title").values_list("title", flat=True)
    )
    assert titles == ["To alpha", "To beta 0", "To beta 1", "To beta 2"]


def test_merging_again_leads_every_former_address_in_one_hop(write: Write) -> None:
    a, b, c = write("A page", "aaa"), write("B page", "bbb"), write("C page", "ccc")
    rename_page(a, 1, title="A renamed", author=BOT)
    merge_pages(b, fresh(a), author=BOT)
    merge_pages(c, fresh(b), author=BOT)
    for name in ("a-page", "a-renamed", "b-page", "c-page"):
        assert resolve_page(c.wiki, name).page == c, name
    # What went in is told by name.
    assert Merge.objects.filter(undone_at=None).count() == 2


def test_undoing_brings_both_pages_back_as_they_were(
    write: Write, wiki: Wiki, agent: Agent
) -> None:
    survivor = write("Alpha", "First sentence here.\n\nSee [[Gamma]].\n", tags=["x"])
    source = write("Beta", "Second sentence [[Alpha]].", type="topic")
    write("Gamma", "[[Alpha]] [[Beta]]")
    file_insight(wiki, agent, Handed("An insight about beta.", page="beta"))
    before = state(survivor, fresh(source))
    merge = merge_pages(fresh(survivor), fresh(source), author=BOT)
    assert Insight.objects.get().page == survivor
    undo_merge(merge, author=BOT)
    assert state(survivor, source) == before
    assert Insight.objects.get().page == source
    assert fresh(source).revisions.first().kind == RevisionKind.UNDO
    # It is remembered.
    row = MergeProposal.objects.get()
    assert (row.state, row.is_current) == (ProposalState.DISMISSED, True)
    with pytest.raises(MergeRefused):
        undo_merge(merge, author=BOT)


def test_what_was_written_since_stays(write: Write) -> None:
    survivor, source = write("Alpha", "One.\n\nTwo."), write("Beta", "Three.")
    merge = merge_pages(survivor, source, author=BOT)
    merged = fresh(survivor)
    revise_page(merged, merged.revision, title="Alpha", body=f"Zero.\n\n{merged.body}", author=BOT)
    append_text(fresh(survivor), "Four.", author=BOT)
    undo_merge(merge, author=BOT)
    assert fresh(survivor).body == "Zero.\n\nOne.\n\nTwo.\n\nFour."
    assert fresh(source).body == "Three."


def test_an_edit_of_what_came_in_is_asked_about(write: Write) -> None:
    survivor, source = write("Alpha", "One."), write("Beta", "Three things.")
    merge = merge_pages(survivor, source, author=BOT)
    merged = fresh(survivor)
    revise_page(
        merged,
        2,
        title="Alpha",
        body=merged.body.replace("Three things", "Three big things"),
        author=BOT,
    )
    with pytest.raises(UndoConflict):
        undo_merge(merge, author=BOT)
    assert fresh(source).is_trashed


def test_a_taken_address_is_said_and_another_one_given(write: Write, wiki: Wiki) -> None:
    survivor, source = write("Alpha", "One."), write("Beta", "Two.")
    merge = merge_pages(survivor, source, author=BOT)
    create_page(wiki, title="Beta", body="New.", author=BOT)
    with pytest.raises(SlugTaken):
        undo_merge(merge, author=BOT)
    _survivor, back = undo_merge(merge, author=BOT, new_address=True)
    assert back.slug == "beta-2"


@pytest.mark.parametrize("change", ["edit", "trash", "merge"])
def test_a_change_in_between_stops_the_merge(write: Write, change: str) -> None:
    survivor, source, third = (
        write("Alpha", "One."),
        write("Beta", "Two."),
        write("Gamma", "Three."),
    )
    if change == "edit":
        revise_page(fresh(source), 1, title="Beta", body="Two and a half.", author=BOT)
    elif change == "trash":
        trash_page(fresh(source), author=BOT)
    else:
        merge_pages(third, fresh(source), author=BOT)
    with pytest.raises(MergeRefused):
        merge_pages(survivor, source, author=BOT)
    assert fresh(survivor).body == "One."


def test_other_proposals_with_the_merged_page_are_withdrawn(write: Write) -> None:
    a, b, c = write("Alpha", "One."), write("Beta", "Two."), write("Gamma", "Three.")
    propose(a, b)
    propose(b, c)
    merge_pages(a, b, author=BOT)
    states = dict(MergeProposal.objects.values_list("first", "state"))
    assert states == {a.pk: ProposalState.MERGED, b.pk: ProposalState.WITHDRAWN}
    with pytest.raises(MergeRefused):
        propose(fresh(b), c)


def test_a_pair_is_proposed_once_in_whatever_order(write: Write) -> None:
    a, b = write("Alpha", "One."), write("Beta", "Two.")
    assert propose(a, b) == propose(b, a)
    assert MergeProposal.objects.count() == 1


def test_what_people_wrote_and_more_pages_link_to_stays(write: Write, wiki: Wiki) -> None:
    mine = write("Mine", "A.")
    bots = create_page(wiki, title="Bots", body="A much longer text.", author=BOT)
    other = create_page(wiki, title="Other", body="B.", author=BOT)
    create_page(wiki, title="Links", body="[[Other]]", author=BOT)
    assert choose_survivor(bots, mine) == (mine, bots)
    assert choose_survivor(bots, other) == (other, bots)


WORDS = "alpha beta gamma delta the pump valve is closed open 7 8080 and log restart".split()


def some_text(chance: random.Random) -> str:
    blocks = []
    for _ in range(chance.randint(1, 6)):
        sentences = [
            " ".join(chance.choices(WORDS, k=chance.randint(2, 6))).capitalize() + "."
            for _ in range(chance.randint(1, 3))
        ]
        blocks.append(
            chance.choice(
                ["- {}\n- {}", "## {}\n\n{}", "{} {}", "```\n{}\n```\n{}", "> {}\n\n{}"]
            ).format(sentences[0], " ".join(sentences))
        )
    return "\n\n".join(blocks)


@pytest.mark.parametrize("seed", range(12))
def test_merge_undo_merge_undo_is_the_identity_and_keeps_what_is_written_between(
    write: Write, seed: int
) -> None:
    chance = random.Random(seed)
    survivor, source = write("Alpha", some_text(chance)), write("Beta", some_text(chance))
    for _ in range(2):
        before = fresh(survivor).body, fresh(source).body
        merge = merge_pages(fresh(survivor), fresh(source), author=BOT)
        undo_merge(merge, author=BOT)
        assert (fresh(survivor).body, fresh(source).body) == before
        edited = f"{fresh(survivor).body}\n\n{some_text(chance)}"
        revise_page(
            fresh(survivor), fresh(survivor).revision, title="Alpha", body=edited, author=BOT
        )


@pytest.mark.parametrize("seed", range(40))
def test_no_sentence_of_either_text_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    first, second = some_text(chance), some_text(chance)
    united = unite_texts(first, second, "Beta", date(2026, 11, 3), "en")
    assert united.startswith(first)
    said = " ".join(united.lower().split())
    for line in second.splitlines():
        for sentence in line.strip("-#> `").split(". "):
            assert sentence.strip(" .").lower() in said


def test_a_text_that_is_there_already_adds_nothing() -> None:
    first = "The pump is closed. Open the valve!\n\n- one\n- two"
    assert (
        unite_texts(first, "open the VALVE. Pump is closed!\n\n* two\n* one", "B", date(2026, 1, 2))
        == first
    )
    assert "not" in unite_texts("Always rebase.", "Do not rebase.", "B", date(2026, 1, 2))


STEPS = [
    "write_revision",
    "redirect_to_successor",
    "_move_belongings",
    "resolve_links_again",
    "_settle_proposals",
    "Merge.objects",
]


@pytest.mark.parametrize("step", STEPS)
def test_a_merge_that_breaks_off_anywhere_leaves_both_pages_as_they_were(
    write: Write, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    survivor, source = write("Alpha", "One [[Beta]]."), write("Beta", "Two [[Alpha]].")
    propose(survivor, source)
    before = state(survivor, source), list(MergeProposal.objects.values())

    def break_off(*args: object, **kwargs: object) -> None:
        raise Broken

    name = "Merge.objects.create" if step == "Merge.objects" else step
    monkeypatch.setattr(f"wiki.merging.merge.{name}", break_off)
    with pytest.raises(Broken):
        merge_pages(survivor, source, author=BOT)
    assert (state(survivor, source), list(MergeProposal.objects.values())) == before
    monkeypatch.undo()
    assert merge_pages(survivor, source, author=BOT)


@pytest.mark.parametrize(
    "step",
    [
        "_give_address_back",
        "write_revision",
        "_give_belongings_back",
        "resolve_links_again",
        "remember_no",
    ],
)
def test_an_undoing_that_breaks_off_anywhere_leaves_the_merge_as_it_was(
    write: Write, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    survivor, source = write("Alpha", "One [[Beta]]."), write("Beta", "Two [[Alpha]].")
    apart = state(survivor, source)
    merge = merge_pages(survivor, source, author=BOT)
    merged = state(survivor, source)

    def break_off(*args: object, **kwargs: object) -> None:
        raise Broken

    monkeypatch.setattr(f"wiki.merging.merge.{step}", break_off)
    with pytest.raises(Broken):
        undo_merge(merge, author=BOT)
    assert state(survivor, source) == merged
    monkeypatch.undo()
    undo_merge(merge, author=BOT)
    assert state(survivor, source) == apart


class Broken(Exception):
    pass
