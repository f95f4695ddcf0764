"""What agents hand in once more: in the same words, in others, and quoted from what they have
just recalled."""

import pytest

from wiki.insights.intake import Handed, file_insight
from wiki.merging.maintenance import maintain
from wiki.models import Agent, AuthorKind, Outcome, Page, RevisionKind
from wiki.pages.status import find_confirmed, mark_outdated, mark_replaced

NOTES = {
    "Proxy": "The proxy in front of the package mirror discards answers above 64 MiB.",
    "Rebasing": "Always rebase before pushing to the shared branch.",
    "Backups": "Backups run each night at 02:30. The log is kept for 30 days.",
    "Mail": "Outgoing mail goes through relay.example.org on port 587.",
    "Disk": "An alarm is raised when 90 % of the disk are full.",
}
NOTIZEN = {
    "Paketspiegel": "Der Proxy vor dem Paketspiegel verwirft Antworten über 64 MiB.",
    "Zweige": "Vor dem Pushen auf den gemeinsamen Zweig immer rebasen.",
    "Sicherungen": "Sicherungen laufen jede Nacht um 02:30. Das Protokoll bleibt 30 Tage erhalten.",
    "Post": "Ausgehende Post läuft über relay.example.org auf Port 587.",
    "Platte": "Alarm gibt es, wenn 90 % der Platte voll sind.",
}


@pytest.fixture
def file(wiki, agent):
    return lambda text, **more: file_insight(wiki, agent, Handed(text, **more))


def as_list(recalled):
    return "Here is a recap of the five recalled pages:\n\n" + "\n".join(
        f"- {body}" for _, body in recalled
    )


def as_prose(recalled):
    return " ".join(body for _, body in recalled)


def as_quotes(recalled):
    return "\n\n".join(
        f"According to our notes on {title}:\n\n> {body}" for title, body in recalled
    )


def as_headings(recalled):
    return "# Recap\n\n" + "\n\n".join(f"## {title}\n\n{body}" for title, body in recalled)


def auf_deutsch(recalled):
    return "Zusammenfassung:\n\n" + "\n".join(
        f"- Laut Notiz zu [[{title}]]: {body}" for title, body in recalled
    )


@pytest.mark.parametrize("notes", [NOTES, NOTIZEN], ids=["en", "de"])
@pytest.mark.parametrize("summarise", [as_list, as_prose, as_quotes, as_headings, auf_deutsch])
def test_a_summary_of_five_recalled_pages_is_known(api, write, notes, summarise):
    if (
        summarise is auf_deutsch
        and notes is NOTES
        or summarise in (as_list, as_quotes)
        and notes is NOTIZEN
    ):
        pytest.skip("a summary in one language and notes in another")
    for title, body in notes.items():
        write(title, body)
    for number in range(12):
        write(
            f"Spiegel {number}",
            f"Mirror {number} of the package proxy stands in cell {number}; Post und Platte.",
        )
    recalled = [
        api.get(f"/recall?q={title}&mode=hybrid&limit=1").json()["pages"][0] for title in notes
    ]
    before = {page.pk: page.revision for page in Page.objects.all()}
    answer = api.post(
        "/insights", {"text": summarise([(page["title"], page["body"]) for page in recalled])}
    )
    assert (answer.status_code, answer.json()["outcome"]) == (200, "known")
    assert answer.json()["page"]["title"] in notes
    assert {page.pk: page.revision for page in Page.objects.all()} == before


@pytest.mark.parametrize(
    "spoilt",
    ["64 MiB", "immer", "jede Nacht", "relay.example.org", "30 Tage"],
    ids=lambda word: word.replace(" ", "-"),
)
def test_a_summary_with_one_changed_fact_is_no_known_text(file, write, spoilt):
    for title, body in NOTIZEN.items():
        write(title, body)
    text = as_prose(NOTIZEN.items())
    assert file(text.replace(spoilt, "Ole")).outcome != Outcome.KNOWN


def test_one_sentence_five_times_in_several_dresses_stands_on_the_page_once(file):
    sentence = "The package mirror in Oslo is filled each night from Bergen."
    said = [
        sentence,
        "the package mirror in Oslo is filled each night from Bergen",
        f"> {sentence}",
        f"Recap: {sentence}",
        "**The package mirror** in Oslo is filled *each night* from Bergen!",
    ]
    assert [file(text).outcome for text in said] == ["created", "known", "known", "known", "known"]
    assert Page.objects.get().body == sentence


def test_what_differs_in_a_fact_is_kept_beside_it(file):
    for place in ("Oslo", "Bergen", "Bonn"):
        file(f"The package mirror is filled each night from {place}.")
    text = "\n".join(Page.objects.values_list("body", flat=True))
    assert all(f"from {place}." in text for place in ("Oslo", "Bergen", "Bonn"))


def test_paragraphs_of_a_person_stay_as_they_are(file, write, wiki, author):
    paragraphs = (
        "Der  Runner steht im Keller.\n\n* Dienstags wird er gewartet \n* Ina hat den "
        "Schlüssel\t\n\nEnde."
    )
    page = write("Runner im Keller", paragraphs)
    for text in (
        "Der Runner im Keller wird seit März von Ole gewartet.",
        "Der Runner steht im Keller.",
        "Der Runner im Keller hat 64 GB Speicher.",
    ):
        file(text, page=page.slug, source="ticket-9")
    twin = write("Runner im Keller", paragraphs)
    maintain()
    page.refresh_from_db()
    assert page.body.startswith(paragraphs + "\n\n")
    added = page.body[len(paragraphs) :]
    assert added.count("::: insight robin | 20") == 2
    assert added.count("| ticket-9\n") == 2
    assert "von Ole gewartet" in added
    assert Page.objects.get(pk=twin.pk).body == paragraphs
    assert (
        page.revisions.filter(kind=RevisionKind.INSIGHT, author_kind=AuthorKind.AGENT).count() == 2
    )


def test_what_is_said_once_more_confirms_every_page_that_says_it(file, write, wiki):
    pages = [write(title, body) for title, body in NOTES.items()]
    assert not any(find_confirmed(page).count for page in pages)
    file(as_prose(NOTES.items()))
    file(NOTES["Proxy"])
    olaf = Agent.objects.create(name="olaf", home_wiki=wiki)
    file_insight(wiki, olaf, Handed(NOTES["Proxy"]))
    assert [find_confirmed(page).count for page in pages] == [2, 1, 1, 1, 1]
    assert {row.author_name for row in find_confirmed(pages[0]).by} == {"robin", "olaf"}
    assert all(page.revisions.count() == 1 for page in pages)


def test_a_mark_stays_when_an_agent_says_the_same_again(api, write, author):
    page, successor = (
        write("Shop", "The shop uses MySQL on db-7."),
        write("New shop", "It is all in Postgres."),
    )
    mark_outdated(page, author=author)
    told = {"text": "The shop uses MySQL on db-7."}
    note = api.post("/insights", told).json()["note"]
    assert "“Shop” is marked as outdated" in note
    mark_replaced(page, successor, author=author)
    answer = api.post("/insights", told).json()
    assert answer["outcome"] == "known"
    assert "replaced by “New shop”" in answer["note"]
    page.refresh_from_db()
    assert page.standing == "replaced"
    assert find_confirmed(page).count == 0


def test_a_page_that_holds_is_named_before_one_that_does_not(file, write, author):
    old, new = (write(title, "The shop uses Postgres on db-7.") for title in ("Shop", "Shop two"))
    mark_outdated(old, author=author)
    assert file("the shop uses Postgres on db-7").page == new
    assert find_confirmed(new).count == 1
