"""The screens: what they show, whom they let in, what they answer to odd addresses, how many queries they need."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from embeddings.client import EmbeddingError, active_fingerprint
from wiki.authors import Author
from wiki.editing import create_page, revise_page, trash_page
from wiki.excerpts import mark_words, plain_text, quote_link
from wiki.indexing import embed_packet
from wiki.insights import Handed, file_insight
from wiki.models import Agent, Page, Redirect, ReembedRun, RevisionKind, RunState, Wiki
from wiki.urls import urlpatterns
from wiki.wikis import create_wiki

Write = Callable[..., Page]
OPEN = {"login", "logout", "set_language"}


@pytest.fixture
def browser(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


@pytest.fixture
def staff(person: User) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("mira", is_staff=True))
    return client


def text(response) -> str:
    return unescape(response.content.decode())


def focused(response) -> list[str]:
    fields = re.findall(r"<(?:input|textarea)[^>]*>", text(response))
    return [re.search(r' id="(\w+)"', field)[1] for field in fields if " autofocus" in field]


def count_queries(browser: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert browser.get(address).status_code == 200
    return len(queries)


# -- who gets in


def test_every_address_but_signing_in_asks_who_it_is(client: Client, write: Write) -> None:
    write("Runner")
    words = {"wiki_slug": "ops", "slug": "runner", "number": 1, "page_id": 1}
    for pattern in urlpatterns:
        if getattr(pattern, "name", None) in {*OPEN, None}:
            continue
        address = "/" + re.sub(r"<\w+:(\w+)>", lambda match: str(words[match[1]]), str(pattern.pattern))
        for answer in (client.get(address), client.post(address)):
            assert answer.status_code == 302, address
            assert answer["Location"].startswith("/login?next=/"), address


def test_signing_in_leads_to_the_page_that_was_asked_for(client: Client, write: Write, person: User) -> None:
    write("Runner")
    asked = client.get("/w/ops/runner")
    posted = {"username": "pat", "password": "correct horse battery", "next": "/w/ops/runner"}
    assert client.post(asked["Location"], posted)["Location"] == "/w/ops/runner"


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(client: Client, person: User) -> None:
    answers = [client.post("/login", {"username": name, "password": "no"}) for name in ("pat", "nobody")]
    notes = [re.search(r'role="alert">(.*?)<', text(answer))[1] for answer in answers]
    assert notes[0] == notes[1]


def test_after_a_wrong_password_the_cursor_stands_in_the_password(client: Client, person: User) -> None:
    assert focused(client.get("/login")) == ["id_username"]
    assert focused(client.post("/login", {"username": "pat", "password": "no"})) == ["id_password"]
    assert focused(client.post("/login", {"username": "", "password": "no"})) == ["id_username"]


def test_signing_out_needs_a_post(browser: Client) -> None:
    assert browser.get("/logout").status_code == 405
    assert browser.post("/logout")["Location"] == "/login"
    assert browser.get("/").status_code == 302


def test_a_password_can_be_changed(browser: Client, person: User) -> None:
    new = "staple battery horse"
    posted = {"old_password": "correct horse battery", "new_password1": new, "new_password2": new}
    assert browser.post("/password", posted, follow=True).status_code == 200
    person.refresh_from_db()
    assert person.check_password(new)


@pytest.mark.parametrize(
    "address", ["/w/ops/runner/trash", "/w/ops/trash", "/w/ops/runner/history/1", "/w/ops/preview", "/"]
)
def test_changes_need_a_csrf_token(write: Write, person: User, address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    write("Runner")
    assert client.post(address, {"page_id": 1}).status_code == 403


# -- wikis


def test_the_wikis_show_their_pages_and_last_change(browser: Client, write: Write) -> None:
    write("A")
    write("B")
    create_wiki("Another", "About <b>things</b>")
    html = text(browser.get("/"))
    assert "2 pages · last change" in html
    assert html.index("Another") < html.index("Betrieb")
    assert "About &lt;b&gt;" in browser.get("/").content.decode()


def test_staff_can_make_a_wiki(staff: Client, wiki: Wiki) -> None:
    assert staff.post("/", {"name": "Übung & Co"})["Location"] == f"/w/{quote('übung-co')}/"
    again = staff.post("/", {"name": "ÜBUNG, co"})
    assert again.status_code == 422
    assert "There is a wiki with the address “übung-co” already." in text(again)


def test_a_wiki_may_have_a_name_without_a_letter(staff: Client, db: None) -> None:
    address = staff.post("/", {"name": "!!!"})["Location"]
    assert "<h1>!!!</h1>" in text(staff.get(address))


def test_nobody_else_can_make_a_wiki(browser: Client, wiki: Wiki) -> None:
    assert "New wiki" not in text(browser.get("/"))
    assert browser.post("/", {"name": "Mine"}).status_code == 403
    assert Wiki.objects.count() == 1


def test_without_a_wiki_the_first_screen_says_what_to_do(staff: Client, browser: Client) -> None:
    assert "Make the first one below" in text(staff.get("/"))
    assert "Ask somebody who administers" in text(browser.get("/"))


# -- index


def test_an_empty_wiki_says_what_to_do_first(browser: Client, wiki: Wiki) -> None:
    html = text(browser.get("/w/ops/"))
    assert "Write the first page" in html
    assert ".venv/bin/python manage.py import_pages FOLDER --wiki ops" in html
    assert ".venv/bin/python manage.py create_token NAME --wiki ops" in html


def listed(response) -> list[str]:
    html = response.content.decode().partition('<div class="listing">')[2].partition("</main>")[0]
    return [unescape(title) for title in re.findall(r'<a href="/w/ops/[^"]+">([^<]*)</a>', html)]


def test_the_index_is_sorted_as_people_sort(browser: Client, write: Write) -> None:
    for title in ("Zebra", "übung", "Uhr", "apfel", "Ähre", "9 Leben"):
        write(title)
    assert listed(browser.get("/w/ops/")) == ["9 Leben", "Ähre", "apfel", "übung", "Uhr", "Zebra"]
    assert listed(browser.get("/w/ops/?letter=U")) == ["übung", "Uhr"]


def test_w77_the_index_is_narrowed_by_type_tag_and_target(browser: Client, write: Write) -> None:
    write("Runner", type="system", tags=["Anschlüsse"])
    write("Other", "[[Runner]] [[Other]]", type="problem")
    assert listed(browser.get("/w/ops/?type=system")) == ["Runner"]
    assert listed(browser.get("/w/ops/?tag=Anschl%C3%BCsse")) == ["Runner"]
    assert listed(browser.get("/w/ops/?to=runner")) == ["Other"]
    assert listed(browser.get("/w/ops/?to=other")) == []
    assert listed(browser.get("/w/ops/?type=problem&tag=anschl%C3%BCsse")) == []


@pytest.mark.parametrize(
    "query", ["type=nonsense", "page=99999999999999999999", "page=x", "tag=%00", "to=%00%ff", "letter=%00"]
)
def test_an_odd_filter_is_no_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/?{query}").status_code == 200


def test_the_index_is_paged_at_a_hundred(browser: Client, wiki: Wiki, write: Write) -> None:
    page = write("Page")
    Page.objects.bulk_create(
        Page(wiki=wiki, slug=f"p-{n}", title=f"P {n:03}", title_key=f"p {n:03}", text_hash=page.text_hash)
        for n in range(120)
    )
    assert len(listed(browser.get("/w/ops/"))) == 100
    assert len(listed(browser.get("/w/ops/?page=2"))) == 21
    assert 'href="?type=' not in text(browser.get("/w/ops/?page=2"))


def test_trashed_pages_are_in_no_list(browser: Client, write: Write, author: Author) -> None:
    trash_page(write("Secret plan", "pipeline", tags=["hidden-tag"]), author=author)
    write("Runner", "pipeline")
    for address in ("/w/ops/", "/w/ops/search?q=pipeline+secret", "/w/ops/runner", "/w/ops/nothing"):
        html = text(browser.get(address))
        assert "Secret plan" not in html
        assert "hidden-tag" not in html


def test_nothing_crosses_from_one_wiki_into_another(browser: Client, write: Write) -> None:
    write("Runner", "pipeline")
    create_wiki("Other")
    assert "Runner" not in text(browser.get("/w/other/search?q=pipeline+runner"))
    for address in ("runner", "runner.md", "runner/edit", "runner/history", "runner/history/1", "runner/trash"):
        assert browser.get(f"/w/other/{address}").status_code == 404


# -- the page


def test_a_page_shows_who_wrote_it_last(browser: Client, write: Write, wiki: Wiki, agent: Agent) -> None:
    page = write("Runner", "Text", type="system", tags=["ci"])
    html = text(browser.get("/w/ops/runner"))
    assert "<title>Runner · Betrieb · covey</title>" in html
    assert 'class="who person"><span class="unseen">Person: </span>pat</span>' in html
    assert '<a class="chip" href="/w/ops/?tag=ci">ci</a>' in html
    file_insight(wiki, agent, Handed("Der Bildspeicher ist voll.", page=page.slug, source="ticket-17"))
    html = text(browser.get("/w/ops/runner"))
    assert 'class="who agent"><span class="unseen">Agent: </span>robin</span>' in html
    assert "from ticket-17" in html
    assert '<div class="insight">' in html


def test_contents_are_listed_from_three_headings_on(browser: Client, write: Write) -> None:
    two, three = write("Two", "# A\n# B"), write("Three", "# A\n# B\n## C")
    assert 'class="contents"' not in text(browser.get(two.get_absolute_url()))
    html = text(browser.get(three.get_absolute_url()))
    assert '<li class="level-2"><a href="#h-c">C</a></li>' in html


@pytest.mark.parametrize("first", ["# Log store", "log  STORE\n===", "# **Log** store"])
def test_a_first_heading_that_says_the_title_is_not_shown_twice(browser: Client, write: Write, first: str) -> None:
    page = write("Log store", f"{first}\n\nText\n\n# Log store\n# A\n# B")
    html = text(browser.get(page.get_absolute_url()))
    assert html.count("<h1") == 4
    assert f'<h1 id="h-log-store">{page.title}</h1>' in html
    assert '<article class="prose"><p>Text</p>' in html
    assert html.count('<li class="level-1">') == 3
    assert first in text(browser.get("/w/ops/log-store.md"))
    assert text(browser.get("/w/ops/log-store/history/1")).count("<h1") == 4


@pytest.mark.parametrize("body", ["# Log stores", "## Log store", "Text\n\n# Log store", "- # Log store"])
def test_any_other_first_heading_stays(browser: Client, write: Write, body: str) -> None:
    page = write("Log store", body)
    assert re.search(r'<article.*<h[12] id="h-log-stores?"', text(browser.get(page.get_absolute_url())), re.DOTALL)


def test_similar_pages_come_with_words_and_number(browser: Client, write: Write) -> None:
    write("Runner", "eins zwei drei vier fünf")
    write("Runner", "eins zwei drei vier fünf sechs")
    assert re.search(r'class="num">(very similar|nearly the same) 0\.\d\d<', text(browser.get("/w/ops/runner")))
    german = text(browser.get("/w/ops/runner", headers={"Accept-Language": "de"}))
    assert re.search(r'class="num">(sehr ähnlich|fast gleich) 0,\d\d<', german)


def test_a_stale_page_says_that_it_will_be_embedded(browser: Client, write: Write) -> None:
    page = write("Runner", "Text")
    Page.objects.filter(pk=page.pk).update(embed_model="", embedding=None)
    assert "will be embedded" in text(browser.get("/w/ops/runner"))
    Page.objects.filter(pk=page.pk).update(embed_error="The model refuses this text.")
    assert "The model refuses this text." in text(browser.get("/w/ops/runner"))


@pytest.mark.parametrize("spelling", ["Übung", "uebung", "ubung", "UEBUNG"])
def test_w49_other_spellings_lead_to_the_slug(browser: Client, write: Write, spelling: str) -> None:
    write("Übung")
    assert browser.get(f"/w/ops/{quote(spelling)}")["Location"] == "/w/ops/%C3%BCbung"
    assert browser.get("/w/ops/%C3%BCbung").status_code == 200


def test_w46_a_redirect_says_where_it_came_from(browser: Client, write: Write, wiki: Wiki) -> None:
    page = write("Runner")
    Redirect.objects.create(wiki=wiki, slug="old-runner", page=page)
    answer = browser.get("/w/ops/old-runner", follow=True)
    assert answer.redirect_chain == [("/w/ops/runner?from=old-runner", 302)]
    assert "Redirected from “old-runner”." in text(answer)
    assert "Redirected" not in text(browser.get("/w/ops/runner?from=made-up"))
    assert browser.get("/w/ops/runner?from=%00").status_code == 200


def test_a_missing_page_offers_near_ones_and_to_write_it(browser: Client, write: Write) -> None:
    write("Pipeline rot", "Was zu tun ist")
    answer = browser.get("/w/ops/pipeline-kaputt")
    assert answer.status_code == 404
    html = text(answer)
    assert "<mark>Pipeline</mark> rot" in html
    assert 'href="/w/ops/new?title=pipeline%20kaputt"' in html


def test_a_missing_page_says_when_it_is_in_the_trash(browser: Client, write: Write, author: Author) -> None:
    trash_page(write("Runner"), author=author)
    answer = browser.get("/w/ops/runner")
    assert answer.status_code == 404
    assert "“Runner” is in the trash." in text(answer)
    address = re.search(r'href="(/w/ops/trash/\d+)"', text(answer))[1]
    assert browser.get(address).status_code == 200
    page_id = re.search(r'name="page_id" value="(\d+)"', text(answer))[1]
    assert browser.post("/w/ops/trash", {"page_id": page_id})["Location"] == "/w/ops/runner"


def test_the_text_of_a_page_in_the_trash_can_be_read(browser: Client, write: Write, author: Author) -> None:
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


ODD = ["%00", "%ff", "%ED%A0%80", "a" * 10_000, "%F0%9F%98%80" * 300, "..%5c..", "%3Cscript%3E", "x%0d%0aSet-Cookie:y"]


@pytest.mark.parametrize("odd", ODD, ids=[odd[:12] for odd in ODD])
@pytest.mark.parametrize(
    "address", ["/w/{}/", "/w/ops/{}", "/w/ops/{}.md", "/w/ops/{}/edit", "/w/ops/{}/history/1", "/w/ops/{}/trash"]
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


HOSTILE = "<script>alert(1)</script>"


def test_w81_hostile_words_are_text_on_every_screen(browser: Client, wiki: Wiki, author: Author) -> None:
    evil = Author.of_agent(Agent.objects.create(name=f"a{HOSTILE}", home_wiki=wiki))
    page = create_page(
        wiki, title=f"T{HOSTILE}", body=f"b {HOSTILE} xuxu", author=evil, tags=[HOSTILE], summary=HOSTILE
    )
    create_page(wiki, title="Linking", body=f"{HOSTILE} [[{page.slug}|{HOSTILE}]] {HOSTILE}", author=evil)
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


# -- writing


def test_a_new_page_is_written_in_the_form(browser: Client, wiki: Wiki) -> None:
    assert 'value="Neue & alte"' in text(browser.get("/w/ops/new?title=Neue+%26+alte"))
    posted = {"title": "Neue & alte", "body": "Text", "tags": "A, b,,", "type": "topic", "action": "save"}
    assert browser.post("/w/ops/new", posted)["Location"] == "/w/ops/neue-alte"
    assert Page.objects.get().tags == ["a", "b"]


def test_the_cursor_stands_where_one_begins_to_write(browser: Client, write: Write) -> None:
    write("Runner", "Text")
    assert focused(browser.get("/w/ops/new")) == ["id_title"]
    assert focused(browser.get("/w/ops/new?title=Neu")) == ["id_body"]
    assert focused(browser.get("/w/ops/runner/edit")) == ["id_body"]
    assert focused(browser.get("/w/ops/new?title=Runner")) == []
    assert focused(browser.post("/w/ops/new", {"title": "", "body": "x", "action": "save"})) == []


def test_a_title_that_exists_is_offered_to_be_opened(browser: Client, write: Write) -> None:
    write("Runner", "old")
    assert "There is a page “Runner” already." in text(browser.get("/w/ops/new?title=runner"))
    posted = {"title": "runner", "body": "mine", "action": "save"}
    answer = browser.post("/w/ops/new", posted)
    assert answer.status_code == 409
    assert ">\nmine</textarea>" in text(answer)
    assert browser.post("/w/ops/new", {**posted, "action": "save-second"})["Location"] == "/w/ops/runner-2"


def test_a_title_that_only_folds_alike_is_no_namesake(browser: Client, write: Write) -> None:
    write("Deja Dup")
    posted = {"title": "Déjà Dup", "body": "x", "action": "save"}
    assert browser.post("/w/ops/new", posted).status_code == 302


def test_the_preview_works_without_a_script(browser: Client, write: Write) -> None:
    page = write("Runner", "old")
    for address in ("/w/ops/new", "/w/ops/runner/edit"):
        posted = {
            "title": "Runner",
            "body": "**new** [[Runner]]",
            "page_id": page.pk,
            "base_revision": 1,
            "action": "preview",
        }
        html = text(browser.post(address, posted))
        assert "<strong>new</strong>" in html
        assert 'href="/w/ops/runner"' in html
    assert Page.objects.get().revision == 1


def test_the_preview_for_the_script_is_drawn_by_the_same_rules(browser: Client, write: Write) -> None:
    write("Runner")
    answer = browser.post("/w/ops/preview", {"body": f"[[Runner]] [[x]] {HOSTILE}"})
    html = answer.content.decode()
    assert '<a href="/w/ops/runner"' in html
    assert 'class="new"' in html
    assert "<script" not in html
    assert browser.get("/w/ops/preview").status_code == 405
    assert browser.post("/w/ops/preview", {"body": "x" * 300_000}).status_code == 413


# -- history


def test_history_shows_author_kind_summary_and_growth(browser: Client, write: Write, author: Author) -> None:
    page = write("Runner", "12345")
    revise_page(page, 1, title="Runner", body="123", author=Author.maintenance(), summary="shorter")
    html = text(browser.get("/w/ops/runner/history"))
    assert 'class="who maintenance"' in html
    assert "shorter" in html
    assert "−2 characters" in html
    assert "+5 characters" in html
    assert html.index("shorter") < html.index("+5 characters")


def test_every_old_revision_can_be_restored_from_the_list(browser: Client, write: Write, author: Author) -> None:
    page = write("Runner", "1")
    for number in (1, 2):
        page = revise_page(page, number, title="Runner", body=str(number + 1), author=author)
    html = text(browser.get("/w/ops/runner/history"))
    assert re.findall(r'<form method="post" action="/w/ops/runner/history/(\d)">', html) == ["2", "1"]
    assert html.count('name="base_revision" value="3"') == 2


def test_an_old_revision_is_shown_and_restored(browser: Client, write: Write, author: Author) -> None:
    page = write("Runner", "first **text**", tags=["a"])
    page = revise_page(page, 1, title="Läufer", body="second", tags=["b"], author=author)
    html = text(browser.get("/w/ops/runner/history/1"))
    assert "<strong>text</strong>" in html
    assert "not the present text" in html
    assert browser.post("/w/ops/runner/history/1", {"base_revision": 2})["Location"] == "/w/ops/runner"
    page.refresh_from_db()
    assert (page.title, page.body, page.tags, page.revision) == ("Runner", "first **text**", ["a"], 3)
    assert page.revisions.get(number=3).kind == RevisionKind.REVERT


def test_a_restore_from_an_outdated_screen_changes_nothing(browser: Client, write: Write, author: Author) -> None:
    page = revise_page(write("Runner", "one"), 1, title="Runner", body="two", author=author)
    for base in ("1", "", "x", "9" * 50):
        assert "has changed since" in text(
            browser.post("/w/ops/runner/history/1", {"base_revision": base}, follow=True)
        )
    page.refresh_from_db()
    assert page.body == "two"


def test_changes_of_a_revision_are_marked(browser: Client, write: Write, author: Author) -> None:
    revise_page(write("Runner", "Port 8080"), 1, title="Läufer", body="Port 8081", author=author)
    html = text(browser.get("/w/ops/runner/history/2?changes"))
    assert "<del> 8080</del><ins> 8081</ins>" in html
    assert "<del>Runner</del> <ins>Läufer</ins>" in html


@pytest.mark.parametrize("number", [0, 3, 10**30])
def test_a_revision_that_never_was_is_not_found(browser: Client, write: Write, number: int) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/runner/history/{number}").status_code == 404


# -- trash


def test_the_trash_asks_once_and_gives_back(browser: Client, write: Write) -> None:
    page = write("Runner", "Text")
    asked = browser.get("/w/ops/runner/trash")
    assert "Move “Runner” to the trash?" in text(asked)
    assert Page.objects.live().count() == 1
    posted = {"page_id": page.pk, "base_revision": 1}
    assert browser.post("/w/ops/runner/trash", posted)["Location"] == "/w/ops/trash"
    assert browser.get("/w/ops/runner").status_code == 404
    assert "Runner" in text(browser.get("/w/ops/trash"))
    assert browser.post("/w/ops/trash", {"page_id": page.pk})["Location"] == "/w/ops/runner"
    assert browser.get("/w/ops/runner").status_code == 200


@pytest.mark.parametrize(
    "posted", [{}, {"base_revision": "1"}, {"page_id": "0", "base_revision": "1"}, {"base_revision": "7"}]
)
def test_trashing_what_was_not_looked_at_changes_nothing(browser: Client, write: Write, posted: dict[str, str]) -> None:
    page = write("Runner")
    if posted.get("base_revision") == "7":
        posted = {**posted, "page_id": str(page.pk)}
    browser.post("/w/ops/runner/trash", posted)
    assert Page.objects.live().count() == 1


def test_a_page_whose_address_was_taken_stays_in_the_trash(
    browser: Client, wiki: Wiki, write: Write, author: Author
) -> None:
    page = write("Runner")
    trash_page(page, author=author)
    create_page(wiki, title="Runner", body="", author=author)
    answer = browser.post("/w/ops/trash", {"page_id": page.pk}, follow=True)
    assert "“Runner” stays in the trash" in text(answer)
    assert 'name="new_address"' in text(answer)
    restored = browser.post("/w/ops/trash", {"page_id": page.pk, "new_address": "1"})
    assert restored["Location"] == "/w/ops/runner-2"
    assert browser.get("/w/ops/runner-2").status_code == 200


@pytest.mark.parametrize("page_id", ["", "x", "0", "9" * 40, "-1"])
def test_restoring_what_is_not_there_is_not_found(browser: Client, wiki: Wiki, page_id: str) -> None:
    assert browser.post("/w/ops/trash", {"page_id": page_id}).status_code == 404


# -- search


def test_search_marks_words_and_says_how_it_found_them(browser: Client, write: Write) -> None:
    write("Pipeline rot", "Für uns steht die Pipeline still.")
    html = text(browser.get("/w/ops/search?q=pipeline+steht"))
    assert "<mark>Pipeline</mark> rot" in html
    assert "uns <mark>steht</mark> die <mark>Pipeline</mark>" in html
    assert re.search(r"loosely related 0\.\d\d", html)
    assert "meaning" not in html


def test_search_says_which_pages_a_model_found_by_meaning(use, browser: Client, write: Write) -> None:
    use("ollama")
    write("Pipeline rot", "Für uns steht die Pipeline still.")
    assert "meaning and words" in text(browser.get("/w/ops/search?q=pipeline+steht"))


def test_what_builtin_finds_by_chance_is_not_shown(browser: Client, write: Write) -> None:
    for number in range(20):
        write(f"Notiz {number}", f"Kurzer Text {number}")
    assert hits(browser.get("/w/ops/search?q=xyzzyplugh")) == []


def hits(response) -> list[str]:
    return [unquote(slug) for slug in re.findall(r'<li><a href="/w/ops/([^"]+)"><b>', text(response))]


def test_w71_the_page_of_that_name_is_offered_first(browser: Client, write: Write) -> None:
    write("Greetings", "hello hello hello")
    write("hello")
    answer = browser.get("/w/ops/search?q=Hello")
    assert hits(answer) == ["hello", "greetings"]
    assert "found in the title" in text(answer)
    assert "Create the page" not in text(answer)


@pytest.mark.parametrize(
    ("typed", "slug"),
    [
        ("warteschl", "warteschlange-neu-starten"),
        ("WARTESCHLANGE NEU", "warteschlange-neu-starten"),
        ("schlange start", "warteschlange-neu-starten"),
        ("backu", "nightly-backup-fails"),
        ("ubung", "große-übung"),
        ("uebung gros", "große-übung"),
        ("!!!", "page-e84c53"),
    ],
)
def test_pages_are_found_by_what_their_titles_begin_with(browser: Client, write: Write, typed: str, slug: str) -> None:
    for title in ("Warteschlange neu starten", "Nightly backup fails", "Große Übung"):
        write(title, "Es geht um etwas.")
    write("!!!", slug="page-e84c53")
    write("Elsewhere", f"{typed} {typed}")
    assert hits(browser.get("/w/ops/search", {"q": typed}))[0] == slug
    assert [row["slug"] for row in browser.get("/w/ops/titles", {"q": typed}).json()] == [slug]


def test_titles_come_by_how_well_they_fit(browser: Client, write: Write) -> None:
    for title in ("Rebackup", "Nightly backup", "Backup plan", "Backup"):
        write(title)
    rows = browser.get("/w/ops/titles?q=backup").json()
    assert [row["title"] for row in rows] == ["Backup", "Backup plan", "Nightly backup", "Rebackup"]
    assert hits(browser.get("/w/ops/search?q=backup")) == ["backup", "backup-plan", "nightly-backup", "rebackup"]


def test_short_words_do_not_stand_inside_of_others(browser: Client, write: Write) -> None:
    write("Protokoll")
    assert browser.get("/w/ops/titles?q=rot").json() == []


def test_proposed_titles_are_few_live_and_of_this_wiki(browser: Client, write: Write, author: Author) -> None:
    trash_page(write("Runner 0"), author=author)
    create_page(create_wiki("Other"), title="Runner x", body="", author=author)
    for number in range(1, 12):
        write(f"Runner {number}", type="system")
    rows = browser.get("/w/ops/titles?q=runner").json()
    assert len(rows) == 8
    assert rows[0] == {"title": "Runner 1", "slug": "runner-1", "type": "System", "url": "/w/ops/runner-1"}
    assert {"runner-0", "runner-x"}.isdisjoint(row["slug"] for row in rows)
    assert count_queries(browser, "/w/ops/titles?q=runner") <= 4
    assert browser.post("/w/ops/titles").status_code == 405


@pytest.mark.parametrize("query", ["", "%00", "%ff", "'", "%25", "_", "(", "a" * 20_000, "%F0%9F%98%80", "a+" * 500])
def test_no_beginning_of_a_title_is_an_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/titles?q={query}").json() == []


@pytest.mark.parametrize("name", ["Große Übung", "große  übung", "große-übung"])
def test_the_header_opens_the_page_of_that_name(browser: Client, write: Write, name: str) -> None:
    write("Große Übung")
    assert 'name="jump"' in text(browser.get("/w/ops/"))
    assert browser.get("/w/ops/search", {"q": name, "jump": 1})["Location"] == f"/w/ops/{quote('große-übung')}"
    assert browser.get("/w/ops/search", {"q": name}).status_code == 200
    assert browser.get("/w/ops/search", {"q": "übung", "jump": 1}).status_code == 200


def test_a_search_for_what_is_not_there_offers_to_write_it(browser: Client, write: Write) -> None:
    write("Runner")
    html = text(browser.get("/w/ops/search?q=Kaffeemaschine"))
    assert "Nothing was found for “Kaffeemaschine”." in html
    assert 'href="/w/ops/new?title=Kaffeemaschine"' in html


def test_search_says_when_only_words_could_answer(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Runner", "Pipeline")

    def away(query: str) -> None:
        raise EmbeddingError("nobody answers", permanent=False)

    monkeypatch.setattr("wiki.recall.embed_query", away)
    html = text(browser.get("/w/ops/search?q=pipeline"))
    assert "Words only." in html
    assert "nobody answers" in html
    assert ">Runner<" in html


def test_search_says_how_many_pages_wait_for_their_embedding(browser: Client, write: Write) -> None:
    write("Runner", "Pipeline")
    Page.objects.update(embed_model="", embedding=None)
    assert "1 page is not embedded yet." in text(browser.get("/w/ops/search?q=pipeline"))


@pytest.mark.parametrize("query", ["", "%00", "%ff", "'", '"', "(", "!", "a" * 20_000, "%F0%9F%98%80", "x:* | & !"])
def test_no_query_is_an_error(browser: Client, write: Write, query: str) -> None:
    write("Runner")
    assert browser.get(f"/w/ops/search?q={query}").status_code == 200


def marked(words: str, query: str) -> list[str]:
    return [part.text for part in mark_words(words, query) if part.is_marked]


def test_w74_words_are_marked_whatever_their_accents() -> None:
    for query in ("Büchelberg", "buechelberg", "Buchelberg"):
        assert marked("In Büchelberg, am Berg.", query) == ["Büchelberg"]
    assert marked("Für uns steht es", "steht") == ["steht"]
    assert marked("The tests and a test", "Tests") == ["tests", "test"]
    assert marked("so also", "so") == ["so"]


def test_an_excerpt_reads_as_words() -> None:
    listed = "## Plan\n\n- [ ] see [[A|b]]\n1. *one*\n\n"
    markdown = f"{listed}| x | y |\n|---|:-:|\n| 1 | 2 |\n\n::: insight robin | 2026-01-01\nText\n:::"
    assert " ".join(plain_text(markdown).split()) == "Plan see b one x · y 1 · 2 Text"


def test_the_language_of_code_is_no_word_of_the_text() -> None:
    markdown = "Renew:\n\n```bash title=x\nsudo certbot\n```\n- ~~~ sh\n  ls ~/x\n  ~~~\n\n``a`` ```b``` c"
    assert " ".join(plain_text(markdown).split()) == "Renew: sudo certbot ls /x a b c"


def test_a_quote_from_a_table_keeps_its_cells_apart() -> None:
    body = "| Service | Time |\n|---|---|\n| The [[Log store]] | 4 h |\n\n- [[Runner]] | - too"
    assert [part.text for part in quote_link(body, ["Log store"])] == ["The ", "Log store", " · 4 h"]
    assert [part.text for part in quote_link(body, ["Runner"])] == ["Runner", " · - too"]


# -- the embedding's state, on every screen


SCREENS = ["/w/ops/", "/w/ops/runner", "/w/ops/search?q=nothing"]


def begin_run(state: RunState, **more: object) -> None:
    Page.objects.exclude(slug="done").update(embed_model="", embedding=None)
    ReembedRun.objects.update_or_create(fingerprint=active_fingerprint(), defaults={"state": state, **more})


@pytest.mark.parametrize("address", SCREENS)
def test_screens_say_how_far_the_embedding_is(browser: Client, write: Write, address: str) -> None:
    for title in ("Done", "Runner", "Other"):
        write(title)
    assert "embedded" not in text(browser.get(address)).partition("<main")[0]
    begun = timezone.now() - timedelta(minutes=3)
    begin_run(RunState.RUNNING, embedded=1, started_at=begun, progressed_at=begun + timedelta(minutes=2))
    html = text(browser.get(address)).partition("<main")[0]
    assert "1 of 3 pages embedded, about 4 minutes left.</strong> Words find the rest meanwhile." in html
    assert "To the status" not in html
    german = text(browser.get(address, headers={"Accept-Language": "de"}))
    assert "1 von 3 Seiten eingebettet, noch etwa 4 Minuten." in german


@pytest.mark.parametrize("address", SCREENS)
def test_m41_the_notice_is_gone_right_after_the_last_batch(browser: Client, write: Write, address: str) -> None:
    write("Runner")
    begin_run(RunState.RUNNING)
    assert "0 of 1 pages embedded" in text(browser.get(address))
    list(embed_packet())
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
    browser: Client, staff: Client, write: Write, state: RunState, words: str
) -> None:
    write("Runner")
    begin_run(state, error="refused", attempt=1)
    assert f"Words only.</strong> {words}" in text(browser.get("/w/ops/runner"))
    assert '<a href="/admin/embedding/">To the status</a>' in text(staff.get("/w/ops/runner"))


def test_a_search_says_once_that_pages_wait(browser: Client, write: Write) -> None:
    write("Runner", "Pipeline")
    begin_run(RunState.RUNNING)
    html = text(browser.get("/w/ops/search?q=pipeline"))
    assert "0 of 1 pages embedded" in html
    assert "not embedded yet" not in html


# -- languages, errors, accessibility


def test_the_screen_follows_the_browser_and_the_switch(browser: Client, write: Write) -> None:
    write("Runner", type="problem")
    german = text(browser.get("/w/ops/runner", headers={"Accept-Language": "de"}))
    assert '<html lang="de">' in german
    assert "Verweise hierher" in german
    assert '<html lang="en">' in text(browser.get("/w/ops/runner"))
    assert browser.post("/i18n/setlang/", {"language": "de", "next": "/w/ops/runner"})["Location"] == "/w/ops/runner"
    assert '<html lang="de">' in text(browser.get("/w/ops/runner"))


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=5), "gerade eben"),
        (timedelta(minutes=1), "vor 1 Minute"),
        (timedelta(hours=5), "vor 5 Stunden"),
        (timedelta(days=1, hours=3), "gestern"),
        (timedelta(days=2, hours=3), "vor 2 Tagen"),
        (timedelta(days=15), "vor 2 Wochen"),
    ],
)
def test_ages_read_well_in_german(browser: Client, write: Write, age: timedelta, words: str) -> None:
    write("Runner").revisions.update(created_at=timezone.now() - age)
    html = text(browser.get("/w/ops/runner", headers={"Accept-Language": "de"}))
    assert re.search(rf"angelegt <time [^>]+>{words}</time>", html)


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_need_no_context(name: str) -> None:
    assert "<h1>" in render_to_string(f"{name}.html")


def test_print_is_light_whatever_the_screen_is() -> None:
    css = Path(finders.find("covey/covey.css")).read_text()
    dark = [css[: match.start()].rpartition("@media")[2] for match in re.finditer("color-scheme:dark;", css)]
    assert len(dark) == 2
    assert all(rule.strip().startswith("screen") for rule in dark)


def test_the_keys_are_listed(browser: Client, write: Write) -> None:
    write("Pat", type="person")
    html = text(browser.get("/w/ops/"))
    assert "<kbd>Ctrl Enter</kbd></dt><dd>save, in the form</dd>" in html
    assert ">People <" in html


def test_a_screen_can_be_used_without_a_mouse_and_without_looking(browser: Client, write: Write) -> None:
    write("Runner")
    html = text(browser.get("/w/ops/runner/edit"))
    assert '<a class="skip" href="#main">' in html
    assert '<main id="main"' in html
    for field in re.findall(r'<(?:input type="(?:text|search|checkbox)"|textarea|select)[^>]* id="(\w+)"', html):
        assert f'for="{field}"' in html or "<label class" in html, field


# -- queries


def test_the_number_of_queries_does_not_grow_with_the_pages(
    browser: Client, write: Write, wiki: Wiki, agent: Agent
) -> None:
    def fill(start: int) -> None:
        for number in range(start, start + 4):
            page = write(
                f"Page {number}",
                f"text [[Page 0]] [[Page {number - 1}]] [[Red {number}]]",
                type="topic",
                tags=[f"t{number}"],
            )
        file_insight(wiki, agent, Handed(f"Insight number {start} about something", page="page-0"))
        trash_page(page, author=Author.maintenance())

    addresses = [
        "/",
        "/w/ops/",
        "/w/ops/page-0",
        "/w/ops/page-0/edit",
        "/w/ops/page-0/history",
        "/w/ops/search?q=text+page",
        "/w/ops/trash",
    ]
    fill(0)
    for address in addresses:
        browser.get(address)
    few = {address: count_queries(browser, address) for address in addresses}
    fill(10)
    many = {address: count_queries(browser, address) for address in addresses}
    assert many == few
    assert few["/"] <= 3
    assert few["/w/ops/"] <= 10
    assert few["/w/ops/page-0"] <= 15
    assert few["/w/ops/search?q=text+page"] <= 13
