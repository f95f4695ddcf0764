"""What looks like one page and is two: filed, looked at by the maintenance, and kept apart."""

from collections.abc import Callable

import pytest
from django.test import Client

from embeddings.hash_embedder import hash_text
from tests.support.api_client import ApiClient
from tests.support.screens import text
from tests.support.search import recall
from tests.support.writing import create_page
from wiki.insights.intake import Handed, file_insight
from wiki.merging.maintenance import maintain
from wiki.merging.queue import dismiss, open_proposals
from wiki.models import Agent, Merge, MergeProposal, Outcome, Page, Wiki
from wiki.pages.author import Author
from wiki.search.retrieval import Mode

BOT = Author.maintenance()
Put = Callable[[str, str], Page]
CHECKED = (
    "Open the cover, look at every valve and note its number in the book. Whatever leaks is "
    "changed the same day. "
    "Close the cover again and hang the key where it was. The night team is told by telephone."
)
GEPRÜFT = (
    "Haube öffnen, jedes Ventil ansehen und die Nummer ins Buch schreiben. Was tropft, wird am "
    "selben Tag getauscht. "
    "Haube wieder schließen und den Schlüssel an seinen Platz hängen. Die Nachtschicht erfährt es "
    "am Telefon."
)


@pytest.fixture
def put(wiki: Wiki) -> Put:
    return lambda title, body: create_page(wiki, title=title, body=body, author=BOT)


@pytest.fixture
def file(wiki: Wiki, agent: Agent):
    return lambda words, **more: file_insight(wiki, agent, Handed(words, **more))


def nearness(first: Page, second: Page) -> float:
    return float(
        hash_text(f"{first.title}\n{first.body}") @ hash_text(f"{second.title}\n{second.body}")
    )


def all_texts() -> str:
    return "\n".join(Page.objects.live().values_list("body", flat=True))


def maintain_thrice() -> None:
    for _ in range(3):
        maintain()


@pytest.mark.parametrize(
    ("titles", "told_apart"),
    [
        (["Bulletin SB-2024-001 Rev A", "Bulletin SB-2024-001 Rev B"], ["Rev A", "Rev B"]),
        (["Richtlinie IT-7 Fassung 3", "Richtlinie IT-7 Fassung 4"], ["Fassung 3", "Fassung 4"]),
        (["点検 2024-001 版 甲", "点検 2024-001 版 乙"], ["版 甲", "版 乙"]),
        (
            [
                "Bulletin SB-2024-001 Rev A",
                "Bulletin SB-2024-001 Rev B",
                "Bulletin SB-2024-001 Rev C",
            ],
            ["Rev B", "Rev C"],
        ),
    ],
)
@pytest.mark.parametrize(
    "endings", [["", ""], [" Since March.", " Since April, with another cover."]]
)
def test_revisions_of_one_bulletin_stay_apart_and_what_tells_them_apart_is_marked(
    wiki: Wiki,
    put: Put,
    staff: Client,
    titles: list[str],
    told_apart: list[str],
    endings: list[str],
) -> None:
    pages = [put(title, CHECKED + endings[min(number, 1)]) for number, title in enumerate(titles)]
    assert nearness(*pages[:2]) > 0.88
    maintain_thrice()
    assert Page.objects.live().count() == len(titles)
    proposal = open_proposals(wiki).first()
    assert proposal
    shown = text(staff.get(f"/w/ops/merges/{proposal.pk}"))
    head = shown[shown.index("What tells them apart") :][:3000]
    assert all(words in head for words in told_apart) or all(words in head for words in titles[:2])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ASR1603", "ASR1605"),
        ("Gerät-17", "Gerät-18"),
        ("кран-А", "кран-Б"),
        ("ASR𝟏", "ASR𝟐"),
        ("弁一", "弁二"),
        ("कि", "की"),
        ("🟢", "🔴"),
        ("C++", "C#"),
    ],
)
@pytest.mark.parametrize("prose", [CHECKED, GEPRÜFT])
def test_one_token_makes_two_pages(put: Put, first: str, second: str, prose: str) -> None:
    for token in (first, second):
        put(
            "Check of the valves",
            f"{prose}\n\nThis is about {token} alone, and its number is on the cover.",
        )
    maintain_thrice()
    assert not Merge.objects.exists()
    assert MergeProposal.objects.count() == 1


SERVICES = (
    "billing search mail queue login orders stock prices images reports chat maps backup proxy cron"
).split()
RUNBOOK = (
    "1. Look at the log of {0}.\n2. Stop {0} on the first node and wait for a minute.\n3. Start it "
    "again.\n\n"
    "If that does not help, call whoever is on duty and write down what you saw."
)
ANLEITUNG = (
    "1. Protokoll von {0} ansehen.\n2. {0} auf dem ersten Knoten anhalten und eine Minute "
    "warten.\n3. Neu starten.\n\n"
    "Hilft das nicht, den Bereitschaftsdienst anrufen und aufschreiben, was zu sehen war."
)


@pytest.mark.parametrize("template", [RUNBOOK, ANLEITUNG, f"{RUNBOOK}\n\n{CHECKED}"])
def test_runbooks_of_one_template_are_at_most_one_hint(wiki: Wiki, put: Put, template: str) -> None:
    for name in SERVICES:
        put(f"Restart {name}", template.format(name))
    maintain_thrice()
    assert not Merge.objects.exists()
    assert open_proposals(wiki).count() <= 1
    # Nor is there one more with every further runbook.
    for name in ("tax", "wages"):
        put(f"Restart {name}", template.format(name))
        maintain_thrice()
    assert not Merge.objects.exists()
    assert open_proposals(wiki).count() <= 1
    if CHECKED in template:
        assert open_proposals(wiki).get().alike == 17


@pytest.mark.parametrize("is_dismissed", [False, True])
def test_runbooks_that_come_one_by_one_are_one_hint_too(
    wiki: Wiki, put: Put, person, is_dismissed: bool
) -> None:
    for name in SERVICES:
        put(f"Restart {name}", f"{RUNBOOK.format(name)}\n\n{CHECKED}")
        maintain()
        if is_dismissed:
            dismiss(open_proposals(wiki).select_related("first", "second"), person)
    assert not Merge.objects.exists()
    assert [hint.alike for hint in open_proposals(wiki)] == ([] if is_dismissed else [15])


def test_a_template_hides_no_pages_that_say_the_same(wiki: Wiki, put: Put) -> None:
    for name in SERVICES[:6]:
        put(f"Restart {name}", f"{RUNBOOK.format(name)}\n\n{CHECKED}")
    maintain()
    put("Restart: billing", f"{RUNBOOK.format('billing')}\n\n{CHECKED.lower()}")
    maintain()
    assert Merge.objects.count() == 1


@pytest.mark.parametrize(
    "pairs",
    [
        [
            "We chose SQLite over Postgres for simple deploys",
            "We chose fastembed over OpenAI for local embeddings",
        ],
        [
            "Wir nehmen SQLite statt Postgres wegen der Einfachheit",
            "Wir nehmen Voyage statt OpenAI wegen der Kosten",
        ],
        [
            "We chose SQLite over Postgres for simple deploys",
            "We chose fastembed over OpenAI for local embeddings",
            "We chose Postgres over SQLite for simple deploys",
        ],
    ],
)
def test_decisions_in_the_same_words_are_all_found_again(
    wiki: Wiki, file, pairs: list[str]
) -> None:
    for words in pairs:
        file(words)
    maintain_thrice()
    assert not Merge.objects.exists()
    for words in pairs:
        for mode in Mode:
            assert words in recall(wiki, words, mode=mode).hits[0].page.body


@pytest.mark.parametrize(
    "title", ["Merged PR #{}: search", "PR {} gemergt: Suche", "Commit 9f3c{} auf main"]
)
def test_numbered_notes_are_never_merged(wiki: Wiki, put: Put, title: str) -> None:
    for number in range(1, 21):
        put(title.format(number), "It is on the main branch and goes out with the next release.")
    maintain_thrice()
    assert not Merge.objects.exists()
    assert Page.objects.live().count() == 20
    assert open_proposals(wiki).count() <= 1


@pytest.mark.parametrize(
    "entries",
    [
        ["Load test 1 March: p95 420 ms", "Load test 1 April: p95 180 ms"],
        [
            "Lasttest 1. März: p95 420 ms",
            "Lasttest 1. April: p95 180 ms",
            "Lasttest 1. Mai: p95 420 ms",
        ],
        ["2026-03-01 Backup took 40 min", "2026-04-01 Backup took 40 min"],
    ],
)
@pytest.mark.parametrize("title", ["", "Load tests"])
def test_dated_entries_all_stay(file, entries: list[str], title: str) -> None:
    for entry in entries:
        file(entry, title=title)
    maintain_thrice()
    for entry in entries:
        assert all_texts().count(entry) == 1


@pytest.mark.parametrize(
    "titles",
    [["DGIA"] * 4, ["DGIA", "dgia", " DGIA", "Dgia"], ["Größe", "GRÖSSE", "größe", "Große"]],
)
def test_four_of_one_title_are_no_silent_twins(
    file, browser: Client, wiki: Wiki, titles: list[str]
) -> None:
    contexts = [
        "The agency grants the permit.",
        "A form for the tax office.",
        "Trains at noon.",
        "Wellen und Teilchen",
    ]
    for title, words in zip(titles, contexts, strict=True):
        assert file(words, title=title).outcome == Outcome.CREATED
    maintain_thrice()
    assert not Merge.objects.exists()
    listed = text(browser.get("/w/ops/health?finding=same-titles"))
    for page in Page.objects.live():
        assert f'href="{page.get_absolute_url()}"' in listed
    if len(set(titles)) == 1:
        assert open_proposals(wiki).exists()


@pytest.mark.parametrize(
    "words",
    ["The mirror drops answers over 64 MiB.", "Größe\r\nzählt e\u0301 𝔘 👍", "- eins\n- zwei"],
)
def test_the_same_insight_twice_is_known_by_its_page(api: ApiClient, words: str) -> None:
    first, again, third = (api.post("/insights", {"text": words}) for _ in range(3))
    assert (first.status_code, again.status_code, third.status_code) == (201, 200, 200)
    assert [answer.json()["outcome"] for answer in (first, again, third)] == [
        "created",
        "known",
        "known",
    ]
    assert again.json()["page"]["slug"] == first.json()["page"]["slug"]
    body = api.get(f"/pages/{first.json()['page']['slug']}").json()["body"]
    assert body == words.replace("\r\n", "\n")
    assert len(api.get("/pages").json()["pages"]) == 1


@pytest.mark.parametrize(
    ("page", "news"),
    [
        (
            "The shop keeps its orders in MySQL.",
            "The shop no longer keeps its orders in MySQL, now in Postgres.",
        ),
        ("Der Laden nutzt MySQL.", "Der Laden nutzt MySQL nicht mehr, jetzt Postgres."),
    ],
)
def test_what_takes_a_page_back_is_kept_beside_it_and_the_mark_is_handed_out(
    api: ApiClient, put: Put, page: str, news: str
) -> None:
    put("Shop", page)
    filed = api.post("/insights", {"text": news}).json()
    maintain_thrice()
    assert page in all_texts()
    assert news in all_texts()
    if filed["outcome"] == "appended":
        filed = api.post(
            "/insights", {"text": f"{news} Since the move.", "title": "Orders in Postgres"}
        ).json()
    new = filed["page"]["slug"]
    answer = api.post("/pages/shop/mark", {"standing": "replaced", "replaced_by": new})
    assert answer.status_code == 200
    for mode in Mode:
        rows = api.get(f"/recall?q={page}&mode={mode}").json()["pages"]
        assert [(row["slug"], row["standing"], row["replaced_by"]) for row in rows][-1] == (
            "shop",
            "replaced",
            new,
        )
        assert rows[0]["slug"] == new


@pytest.mark.parametrize(
    "entries",
    [
        [
            "Incident 12 March: the queue no longer answered, because the disk was full.",
            "Incident 14 March: the queue no longer answered, because the disk was full again.",
        ],
        [
            "Störung am 3.4.: Die Warteschlange antwortete nicht mehr, die Platte war voll.",
            "Störung am 5.4.: Die Warteschlange antwortete nicht mehr, das Netz war weg.",
            "Störung am 7.4.: Die Warteschlange antwortete nicht mehr, die Platte war voll.",
        ],
    ],
)
@pytest.mark.parametrize("page", ["", "queue"])
def test_incidents_with_no_longer_are_entries_beside_each_other(
    put: Put, file, entries: list[str], page: str
) -> None:
    put("Queue", "The queue of the shop. It runs on node seven.")
    for entry in entries:
        file(entry, page=page)
    maintain_thrice()
    assert not Merge.objects.exists()
    assert all_texts().count("It runs on node seven.") == 1
    for entry in entries:
        assert all_texts().count(entry) == 1
