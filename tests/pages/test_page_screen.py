"""A page as people read it."""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from embeddings.client import active_fingerprint
from tests.support.screens import HOSTILE, Write, text
from tests.support.writing import append_text, create_page, revise_page
from wiki.accounts.wikis import create_wiki
from wiki.indexing.embed import embed_batch
from wiki.insights.intake import Handed, file_insight
from wiki.models import Agent, Page, Redirect, ReembedRun, RunState, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

# -- the page


def test_a_page_shows_who_wrote_it_last(
    browser: Client, write: Write, wiki: Wiki, agent: Agent
) -> None:
    page = write("Runner", "Text", type="system", tags=["ci"])
    html = text(browser.get("/w/ops/runner"))
    assert "<title>Runner · Betrieb · covey</title>" in html
    assert 'class="who person"><span class="unseen">Person: </span>pat</span>' in html
    assert '<a class="chip" href="/w/ops/?tag=ci">ci</a>' in html
    file_insight(
        wiki, agent, Handed("Der Bildspeicher ist voll.", page=page.slug, source="ticket-17")
    )
    html = text(browser.get("/w/ops/runner"))
    assert 'class="who agent"><span class="unseen">Agent: </span>robin</span>' in html
    assert "from ticket-17" in html
    assert '<div class="insight">' in html


def test_contents_are_listed_from_three_headings_on(browser: Client, write: Write) -> None:
    two, three = write("Two", "# A\n# B"), write("Three", "# A\n# B\n## C")
    assert 'class="contents"' not in text(browser.get(two.get_absolute_url()))
    html = text(browser.get(three.get_absolute_url()))
    assert '<li class="level-2"><a href="#c">C</a></li>' in html


@pytest.mark.parametrize("first", ["# Log store", "log  STORE\n===", "# **Log** store"])
def test_a_first_heading_that_says_the_title_is_not_shown_twice(
    browser: Client, write: Write, first: str
) -> None:
    page = write("Log store", f"{first}\n\nText\n\n# Log store\n# A\n# B")
    html = text(browser.get(page.get_absolute_url()))
    assert html.count("<h1") == 4
    assert f'<h1 id="log-store">{page.title}</h1>' in html
    assert '<article class="prose"><p>Text</p>' in html
    assert html.count('<li class="level-1">') == 3
    assert first in text(browser.get("/w/ops/log-store.md"))
    assert text(browser.get("/w/ops/log-store/history/1")).count("<h1") == 4


@pytest.mark.parametrize(
    "body", ["# Log stores", "## Log store", "Text\n\n# Log store", "- # Log store"]
)
def test_any_other_first_heading_stays(browser: Client, write: Write, body: str) -> None:
    page = write("Log store", body)
    assert re.search(
        r'<article.*<h[12] id="log-stores?"',
        text(browser.get(page.get_absolute_url())),
        re.DOTALL,
    )


def test_pages_without_a_common_word_are_not_shown_as_similar(
    browser: Client, write: Write
) -> None:
    write("Runner", "Zwei Maschinen bauen Pakete.")
    write("Kettle", "Tea needs boiling water.")
    assert "Similar pages" not in text(browser.get("/w/ops/runner"))


def test_similar_pages_come_with_words_and_number(browser: Client, write: Write) -> None:
    write("Runner", "eins zwei drei vier fünf")
    write("Runner", "eins zwei drei vier fünf sechs")
    assert re.search(
        r'class="num">(very similar|nearly the same) 0\.\d\d<', text(browser.get("/w/ops/runner"))
    )
    german = text(browser.get("/w/ops/runner", headers={"Accept-Language": "de"}))
    assert re.search(r'class="num">(sehr ähnlich|fast gleich) 0,\d\d<', german)


def test_a_stale_page_says_that_it_will_be_embedded(browser: Client, write: Write) -> None:
    page = write("Runner", "Text")
    Page.objects.filter(pk=page.pk).update(embed_model="", embedding=None)
    assert "will be embedded" in text(browser.get("/w/ops/runner"))
    error = {"embed_error": "The model refuses this text.", "failed_model": "builtin:hash:256"}
    Page.objects.filter(pk=page.pk).update(**error)
    assert "The model refuses this text." in text(browser.get("/w/ops/runner"))


@pytest.mark.parametrize("spelling", ["Übung", "uebung", "ubung", "UEBUNG"])
def test_other_spellings_lead_to_the_slug(browser: Client, write: Write, spelling: str) -> None:
    write("Übung")
    assert browser.get(f"/w/ops/{quote(spelling)}")["Location"] == "/w/ops/%C3%BCbung"
    assert browser.get("/w/ops/%C3%BCbung").status_code == 200


def test_a_redirect_says_where_it_came_from(browser: Client, write: Write, wiki: Wiki) -> None:
    page = write("Runner")
    Redirect.objects.create(wiki=wiki, slug="old-runner", page=page)
    answer = browser.get("/w/ops/old-runner", follow=True)
    assert answer.redirect_chain == [("/w/ops/runner?from=old-runner", 302)]
    assert 'Redirected from “<a href="/w/ops/old-runner?redirect=no">old-runner</a>”.' in text(
        answer
    )
    assert "Redirected" not in text(browser.get("/w/ops/runner?from=made-up"))
    assert browser.get("/w/ops/runner?from=%00").status_code == 200


def test_a_missing_page_offers_near_ones_and_to_write_it(browser: Client, write: Write) -> None:
    write("Pipeline rot", "Was zu tun ist")
    answer = browser.get("/w/ops/pipeline-kaputt")
    assert answer.status_code == 404
    html = text(answer)
    assert "<mark>Pipeline</mark> rot" in html
    assert 'href="/w/ops/new?title=pipeline%20kaputt"' in html


def test_a_missing_page_says_when_it_is_in_the_trash(
    browser: Client, write: Write, author: Author
) -> None:
    trash_page(write("Runner"), author=author)
    answer = browser.get("/w/ops/runner")
    assert answer.status_code == 404
    assert "“Runner” is in the trash." in text(answer)
    address = re.search(r'href="(/w/ops/trash/\d+)"', text(answer))[1]
    assert browser.get(address).status_code == 200
    page_id = re.search(r'name="page_id" value="(\d+)"', text(answer))[1]
    assert browser.post("/w/ops/trash", {"page_id": page_id})["Location"] == "/w/ops/runner"


def test_the_text_of_a_page_in_the_trash_can_be_read(
    browser: Client, write: Write, author: Author
) -> None:
    page = write("Runner", f"Some **text** {HOSTILE}", tags=["ci"])
    address = f"/w/ops/trash/{page.pk}"
    assert browser.get(address).status_code == 404
    trash_page(page, author=Author.maintenance())
    assert f'href="{address}"' in text(browser.get("/w/ops/trash"))
    html = browser.get(address).content.decode()
    assert "Some <strong>text</strong> &lt;script&gt;" in html
    assert 'class="who maintenance"' in html
    assert "moved to the trash" in html
    create_wiki("Other")
    assert browser.get(f"/w/other/trash/{page.pk}").status_code == 404
    assert browser.get(f"/w/ops/trash/{10**30}").status_code == 404
    assert browser.post(address).status_code == 405


ODD = [
    "%00",
    "%ff",
    "%ED%A0%80",
    "a" * 10_000,
    "%F0%9F%98%80" * 300,
    "..%5c..",
    "%3Cscript%3E",
    "x%0d%0aSet-Cookie:y",
]


@pytest.mark.parametrize("odd", ODD, ids=[odd[:12] for odd in ODD])
@pytest.mark.parametrize(
    "address",
    [
        "/w/{}/",
        "/w/ops/{}",
        "/w/ops/{}.md",
        "/w/ops/{}/edit",
        "/w/ops/{}/history/1",
        "/w/ops/{}/trash",
    ],
)
def test_odd_addresses_are_not_found(browser: Client, wiki: Wiki, odd: str, address: str) -> None:
    answer = browser.get(address.format(odd))
    assert answer.status_code == 404
    assert "<script>alert" not in answer.content.decode()


def test_the_markdown_is_handed_out_byte_for_byte(browser: Client, write: Write) -> None:
    page = write("Übung", "- a\n- [ ] b <b>\n\n`x`  \n")
    answer = browser.get("/w/ops/%C3%BCbung.md")
    assert answer.content.decode() == page.body
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_title_that_looks_like_a_file_is_reached(browser: Client, write: Write) -> None:
    write("README.md", "x")
    assert browser.get("/w/ops/README.md")["Location"] == "/w/ops/readme-md"


def test_hostile_words_are_text_on_every_screen(
    browser: Client, wiki: Wiki, author: Author
) -> None:
    evil = Author.of_agent(Agent.objects.create(name=f"a{HOSTILE}", home_wiki=wiki))
    page = create_page(
        wiki,
        title=f"T{HOSTILE}",
        body=f"b {HOSTILE} xuxu",
        author=evil,
        tags=[HOSTILE],
        summary=HOSTILE,
    )
    create_page(
        wiki, title="Linking", body=f"{HOSTILE} [[{page.slug}|{HOSTILE}]] {HOSTILE}", author=evil
    )
    revise_page(page, 1, title=page.title, body=f"c {HOSTILE} xuxu", author=evil, summary=HOSTILE)
    slug = page.slug
    addresses = [
        "",
        "search?q=xuxu",
        f"search?q={quote(HOSTILE)}",
        slug,
        f"{slug}/edit",
        f"{slug}/history",
        f"{slug}/trash",
        f"{slug}/history/1",
        f"{slug}/history/2?changes",
        f"?tag={quote(HOSTILE)}",
        quote(HOSTILE),
        f"new?title={quote(HOSTILE)}",
    ]
    for address in addresses:
        assert "<script>alert" not in browser.get(f"/w/ops/{address}").content.decode(), address
    trash_page(Page.objects.get(pk=page.pk), author=evil)
    assert "<script>alert" not in browser.get("/w/ops/trash").content.decode()


def test_every_answer_forbids_scripts_from_elsewhere(browser: Client, write: Write) -> None:
    write("Runner")
    answer = browser.get("/w/ops/runner")
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert not re.search(r'\s(on\w+|style)="', answer.content.decode())


# -- the embedding's state, on every screen


SCREENS = ["/w/ops/", "/w/ops/runner", "/w/ops/search?q=nothing"]


def begin_run(state: RunState, **more: object) -> None:
    Page.objects.exclude(slug="done").update(embed_model="", embedding=None)
    ReembedRun.objects.update_or_create(
        fingerprint=active_fingerprint(), defaults={"state": state, **more}
    )


@pytest.mark.parametrize("address", SCREENS)
def test_screens_say_how_far_the_embedding_is(browser: Client, write: Write, address: str) -> None:
    for title in ("Done", "Runner", "Other"):
        write(title)
    assert "embedded" not in text(browser.get(address)).partition("<main")[0]
    begun = timezone.now() - timedelta(minutes=3)
    begin_run(
        RunState.RUNNING, embedded=1, started_at=begun, progressed_at=begun + timedelta(minutes=2)
    )
    html = text(browser.get(address)).partition("<main")[0]
    assert (
        "1 of 3 pages embedded, about 4 minutes left.</strong> Words find the rest meanwhile."
        in html
    )
    assert "To the status" not in html
    german = text(browser.get(address, headers={"Accept-Language": "de"}))
    assert "1 von 3 Seiten eingebettet, noch etwa 4 Minuten." in german


@pytest.mark.parametrize("address", SCREENS)
def test_the_notice_is_gone_right_after_the_last_batch(
    browser: Client, write: Write, address: str
) -> None:
    write("Runner")
    begin_run(RunState.RUNNING)
    assert "0 of 1 pages embedded" in text(browser.get(address))
    list(embed_batch())
    assert "pages embedded" not in text(browser.get(address))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (RunState.WAITING, "The embedding service does not answer. 1 page waits to be embedded."),
        (RunState.FAILED, "The embedding service does not answer. 1 page waits to be embedded."),
        (RunState.STOPPED, "The embedding has stopped. 1 page waits to be embedded."),
    ],
)
def test_screens_say_when_only_words_find_pages(
    browser: Client, admin_client: Client, write: Write, state: RunState, words: str
) -> None:
    write("Runner")
    begin_run(state, error="refused", attempt=1)
    assert f"Words only.</strong> {words}" in text(browser.get("/w/ops/runner"))
    assert '<a href="/admin/embedding/">To the status</a>' in text(
        admin_client.get("/w/ops/runner")
    )


def test_a_search_says_once_that_pages_wait(browser: Client, write: Write) -> None:
    write("Runner", "Pipeline")
    begin_run(RunState.RUNNING)
    html = text(browser.get("/w/ops/search?q=pipeline"))
    assert "0 of 1 pages embedded" in html
    assert "not embedded yet" not in html


def test_a_page_says_whether_people_or_agents_wrote_on_it(
    browser: Client, write: Write, agent: Agent
) -> None:
    page = write("Runner", "one")
    html = text(browser.get("/w/ops/runner"))
    assert '<span class="who person">people</span>' in html
    assert '<span class="who agent">agents</span>' not in html
    append_text(page, "more words", author=Author.of_agent(agent))
    assert '<span class="who agent">agents</span>' in text(browser.get("/w/ops/runner"))
